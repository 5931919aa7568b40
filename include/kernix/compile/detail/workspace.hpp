// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <kernix/core/command.hpp>
#include <kernix/core/refusal.hpp>
#include <kernix/detail/descriptor.hpp>
#include <kernix/detail/private_directory.hpp>

namespace kernix::detail {

/// What a failed system call on a file of kernix's own means to the caller.
inline errc errc_of_system_error(int error) noexcept {
  switch (error) {
    case ENOMEM: return errc::out_of_memory;
    case EMFILE:
    case ENFILE: return errc::spawn_failed;
    case ENAMETOOLONG:
    case EEXIST: return errc::invalid_request;
    default: return errc::disk_full;
  }
}

inline refusal workspace_refusal(int error, const std::filesystem::path& path) {
  return refuse(errc_of_system_error(error), "can't write " + path.string() + ": " + system_message(error));
}

/// Whether a name stays inside the workspace.
inline bool stays_inside(std::string_view name) {
  const std::filesystem::path path(name);
  if (path.empty() || path.is_absolute() || name.find('\0') != std::string_view::npos) return false;
  for (const auto& part : path) {
    if (part == "..") return false;
  }
  return true;
}

inline std::optional<refusal> write_workspace_file(const std::filesystem::path& workspace, const workspace_file& file) {
  const std::filesystem::path path = workspace / file.path;
  if (path.parent_path() != workspace) {
    if (int failed = make_private_directories(path.parent_path()); failed != 0) return workspace_refusal(failed, path);
  }
  descriptor to = open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!to || !write_all(to, file.text)) return workspace_refusal(errno, path);
  if (::close(to.release()) != 0 && errno != EINTR) return workspace_refusal(errno, path);  // where quotas are told late
  return std::nullopt;
}

/// Puts a plan's files and links into a fresh scratch directory: files byte for byte as they are given, before any link
/// exists that could lead them elsewhere. Blocks on the disk.
inline std::optional<refusal> fill_workspace(const std::filesystem::path& workspace, const command_plan& plan) {
  for (const workspace_file& each : plan.files) {
    if (!stays_inside(each.path)) return refuse(errc::invalid_request, "the file name \"" + each.path + "\" leaves the workspace");
    if (auto why = write_workspace_file(workspace, each)) return why;
  }
  for (const workspace_link& each : plan.links) {
    if (!stays_inside(each.path)) return refuse(errc::invalid_request, "the link name \"" + each.path + "\" leaves the workspace");
    const std::filesystem::path path = workspace / each.path;
    if (::symlink(each.target.c_str(), path.c_str()) != 0) return workspace_refusal(errno, path);
  }
  return std::nullopt;
}

/// Whether a filled workspace is still there. Blocks on the disk.
inline bool workspace_stands(const std::filesystem::path& workspace, const command_plan& plan) {
  struct stat status;
  auto exists = [&](const std::filesystem::path& name) { return ::lstat((workspace / name).c_str(), &status) == 0; };
  return exists("tmp") && std::all_of(plan.files.begin(), plan.files.end(), [&](const workspace_file& each) { return exists(each.path); });
}

}  // namespace kernix::detail
