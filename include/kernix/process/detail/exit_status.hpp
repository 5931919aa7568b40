// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <cstdint>
#include <optional>

namespace kernix::detail {

/// How a process ended, as the kernel tells it.
struct exit_status {
  bool signalled = false;
  int value = 0;  ///< The exit code, or the signal.

  static exit_status of(const siginfo_t& info) noexcept { return {info.si_code != CLD_EXITED, info.si_status}; }
  static exit_status of_wait_status(int status) noexcept {
    if (WIFSIGNALED(status)) return {true, WTERMSIG(status)};
    return {false, WEXITSTATUS(status)};
  }
};

/// The status that a pidfd remembers of a process which somebody else has reaped (Linux 6.15 and newer).
///
/// Nothing where the system doesn't keep it, and for an instant after the process was reaped.
inline std::optional<exit_status> remembered_status(int pidfd) noexcept {
  // <linux/pidfd.h> of this kernel may be newer than the installed headers; this is the first version of its struct.
  struct pidfd_info {
    std::uint64_t mask;
    std::uint64_t cgroup;
    std::uint32_t ids[11];
    std::int32_t exit_code;
  };
  static_assert(sizeof(pidfd_info) == 64);
  constexpr std::uint64_t exit_info = 1U << 3;
  pidfd_info info{};
  info.mask = exit_info;
  if (::ioctl(pidfd, _IOWR(0xFF, 11, pidfd_info), &info) != 0 || (info.mask & exit_info) == 0) return std::nullopt;
  return exit_status::of_wait_status(info.exit_code);
}

/// Whether this process throws its children's statuses away: SIGCHLD ignored, or SA_NOCLDWAIT set.
inline bool host_discards_statuses() noexcept {
  struct sigaction current {};
  if (::sigaction(SIGCHLD, nullptr, &current) != 0) return false;
  return (current.sa_flags & SA_NOCLDWAIT) != 0 || ((current.sa_flags & SA_SIGINFO) == 0 && current.sa_handler == SIG_IGN);
}

}  // namespace kernix::detail
