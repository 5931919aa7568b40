// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/process_result.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(core_process_result)

BOOST_AUTO_TEST_CASE(output_kept_whole_is_shown_whole) {
  const kernix::captured_output whole{.head = "ab", .tail = "cd", .dropped = 0};
  BOOST_TEST(whole.text() == "abcd");
  BOOST_TEST(!whole.empty());
  BOOST_TEST(kernix::captured_output{}.empty());
}

BOOST_AUTO_TEST_CASE(dropped_output_is_counted_between_head_and_tail) {
  const kernix::captured_output cut{.head = "ab", .tail = "cd", .dropped = 77};
  BOOST_TEST(cut.text() == "ab\n[... 77 bytes of output dropped ...]\ncd");
}

BOOST_AUTO_TEST_CASE(only_exit_status_0_is_success) {
  using enum kernix::process_result::ending;
  for (auto how : {not_started, exited, signalled, timed_out, cancelled, status_lost}) {
    BOOST_TEST((kernix::process_result{.how = how}.succeeded() == (how == exited)));
  }
  BOOST_TEST((!kernix::process_result{.how = exited, .exit_code = 1}.succeeded()));
}

BOOST_AUTO_TEST_SUITE_END()
