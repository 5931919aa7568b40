// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/process/detail/exit_status.hpp>

namespace kernix::detail {

/// How a status is had where the host's own is no use: a shell between kernix and the program waits for it, and reports
/// over a pipe on descriptor 3, which the program does not get.
///
/// The shell's own messages go to the pipe as well. It writes one ("Killed") when the program was ended by a signal,
/// which is how such an end is told from `exit 137`; for SIGINT and SIGPIPE shells are silent, and the end is taken for an exit.
/// Interrupts, which go to the whole group, are trapped and not ignored, so that the program has the default again
/// and may end in its own time. The parentheses matter: dash applies a simple command's redirections to its own
/// messages too. At last the shell kills what is left of the group, itself included, while the group's
/// id is still its own.
struct relay {
  static constexpr std::string_view shell = "/bin/sh";
  static constexpr std::string_view script =
      "trap : INT; exec 4>&2 2>&3; (exec \"$@\" 2>&4 3>&- 4>&-); printf '\\n:%d.' $? >&3; kill -KILL 0";

  static std::vector<std::string> arguments(const std::filesystem::path& program, std::vector<std::string> given) {
    std::vector<std::string> all{"-c", std::string(script), "sh", program.native()};
    for (std::string& each : given) all.push_back(std::move(each));
    return all;
  }

  /// What the shell reported; nothing if it didn't live to report.
  static std::optional<exit_status> parse(std::string_view report) noexcept {
    auto at = report.rfind("\n:");
    if (at == std::string_view::npos || report.back() != '.') return std::nullopt;
    int status = -1;
    std::from_chars(report.data() + at + 2, report.data() + report.size(), status);
    if (status < 0) return std::nullopt;
    if (at > 0 && status > 128) return exit_status{true, status - 128};
    return exit_status{false, status};
  }
};

}  // namespace kernix::detail
