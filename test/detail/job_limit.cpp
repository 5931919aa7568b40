// SPDX-License-Identifier: Apache-2.0
#include <kernix/detail/job_limit.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

namespace {

namespace asio = boost::asio;
using kernix::detail::job_limit;

struct bench {
  asio::io_context context;
  job_limit limit{1};
  std::vector<int> served;
  std::vector<int> aborted;
  std::vector<std::unique_ptr<job_limit::permit>> held;
};

asio::awaitable<void> take(bench* shared, int number) {
  auto got = co_await shared->limit.acquire();
  shared->served.push_back(number);
  shared->held.push_back(std::make_unique<job_limit::permit>(std::move(got)));
}

auto note(bench& shared, int number) {
  return [&shared, number](std::exception_ptr failure) {
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (const boost::system::system_error& error) {
      BOOST_TEST(error.code() == asio::error::operation_aborted);
      shared.aborted.push_back(number);
    }
  };
}

void start(bench& shared, int number) { asio::co_spawn(shared.context, take(&shared, number), note(shared, number)); }

void settle(bench& shared) {
  shared.context.restart();
  shared.context.poll();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(detail_job_limit)

BOOST_AUTO_TEST_CASE(zero_is_taken_as_one) {
  BOOST_TEST(job_limit(0).limit() == 1U);
  BOOST_TEST(job_limit(7).limit() == 7U);
}

BOOST_AUTO_TEST_CASE(first_come_first_served) {
  bench shared;
  for (int i = 0; i < 5; ++i) start(shared, i);
  settle(shared);
  BOOST_TEST(shared.served == std::vector<int>{0}, boost::test_tools::per_element());
  BOOST_TEST(shared.limit.running() == 1U);
  BOOST_TEST(shared.limit.queued() == 4U);
  for (int i = 0; i < 4; ++i) {
    shared.held[static_cast<std::size_t>(i)].reset();
    settle(shared);
    BOOST_TEST(shared.limit.running() == 1U);
  }
  BOOST_TEST(shared.served == (std::vector<int>{0, 1, 2, 3, 4}), boost::test_tools::per_element());
  shared.held.clear();
  BOOST_TEST(shared.limit.running() == 0U);
  BOOST_TEST(shared.limit.queued() == 0U);
}

BOOST_AUTO_TEST_CASE(newcomer_does_not_overtake_a_waiter_that_has_not_resumed) {
  bench shared;
  start(shared, 0);
  start(shared, 1);
  settle(shared);
  shared.held[0].reset();  // granted to 1, which hasn't run yet
  start(shared, 2);
  settle(shared);
  BOOST_TEST(shared.served == (std::vector<int>{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(shared.limit.queued() == 1U);
}

BOOST_AUTO_TEST_CASE(cancelled_waiter_leaves_the_queue) {
  bench shared;
  asio::cancellation_signal signal;
  start(shared, 0);
  asio::co_spawn(shared.context, take(&shared, 1), asio::bind_cancellation_slot(signal.slot(), note(shared, 1)));
  start(shared, 2);
  settle(shared);
  BOOST_TEST(shared.limit.queued() == 2U);
  signal.emit(asio::cancellation_type::terminal);
  settle(shared);
  BOOST_TEST(shared.limit.queued() == 1U);
  BOOST_TEST(shared.aborted == std::vector<int>{1}, boost::test_tools::per_element());
  shared.held[0].reset();
  settle(shared);
  BOOST_TEST(shared.served == (std::vector<int>{0, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(permit_of_a_waiter_cancelled_in_the_same_moment_goes_to_the_next) {
  bench shared;
  asio::cancellation_signal signal;
  start(shared, 0);
  asio::co_spawn(shared.context, take(&shared, 1), asio::bind_cancellation_slot(signal.slot(), note(shared, 1)));
  start(shared, 2);
  settle(shared);
  signal.emit(asio::cancellation_type::terminal);  // reaches the coroutine's state when the context runs
  shared.held[0].reset();                          // grants to 1, which resumes after that
  settle(shared);
  BOOST_TEST(shared.aborted == std::vector<int>{1}, boost::test_tools::per_element());
  BOOST_TEST(shared.served == (std::vector<int>{0, 2}), boost::test_tools::per_element());
  BOOST_TEST(shared.limit.running() == 1U);
}

BOOST_AUTO_TEST_CASE(destroyed_waiters_leave_queue_and_permit_behind) {
  job_limit limit(1);
  {
    bench shared;
    shared.limit = limit;  // copies share the state
    for (int i = 0; i < 3; ++i) start(shared, i);
    settle(shared);
    BOOST_TEST(limit.queued() == 2U);
    shared.held[0].reset();  // granted to 1, whose frame is destroyed before it resumes
  }
  BOOST_TEST(limit.queued() == 0U);
  BOOST_TEST(limit.running() == 0U);
}

BOOST_AUTO_TEST_CASE(permit_may_outlive_the_limit) {
  asio::io_context context;
  std::optional<job_limit::permit> kept;
  {
    job_limit limit(1);
    asio::co_spawn(context, limit.acquire(), [&](std::exception_ptr, job_limit::permit got) { kept.emplace(std::move(got)); });
    context.run();
    BOOST_TEST(limit.running() == 1U);
  }
  kept.reset();
}

BOOST_AUTO_TEST_SUITE_END()
