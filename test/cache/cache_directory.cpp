// SPDX-License-Identifier: Apache-2.0
#include <kernix/cache/cache_directory.hpp>

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <kernix/core/hasher.hpp>

#include "support/temporary_tree.hpp"

namespace {

using kernix::cache_directory;
using kernix::test::temporary_tree;
namespace fs = std::filesystem;

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_cache_directory)

BOOST_AUTO_TEST_CASE(opening_makes_the_layout_and_constructing_makes_nothing) {
  temporary_tree tree;
  cache_directory cache(tree / "deep/er/cache");
  BOOST_TEST(!fs::exists(tree / "deep"));
  auto access = cache.open();
  BOOST_TEST(access.readable);
  BOOST_TEST(access.writable);
  BOOST_TEST(access.problem.empty());
  for (const char* kind : {"manifests", "results", "locks", "staging", "holds"}) {
    BOOST_TEST(fs::is_directory(cache.version() / kind), kind);
  }
  std::string line;
  std::ifstream tag(cache.top() / "CACHEDIR.TAG");
  std::getline(tag, line);
  BOOST_TEST(line == "Signature: 8a477f597d28d172789f06886806bc55");
}

BOOST_AUTO_TEST_CASE(a_key_decides_the_places_of_its_files) {
  cache_directory cache("/cache");
  const kernix::digest key = kernix::sha256("");
  BOOST_TEST(cache.manifest(key) == "/cache/v1/manifests/e3/" + key.hex());
  BOOST_TEST(cache.lock(key) == "/cache/v1/locks/e3/" + key.hex());
  BOOST_TEST(cache.result("abcdef") == "/cache/v1/results/ab/abcdef");
}

BOOST_AUTO_TEST_CASE(a_link_to_a_directory_may_be_the_top_but_not_hold_the_code) {
  temporary_tree tree;
  fs::create_directory(tree / "real");
  tree.link("cache", tree / "real");
  BOOST_TEST(cache_directory(tree / "cache").open().writable);
  BOOST_TEST(fs::exists(tree / "real/v1/results"));

  fs::create_directory(tree / "other");
  fs::create_directory(tree / "target");
  tree.link("other/v1", tree / "target");
  auto access = cache_directory(tree / "other").open();
  BOOST_TEST(!access.readable);
  BOOST_TEST(access.problem.find("is not a directory") != std::string::npos, access.problem);
}

BOOST_AUTO_TEST_CASE(after_a_failure_the_next_call_looks_again) {
  temporary_tree tree;
  tree.file("cache", "");
  cache_directory cache(tree / "cache");
  BOOST_TEST(!cache.open().readable);
  fs::remove(tree / "cache");
  BOOST_TEST(cache.open().writable);
}

BOOST_AUTO_TEST_CASE(what_was_removed_is_made_again_after_forgetting) {
  temporary_tree tree;
  cache_directory cache(tree / "cache");
  cache.open();
  fs::remove_all(tree / "cache");
  BOOST_TEST(cache.open().writable);
  BOOST_TEST(!fs::exists(tree / "cache"));  // remembered
  cache.forget();
  BOOST_TEST(cache.open().writable);
  BOOST_TEST(fs::exists(tree / "cache/v1/results"));
}

BOOST_AUTO_TEST_SUITE_END()
