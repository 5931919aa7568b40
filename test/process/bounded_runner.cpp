// SPDX-License-Identifier: Apache-2.0
#include <kernix/process/bounded_runner.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <support/fake_tool.hpp>
#include <support/scripted_runner.hpp>

namespace {

namespace asio = boost::asio;
using namespace kernix::test;
using namespace std::chrono_literals;
using kernix::process_command;
using kernix::process_result;
using ending = process_result::ending;

process_command numbered(int number) {
  process_command command;
  command.arguments = {std::to_string(number)};
  return command;
}

/// Several runs under one limit, in one context.
template <class Runner>
struct queue_bench {
  asio::io_context context;
  std::shared_ptr<kernix::detail::job_limit> limit;
  kernix::bounded_runner<Runner> runner;
  std::vector<std::pair<int, process_result>> ended;

  queue_bench(unsigned jobs, Runner next)
      : limit(std::make_shared<kernix::detail::job_limit>(jobs)), runner(std::move(next), limit) {}

  void start(int number, process_command command, asio::cancellation_slot slot = {}) {
    asio::co_spawn(context, runner.run(std::move(command)),
                   asio::bind_cancellation_slot(slot, [this, number](std::exception_ptr failure, process_result result) {
                     if (failure) std::rethrow_exception(failure);
                     ended.emplace_back(number, std::move(result));
                   }));
  }
  void settle() {
    context.restart();
    context.poll();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(process_bounded_runner)

BOOST_AUTO_TEST_CASE(no_more_run_at_once_than_the_limit_and_in_the_order_of_asking) {
  scripted_runner script;
  script.hold();
  queue_bench<scripted_runner> bench(2, script);
  for (int i = 0; i < 5; ++i) bench.start(i, numbered(i));
  bench.settle();
  BOOST_TEST(script.started() == 2U);
  BOOST_TEST(bench.limit->running() == 2U);
  BOOST_TEST(bench.limit->queued() == 3U);
  script.let_go();
  bench.settle();
  BOOST_TEST(bench.ended.size() == 5U);
  std::vector<std::string> order;
  for (const auto& command : script.commands()) order.push_back(command.arguments[0]);
  BOOST_TEST(order == (std::vector<std::string>{"0", "1", "2", "3", "4"}), boost::test_tools::per_element());
  BOOST_TEST(bench.limit->running() == 0U);
}

BOOST_AUTO_TEST_CASE(two_runners_share_one_limit) {
  scripted_runner script;
  script.hold();
  queue_bench<scripted_runner> bench(1, script);
  kernix::bounded_runner other(script, bench.limit);
  bench.start(0, numbered(0));
  asio::co_spawn(bench.context, other.run(numbered(1)), [](std::exception_ptr, process_result) {});
  bench.settle();
  BOOST_TEST(script.started() == 1U);
  script.let_go();
  bench.settle();
  BOOST_TEST(script.started() == 2U);
}

BOOST_AUTO_TEST_CASE(cancelled_in_the_queue_starts_nothing) {
  scripted_runner script;
  script.hold();
  queue_bench<scripted_runner> bench(1, script);
  asio::cancellation_signal signal;
  bench.start(0, numbered(0));
  bench.start(1, numbered(1), signal.slot());
  bench.start(2, numbered(2));
  bench.settle();
  signal.emit(asio::cancellation_type::terminal);
  bench.settle();
  BOOST_REQUIRE(bench.ended.size() == 1U);
  BOOST_TEST(bench.ended[0].first == 1);
  BOOST_TEST((bench.ended[0].second.how == ending::cancelled));
  script.let_go();
  bench.settle();
  BOOST_TEST(bench.ended.size() == 3U);
  BOOST_TEST(script.started() == 2U);
  BOOST_TEST(bench.limit->running() == 0U);
}

BOOST_AUTO_TEST_CASE(cancelled_while_running_gives_the_place_to_the_next) {
  scripted_runner script;
  script.hold();
  queue_bench<scripted_runner> bench(1, script);
  asio::cancellation_signal signal;
  bench.start(0, numbered(0), signal.slot());
  bench.start(1, numbered(1));
  bench.settle();
  signal.emit(asio::cancellation_type::terminal);
  bench.settle();
  BOOST_TEST(script.cancelled() == 1U);
  BOOST_TEST(script.started() == 2U);
}

BOOST_AUTO_TEST_CASE(runner_that_throws_gives_its_place_back) {
  scripted_runner script([](const process_command&) -> process_result { throw std::runtime_error("broken"); });
  auto limit = std::make_shared<kernix::detail::job_limit>(1);
  BOOST_CHECK_THROW(run(kernix::bounded_runner(script, limit), numbered(0)), std::runtime_error);
  BOOST_TEST(limit->running() == 0U);
}

BOOST_AUTO_TEST_CASE(time_in_the_queue_is_told_and_does_not_count_against_the_timeout) {
  queue_bench<kernix::subprocess_runner> bench(1, {});
  auto slow = sh("sleep 1.2");
  bench.start(0, slow);
  auto quick = sh("exit 6");
  quick.timeout = 1s;  // shorter than its time in the queue
  bench.start(1, quick);
  bench.context.run();
  BOOST_REQUIRE(bench.ended.size() == 2U);
  const auto& result = bench.ended[1].second;
  BOOST_TEST((result.how == ending::exited));
  BOOST_TEST(result.exit_code == 6);
  BOOST_TEST((result.queued >= 1s));
}

BOOST_AUTO_TEST_CASE(peak_of_real_processes_stays_within_the_limit) {
  // Each tool counts the tools that run with it, by the marker files in one directory.
  temporary_file unique;
  std::string directory = unique.path + ".d";
  std::filesystem::create_directory(directory);
  queue_bench<kernix::subprocess_runner> bench(3, {});
  for (int i = 0; i < 30; ++i) {
    auto command = sh("touch \"$1/$$\"; ls \"$1\" | wc -l; sleep 0.02; rm \"$1/$$\"");
    command.arguments.push_back(directory);
    bench.start(i, command);
  }
  bench.context.run();
  std::filesystem::remove_all(directory);
  BOOST_TEST(bench.ended.size() == 30U);
  int peak = 0;
  for (const auto& [number, result] : bench.ended) peak = std::max(peak, std::atoi(result.out.text().c_str()));
  BOOST_TEST(peak <= 3);
  BOOST_TEST(peak >= 2);
}

BOOST_AUTO_TEST_SUITE_END()
