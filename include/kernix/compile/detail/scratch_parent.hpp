// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include <kernix/core/refusal.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/detail/private_directory.hpp>

namespace kernix::detail {

/// Why scratch directories can't be made in `parent`; nothing if they can. Makes it.
inline std::string unusable_parent(const std::filesystem::path& parent) {
  // nvcc asks for its working directory and puts it, unquoted as far as these go, on a shell's command line.
  if (parent.native().find_first_of("$`\\\n") != std::string::npos) {
    return parent.string() + ": a shell that nvcc starts would read the $, `, \\ or line feed in it";
  }
  if (int failed = make_private_directories(parent); failed != 0) return parent.string() + ": " + system_message(failed);
  if (std::string why = distrust(parent.parent_path(), true); !why.empty()) return why;
  if (std::string why = distrust(parent, false); !why.empty()) return why;
  if (::faccessat(AT_FDCWD, parent.c_str(), W_OK | X_OK, AT_EACCESS) != 0) return parent.string() + ": " + system_message(errno);
  return {};
}

/// Where scratch directories are made: in the cache directory, so that results can be renamed into it; where that can't
/// be written to, in a directory of this user alone below TMPDIR or `/tmp`. `tried` are those that have turned out to be
/// full. Blocks on the disk.
inline result<std::filesystem::path> find_scratch_parent(const settings& from,
                                                         const std::vector<std::filesystem::path>& tried = {}) {
  std::string problems;
  auto try_one = [&](const std::filesystem::path& parent) {
    const bool again = std::find(tried.begin(), tried.end(), parent) != tried.end();
    std::string why = again ? parent.string() + " is full" : unusable_parent(parent);
    if (!why.empty()) problems += (problems.empty() ? "" : "; ") + why;
    return why.empty();
  };
  if (from.cache_directory.is_absolute() && try_one(from.cache_directory / "scratch")) return from.cache_directory / "scratch";
  // In a directory that all may write to, others may have put a link in our place; what is ours stands still there.
  auto try_below = [&](const std::filesystem::path& temporary) -> std::filesystem::path {
    const std::filesystem::path own = temporary / ("kernix-" + std::to_string(::geteuid()));
    const int failed = make_private_directories(own);
    std::string why = failed != 0 ? own.string() + ": " + system_message(failed) : distrust(own, false);
    if (why.empty() && try_one(own / "scratch")) return own / "scratch";
    if (!why.empty()) problems += (problems.empty() ? "" : "; ") + why;
    return {};
  };
  const std::filesystem::path temporary(from.variable("TMPDIR"));
  if (temporary.is_absolute()) {
    if (auto found = try_below(temporary); !found.empty()) return found;
  }
  if (auto found = try_below("/tmp"); !found.empty()) return found;
  return refuse(errc::disk_full, "there is no place for a compile's files: " + problems);
}

}  // namespace kernix::detail
