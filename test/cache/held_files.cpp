// SPDX-License-Identifier: Apache-2.0
#include <kernix/cache/held_files.hpp>

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>

#include <kernix/core/hasher.hpp>

#include "support/forked.hpp"
#include "support/temporary_tree.hpp"

namespace {

using namespace kernix::detail;
using kernix::sha256;
using kernix::test::forked_child;
using kernix::test::temporary_tree;
namespace fs = std::filesystem;

struct holds {
  temporary_tree tree;
  int error = 0;
  std::shared_ptr<hold_place> place = hold_place::make(tree.root(), error);
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_held_files)

BOOST_FIXTURE_TEST_CASE(each_directory_is_new_and_goes_with_its_last_user, holds) {
  auto one = hold_in(place, error);
  auto two = hold_in(place, error);
  BOOST_REQUIRE(one);
  BOOST_REQUIRE(two);
  const fs::path first = one->path();
  BOOST_TEST(first != two->path());
  one.reset();
  BOOST_TEST(!fs::exists(first));
  auto three = hold_in(place, error);
  BOOST_TEST(three->path() != first);  // never used again
  const fs::path all = place->directory();
  place.reset();
  two.reset();
  BOOST_TEST(fs::exists(three->path()));
  three.reset();
  BOOST_TEST(!fs::exists(all));
}

BOOST_FIXTURE_TEST_CASE(a_forked_child_removes_nothing, holds) {
  auto held = hold_in(place, error);
  forked_child child([&] {
    held.reset();
    place.reset();
    return 0;
  });
  BOOST_TEST(child.join() == 0);
  BOOST_TEST(fs::exists(held->path()));
}

BOOST_FIXTURE_TEST_CASE(a_place_that_can_not_be_made_says_why, holds) {
  BOOST_TEST(!hold_place::make(tree / "absent", error));
  BOOST_TEST(error == ENOENT);
  fs::remove_all(place->directory());
  BOOST_TEST(!hold_in(place, error));
  BOOST_TEST(error == ENOENT);
  BOOST_TEST(!hold_outside((tree / "absent").string(), error));
  BOOST_TEST(error == ENOENT);
}

BOOST_FIXTURE_TEST_CASE(outside_of_the_cache_only_this_user_can_enter, holds) {
  auto held = hold_outside(tree.root().string(), error);
  BOOST_REQUIRE(held);
  struct stat found {};
  BOOST_REQUIRE(::stat(held->path().c_str(), &found) == 0);
  BOOST_TEST((found.st_mode & 07777) == 0700u);
  const fs::path path = held->path();
  held.reset();
  BOOST_TEST(!fs::exists(path));
}

BOOST_FIXTURE_TEST_CASE(a_file_is_linked_or_else_copied_when_it_is_what_it_should_be, holds) {
  const fs::path file = tree.file("file", "bytes");
  BOOST_TEST(link_or_copy(file, tree / "link", sha256("bytes")) == 0);
  BOOST_TEST(fs::hard_link_count(file) == 2u);
  const fs::path other = "/proc/self/comm";  // on another filesystem, and not to be linked
  BOOST_TEST(link_or_copy(other, tree / "bad", sha256("something else")) == EIO);
  BOOST_TEST(link_or_copy(tree / "absent", tree / "none", sha256("")) == ENOENT);
}

BOOST_FIXTURE_TEST_CASE(only_what_the_dead_left_is_swept, holds) {
  fs::create_directory(tree / "staging");
  fs::create_directory(tree / "12-foreign");
  std::string dead;
  {
    forked_child child([&]() -> int {
      auto mine = hold_place::make(tree.root(), error);
      auto held = hold_in(mine, error);
      forked_child::tell();
      for (;;) ::pause();
    });
    BOOST_REQUIRE(child.heard());
    for (const auto& each : fs::directory_iterator(tree.root())) {
      if (fs::exists(each.path() / "alive") && each.path() != place->directory()) dead = each.path().filename();
    }
    sweep_holds(tree.root(), tree / "staging");
    BOOST_TEST(fs::exists((tree / dead) / "0"));  // it lives
  }
  fs::create_directory((tree / "staging") / (dead + "+3"));
  fs::create_directory((tree / "staging") / (place->name() + "+3"));
  sweep_holds(tree.root(), tree / "staging");
  BOOST_TEST(!fs::exists(tree / dead));
  BOOST_TEST(!fs::exists((tree / "staging") / (dead + "+3")));
  BOOST_TEST(fs::is_empty(tree / "12-foreign"));
  BOOST_TEST(fs::exists(place->directory()));
  BOOST_TEST(fs::exists((tree / "staging") / (place->name() + "+3")));
}

BOOST_AUTO_TEST_SUITE_END()
