// SPDX-License-Identifier: Apache-2.0
#include <kernix/load/kernel.hpp>

#include <boost/test/unit_test.hpp>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace {

int add(int a, int b) { return a + b; }
int take(std::unique_ptr<int> owned) { return *owned; }
void increment(int& value) { ++value; }
int quiet(int value) noexcept { return -value; }

kernix::compile_outcome outcome_with_log(std::string log) {
  kernix::diagnostics what;
  what.code = kernix::errc::compile_failed;
  what.log = std::move(log);
  return kernix::compile_outcome::failed(std::move(what));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(load_kernel)

BOOST_AUTO_TEST_CASE(a_kernel_calls_its_function) {
  kernix::kernel<int(int, int)> sum(&add, nullptr, {});
  BOOST_TEST(bool(sum));
  BOOST_TEST(sum(2, 3) == 5);
}

BOOST_AUTO_TEST_CASE(arguments_are_forwarded) {
  kernix::kernel<int(std::unique_ptr<int>)> taker(&take, nullptr, {});
  BOOST_TEST(taker(std::make_unique<int>(7)) == 7);
  kernix::kernel<void(int&)> adder(&increment, nullptr, {});
  int value = 1;
  adder(value);
  BOOST_TEST(value == 2);
}

BOOST_AUTO_TEST_CASE(noexcept_is_part_of_the_signature) {
  using loud_kernel = kernix::kernel<int(int)>;
  using quiet_kernel = kernix::kernel<int(int) noexcept>;
  static_assert(!noexcept(std::declval<const loud_kernel&>()(1)));
  static_assert(noexcept(std::declval<const quiet_kernel&>()(1)));
  BOOST_TEST(quiet_kernel(&quiet, nullptr, {})(4) == -4);
}

BOOST_AUTO_TEST_CASE(an_empty_kernel_is_false_and_throws) {
  kernix::kernel<int(int, int)> none;
  BOOST_TEST(!none);
  BOOST_CHECK_THROW(none(1, 2), std::bad_function_call);
}

BOOST_AUTO_TEST_CASE(a_failed_compile_keeps_its_log) {
  kernix::kernel<void()> failed(outcome_with_log("kernel.cpp:1: error"));
  BOOST_TEST(!failed);
  BOOST_TEST(failed.diagnostics().log == "kernel.cpp:1: error");
}

BOOST_AUTO_TEST_CASE(a_failed_load_is_what_diagnostics_tell) {
  kernix::diagnostics why;
  why.code = kernix::errc::symbol_not_found;
  why.reason = "no such function";
  kernix::kernel<void()> failed(outcome_with_log("a warning"), why);
  BOOST_TEST(failed.diagnostics().reason == "no such function");
  BOOST_TEST(failed.outcome().diagnostics().log == "a warning");
  kernix::kernel<void()> copy = failed;
  BOOST_TEST(copy.diagnostics().reason == "no such function");
}

BOOST_AUTO_TEST_CASE(copies_keep_the_outcome_alive) {
  kernix::compile_outcome outcome = outcome_with_log("kept");
  std::weak_ptr<const kernix::outcome_payload> watch = outcome.shared_payload();
  auto first = std::make_unique<kernix::kernel<int(int, int)>>(&add, nullptr, std::move(outcome));
  auto second = *first;
  first.reset();
  BOOST_TEST(!watch.expired());
  BOOST_TEST(second(1, 1) == 2);
  second = {};
  BOOST_TEST(watch.expired());
}

BOOST_AUTO_TEST_SUITE_END()
