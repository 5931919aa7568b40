// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernix::detail {

/// Length of the terminal sequence at the start of `text`, which starts with ESC: colours (`ESC [ 31 m ESC [ K`), links
/// (`ESC ] 8 ; ; URL BEL`, or ended by `ESC \`) and two-byte sequences. A sequence that is cut off ends with the line.
inline std::size_t escape_length(std::string_view text) noexcept {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    std::size_t at = 2;
    while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x20 &&
           static_cast<unsigned char>(text[at]) < 0x40)
      ++at;
    return at < text.size() ? at + 1 : at;
  }
  if (text[1] == ']') {
    for (std::size_t at = 2; at < text.size(); ++at) {
      if (text[at] == '\a') return at + 1;
      if (text[at] == '\x1b' && at + 1 < text.size() && text[at + 1] == '\\') return at + 2;
    }
    return text.size();
  }
  return 2;
}

/// A line as the patterns want it: no terminal sequences, NUL or CR at its end, and `'` and `"` for the quotes that
/// compilers write in a UTF-8 locale or, as GNU ld does, in ASCII (`name'). Other bytes stay as they are.
inline std::string clean_line(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  std::string clean;
  clean.reserve(line.size());
  for (std::size_t at = 0; at < line.size();) {
    std::string_view rest = line.substr(at);
    if (rest.front() == '\x1b') {
      at += escape_length(rest);
    } else if (rest.front() == '\0') {
      ++at;
    } else if (rest.front() == '`') {
      clean += '\'';
      ++at;
    } else if (rest.starts_with("\xe2\x80\x98") || rest.starts_with("\xe2\x80\x99")) {
      clean += '\'';
      at += 3;
    } else if (rest.starts_with("\xe2\x80\x9c") || rest.starts_with("\xe2\x80\x9d")) {
      clean += '"';
      at += 3;
    } else {
      clean += rest.front();
      ++at;
    }
  }
  while (!clean.empty() && (clean.back() == '\r' || clean.back() == ' ')) clean.pop_back();
  return clean;
}

/// The lines of `text`, cleaned, without their ends.
inline std::vector<std::string> clean_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    lines.push_back(clean_line(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// Whether `text` as a whole has the shape of `pattern`, in which `*` stands for any bytes, also none.
constexpr bool has_shape(std::string_view text, std::string_view pattern) noexcept {
  std::size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// `path` without its directories, of either slash.
constexpr std::string_view base_name(std::string_view path) noexcept {
  std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace kernix::detail
