// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <kernix/backend/detail/message_text.hpp>
#include <kernix/core/command.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/core/error.hpp>
#include <kernix/core/process_result.hpp>

namespace kernix::detail {

/// Why a step failed, as its ending tells, whatever it wrote.
struct ending_reason {
  errc code{};
  std::string sentence;
};

inline std::string tool_name(const command_step& step) {
  std::string_view name = base_name(step.program);
  return name.empty() ? "the compiler" : to_utf8(name);
}

/// "5 s", "0.25 s": as a person gave the limit, where the time that a process ran is a little longer.
inline std::string seconds_text(std::chrono::nanoseconds time) {
  double seconds = std::chrono::duration<double>(time).count();
  double step = seconds >= 10 ? 1 : seconds >= 1 ? 0.1 : 0.01;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", seconds >= 10 ? 0 : seconds >= 1 ? 1 : 2, std::round(seconds / step) * step);
  std::string_view digits = text;
  if (digits.find('.') != std::string_view::npos) {
    while (digits.ends_with('0')) digits.remove_suffix(1);
    if (digits.ends_with('.')) digits.remove_suffix(1);
  }
  return std::string(digits) + " s";
}

/// What a failure to start a process means. An absent working directory has the same errno as an absent program.
inline errc spawn_errc(int error, std::string_view said) noexcept {
  if (said.starts_with("the working directory")) return errc::spawn_failed;
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG: return errc::tool_not_found;
    case EACCES:
    case EPERM:
    case EISDIR:
    case ENOEXEC:
    case ELIBBAD: return errc::not_executable;
    case E2BIG: return errc::command_line_too_long;
    case ENOSPC:
    case EDQUOT: return errc::disk_full;
    default: return errc::spawn_failed;  // EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY, EIO: may pass
  }
}

/// kernix's own reason, or the one of the system that refused to start the process: nothing else is asked then.
inline std::optional<ending_reason> own_reason(const command_step& step, const process_result& result) {
  switch (result.how) {
    case process_result::ending::cancelled: return ending_reason{errc::cancelled, "cancelled"};
    case process_result::ending::timed_out:
      return ending_reason{errc::timed_out, "timed out after " + seconds_text(result.ran)};
    case process_result::ending::status_lost:
      return ending_reason{errc::status_lost, std::string(describe(errc::status_lost)) + ": " + tool_name(step) +
                                                  " ended, how is not known"};
    case process_result::ending::not_started: {
      errc code = spawn_errc(result.spawn_error.value(), result.spawn_message);
      std::string said =
          result.spawn_message.empty() ? step.program + ": " + result.spawn_error.message() : result.spawn_message;
      return ending_reason{code, std::string(describe(code)) + ": " + to_utf8(said)};
    }
    case process_result::ending::exited:
    case process_result::ending::signalled: break;
  }
  return std::nullopt;
}

/// The signals that compilers die of, with their numbers on Linux, and what each means.
struct fatal_signal {
  int number;
  errc code;
  std::string_view name;
  std::string_view meaning;
};
inline constexpr fatal_signal fatal_signals[] = {
    {4, errc::compiler_crashed, "SIGILL", "crashed"},
    {5, errc::compiler_crashed, "SIGTRAP", "crashed"},
    {6, errc::compiler_crashed, "SIGABRT", "crashed"},
    {7, errc::compiler_crashed, "SIGBUS", "crashed"},
    {8, errc::compiler_crashed, "SIGFPE", "crashed"},
    {9, errc::out_of_memory, "SIGKILL", "was killed from outside, most likely for want of memory"},
    {11, errc::compiler_crashed, "SIGSEGV", "crashed"},
    {24, errc::timed_out, "SIGXCPU", "reached this system's limit on processor time"},
    {25, errc::disk_full, "SIGXFSZ", "reached this system's limit on the size of files"},
    {31, errc::compiler_crashed, "SIGSYS", "made a system call that is forbidden here"},
};

/// What a signal that ended the process means, or an exit code that stands for one (a shell's 128 + N: nvcc runs its tools
/// through a shell and passes on their codes), or a shell's 126.
inline std::optional<ending_reason> reason_of_ending(const command_step& step, const process_result& result) {
  bool is_signalled = result.how == process_result::ending::signalled;
  int number = is_signalled ? result.signal : result.exit_code - 128;
  for (const fatal_signal& each : fatal_signals) {
    if (each.number != number) continue;
    std::string how = is_signalled ? "signal " + std::to_string(number) + ", "
                                   : "exit status " + std::to_string(result.exit_code) + ", ";
    std::string who = is_signalled ? tool_name(step) : tool_name(step) + " or a tool that it ran";
    return ending_reason{each.code, std::string(describe(each.code)) + ": " + who + " " + std::string(each.meaning) +
                                        " (" + how + std::string(each.name) + ")"};
  }
  if (is_signalled) {
    return ending_reason{errc::compiler_crashed, tool_name(step) + " was ended by signal " + std::to_string(number) +
                                                     ", which kernix did not send"};
  }
  if (result.exit_code == 126) {
    return ending_reason{errc::not_executable, std::string(describe(errc::not_executable)) + ": " + tool_name(step) +
                                                   " ended with exit status 126"};
  }
  return std::nullopt;
}

}  // namespace kernix::detail
