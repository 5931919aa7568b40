// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/backend/detail/flag_words.hpp>

namespace kernix::detail {

/// Whether a linker that calls itself so can list the files it read (`--dependency-file`): GNU ld since 2.35, LLD
/// since 12, mold.
inline bool lists_dependencies(std::string_view linker) noexcept {
  const bool is_lld = linker.find("LLD") != std::string_view::npos;
  if (linker.starts_with("mold")) return true;
  if (!is_lld && !linker.starts_with("GNU ld")) return false;
  // "GNU ld (GNU Binutils for Debian) 2.40", "LLD 14.0.6 (compatible with GNU linkers)", "Debian LLD 19.1.7"
  std::string_view rest = is_lld ? linker.substr(linker.find("LLD") + 3) : linker.substr(linker.rfind(' '));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  int major = 0;
  int minor = 0;
  auto [dot, error] = std::from_chars(rest.data(), rest.data() + rest.size(), major);
  if (error != std::errc{}) return false;
  if (dot != rest.data() + rest.size()) std::from_chars(dot + 1, rest.data() + rest.size(), minor);
  return is_lld ? major >= 12 : major > 2 || (major == 2 && minor >= 35);
}

/// Whether these tokens ask the driver for another linker than its usual one.
inline bool choose_linker(const std::vector<std::string>& tokens) noexcept {
  return std::any_of(tokens.begin(), tokens.end(), [](const std::string& each) {
    return begins_with_one_of(each, {"-fuse-ld", "--ld-path", "-B", "--gcc-toolchain", "-specs", "--specs"});
  });
}

}  // namespace kernix::detail
