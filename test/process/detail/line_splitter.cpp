// SPDX-License-Identifier: Apache-2.0
#include <kernix/process/detail/line_splitter.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace {

std::vector<std::string> lines_of(std::string_view text, std::size_t piece) {
  std::vector<std::string> lines;
  kernix::detail::line_splitter splitter([&](std::string_view line) { lines.emplace_back(line); });
  for (std::size_t at = 0; at < text.size(); at += piece) splitter.append(text.substr(at, piece));
  splitter.finish();
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_detail_line_splitter)

BOOST_AUTO_TEST_CASE(lines_come_whole_whatever_the_pieces) {
  std::vector<std::string> expected{"one", "", "three", "last"};
  for (std::size_t piece : {1U, 2U, 3U, 5U, 100U}) {
    BOOST_TEST(lines_of("one\r\n\nthree\nlast", piece) == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(line_end_at_the_very_end_makes_no_line_of_its_own) {
  BOOST_TEST(lines_of("one\n", 4) == std::vector<std::string>{"one"}, boost::test_tools::per_element());
  BOOST_TEST(lines_of("", 1).empty());
}

BOOST_AUTO_TEST_CASE(endless_line_comes_in_pieces) {
  constexpr auto longest = kernix::detail::line_splitter::longest;
  for (std::size_t piece : {std::size_t{1000}, longest, 3 * longest}) {
    auto lines = lines_of(std::string(2 * longest + 5, 'x') + "\ny\n", piece);
    BOOST_REQUIRE(lines.size() == 4U);
    BOOST_TEST(lines[0].size() == longest);
    BOOST_TEST(lines[1].size() == longest);
    BOOST_TEST(lines[2] == "xxxxx");
    BOOST_TEST(lines[3] == "y");
  }
}

BOOST_AUTO_TEST_CASE(nobody_listening_costs_nothing) {
  kernix::detail::line_splitter splitter({});
  splitter.append("one\ntwo");
  splitter.finish();
}

BOOST_AUTO_TEST_SUITE_END()
