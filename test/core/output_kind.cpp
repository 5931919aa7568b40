// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/output_kind.hpp>

#include <set>
#include <string_view>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(core_output_kind)

BOOST_AUTO_TEST_CASE(names_and_suffixes_are_unambiguous) {
  std::set<std::string_view> names;
  std::set<std::string_view> suffixes;
  int count = 0;
  for (int value = 1; name(static_cast<kernix::output_kind>(value)) != "unknown"; ++value, ++count) {
    const auto kind = static_cast<kernix::output_kind>(value);
    names.insert(name(kind));
    suffixes.insert(suffix(kind));
    BOOST_TEST(suffix(kind).starts_with('.'), name(kind));
    BOOST_TEST((kernix::parse_output_kind(name(kind)) == kind), name(kind));
  }
  BOOST_TEST(count == 7);
  BOOST_TEST(names.size() == 7);
  BOOST_TEST(suffixes.size() == 7);
}

BOOST_AUTO_TEST_CASE(other_words_are_no_kinds) {
  for (const char* word : {"", "unknown", "so", "PTX", "shared-object", "ptx "})
    BOOST_TEST(!kernix::parse_output_kind(word), word);
}

BOOST_AUTO_TEST_SUITE_END()
