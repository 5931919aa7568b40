// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/command.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix::detail {

/// Variables of a compiler wrapper, and HOME, which most of them want: passed on only where a wrapper is used. What a
/// wrapper is told (where its cache is, which machines it may use) doesn't change what is compiled.
inline std::vector<std::pair<std::string, std::string>> wrapper_variables(const settings& from) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [name, value] : from.variables) {
    if (name == "HOME" || name.starts_with("CCACHE_") || name.starts_with("SCCACHE_") || name.starts_with("DISTCC_")) {
      found.emplace_back(name, value);
    }
  }
  return found;
}

/// Whether the driver is started through a wrapper: in words before it, or as a link of the compiler's name that leads
/// to ccache (`/usr/lib/ccache/g++`).
inline bool is_wrapped(const toolchain& tools) {
  if (!tools.wrapper.empty()) return true;
  auto names_wrapper = [](const std::filesystem::path& part) {
    return part == "ccache" || part == "sccache" || part == "distcc" || part == "icecc";
  };
  return std::any_of(tools.program.begin(), tools.program.end(), names_wrapper);
}

/// The whole environment of a compiler. Nothing is inherited: CPATH, LIBRARY_PATH, GCC_EXEC_PREFIX, NVCC_APPEND_FLAGS
/// and their like change the output without being on the command line.
inline std::vector<environment_entry> plan_environment(const toolchain& tools) {
  std::string path;
  auto add = [&](const std::filesystem::path& program) {
    const std::string directory = program.parent_path().string();
    // An entry with a colon would be two; the directory of a system compiler comes with the fixed tail.
    if (directory.empty() || directory.find(':') != std::string::npos) return;
    if (directory == "/usr/bin" || directory == "/bin" || directory == "/usr/local/bin") return;
    path += directory + ':';
  };
  add(tools.program);
  if (tools.host) add(tools.host->program);
  path += "/usr/local/bin:/usr/bin:/bin";
  return {
      {"PATH", std::move(path), false},
      {"LC_ALL", "C"},
      {"LANGUAGE", ""},  // outranks LC_ALL where it is set
      {"TMPDIR", "tmp", false},
      // GCC takes the compilation directory of debug information from PWD where that names the current directory.
      {"PWD", "/proc/self/cwd"},
  };
}

}  // namespace kernix::detail
