// SPDX-License-Identifier: Apache-2.0
#include <kernix/process/capture.hpp>

#include <algorithm>
#include <string>

#include <boost/test/unit_test.hpp>

namespace {

std::string numbered(std::size_t length) {
  std::string text;
  for (std::size_t i = 0; text.size() < length; ++i) text += std::to_string(i) + ',';
  text.resize(length);
  return text;
}

kernix::captured_output fed(const std::string& text, std::size_t limit, std::size_t piece) {
  kernix::output_capture capture(limit);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    capture.append(std::string_view(text).substr(at, piece));
  }
  return capture.take();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_capture)

BOOST_AUTO_TEST_CASE(whole_stream_is_kept_up_to_the_limit) {
  std::string text = numbered(1000);
  for (std::size_t piece : {1U, 7U, 499U, 500U, 501U, 1000U}) {
    auto kept = fed(text, 1000, piece);
    BOOST_TEST(kept.dropped == 0U);
    BOOST_TEST(kept.text() == text);
  }
}

BOOST_AUTO_TEST_CASE(head_and_tail_are_kept_in_pieces_of_any_size) {
  std::string text = numbered(10007);
  for (std::size_t limit : {0U, 1U, 2U, 3U, 10U, 999U, 1000U, 10006U}) {
    for (std::size_t piece : {1U, 3U, 7U, 499U, 500U, 501U, 4096U, 10007U}) {
      auto kept = fed(text, limit, piece);
      std::size_t tail = limit / 2;
      BOOST_TEST(kept.head == text.substr(0, limit - tail));
      BOOST_TEST(kept.tail == text.substr(text.size() - tail));
      BOOST_TEST(kept.dropped == text.size() - limit);
    }
  }
}

BOOST_AUTO_TEST_CASE(raw_bytes_are_kept) {
  std::string text("\0\xff\xe9\r\n\x1b[31m", 9);
  BOOST_TEST(fed(text, 100, 2).text() == text);
}

BOOST_AUTO_TEST_CASE(text_says_how_much_is_missing) {
  auto kept = fed(std::string(1000, 'a') + std::string(1000, 'b'), 20, 64);
  BOOST_TEST(kept.text() == "aaaaaaaaaa\n[... 1980 bytes of output dropped ...]\nbbbbbbbbbb");
}

BOOST_AUTO_TEST_CASE(capture_is_empty_after_it_was_taken) {
  kernix::output_capture capture(10);
  capture.append(numbered(100));
  capture.take();
  capture.append("new");
  auto kept = capture.take();
  BOOST_TEST(kept.text() == "new");
  BOOST_TEST(kept.dropped == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
