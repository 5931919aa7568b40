// SPDX-License-Identifier: Apache-2.0
#include <kernix/detail/lock_table.hpp>

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "support/forked.hpp"
#include "support/temporary_tree.hpp"

namespace {

using kernix::detail::held_lock;
using kernix::detail::lock_attempt;
using kernix::detail::lock_table;
using kernix::test::forked_child;
using kernix::test::temporary_tree;
using state = lock_attempt::state;

lock_attempt attempt(const std::filesystem::path& file, const std::filesystem::path& sweep = {}) {
  return lock_table::instance().try_acquire(file, sweep);
}

/// What another process gets that tries to take the lock, as an int.
int attempt_elsewhere(const std::filesystem::path& file) {
  return forked_child([&] { return static_cast<int>(attempt(file).how); }).join();
}

constexpr int acquired = static_cast<int>(state::acquired);
constexpr int busy = static_cast<int>(state::busy);

}  // namespace

BOOST_AUTO_TEST_SUITE(detail_lock_table)

BOOST_AUTO_TEST_CASE(a_lock_excludes_this_process_and_others_until_it_is_given_back) {
  temporary_tree tree;
  lock_attempt first = attempt(tree / "lock");
  BOOST_REQUIRE(first.how == state::acquired);
  BOOST_TEST(static_cast<bool>(first.lock));
  BOOST_TEST(static_cast<int>(attempt(tree / "lock").how) == busy);
  BOOST_TEST(attempt_elsewhere(tree / "lock") == busy);
  first.lock.release();
  BOOST_TEST(!first.lock);
  BOOST_TEST(attempt_elsewhere(tree / "lock") == acquired);
  BOOST_TEST(static_cast<int>(attempt(tree / "lock").how) == acquired);
}

BOOST_AUTO_TEST_CASE(looking_at_a_held_lock_does_not_drop_it) {
  temporary_tree tree;
  lock_attempt first = attempt(tree / "lock");
  std::filesystem::create_hard_link(tree / "lock", tree / "other");
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(static_cast<int>(attempt(tree / "lock").how) == busy);
    BOOST_TEST(static_cast<int>(attempt(tree / "other").how) == busy);  // another name of the same file
  }
  BOOST_TEST(attempt_elsewhere(tree / "lock") == busy);
}

BOOST_AUTO_TEST_CASE(moving_a_lock_keeps_it) {
  temporary_tree tree;
  held_lock kept;
  {
    lock_attempt first = attempt(tree / "lock");
    kept = std::move(first.lock);
  }
  BOOST_TEST(attempt_elsewhere(tree / "lock") == busy);
  kept = held_lock();
  BOOST_TEST(attempt_elsewhere(tree / "lock") == acquired);
}

BOOST_AUTO_TEST_CASE(the_lock_of_a_killed_process_is_free) {
  temporary_tree tree;
  forked_child owner([&] {
    lock_attempt mine = attempt(tree / "lock");
    if (mine.how != state::acquired) return 1;
    forked_child::tell();
    for (;;) ::pause();
  });
  BOOST_REQUIRE(owner.heard());
  BOOST_TEST(static_cast<int>(attempt(tree / "lock").how) == busy);
  BOOST_TEST(owner.kill() == -SIGKILL);
  BOOST_TEST(static_cast<int>(attempt(tree / "lock").how) == acquired);
}

BOOST_AUTO_TEST_CASE(the_presence_of_a_lock_file_means_nothing) {
  temporary_tree tree;
  tree.file("empty", "");
  tree.file("text", "4711\n");
  ::chmod(tree.file("unreadable", "").c_str(), 0);
  for (const char* name : {"empty", "text", "unreadable"}) {
    BOOST_TEST(static_cast<int>(attempt(tree / name).how) == acquired, name);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_lock_file_is_unusable_and_says_why) {
  temporary_tree tree;
  std::filesystem::create_directory(tree / "directory");
  ::mkfifo((tree / "pipe").c_str(), 0600);
  tree.link("link", tree / "elsewhere");
  for (const char* name : {"directory", "pipe", "link", "absent/lock"}) {
    lock_attempt result = attempt(tree / name);
    BOOST_TEST((result.how == state::unusable), name);
    BOOST_TEST(result.reason.find((tree / name).string()) != std::string::npos, result.reason);
  }
}

BOOST_AUTO_TEST_CASE(a_forked_child_neither_has_nor_drops_its_parents_lock) {
  temporary_tree tree;
  std::optional<lock_attempt> mine = attempt(tree / "lock");
  forked_child child([&] {
    bool excluded = attempt(tree / "lock").how == state::busy;
    mine.reset();  // the child's copy
    return excluded && attempt(tree / "lock").how == state::busy ? 0 : 1;
  });
  BOOST_TEST(child.join() == 0);
  BOOST_TEST(attempt_elsewhere(tree / "lock") == busy);
}

BOOST_AUTO_TEST_CASE(builders_share_the_sweep_lock_and_a_sweeper_waits_for_the_last) {
  temporary_tree tree;
  lock_attempt one = attempt(tree / "one", tree / "sweep");
  lock_attempt two = attempt(tree / "two", tree / "sweep");
  BOOST_REQUIRE(two.how == state::acquired);
  BOOST_TEST(forked_child([&] { return static_cast<int>(attempt(tree / "three", tree / "sweep").how); }).join() ==
             acquired);
  BOOST_TEST(attempt_elsewhere(tree / "sweep") == busy);
  BOOST_TEST(static_cast<int>(attempt(tree / "sweep").how) == busy);
  one.lock.release();
  BOOST_TEST(attempt_elsewhere(tree / "sweep") == busy);
  two.lock.release();
  lock_attempt sweeper = attempt(tree / "sweep");
  BOOST_TEST(static_cast<int>(sweeper.how) == acquired);
  BOOST_TEST(static_cast<int>(attempt(tree / "one", tree / "sweep").how) == busy);
  BOOST_TEST(forked_child([&] { return static_cast<int>(attempt(tree / "one", tree / "sweep").how); }).join() == busy);
}

BOOST_AUTO_TEST_CASE(a_busy_lock_leaves_the_sweep_lock_as_it_was) {
  temporary_tree tree;
  lock_attempt mine = attempt(tree / "lock");
  BOOST_TEST(static_cast<int>(attempt(tree / "lock", tree / "sweep").how) == busy);
  BOOST_TEST(attempt_elsewhere(tree / "sweep") == acquired);
}

BOOST_AUTO_TEST_CASE(a_standard_stream_that_the_host_closed_is_not_taken) {
  temporary_tree tree;
  forked_child host([&] {
    ::close(0);
    ::close(1);
    lock_attempt mine = attempt(tree / "lock", tree / "sweep");
    return mine.how == state::acquired && ::fcntl(0, F_GETFD) < 0 && ::fcntl(1, F_GETFD) < 0 ? 0 : 1;
  });
  BOOST_TEST(host.join() == 0);
}

BOOST_AUTO_TEST_CASE(a_swept_lock_file_is_made_again) {
  temporary_tree tree;
  { lock_attempt first = attempt(tree / "lock"); }
  std::filesystem::remove(tree / "lock");
  BOOST_TEST(static_cast<int>(attempt(tree / "lock").how) == acquired);
  BOOST_TEST(std::filesystem::exists(tree / "lock"));
}

BOOST_AUTO_TEST_SUITE_END()
