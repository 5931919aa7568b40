// SPDX-License-Identifier: Apache-2.0
#include <kernix/cache/manifest.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

#include <kernix/core/hasher.hpp>

namespace {

using namespace kernix;

std::string id(int number) {
  std::string text = std::to_string(number);
  return std::string(32 - text.size(), '0') + text;
}

read_set reads(const std::string& content) {
  return {.files = {{"include0", "a b.h", sha256(content)}, {"system", "/usr/include/x.h", sha256("x")}},
          .absent = {{"include0", "../shadow.h"}}};
}

manifest sample() {
  manifest what{
      .key = sha256("key"), .fields = {{"source", "abc"}, {"flag", ""}, {"flag", "-O3"}}, .names = {}, .results = {}};
  what.add_name("axpy");
  what.put({.id = id(1), .began_ns = -5, .created_ns = 7, .reads = reads("one")});
  what.put({.id = id(2), .began_ns = 8, .created_ns = 9, .reads = {}});
  return what;
}

bool same(const manifest& a, const manifest& b) {
  if (a.key != b.key || a.fields != b.fields || a.names != b.names || a.results.size() != b.results.size())
    return false;
  for (std::size_t i = 0; i < a.results.size(); ++i) {
    const manifest_result &x = a.results[i], &y = b.results[i];
    if (x.id != y.id || x.began_ns != y.began_ns || x.created_ns != y.created_ns || !(x.reads == y.reads)) return false;
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_manifest)

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back) {
  auto read = decode_manifest(encode(sample()));
  BOOST_REQUIRE(read);
  BOOST_TEST(same(*read, sample()));
}

BOOST_AUTO_TEST_CASE(signatures_are_kept_and_are_no_part_of_a_dependency) {
  manifest what = sample();
  const stat_signature seen{.device = 1, .inode = 2, .size = 3, .mtime_ns = -4, .ctime_ns = 5};
  what.results.back().reads.files.front().seen = seen;
  BOOST_TEST(same(what, sample()));
  auto read = decode_manifest(encode(what));
  BOOST_REQUIRE(read);
  BOOST_TEST((read->results.back().reads.files.front().seen == seen));
  BOOST_TEST((read->results.back().reads.files.back().seen == stat_signature{}));
}

BOOST_AUTO_TEST_CASE(any_damage_is_noticed) {
  const std::string good = encode(sample());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    BOOST_TEST(!decode_manifest(bad), "flipped byte " << i);
    BOOST_TEST(!decode_manifest(good.substr(0, i)), "cut at " << i);
  }
  BOOST_TEST(!decode_manifest(good + "x"));
}

BOOST_AUTO_TEST_CASE(an_id_that_could_leave_the_directory_is_refused) {
  for (const char* bad : {"../../../../../../../etc/passwd0", "", "0", "0000000000000000000000000000000G"}) {
    manifest what = sample();
    what.results.front().id = bad;
    BOOST_TEST(!decode_manifest(encode(what)), bad);
  }
}

BOOST_AUTO_TEST_CASE(a_result_with_the_same_dependencies_supersedes) {
  manifest what = sample();
  auto dropped = what.put({.id = id(3), .began_ns = 20, .created_ns = 21, .reads = reads("one")});
  BOOST_REQUIRE(dropped.size() == 1);
  BOOST_TEST(dropped[0].id == id(1));
  BOOST_REQUIRE(what.results.size() == 2);
  BOOST_TEST(what.results[0].id == id(3));
  BOOST_TEST(what.results[1].id == id(2));
}

BOOST_AUTO_TEST_CASE(the_oldest_result_goes_when_there_are_too_many) {
  manifest what;
  std::vector<manifest_result> dropped;
  for (int i = 0; i <= static_cast<int>(manifest::max_results); ++i) {
    BOOST_TEST(dropped.empty());
    dropped = what.put({.id = id(i), .began_ns = i, .created_ns = i, .reads = reads(std::to_string(i))});
  }
  BOOST_REQUIRE(dropped.size() == 1);
  BOOST_TEST(dropped[0].id == id(0));
  BOOST_TEST(what.results.size() == manifest::max_results);
}

BOOST_AUTO_TEST_CASE(names_are_kept_once_and_newest_first) {
  manifest what;
  for (const char* name : {"a", "b", "a"}) what.add_name(name);
  BOOST_TEST((what.names == std::vector<std::string>{"a", "b"}));
  for (int i = 0; i < 100; ++i) what.add_name(std::to_string(i));
  BOOST_TEST(what.names.size() == manifest::max_names);
  BOOST_TEST(what.names.front() == "99");
}

BOOST_AUTO_TEST_SUITE_END()
