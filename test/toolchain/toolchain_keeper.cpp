// SPDX-License-Identifier: Apache-2.0
#include <kernix/toolchain/toolchain_keeper.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>

#include "support/candidate_backend.hpp"
#include "support/scripted_runner.hpp"
#include "support/temporary_tree.hpp"

namespace {

using kernix::errc;
using kernix::error_code;
using kernix::settings;
using kernix::toolchain_search;
using kernix::test::candidate_backend;
using kernix::test::temporary_tree;
using kernix::test::scripted_runner;
using keeper = kernix::detail::toolchain_keeper<candidate_backend, scripted_runner>;

kernix::process_result answer(const kernix::process_command& command) {
  return scripted_runner::exited(0, {}, command.arguments.at(0) == "--version" ? "fake 1\n" : "");
}

/// A keeper whose compiler is a file that nobody runs.
struct fixture {
  temporary_tree tree;
  std::filesystem::path program = tree.script("bin/fakec", "");
  boost::asio::io_context context;
  std::shared_ptr<kernix::detail::runtime> shared = kernix::detail::runtime::of(context.get_executor());
  scripted_runner runner{&answer};
  settings from = {};

  std::shared_ptr<keeper> make() {
    candidate_backend backend{{{{program.string()}, "PATH", false}}};
    return std::make_shared<keeper>(shared, backend, runner, from);
  }

  using result = std::pair<error_code, toolchain_search>;

