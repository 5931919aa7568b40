// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <kernix/core/error.hpp>
#include <kernix/core/settings.hpp>

namespace kernix::detail {

/// Why a file can't be used as a program.
struct file_complaint {
  errc code = errc::toolchain_not_found;
  std::string sentence;  ///< "does not exist": follows the path.
};

/// Nothing if `program` is a file that this process may execute.
inline std::optional<file_complaint> complaint_about(const std::filesystem::path& program) {
  struct stat status;
  if (::stat(program.c_str(), &status) != 0) {
    const int error = errno;
    if (error != ENOENT && error != ENOTDIR) {
      return file_complaint{errc::toolchain_not_found, "can't be looked at: " + std::generic_category().message(error)};
    }
    struct stat link;
    if (::lstat(program.c_str(), &link) == 0) return file_complaint{errc::toolchain_not_found, "is a link that leads nowhere"};
    if (::stat(program.parent_path().c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      return file_complaint{errc::toolchain_not_found, "does not exist, though its directory does"};
    }
    return file_complaint{errc::toolchain_not_found, "does not exist"};
  }
  if (S_ISDIR(status.st_mode)) return file_complaint{errc::toolchain_not_found, "is a directory, not a program"};
  if (!S_ISREG(status.st_mode)) return file_complaint{errc::toolchain_not_found, "is not a regular file"};
  if (::faccessat(AT_FDCWD, program.c_str(), X_OK, AT_EACCESS) != 0) {
    if (errno == EACCES && (status.st_mode & 0111) == 0) {
      return file_complaint{errc::not_executable, "is not executable: it lacks the execute bit"};
    }
    return file_complaint{errc::not_executable, "may not be executed by this process: " + std::generic_category().message(errno)};
  }
  return std::nullopt;
}

/// The absolute directories of a search path, in order. Relative and empty entries mean the current directory, which
/// is nobody's choice in a service: left out.
inline std::vector<std::filesystem::path> directories_of(std::string_view list) {
  std::vector<std::filesystem::path> directories;
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find(':'));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    std::filesystem::path directory(entry);
    if (!directory.is_absolute()) continue;
    if (std::find(directories.begin(), directories.end(), directory) == directories.end()) directories.push_back(directory);
  }
  return directories;
}

/// Where bare names are looked up: the settings' PATH, or the usual one if they have none.
inline std::vector<std::filesystem::path> search_path(const settings& from) {
  auto path = from.variables.find("PATH");
  return directories_of(path == from.variables.end() ? std::string_view("/usr/local/bin:/usr/bin:/bin") : path->second);
}

/// Whether `left` comes before `right` when runs of digits are compared as numbers, and a number is more than any text:
/// cuda_nvcc < cu9 < cu13, python3.9 < python3.11.
inline bool version_less(std::string_view left, std::string_view right) {
  auto is_digit = [](std::string_view text) { return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())); };
  while (!left.empty() && !right.empty()) {
    if (is_digit(left) && is_digit(right)) {
      auto take = [](std::string_view& text) {
        text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
        std::string_view digits = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
        text.remove_prefix(digits.size());
        return digits;
      };
      const std::string_view a = take(left);
      const std::string_view b = take(right);
      if (a.size() != b.size()) return a.size() < b.size();
      if (a != b) return a < b;
    } else {
      if (is_digit(left) != is_digit(right)) return is_digit(right);
      if (left.front() != right.front()) return left.front() < right.front();
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
  }
  return left.size() < right.size();
}

/// The paths that a pattern stands for: `*` in a component matches any part of a name; the matches of a component come
/// highest version first. Components after the last `*` need not exist. Without a `*`: the path itself.
inline std::vector<std::filesystem::path> expand_pattern(const std::filesystem::path& pattern) {
  std::error_code ignored;
  if (pattern.native().find('*') == std::string::npos || std::filesystem::exists(pattern, ignored)) return {pattern};
  std::vector<std::filesystem::path> paths{std::filesystem::path()};
  for (const std::filesystem::path& component : pattern) {
    if (component.native().find('*') == std::string::npos) {
      for (std::filesystem::path& each : paths) each /= component;
      continue;
    }
    std::vector<std::filesystem::path> longer;
    for (const std::filesystem::path& each : paths) {
      std::vector<std::string> names;
      std::filesystem::directory_iterator entry(each, ignored);
      for (; entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
        std::string name = entry->path().filename().native();
        if (::fnmatch(component.c_str(), name.c_str(), FNM_PERIOD | FNM_NOESCAPE) == 0) names.push_back(std::move(name));
      }
      std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) { return version_less(b, a); });
      for (const std::string& name : names) longer.push_back(each / name);
    }
    paths = std::move(longer);
  }
  return paths;
}

}  // namespace kernix::detail
