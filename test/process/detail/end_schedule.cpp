// SPDX-License-Identifier: Apache-2.0
#include <kernix/process/detail/end_schedule.hpp>

#include <chrono>
#include <functional>

#include <boost/test/unit_test.hpp>

namespace {

using kernix::detail::end_schedule;
using namespace std::chrono_literals;
using step = end_schedule::step;
using reason = end_schedule::reason;

const end_schedule::clock::time_point start{1000s};
const std::function<std::chrono::nanoseconds()> nobody_asks_for_more;

bool is(end_schedule& schedule, std::chrono::nanoseconds at, bool cancelled, step expected) {
  return schedule.advance(start + at, cancelled, nobody_asks_for_more) == expected;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_detail_end_schedule)

BOOST_AUTO_TEST_CASE(without_a_limit_nothing_ends_a_process) {
  end_schedule schedule(start, 0s, 1s);
  BOOST_TEST(is(schedule, 100h, false, step::wait));
  BOOST_TEST((schedule.wake() == end_schedule::clock::time_point::max()));
  BOOST_TEST((schedule.why() == reason::none));
}

BOOST_AUTO_TEST_CASE(limit_interrupts_then_kills_each_once) {
  end_schedule schedule(start, 5s, 1s);
  BOOST_TEST(is(schedule, 4999ms, false, step::wait));
  BOOST_TEST((schedule.wake() == start + 5s));
  BOOST_TEST(is(schedule, 5s, false, step::interrupt));
  BOOST_TEST((schedule.wake() == start + 6s));
  BOOST_TEST(is(schedule, 5999ms, false, step::wait));
  BOOST_TEST(is(schedule, 6s, false, step::kill));
  BOOST_TEST(is(schedule, 7s, false, step::wait));
  BOOST_TEST((schedule.why() == reason::timed_out));
}

BOOST_AUTO_TEST_CASE(without_grace_a_process_is_killed_at_once) {
  end_schedule schedule(start, 5s, 0s);
  BOOST_TEST(is(schedule, 5s, false, step::kill));
  BOOST_TEST(is(schedule, 6s, false, step::wait));
}

BOOST_AUTO_TEST_CASE(cancellation_comes_before_the_limit) {
  end_schedule schedule(start, 5s, 1s);
  BOOST_TEST(is(schedule, 1s, true, step::interrupt));
  BOOST_TEST(is(schedule, 2s, true, step::kill));
  BOOST_TEST((schedule.why() == reason::cancelled));
}

BOOST_AUTO_TEST_CASE(cancellation_after_the_limit_keeps_the_first_reason) {
  end_schedule schedule(start, 5s, 1s);
  BOOST_TEST(is(schedule, 5s, false, step::interrupt));
  BOOST_TEST(is(schedule, 5500ms, true, step::wait));
  BOOST_TEST((schedule.why() == reason::timed_out));
}

BOOST_AUTO_TEST_CASE(longer_limit_lets_the_process_go_on) {
  end_schedule schedule(start, 5s, 1s);
  std::chrono::nanoseconds longer = 8s;
  auto more = [&] { return longer; };
  BOOST_TEST((schedule.advance(start + 5s, false, more) == step::wait));
  BOOST_TEST((schedule.wake() == start + 8s));
  BOOST_TEST((schedule.advance(start + 8s, false, more) == step::interrupt));
  BOOST_TEST((schedule.why() == reason::timed_out));
}

BOOST_AUTO_TEST_CASE(limits_too_long_to_add_are_none) {
  end_schedule schedule(start, std::chrono::nanoseconds::max(), std::chrono::nanoseconds::max());
  BOOST_TEST((schedule.wake() == end_schedule::clock::time_point::max()));
  BOOST_TEST(is(schedule, 1s, true, step::interrupt));
  BOOST_TEST(is(schedule, 100h, true, step::wait));
}

BOOST_AUTO_TEST_SUITE_END()
