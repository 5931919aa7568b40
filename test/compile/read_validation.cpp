// SPDX-License-Identifier: Apache-2.0
#include <kernix/compile/read_validation.hpp>

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <vector>

#include "support/temporary_tree.hpp"

BOOST_AUTO_TEST_SUITE(compile_read_validation)

using kernix::first_difference;
using kernix::sha256;
using kernix::still_valid;
using kernix::test::temporary_tree;

BOOST_AUTO_TEST_CASE(each_difference_is_told_apart) {
  temporary_tree tree;
  tree.file("inc/a.h", "one");
  const std::vector<kernix::root> roots{{"include0", tree / "inc"}};
  kernix::read_set reads{.files = {{"include0", "a.h", sha256("one")}}, .absent = {{"include0", "b.h"}}};
  kernix::detail::digest_memo digests;
  BOOST_TEST(still_valid(reads, roots, digests));
  BOOST_TEST(!first_difference(reads, roots, digests).has_value());

  tree.file("inc/a.h", "two");
  BOOST_TEST(first_difference(reads, roots, digests).value() == (tree / "inc/a.h").native() + " has changed");
  std::filesystem::remove(tree / "inc/a.h");
  BOOST_TEST(first_difference(reads, roots, digests).value().find("is gone") != std::string::npos);
  tree.file("inc/a.h", "one");
  BOOST_TEST(still_valid(reads, roots, digests));
  tree.file("inc/b.h", "shadows");
  BOOST_TEST(first_difference(reads, roots, digests).value().find("exists now") != std::string::npos);
  BOOST_TEST(!still_valid(reads, {}, digests));  // a request without that directory
}

BOOST_AUTO_TEST_CASE(the_same_files_elsewhere_are_as_good) {
  temporary_tree tree;
  tree.file("here/a.h", "one");
  tree.file("there/a.h", "one");
  const kernix::read_set reads{.files = {{"include0", "a.h", sha256("one")}}, .absent = {}};
  kernix::detail::digest_memo digests;
  for (const char* place : {"here", "there"}) {
    const std::vector<kernix::root> roots{{"include0", tree / place}};
    BOOST_TEST(still_valid(reads, roots, digests), place);
  }
}

BOOST_AUTO_TEST_SUITE_END()
