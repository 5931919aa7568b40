// SPDX-License-Identifier: Apache-2.0
#include <kernix/process/detail/relay.hpp>

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(process_detail_relay)

BOOST_AUTO_TEST_CASE(status_without_a_message_is_an_exit_code) {
  for (int code : {0, 1, 126, 127, 137, 255}) {
    auto status = kernix::detail::relay::parse("\n:" + std::to_string(code) + ".");
    BOOST_REQUIRE(status.has_value());
    BOOST_TEST(!status->signalled);
    BOOST_TEST(status->value == code);
  }
}

BOOST_AUTO_TEST_CASE(message_of_the_shell_makes_it_a_signal) {
  for (std::string said : {"Killed\n", "Segmentation fault (core dumped)\n", "sh: line 1: 7 Killed  \"$@\"\n"}) {
    auto status = kernix::detail::relay::parse(said + "\n:137.");
    BOOST_REQUIRE(status.has_value());
    BOOST_TEST(status->signalled);
    BOOST_TEST(status->value == 9);
  }
}

BOOST_AUTO_TEST_CASE(report_that_is_not_whole_is_none) {
  for (auto report : {"", ".", "\n:", "\n:1", "\n:.", "\n:x.", "Killed\n", "12."}) {
    BOOST_TEST(!kernix::detail::relay::parse(report).has_value(), report);
  }
}

BOOST_AUTO_TEST_CASE(program_and_arguments_follow_the_script) {
  auto arguments = kernix::detail::relay::arguments("/bin/tool", {"-a", "b c"});
  BOOST_REQUIRE(arguments.size() == 6U);
  BOOST_TEST(arguments[0] == "-c");
  BOOST_TEST(arguments[3] == "/bin/tool");
  BOOST_TEST(arguments[5] == "b c");
}

BOOST_AUTO_TEST_SUITE_END()
