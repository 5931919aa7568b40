// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/diagnostics.hpp>

#include <string>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(core_diagnostics)

using kernix::to_utf8;

BOOST_AUTO_TEST_CASE(valid_text_stays_as_it_is) {
  for (std::string text :
       {"", "plain\n", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"})
    BOOST_TEST(to_utf8(text) == text);
  BOOST_TEST(to_utf8(std::string("a\0b", 3)) == std::string("a\0b", 3));
}

BOOST_AUTO_TEST_CASE(each_byte_that_is_no_text_is_replaced) {
  const std::string mark = "\xef\xbf\xbd";
  BOOST_TEST(to_utf8("caf\xe9 \xff") == "caf" + mark + ' ' + mark);
  BOOST_TEST(to_utf8("\xc0\xaf") == mark + mark);                        // overlong
  BOOST_TEST(to_utf8("\xed\xa0\x80") == mark + mark + mark);             // a surrogate
  BOOST_TEST(to_utf8("\xf4\x90\x80\x80") == mark + mark + mark + mark);  // above U+10FFFF
  BOOST_TEST(to_utf8("x\xe2\x82") == 'x' + mark + mark);                 // cut at the end
  BOOST_TEST(to_utf8("\xe2\x82z") == mark + mark + 'z');
}

BOOST_AUTO_TEST_CASE(a_person_reads_reason_command_log_and_advice_in_this_order) {
  kernix::diagnostics what;
  BOOST_TEST(what.to_string() == "ok");
  what.code = kernix::errc::compile_failed;
  BOOST_TEST(what.to_string() == what.code.message());
  what.reason = "it failed";
  what.command = "g++ x";
  what.log = "x:1: err\xff\n";
  what.advice = {"first", "second"};
  what.kept_scratch = "/tmp/s";
  BOOST_TEST(
      what.to_string() ==
      "it failed\ncommand: g++ x\nx:1: err\xef\xbf\xbd\n  1. first\n  2. second\nscratch directory kept: /tmp/s");
  BOOST_TEST(what.log.back() == '\n');
}

BOOST_AUTO_TEST_SUITE_END()
