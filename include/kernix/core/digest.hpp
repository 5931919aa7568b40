// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kernix {

/// A full SHA-256 digest: the identity of a key, of a file's content, of a toolchain.
struct digest {
  std::array<std::uint8_t, 32> bytes{};

  friend constexpr auto operator<=>(const digest&, const digest&) = default;

  /// 64 lower-case hexadecimal digits.
  std::string hex() const {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (std::uint8_t byte : bytes) {
      text += digits[byte >> 4];
      text += digits[byte & 15];
    }
    return text;
  }

  /// The digest that `text` spells; nothing unless it is 64 lower-case hexadecimal digits.
  static std::optional<digest> from_hex(std::string_view text) {
    digest value;
    if (text.size() != 2 * value.bytes.size()) return std::nullopt;
    for (std::size_t i = 0; i < text.size(); ++i) {
      int nibble = text[i] >= '0' && text[i] <= '9' ? text[i] - '0' : text[i] >= 'a' && text[i] <= 'f' ? text[i] - 'a' + 10 : -1;
      if (nibble < 0) return std::nullopt;
      value.bytes[i / 2] = static_cast<std::uint8_t>(value.bytes[i / 2] << 4 | nibble);
    }
    return value;
  }
};

}  // namespace kernix

template <>
struct std::hash<kernix::digest> {
  std::size_t operator()(const kernix::digest& value) const noexcept {
    std::size_t head;  // the bytes of a SHA-256 are uniform: any part of them is a good hash
    std::memcpy(&head, value.bytes.data(), sizeof head);
    return head;
  }
};
