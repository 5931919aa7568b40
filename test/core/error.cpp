// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/error.hpp>

#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace {

/// All values: they are dense, and the first number behind them has no name.
std::vector<kernix::errc> all_values() {
  std::vector<kernix::errc> all;
  for (int value = 1; name(static_cast<kernix::errc>(value)) != "unknown"; ++value)
    all.push_back(static_cast<kernix::errc>(value));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_error)

using kernix::errc;
using kernix::error_code;
using kernix::failure;

BOOST_AUTO_TEST_CASE(every_value_has_a_name_and_a_sentence_of_its_own) {
  std::set<std::string_view> names;
  std::set<std::string> sentences;
  const auto all = all_values();
  BOOST_TEST((all.back() == errc::shut_down));
  for (errc value : all) {
    names.insert(name(value));
    sentences.insert(error_code(static_cast<int>(value), kernix::error_category()).message());
    BOOST_TEST(describe(value) != "unknown kernix error", name(value));
  }
  BOOST_TEST(names.size() == all.size());
  BOOST_TEST(sentences.size() == all.size());
}

BOOST_AUTO_TEST_CASE(every_value_but_those_of_the_operation_answers_a_condition) {
  for (errc value : all_values()) {
    bool any = false;
    for (failure each :
         {failure::source, failure::toolchain, failure::request, failure::environment, failure::transient}) {
      any = any || make_error_code(value) == each;
      BOOST_TEST((make_error_code(value) == each) == (value != errc::cancelled && answers(value, each)), name(value));
    }
    const bool of_the_operation = value == errc::cancelled || value == errc::not_cached || value == errc::shut_down;
    BOOST_TEST(any == !of_the_operation, name(value));
  }
}

BOOST_AUTO_TEST_CASE(conditions_are_what_callers_branch_on) {
  const error_code failed = errc::compile_failed;
  BOOST_TEST((failed == failure::source));
  BOOST_TEST((failed != failure::toolchain));
  BOOST_TEST((error_code(errc::out_of_memory) == failure::transient));
  BOOST_TEST((error_code(errc::symbol_not_found) == failure::source));
  BOOST_TEST((error_code(errc::symbol_not_found) == failure::request));
  BOOST_TEST((error_code() != failure::source));
}

BOOST_AUTO_TEST_CASE(cancelled_is_the_code_of_an_aborted_operation) {
  const error_code aborted(ECANCELED, boost::system::system_category());
  BOOST_TEST(error_code(errc::cancelled) == aborted);
  BOOST_TEST(kernix::error_name(aborted) == "cancelled");
}

BOOST_AUTO_TEST_CASE(a_time_limit_is_also_the_standards) {
  BOOST_TEST((error_code(errc::timed_out) == boost::system::errc::timed_out));
  BOOST_TEST((std::error_code(error_code(errc::timed_out)) == std::errc::timed_out));
  BOOST_TEST((error_code(errc::lock_timeout) != boost::system::errc::timed_out));
}

BOOST_AUTO_TEST_CASE(names_for_machines) {
  BOOST_TEST(kernix::error_name({}).empty());
  BOOST_TEST(kernix::error_name(errc::link_failed) == "link_failed");
  BOOST_TEST(kernix::error_name({ENOENT, boost::system::system_category()}) == "system");
}

BOOST_AUTO_TEST_SUITE_END()
