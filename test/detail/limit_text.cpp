// SPDX-License-Identifier: Apache-2.0
#include <kernix/detail/limit_text.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(detail_limit_text)

BOOST_AUTO_TEST_CASE(a_limit_is_shown_without_trailing_zeros) {
  using namespace std::chrono_literals;
  BOOST_TEST(kernix::detail::limit_text(5s) == "5 s");
  BOOST_TEST(kernix::detail::limit_text(600s) == "600 s");
  BOOST_TEST(kernix::detail::limit_text(250ms) == "0.25 s");
}

BOOST_AUTO_TEST_SUITE_END()
