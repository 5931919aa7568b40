// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/compile_error.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(core_compile_error)

BOOST_AUTO_TEST_CASE(the_exception_carries_code_and_log_and_copies_share_them) {
  kernix::diagnostics what;
  what.code = make_error_code(kernix::errc::compile_failed);
  what.reason = "k.cpp:1:1: no";
  what.log = "the whole log";
  const kernix::compile_error error(what.code, what);
  const kernix::compile_error copy(error);
  BOOST_TEST((copy.code() == kernix::errc::compile_failed));
  BOOST_TEST((copy.code() == kernix::failure::source));
  BOOST_TEST(copy.diagnostics().log == "the whole log");
  BOOST_TEST(&copy.diagnostics() == &error.diagnostics());
  BOOST_TEST(std::string(copy.what()).find("k.cpp:1:1: no") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
