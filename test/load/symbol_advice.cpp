// SPDX-License-Identifier: Apache-2.0
#include <kernix/load/symbol_advice.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

bool any_advice(const kernix::diagnosis& what, const std::string& words) {
  return std::any_of(what.advice.begin(), what.advice.end(),
                     [&](const std::string& each) { return each.find(words) != std::string::npos; });
}

bool says(const kernix::diagnosis& what, const std::string& words) { return what.reason.find(words) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(load_symbol_advice)

BOOST_AUTO_TEST_CASE(the_error_lists_what_is_exported) {
  auto what = kernix::missing_symbol("axpy", {"dot", "scale"});
  BOOST_TEST(what.code == make_error_code(kernix::errc::symbol_not_found));
  BOOST_TEST(says(what, "\"axpy\""));
  BOOST_TEST(says(what, "dot, scale"));
}

BOOST_AUTO_TEST_CASE(a_mangled_function_of_that_name_wants_extern_c) {
  auto what = kernix::missing_symbol("axpy", {"_Z4axpyPf"});
  BOOST_TEST(says(what, "_Z4axpyPf [axpy(float*)]"));
  BOOST_TEST(any_advice(what, "extern \"C\""));
}

BOOST_AUTO_TEST_CASE(a_mangled_function_in_a_namespace_wants_extern_c_too) {
  BOOST_TEST(any_advice(kernix::missing_symbol("axpy", {"_ZN4math4axpyEi"}), "extern \"C\""));
}

BOOST_AUTO_TEST_CASE(another_function_whose_name_ends_alike_does_not) {
  BOOST_TEST(!any_advice(kernix::missing_symbol("axpy", {"_Z5saxpyPf"}), "extern \"C\""));
}

BOOST_AUTO_TEST_CASE(a_plain_name_is_not_taken_for_a_mangled_type) {
  auto what = kernix::missing_symbol("axpy", {"f", "i", "St"});
  BOOST_TEST(says(what, "it exports f, i, St"));
  BOOST_TEST(!says(what, "["));
}

BOOST_AUTO_TEST_CASE(the_nearest_name_is_suggested) {
  auto what = kernix::missing_symbol("apxy", {"axpy", "reduce_sum"});
  BOOST_TEST(any_advice(what, "did you mean \"axpy\"?"));
}

BOOST_AUTO_TEST_CASE(a_name_unlike_all_others_gets_no_suggestion) {
  BOOST_TEST(!any_advice(kernix::missing_symbol("transpose", {"axpy", "dot"}), "did you mean"));
}

BOOST_AUTO_TEST_CASE(an_object_that_exports_nothing_is_explained) {
  auto what = kernix::missing_symbol("axpy", {});
  BOOST_TEST(says(what, "no function"));
  BOOST_TEST(any_advice(what, "visibility"));
}

BOOST_AUTO_TEST_CASE(a_long_list_is_cut_and_counted) {
  std::vector<std::string> many;
  for (int i = 10; i < 60; ++i) many.push_back("function_" + std::to_string(i));
  auto what = kernix::missing_symbol("axpy", many);
  BOOST_TEST(says(what, "function_29"));
  BOOST_TEST(!says(what, "function_30"));
  BOOST_TEST(says(what, "and 30 more"));
}

BOOST_AUTO_TEST_CASE(edit_distance_counts_single_letters) {
  BOOST_TEST(kernix::detail::edit_distance("", "abc") == 3u);
  BOOST_TEST(kernix::detail::edit_distance("axpy", "axpy") == 0u);
  BOOST_TEST(kernix::detail::edit_distance("axpy", "apxy") == 2u);
  BOOST_TEST(kernix::detail::edit_distance("kitten", "sitting") == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
