// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kernix::detail {

/// The variable that makes the dynamic loader list a program's libraries instead of running it (ld.so(8)).
inline constexpr const char* list_libraries_variable = "LD_TRACE_LOADED_OBJECTS=1";

/// The libraries that hold the compiler itself, of such a list: distributions build clang as a small driver of libLLVM
/// and libclang-cpp, so the driver's own bytes say little about the code that it makes. The C library and its like are
/// left out: their updates don't change what a compiler makes.
inline std::vector<std::filesystem::path> compiler_libraries(std::string_view listed) {
  std::vector<std::filesystem::path> found;
  while (!listed.empty()) {
    std::string_view line = listed.substr(0, listed.find('\n'));
    listed.remove_prefix(line.size() + (line.size() < listed.size() ? 1 : 0));
    const std::size_t arrow = line.find(" => /");
    const std::size_t name = line.find_first_not_of(" \t");
    if (arrow == std::string_view::npos || name == std::string_view::npos) continue;
    if (!line.substr(name).starts_with("libLLVM") && !line.substr(name).starts_with("libclang")) continue;
    std::string_view path = line.substr(arrow + 4);
    found.emplace_back(path.substr(0, path.rfind(" (")));
  }
  return found;
}

}  // namespace kernix::detail
