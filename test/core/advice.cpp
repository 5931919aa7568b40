// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/advice.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

namespace {

kernix::diagnostics rejected(kernix::message::level severity, const std::string& text, int line = 1) {
  kernix::diagnostics what;
  what.code = make_error_code(kernix::errc::compile_failed);
  what.messages.push_back({.severity = severity, .file = "k.cpp", .line = line, .text = text});
  return what;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_advice)

BOOST_AUTO_TEST_CASE(a_missing_header_wants_a_directory_in_each_compilers_words) {
  using enum kernix::message::level;
  for (const char* text : {"no.hpp: No such file or directory", "'no.hpp' file not found"}) {
    auto advice = kernix::advice_for(rejected(fatal, text));
    BOOST_REQUIRE(advice.size() == 1u);
    BOOST_TEST(advice[0].find("include_directories") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(other_rejections_are_left_to_the_compilers_words) {
  using enum kernix::message::level;
  BOOST_TEST(kernix::advice_for(rejected(error, "'no' was not declared in this scope")).empty());
  BOOST_TEST(kernix::advice_for(rejected(warning, "no.hpp: No such file or directory")).empty());
  BOOST_TEST(kernix::advice_for(rejected(fatal, "no.cpp: No such file or directory", 0)).empty());
}

BOOST_AUTO_TEST_CASE(other_errors_have_their_general_advice) {
  kernix::diagnostics what;
  for (kernix::errc value : {kernix::errc::not_cached, kernix::errc::unsupported_arch, kernix::errc::timed_out}) {
    what.code = make_error_code(value);
    BOOST_TEST(!kernix::advice_for(what).empty());
    BOOST_TEST((kernix::advice_for(what) == kernix::general_advice(value)));
  }
}

BOOST_AUTO_TEST_CASE(codes_of_others_have_none) {
  kernix::diagnostics what;
  what.code = {static_cast<int>(kernix::errc::timed_out), boost::system::system_category()};
  BOOST_TEST(kernix::advice_for(what).empty());
  what.code = make_error_code(kernix::errc::cancelled);
  BOOST_TEST(kernix::advice_for(what).empty());
}

BOOST_AUTO_TEST_SUITE_END()
