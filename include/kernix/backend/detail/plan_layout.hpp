// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/command.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/core/refusal.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix::detail {

/// The names that plans give to what lies in a workspace. Constant, so that no user's path reaches a compiler; with a
/// digit, because `#include "headers/x.h"` looks in the workspace before it looks anywhere else.
struct plan_names {
  static constexpr std::string_view headers = "headers0";      ///< In-memory headers.
  static constexpr std::string_view source_root = "source0";   ///< Link to the source file's directory.
  static constexpr std::string_view include_root = "include";  ///< With a number: links to the include directories.
  static constexpr std::string_view defines = "defines0.h";    ///< Defines that a command line can't carry.
  static constexpr std::string_view dependencies = "kernel.d";
  static constexpr std::string_view link_dependencies = "link.d";
};

/// `path` as the request means it: relative ones are relative to its base directory.
inline std::filesystem::path from_base(const compile_request& request, const std::filesystem::path& path) {
  return path.is_absolute() ? path : request.base_directory / path;
}

/// Whether a compiler searches this directory by default: naming it again would move it before the others, and break
/// the system headers that go on with `#include_next`.
inline bool is_system_include(const toolchain& tools, const std::filesystem::path& directory) {
  auto plain = [](const std::filesystem::path& path) {
    std::filesystem::path normal = path.lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();
  };
  const std::filesystem::path wanted = plain(directory);
  auto same = [&](const std::filesystem::path& each) { return plain(each) == wanted; };
  if (std::any_of(tools.system_includes.begin(), tools.system_includes.end(), same)) return true;
  return tools.host && is_system_include(*tools.host, directory);
}

/// Source, in-memory headers and links: what is the same for every C++ compiler. `suffix` is the source's: ".cpp".
inline result<command_plan> lay_out(const compile_request& request, const toolchain& tools, std::string_view suffix) {
  command_plan plan;
  plan.source_path = "kernel" + std::string(suffix);
  plan.files.push_back({plan.source_path, request.source});
  for (const memory_header& each : request.headers) {
    plan.files.push_back({std::string(plan_names::headers) + '/' + each.name, each.text});
  }
  if (!request.source_file.empty()) {
    std::filesystem::path directory = from_base(request, request.source_file).parent_path();
    if (!directory.is_absolute()) {
      return refuse(errc::invalid_request, "the source file \"" + request.source_file.string() +
                                               "\" is relative and the request has no base directory; give one");
    }
    plan.links.push_back({std::string(plan_names::source_root), std::move(directory)});
    plan.include_path.emplace_back(plan_names::source_root);
  }
  std::size_t number = 0;
  for (const std::filesystem::path& each : request.include_directories) {
    std::filesystem::path directory = from_base(request, each);
    if (!directory.is_absolute()) {
      return refuse(errc::invalid_request, "the include directory \"" + each.string() +
                                               "\" is relative and the request has no base directory; give one");
    }
    if (is_system_include(tools, directory)) continue;
    std::string name = std::string(plan_names::include_root) + std::to_string(number++);
    plan.include_path.push_back(name);
    plan.links.push_back({std::move(name), std::move(directory)});
  }
  return plan;
}

/// The directories to search, as `-iquote` and `-I` words: in-memory headers first, then beside the source file, then
/// the request's directories. `quote` turns a directory that only `#include "..."` searches into words.
template <class Quote>
std::vector<argument> include_words(const compile_request& request, const command_plan& plan, Quote quote) {
  std::vector<argument> words;
  auto add_quoted = [&](std::string_view directory) {
    for (std::string& word : quote(std::string(directory))) words.emplace_back(std::move(word));
  };
  if (!request.headers.empty()) add_quoted(plan_names::headers);
  if (!request.source_file.empty()) add_quoted(plan_names::source_root);
  if (!request.headers.empty()) {
    words.emplace_back("-I");
    words.emplace_back(plan_names::headers);
  }
  for (const workspace_link& each : plan.links) {
    if (each.path == plan_names::source_root) continue;
    words.emplace_back("-I");
    words.emplace_back(each.path);
  }
  return words;
}

}  // namespace kernix::detail
