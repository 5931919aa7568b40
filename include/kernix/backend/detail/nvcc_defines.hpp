// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/backend/detail/nvcc_flags.hpp>
#include <kernix/core/compile_request.hpp>

namespace kernix::detail {

/// The macros of a request, sorted by how nvcc can be told of them.
struct nvcc_defines {
  std::vector<std::string> words;   ///< `-DNAME=1`, `-UNAME`
  std::string header;               ///< A header that defines those that a shell or a comma would spoil.
  std::vector<std::string> others;  ///< The compile flags without `-D` and `-U`.
};

namespace nvcc_macros {

inline std::string_view name_of(std::string_view define) { return define.substr(0, define.find_first_of("=(")); }

/// `NAME=VALUE` as a directive, as the preprocessor reads the command line.
inline std::string directive(std::string_view define) {
  const std::size_t equals = define.find('=');
  std::string line = "#define " + std::string(define.substr(0, equals)) + ' ';
  line += equals == std::string_view::npos ? std::string_view("1") : define.substr(equals + 1);
  // A backslash at the end would join the next directive to this one.
  return line += "\n\n";
}

}  // namespace nvcc_macros

/// Later words about a macro replace earlier ones, as on a command line; undefines come last.
inline nvcc_defines sort_defines(const compile_request& request) {
  nvcc_defines sorted;
  std::vector<std::string> defines = request.defines;
  std::vector<std::string> undefines = request.undefines;
  auto forget = [](std::vector<std::string>& list, std::string_view name) {
    std::erase_if(list, [&](const std::string& each) { return nvcc_macros::name_of(each) == name; });
  };
  auto define = [&](std::string text) {
    forget(undefines, nvcc_macros::name_of(text));
    defines.push_back(std::move(text));
  };
  auto undefine = [&](std::string text) {
    forget(defines, text);
    undefines.push_back(std::move(text));
  };
  for (const std::string& each : request.undefines) forget(defines, each);
  const std::vector<std::string>& flags = request.compile_flags;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const bool is_define = flags[i].starts_with("-D");
    if (!is_define && !flags[i].starts_with("-U")) {
      sorted.others.push_back(flags[i]);
      continue;
    }
    std::string text = flags[i].substr(2);
    if (text.empty() && i + 1 < flags.size()) text = flags[++i];
    is_define ? define(std::move(text)) : undefine(std::move(text));
  }
  for (std::size_t i = 0; i < defines.size(); ++i) {
    const std::string_view name = nvcc_macros::name_of(defines[i]);
    const bool replaced = std::any_of(defines.begin() + static_cast<std::ptrdiff_t>(i) + 1, defines.end(),
                                      [&](const std::string& later) { return nvcc_macros::name_of(later) == name; });
    if (replaced) continue;
    if (is_shell_safe(defines[i]) && defines[i].find(',') == std::string::npos) {
      sorted.words.push_back("-D" + defines[i]);
    } else {
      sorted.header += nvcc_macros::directive(defines[i]);
    }
  }
  for (const std::string& each : undefines) sorted.words.push_back("-U" + each);
  return sorted;
}

}  // namespace kernix::detail
