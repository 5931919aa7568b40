// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kernix/core/command.hpp>
#include <kernix/core/read_set.hpp>

namespace kernix::detail {

/// Translates the names by which a compiler knows files (relative to the workspace, or absolute) into places that mean
/// something outside of it.
class workspace_names {
 public:
  workspace_names(const command_plan& plan, std::filesystem::path workspace)
      : plan_(plan), workspace_(std::move(workspace).native()) {
    for (const workspace_file& each : plan.files) own_.insert(each.path);
    for (const planned_output& each : plan.outputs) own_.insert(each.path);
  }

  /// The name relative to the workspace where it lies inside, without `./`; an absolute one otherwise.
  std::string seen(std::string_view name) const {
    // Compilers are told that the current directory is called so.
    for (std::string_view prefix : {std::string_view(workspace_), std::string_view("/proc/self/cwd")}) {
      if (name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] == '/') name.remove_prefix(prefix.size() + 1);
    }
    while (name.starts_with("./") || name.starts_with("//")) name.remove_prefix(name[0] == '.' ? 2 : 1);
    return std::string(name);
  }

  /// Whether the workspace itself holds it as one of the plan's files.
  bool own(const std::string& seen) const { return own_.contains(seen); }

  /// A name's root and the path below it; nothing for what only exists in the workspace.
  std::optional<std::pair<std::string, std::string>> place(const std::string& seen) const {
    if (seen.starts_with('/')) return std::pair(std::string(system_root), seen);
    for (const workspace_link& each : plan_.links) {
      if (seen == each.path) return std::pair(each.path, std::string("."));
      if (seen.size() > each.path.size() && seen.starts_with(each.path) && seen[each.path.size()] == '/') {
        std::size_t begin = each.path.size();
        while (begin < seen.size() && seen[begin] == '/') ++begin;
        return std::pair(each.path, begin == seen.size() ? std::string(".") : seen.substr(begin));
      }
    }
    return std::nullopt;
  }

  /// Where a name is on the disk; nothing for what only exists in the workspace.
  std::optional<std::string> on_disk(const std::string& seen) const {
    auto at = place(seen);
    if (!at) return std::nullopt;
    if (at->first == system_root) return std::move(at->second);
    for (const workspace_link& each : plan_.links) {
      if (each.path == at->first) return each.target.native() + '/' + at->second;
    }
    return std::nullopt;
  }

  const command_plan& plan() const noexcept { return plan_; }

 private:
  const command_plan& plan_;
  std::string workspace_;
  std::unordered_set<std::string> own_;
};

/// `directory/name`, where the empty directory is the workspace.
inline std::string joined(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && path.back() != '/') path += '/';
  return path += name;
}

/// The directory part of a name; empty for the workspace itself.
inline std::string_view directory_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos) return {};
  return name.substr(0, slash == 0 ? 1 : slash);
}

}  // namespace kernix::detail
