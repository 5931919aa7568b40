// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/core/refusal.hpp>

namespace kernix {

/// A CUDA target architecture: compute capability 9.0 with the instructions of that very chip (`a`), of its family
/// (`f`), or neither. Ordered as numbers, so 9.0a stands before 10.0.
struct cuda_architecture {
  int number = 0;      ///< Ten times the major version and the minor one: 86, 90, 120.
  char feature = ' ';  ///< `'a'`, `'f'`, or a blank: portable to newer chips.

  friend constexpr auto operator<=>(const cuda_architecture&, const cuda_architecture&) = default;

  constexpr bool portable() const noexcept { return feature == ' '; }

  /// "90a".
  std::string text() const { return portable() ? std::to_string(number) : std::to_string(number) + feature; }

  /// One architecture: `8.6`, `86`, `sm_86`, `compute_86`, `9.0a`, `100f`, in any case, with blanks around it.
  static constexpr std::optional<cuda_architecture> parse(std::string_view spelled) noexcept;
};

/// An architecture that was asked for, and whether its PTX was too (`8.6+PTX`).
struct cuda_target {
  cuda_architecture architecture;
  bool ptx = false;

  friend constexpr bool operator==(const cuda_target&, const cuda_target&) = default;
};

namespace detail::cuda_text {

constexpr char ascii_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr std::string_view trim_blanks(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Removes `prefix` (lower case) from the start of `text`, whose case doesn't matter.
constexpr bool eat_prefix(std::string_view& text, std::string_view prefix) noexcept {
  if (text.size() < prefix.size()) return false;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    if (ascii_lower(text[i]) != prefix[i]) return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace detail::cuda_text

constexpr std::optional<cuda_architecture> cuda_architecture::parse(std::string_view spelled) noexcept {
  std::string_view text = detail::cuda_text::trim_blanks(spelled);
  bool prefixed = detail::cuda_text::eat_prefix(text, "sm_") || detail::cuda_text::eat_prefix(text, "compute_");
  cuda_architecture made;
  if (!text.empty()) {
    char last = detail::cuda_text::ascii_lower(text.back());
    if (last == 'a' || last == 'f') {
      made.feature = last;
      text.remove_suffix(1);
    }
  }
  // "8.6" and "12.0": one or two digits, a dot, one digit. "86" and "120": two or three digits, the last the minor
  // version. A leading zero is no version of anything.
  std::size_t dot = text.find('.');
  if (dot != std::string_view::npos && (prefixed || dot + 2 != text.size())) return std::nullopt;
  int digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == dot) continue;
    if (!detail::cuda_text::is_digit(text[i])) return std::nullopt;
    made.number = 10 * made.number + (text[i] - '0');
    if (++digits > 3) return std::nullopt;
  }
  if (digits < 2 || text.front() == '0') return std::nullopt;
  return made;
}

/// The architectures that some texts spell, each a single one or a list separated by commas, semicolons or blanks:
/// ordered, without duplicates, so that equal sets give equal lists.
inline result<std::vector<cuda_target>> parse_cuda_architectures(const std::vector<std::string>& texts) {
  std::vector<cuda_target> targets;
  for (const std::string& text : texts) {
    std::string_view rest = text;
    bool any = false;
    while (!rest.empty()) {
      std::size_t end = 0;
      while (end < rest.size() && rest[end] != ',' && rest[end] != ';' && !detail::cuda_text::is_blank(rest[end]))
        ++end;
      std::string_view word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (word.empty()) continue;
      any = true;
      std::string_view plain = word;
      bool ptx = false;
      if (std::size_t plus = word.find('+'); plus != std::string_view::npos) {
        std::string_view tail = word.substr(plus);
        ptx = detail::cuda_text::eat_prefix(tail, "+ptx") && tail.empty();
        if (ptx) plain = word.substr(0, plus);
      }
      if (std::string_view native = plain; detail::cuda_text::eat_prefix(native, "native") && native.empty()) {
        return refuse(errc::unsupported_arch, "the architecture \"" + std::string(word) +
                                                  "\" depends on the machine; leave the list empty to build "
                                                  "for the visible GPUs, or name an architecture such as 9.0");
      }
      auto architecture = cuda_architecture::parse(plain);
      if (!architecture) {
        return refuse(errc::unsupported_arch,
                      "\"" + std::string(word) +
                          "\" is no CUDA architecture; write 8.6, 86, sm_86 or compute_86, with a or f "
                          "after the number and +PTX at the end where they are meant");
      }
      targets.push_back({*architecture, ptx});
    }
    if (!any) {
      return refuse(errc::unsupported_arch,
                    "an architecture is empty; write 8.6, 86, sm_86 or compute_86, or leave the whole list empty");
    }
  }
  std::sort(targets.begin(), targets.end(), [](const cuda_target& a, const cuda_target& b) {
    return a.architecture != b.architecture ? a.architecture < b.architecture : a.ptx && !b.ptx;
  });
  targets.erase(
      std::unique(targets.begin(), targets.end(),
                  [](const cuda_target& a, const cuda_target& b) { return a.architecture == b.architecture; }),
      targets.end());
  return targets;
}

/// The highest architecture whose PTX newer chips can run: none of the list if all have a feature suffix.
inline std::optional<cuda_architecture> highest_portable(const std::vector<cuda_target>& targets) noexcept {
  std::optional<cuda_architecture> best;
  for (const cuda_target& each : targets) {
    if (each.architecture.portable() && (!best || *best < each.architecture)) best = each.architecture;
  }
  return best;
}

}  // namespace kernix
