// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <kernix/detail/descriptor.hpp>

namespace kernix::detail {

/// State and process group of a line of `/proc/PID/stat`: `12 (a) name) S 1 12 12 ...`.
struct stat_line {
  char state = '?';
  pid_t group = 0;

  static stat_line parse(std::string_view text) noexcept {
    stat_line found;
    // The name may hold blanks and parentheses: only the last `)` ends it.
    auto end = text.rfind(')');
    if (end == std::string_view::npos || text.size() < end + 4) return found;
    found.state = text[end + 2];
    text.remove_prefix(end + 4);
    text.remove_prefix(std::min(text.find(' '), text.size()));  // the parent
    if (!text.empty()) std::from_chars(text.data() + 1, text.data() + text.size(), found.group);
    return found;
  }
};

/// Whether a process of the group is alive; zombies, which an init process may never reap, are not.
///
/// One system call where the group is empty, which is the common case, and a walk through `/proc` where it isn't.
inline bool group_is_alive(pid_t group) {
  if (::kill(-group, 0) != 0 && errno == ESRCH) return false;
  std::error_code ec;
  for (std::filesystem::directory_iterator at("/proc", ec), end; !ec && at != end; at.increment(ec)) {
    std::string_view name = std::string_view(at->path().native()).substr(6);
    if (name.empty() || name.front() < '0' || name.front() > '9') continue;
    descriptor file = open_file(at->path() / "stat", O_RDONLY);
    char text[512];
    ssize_t length = file ? read_some(file, text, sizeof text) : -1;
    if (length <= 0) continue;
    stat_line line = stat_line::parse({text, static_cast<std::size_t>(length)});
    if (line.group == group && line.state != 'Z' && line.state != 'X') return true;
  }
  return false;
}

}  // namespace kernix::detail
