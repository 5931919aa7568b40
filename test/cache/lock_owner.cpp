// SPDX-License-Identifier: Apache-2.0
#include <kernix/cache/lock_owner.hpp>

#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <string>

#include "support/temporary_tree.hpp"

BOOST_AUTO_TEST_SUITE(cache_lock_owner)

BOOST_AUTO_TEST_CASE(the_sentence_says_who_where_what_and_since_when) {
  kernix::lock_owner owner{.process = 4711, .host = "alpha", .since_s = 1'796'000'000, .request = "axpy"};
  BOOST_TEST(owner.sentence() ==
             "process 4711 on alpha, which has been building \"axpy\" since 2026-11-30 00:53:20 UTC");
}

BOOST_AUTO_TEST_CASE(what_an_owner_writes_beside_the_lock_is_read_back) {
  kernix::test::temporary_tree tree;
  BOOST_TEST(!kernix::detail::read_owner(tree / "lock"));
  for (const char* request : {"first", "second"}) {
    kernix::detail::write_owner(tree / "lock", kernix::lock_owner::self(request));
    auto read = kernix::detail::read_owner(tree / "lock");
    BOOST_REQUIRE(read);
    BOOST_TEST(read->request == request);
    BOOST_TEST(read->process == ::getpid());
    BOOST_TEST(!read->host.empty());
  }
  BOOST_TEST(!std::filesystem::exists(tree / "lock"));  // the lock file itself is never touched
  tree.file("lock.owner", "nonsense");
  BOOST_TEST(!kernix::detail::read_owner(tree / "lock"));
}

BOOST_AUTO_TEST_SUITE_END()
