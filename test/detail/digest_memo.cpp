// SPDX-License-Identifier: Apache-2.0
#include <kernix/detail/digest_memo.hpp>

#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "support/temporary_tree.hpp"

namespace {

using kernix::sha256;
using kernix::detail::digest_memo;
using kernix::test::temporary_tree;
using kernix::test::wait_for_file_clock_tick;

}  // namespace

BOOST_AUTO_TEST_SUITE(detail_digest_memo)

BOOST_AUTO_TEST_CASE(content_is_the_sha256_of_the_bytes) {
  temporary_tree tree;
  const std::string large(300'000, 'q');  // more than one block
  digest_memo memo;
  BOOST_TEST((memo.content(tree.file("small", "abc")) == sha256("abc")));
  BOOST_TEST((memo.content(tree.file("large", large)) == sha256(large)));
  BOOST_TEST((memo.content(tree.file("empty", "")) == sha256("")));
}

BOOST_AUTO_TEST_CASE(what_is_no_readable_regular_file_has_no_content) {
  temporary_tree tree;
  digest_memo memo;
  BOOST_TEST(!memo.content(tree / "absent").has_value());
  BOOST_TEST(!memo.content(tree.root()).has_value());
  BOOST_TEST_REQUIRE(::mkfifo((tree / "pipe").c_str(), 0600) == 0);
  BOOST_TEST(!memo.content(tree / "pipe").has_value());
  BOOST_TEST(!memo.content(tree.link("dangling", tree / "absent")).has_value());
  BOOST_TEST(!memo.content("/dev/null").has_value());
  if (::geteuid() != 0) {
    auto locked = tree.file("locked", "x");
    ::chmod(locked.c_str(), 0);
    BOOST_TEST(!memo.content(locked).has_value());
  }
}

BOOST_AUTO_TEST_CASE(a_settled_file_is_remembered_and_a_fresh_one_is_not) {
  temporary_tree tree;
  digest_memo memo;
  auto path = tree.file("f", "abc");
  // A time in the future can't have settled, however long the machine takes to get here.
  kernix::test::set_mtime(path, kernix::detail::file_clock_ns() + 3'600'000'000'000);
  auto fresh = memo.content_with_signature(path);
  BOOST_TEST_REQUIRE(fresh.has_value());
  BOOST_TEST(!fresh->settled);
  BOOST_TEST(memo.size() == 0u);
  kernix::test::set_mtime(path, 1'000'000'000);
  wait_for_file_clock_tick();
  auto old = memo.content_with_signature(path);
  BOOST_TEST_REQUIRE(old.has_value());
  BOOST_TEST(old->settled);
  BOOST_TEST((old->signature == kernix::detail::signature_of(path)));
  BOOST_TEST(memo.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_change_with_equal_size_and_mtime_is_noticed) {
  temporary_tree tree;
  digest_memo memo;
  auto path = tree.file("f", "abc");
  wait_for_file_clock_tick();
  auto before = memo.content_with_signature(path);
  BOOST_TEST_REQUIRE(before.has_value());
  BOOST_TEST(before->settled);
  tree.file("f", "xyz");
  kernix::test::set_mtime(path, before->signature.mtime_ns);
  BOOST_TEST((kernix::detail::signature_of(path)->mtime_ns == before->signature.mtime_ns));
  BOOST_TEST((memo.content(path) == sha256("xyz")));
}

BOOST_AUTO_TEST_CASE(two_writes_within_one_tick_of_the_clock_are_told_apart) {
  temporary_tree tree;
  digest_memo memo;
  for (int round = 0; round < 200; ++round) {
    const std::string first = "a" + std::to_string(1000 + round);
    const std::string second = "b" + std::to_string(1000 + round);
    auto path = tree.file("f", first);
    BOOST_TEST_REQUIRE((memo.content(path) == sha256(first)));
    tree.file("f", second);
    BOOST_TEST_REQUIRE((memo.content(path) == sha256(second)));
  }
}

BOOST_AUTO_TEST_CASE(a_believed_digest_stands_while_the_signature_does) {
  temporary_tree tree;
  digest_memo memo;
  auto path = tree.file("f", "abc");
  wait_for_file_clock_tick();
  // A wrong word shows that the file was not read.
  memo.believe(path, *kernix::detail::signature_of(path), sha256("word"));
  BOOST_TEST((memo.content(path) == sha256("word")));
  tree.file("f", "xyz");
  BOOST_TEST((memo.content(path) == sha256("xyz")));
  wait_for_file_clock_tick();
  BOOST_TEST((memo.content(path) == sha256("xyz")));
  memo.believe(path, *kernix::detail::signature_of(path), sha256("word"));  // what was seen here counts more
  BOOST_TEST((memo.content(path) == sha256("xyz")));
}

BOOST_AUTO_TEST_CASE(a_link_that_is_swapped_gives_the_other_content) {
  temporary_tree tree;
  digest_memo memo;
  auto one = tree.file("one", "111");
  auto two = tree.file("two", "222");
  wait_for_file_clock_tick();
  auto link = tree.link("link", one);
  BOOST_TEST((memo.content(link) == sha256("111")));
  tree.link("link", two);
  BOOST_TEST((memo.content(link) == sha256("222")));
}

BOOST_AUTO_TEST_CASE(the_number_of_remembered_files_is_bounded) {
  temporary_tree tree;
  digest_memo memo(16);
  std::vector<std::filesystem::path> paths;
  for (int i = 0; i < 200; ++i) paths.push_back(tree.file("f" + std::to_string(i), std::to_string(i)));
  wait_for_file_clock_tick();
  for (int i = 0; i < 200; ++i) BOOST_TEST((memo.content(paths[static_cast<std::size_t>(i)]) == sha256(std::to_string(i))));
  BOOST_TEST(memo.size() > 0u);
  BOOST_TEST(memo.size() <= 32u);
}

BOOST_AUTO_TEST_CASE(many_threads_agree) {
  temporary_tree tree;
  digest_memo memo;
  auto path = tree.file("f", std::string(100'000, 'z'));
  const auto expected = sha256(std::string(100'000, 'z'));
  std::vector<int> wrong(4);
  {
    std::vector<std::jthread> threads;
    for (int& count : wrong) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) count += memo.content(path) == expected ? 0 : 1;
      });
    }
  }
  for (int count : wrong) BOOST_TEST(count == 0);
}

BOOST_AUTO_TEST_SUITE_END()