  /// Starts one `ready`; its result is put into `to`.
  void start(std::shared_ptr<keeper> which, std::optional<result>& to, boost::asio::cancellation_slot slot = {}) {
    auto done = [&to](error_code code, toolchain_search search) { to.emplace(code, std::move(search)); };
    kernix::detail::initiate<toolchain_search>(shared, context.get_executor(), [which] { return which->ready(); },
                                               boost::asio::bind_cancellation_slot(slot, done));
  }
  void run() {
    context.restart();
    context.run();
  }
  result ready(std::shared_ptr<keeper> which) {
    std::optional<result> to;
    start(which, to);
    run();
    return std::move(to.value());
  }
  bool still(std::shared_ptr<keeper> which, std::shared_ptr<const kernix::toolchain> tool) {
    std::optional<bool> to;
    auto make_it = [which, tool] { return both(which->still(tool)); };
    kernix::detail::initiate<bool>(shared, context.get_executor(), make_it, [&to](error_code, bool value) { to = value; });
    run();
    return to.value();
  }
  static boost::asio::awaitable<std::pair<error_code, bool>> both(boost::asio::awaitable<bool> operation) {
    bool value = co_await std::move(operation);
    co_return std::pair(error_code(), value);
  }
  /// Waits until the runner has been asked `count` times in all.
  void wait_for_commands(std::size_t count) {
    while (runner.started() < count) kernix::test::wait_for_file_clock_tick();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(toolchain_toolchain_keeper, fixture)

BOOST_AUTO_TEST_CASE(concurrent_callers_share_one_search) {
  auto which = make();
  runner.hold();
  std::vector<std::optional<result>> results(20);
  for (auto& each : results) start(which, each);
  wait_for_commands(1);
  runner.let_go();
  run();
  for (auto& each : results) {
    BOOST_TEST_REQUIRE(each.has_value());
    BOOST_TEST(!each->first);
    BOOST_TEST((each->second.found == results[0]->second.found));
  }
  BOOST_TEST(which->searches() == 1u);
  BOOST_TEST(runner.started() == 2u);
}

BOOST_AUTO_TEST_CASE(concurrent_callers_share_one_failed_search_and_the_next_caller_tries_again) {
  bool broken = true;
  runner = scripted_runner([&broken](const kernix::process_command& command) {
    return broken ? scripted_runner::exited(1, "out of order") : answer(command);
  });
  auto which = make();
  runner.hold();
  std::vector<std::optional<result>> results(10);
  for (auto& each : results) start(which, each);
  wait_for_commands(1);
  runner.let_go();
  run();
  for (auto& each : results) {
    BOOST_TEST_REQUIRE(each.has_value());
    BOOST_TEST((each->first == errc::toolchain_not_found));
    BOOST_TEST(each->second.tried.size() == 1u);
  }
  BOOST_TEST(which->searches() == 1u);
  broken = false;
  BOOST_TEST(!ready(which).first);
  BOOST_TEST(which->searches() == 2u);
}

BOOST_AUTO_TEST_CASE(an_unchanged_compiler_is_not_asked_again) {
  auto which = make();
  auto first = ready(which);
  auto second = ready(which);
  BOOST_TEST((first.second.found == second.second.found));
  BOOST_TEST(runner.started() == 2u);
}

BOOST_AUTO_TEST_CASE(a_replaced_compiler_is_found_anew) {
  auto which = make();
  auto first = ready(which).second.found;
  BOOST_TEST_REQUIRE(first != nullptr);
  BOOST_TEST(still(which, first));
  tree.script("bin/fakec", "true");
  BOOST_TEST(!still(which, first));
  auto second = ready(which).second.found;
  BOOST_TEST_REQUIRE(second != nullptr);
  BOOST_TEST((second->fingerprint != first->fingerprint));
  BOOST_TEST(which->searches() == 2u);
}

BOOST_AUTO_TEST_CASE(a_touched_compiler_is_not_asked_again) {
  auto which = make();
  auto first = ready(which).second.found;
  kernix::test::set_mtime(program, 1'000'000'000);
  BOOST_TEST((ready(which).second.found == first));
  BOOST_TEST(still(which, first));
  BOOST_TEST(which->searches() == 1u);
}

BOOST_AUTO_TEST_CASE(within_recheck_after_nothing_is_looked_at) {
  from.recheck_after = std::chrono::hours(1);
  auto which = make();
  auto first = ready(which).second.found;
  std::filesystem::remove(program);
  BOOST_TEST((ready(which).second.found == first));
  BOOST_TEST(which->searches() == 1u);
}

BOOST_AUTO_TEST_CASE(a_compiler_that_is_gone_is_an_error_and_found_again_when_it_is_back) {
  auto which = make();
  auto first = ready(which).second.found;
  std::filesystem::remove(program);
  BOOST_TEST((ready(which).first == errc::toolchain_not_found));
  tree.script("bin/fakec", "");
  auto again = ready(which).second.found;
  BOOST_TEST_REQUIRE(again != nullptr);
  BOOST_TEST((again->fingerprint == first->fingerprint));
}

BOOST_AUTO_TEST_CASE(one_caller_leaving_does_not_disturb_the_others) {
  auto which = make();
  runner.hold();
  boost::asio::cancellation_signal leave_first;
  boost::asio::cancellation_signal leave_second;
  std::optional<result> leader, follower, patient;
  start(which, leader, leave_first.slot());
  wait_for_commands(1);
  start(which, follower, leave_second.slot());
  start(which, patient);
  leave_second.emit(boost::asio::cancellation_type::total);
  leave_first.emit(boost::asio::cancellation_type::terminal);
  wait_for_commands(2);  // the patient one has taken over
  runner.let_go();
  run();
  BOOST_TEST((leader.value().first == errc::cancelled));
  BOOST_TEST((follower.value().first == errc::cancelled));
  BOOST_TEST(!patient.value().first);
  BOOST_TEST((patient->second.found != nullptr));
  BOOST_TEST(which->searches() == 2u);
  BOOST_TEST(runner.cancelled() == 1u);
}

BOOST_AUTO_TEST_CASE(a_context_that_goes_away_leaves_nothing_of_the_search) {
  std::weak_ptr<keeper> gone;
  bool called = false;
  {
    boost::asio::io_context short_lived;
    auto of_it = kernix::detail::runtime::of(short_lived.get_executor());
    candidate_backend backend{{{{program.string()}, "PATH", false}}};
    auto which = std::make_shared<keeper>(of_it, backend, runner, from);
    gone = which;
    runner.hold();
    for (int i = 0; i < 3; ++i) {
      kernix::detail::initiate<toolchain_search>(of_it, short_lived.get_executor(), [which] { return which->ready(); },
                                                 [&called](error_code, const toolchain_search&) { called = true; });
    }
    wait_for_commands(1);
  }
  BOOST_TEST(gone.expired());
  BOOST_TEST(!called);
}

BOOST_AUTO_TEST_CASE(a_pinned_toolchain_answers_without_a_look) {
  std::filesystem::remove(program);
  auto which = make();
  auto pinned = std::make_shared<kernix::toolchain>();
  which->pin(pinned);
  auto [code, found] = ready(which);
  BOOST_TEST(!code);
  BOOST_TEST((found.found == pinned));
  BOOST_TEST(which->searches() == 0u);
  BOOST_TEST(runner.started() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
