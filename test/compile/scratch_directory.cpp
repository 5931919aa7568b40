// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <kernix/compile/detail/scratch_parent.hpp>
#include <kernix/compile/scratch_directory.hpp>

#include "support/temporary_tree.hpp"

BOOST_AUTO_TEST_SUITE(compile_scratch_directory)

namespace fs = std::filesystem;
using kernix::scratch_directory;
using kernix::test::temporary_tree;

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

BOOST_AUTO_TEST_CASE(it_is_private_whatever_the_umask_and_goes_with_its_owner) {
  const temporary_tree tree;
  fs::path path;
  for (mode_t mask : {0U, 077U, 0777U}) {
    const mode_t before = ::umask(mask);
    auto made = scratch_directory::make(tree.root());
    ::umask(before);
    BOOST_REQUIRE(made.has_value());
    path = made->path();
    BOOST_TEST(mode_of(path) == 0700U);
    BOOST_TEST(mode_of(path / "tmp") == 0700U);
    scratch_directory moved = std::move(*made);
    BOOST_TEST(fs::exists(path));
  }
  BOOST_TEST(!fs::exists(path));
}

BOOST_AUTO_TEST_CASE(removal_follows_no_link) {
  const temporary_tree tree;
  const fs::path precious = tree.file("outside/precious", "x");
  {
    auto made = scratch_directory::make(tree.root());
    fs::create_directory_symlink(precious.parent_path(), made->path() / "link");
    fs::create_directories(made->path() / "a/b");
    fs::create_symlink(precious, made->path() / "a/b/file");
  }
  BOOST_TEST(fs::exists(precious));
}

BOOST_AUTO_TEST_CASE(names_never_collide_and_a_forked_child_removes_nothing) {
  const temporary_tree tree;
  auto mine = scratch_directory::make(tree.root());
  std::set<std::string> names{mine->path().native()};
  auto other = scratch_directory::make(tree.root());
  BOOST_TEST(names.insert(other->path().native()).second);
  const pid_t child = ::fork();
  if (child == 0) {
    { scratch_directory gone = std::move(*mine); }
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  BOOST_TEST(fs::exists(mine->path()));
}

BOOST_AUTO_TEST_CASE(a_parent_that_is_missing_is_an_error_that_names_it) {
  auto made = scratch_directory::make("/nonexistent/place");
  BOOST_REQUIRE(made.has_error());
  BOOST_TEST(made.error().code == make_error_code(kernix::errc::disk_full));
  BOOST_TEST(made.error().reason.find("/nonexistent/place") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_process_is_dead_when_its_id_is_free_or_belongs_to_another) {
  const std::string realm = '.' + kernix::detail::pid_realm();
  const std::string self = std::to_string(::getpid());
  const std::string start = std::to_string(kernix::detail::process_start(::getpid()).value());
  BOOST_TEST(!kernix::detail::is_dead(self + '.' + start + realm + ".x"));
  BOOST_TEST(kernix::detail::is_dead(self + ".1" + realm + ".x"));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  const std::string gone = std::to_string(child) + '.' + start + realm + ".x";
  ::waitpid(child, nullptr, 0);
  BOOST_TEST(kernix::detail::is_dead(gone));
  for (const char* other : {"", "x", "1", "1.", "0.1", "-1.1", "99999999999999999999.1.2", "kept.1.2"}) {
    BOOST_TEST(!kernix::detail::is_dead(other + realm), other);
  }
}

BOOST_AUTO_TEST_CASE(a_process_without_a_descriptor_left_names_itself_as_before_and_a_forked_child_anew) {
  const std::string stamp = kernix::detail::process_stamp();
  struct rlimit usual {};
  BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual) == 0);
  const struct rlimit none { .rlim_cur = 0, .rlim_max = usual.rlim_max };
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const bool blind = !kernix::detail::process_start(::getpid());
  const std::string then = kernix::detail::process_stamp();
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &usual) == 0);
  BOOST_TEST(blind);
  BOOST_TEST(then == stamp);

  const pid_t child = ::fork();
  if (child == 0) ::_exit(kernix::detail::process_stamp().starts_with(std::to_string(::getpid()) + '.') ? 0 : 1);
  int status = -1;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(a_place_that_has_turned_out_to_be_full_is_not_chosen_again) {
  const temporary_tree tree;
  kernix::settings options;
  options.cache_directory = tree / "cache";
  options.variables["TMPDIR"] = tree.root().string();
  const fs::path first = kernix::detail::find_scratch_parent(options).value();
  const fs::path second = kernix::detail::find_scratch_parent(options, {first}).value();
  BOOST_TEST(second == tree / ("kernix-" + std::to_string(::geteuid())) / "scratch");
  auto last = kernix::detail::find_scratch_parent(options, {first, second});
  BOOST_TEST((last.has_error() || (*last != first && *last != second)));
}

BOOST_AUTO_TEST_CASE(the_parent_is_in_the_cache_directory_or_else_a_private_one_in_tmpdir) {
  const temporary_tree tree;
  kernix::settings options;
  options.cache_directory = tree / "deep/cache";
  options.variables["TMPDIR"] = tree.root().string();
  BOOST_TEST(kernix::detail::find_scratch_parent(options).value() == tree / "deep/cache/scratch");
  BOOST_TEST(mode_of(tree / "deep/cache/scratch") == 0700U);

  const fs::path own = tree / ("kernix-" + std::to_string(::geteuid()));
  BOOST_TEST_REQUIRE(::chmod((tree / "deep/cache/scratch").c_str(), 0777) == 0);
  BOOST_TEST(kernix::detail::find_scratch_parent(options).value() == own / "scratch");
  BOOST_TEST(mode_of(own) == 0700U);

  options.cache_directory = tree.file("a file", "");
  BOOST_TEST(kernix::detail::find_scratch_parent(options).value() == own / "scratch");

  // A link in its place is not followed, wherever it leads.
  fs::remove_all(own);
  fs::create_directory(tree / "trap");
  fs::create_directory_symlink(tree / "trap", own);
  BOOST_TEST(kernix::detail::find_scratch_parent(options).value() != own / "scratch");
  BOOST_TEST(fs::is_empty(tree / "trap"));
}

BOOST_AUTO_TEST_SUITE_END()
