// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <kernix/core/diagnostics.hpp>

namespace kernix {

namespace detail {

/// Length of the UTF-8 sequence at the start of `text`; 0 if there is none. Refuses overlong forms, surrogates and
/// values above U+10FFFF (RFC 3629, section 4).
inline std::size_t utf8_length(std::string_view text) noexcept {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  auto continues = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    unsigned low = first == 0xe0 ? 0xa0 : 0x80;
    unsigned high = first == 0xed ? 0x9f : 0xbf;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    unsigned low = first == 0xf0 ? 0x90 : 0x80;
    unsigned high = first == 0xf4 ? 0x8f : 0xbf;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace detail

inline std::string to_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = detail::utf8_length(text);
    if (length == 0) {
      valid += "\xef\xbf\xbd";
      length = 1;
    } else {
      valid.append(text, 0, length);
    }
    text.remove_prefix(length);
  }
  return valid;
}

inline std::string diagnostics::log_utf8() const { return to_utf8(log); }

inline std::string diagnostics::to_string() const {
  std::string text = reason.empty() ? (code ? code.message() : std::string("ok")) : reason;
  if (!command.empty()) text += "\ncommand: " + command;
  if (!log.empty()) {
    text += '\n';
    text += log_utf8();
    if (text.back() == '\n') text.pop_back();
  }
  for (std::size_t i = 0; i < advice.size(); ++i) text += "\n  " + std::to_string(i + 1) + ". " + advice[i];
  if (!kept_scratch.empty()) text += "\nscratch directory kept: " + kept_scratch;
  return text;
}

}  // namespace kernix
