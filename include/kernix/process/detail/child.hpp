// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>

#include <boost/asio/any_io_executor.hpp>

#include <kernix/detail/descriptor.hpp>
#include <kernix/process/detail/exit_status.hpp>
#include <kernix/process/detail/pipe.hpp>
#include <kernix/process/detail/process_group.hpp>
#include <kernix/process/posix_spawn_launcher.hpp>

namespace kernix::detail {

/// Owns a child process and its process group, and is the only one that reaps it.
///
/// No signal ever goes to an id that may belong to somebody else by now: the group is signalled through the pidfd
/// where the kernel can (Linux 6.9), else only while the leader is unreaped and so keeps its id.
class child {
 public:
  using process = boost::process::v2::basic_process<boost::asio::any_io_executor>;
  enum class state : std::uint8_t {
    running,
    ended,  ///< Waits to be reaped.
    gone,   ///< Somebody else has reaped it, or the host discards its children's statuses.
  };

  // `basic_process` keeps its pidfd to itself, and its wait may block: hence one of our own. Ids are handed out in turn, so
  // even a leader that ended at once still stands for this id.
  explicit child(process started)
      : process_(std::move(started)), pid_(process_.id()),
        pidfd_(lifted(descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))))) {}
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  /// Kills the group and reaps, if `reap` has not been called: a destroyed coroutine leaves no process.
  ~child() {
    if (::getpid() != owner_) {  // a fork of the host: the processes belong to the parent
      process_.detach();
      return;
    }
    if (!released_) {
      signal_group(SIGKILL);
      siginfo_t info{};
      (void)wait(info, WEXITED);
    }
    // Undetached, the object's own destructor would signal an id that is free for others now.
    process_.detach();
  }

  pid_t id() const noexcept { return pid_; }

  /// A descriptor of its own that becomes readable when the process has ended; empty where the system has none.
  descriptor take_exit_handle() noexcept { return descriptor(pidfd_ ? ::fcntl(pidfd_.get(), F_DUPFD_CLOEXEC, 3) : -1); }

  /// Looks without blocking and without reaping.
  state look() const noexcept {
    siginfo_t info{};
    if (!wait(info, WEXITED | WNOHANG | WNOWAIT)) return state::gone;
    return info.si_pid == 0 ? state::running : state::ended;
  }

  /// Sends a signal to all processes of the group.
  void signal_group(int signal) const noexcept {
    constexpr unsigned to_process_group = 1U << 2;
    if (pidfd_) {
      if (::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, to_process_group) == 0) return;
      if (errno == ESRCH) return;  // nobody is left in it
    }
    if (look() != state::gone) ::kill(-pid_, signal);
  }

  /// Kills whatever is left of the group, then takes the status of the leader, which has ended; nothing if the status
  /// has gone elsewhere.
  ///
  /// In this order: while the leader is a zombie its id, which is the group's as well, can't be anyone else's.
  std::optional<exit_status> reap() noexcept {
    signal_group(SIGKILL);
    siginfo_t info{};
    released_ = true;
    if (wait(info, WEXITED | WNOHANG) && info.si_pid == pid_) return exit_status::of(info);
    return remembered();
  }

  /// The status of a process that is gone, where the system remembers it.
  std::optional<exit_status> remembered() const noexcept {
    return pidfd_ ? remembered_status(pidfd_.get()) : std::nullopt;
  }

  bool group_alive() const { return group_is_alive(pid_); }

 private:
  // By the pidfd where there is one: an id that somebody else has reaped may be another child of the host by now.
  bool wait(siginfo_t& info, int flags) const noexcept {
    for (bool by_handle = static_cast<bool>(pidfd_);;) {
      info = {};
      int which = by_handle ? pidfd_.get() : pid_;
      if (::waitid(by_handle ? P_PIDFD : P_PID, static_cast<id_t>(which), &info, flags) == 0) return true;
      if (errno == EINVAL && by_handle) {
        by_handle = false;  // Linux 5.3 knows pidfds, and can't wait for them
      } else if (errno == EAGAIN) {
        // Asio made the shared file description non-blocking, and with it this wait.
        pollfd until_ended{pidfd_.get(), POLLIN, 0};
        ::poll(&until_ended, 1, -1);
      } else if (errno != EINTR) {
        return false;
      }
    }
  }

  process process_;
  pid_t pid_;
  descriptor pidfd_;  ///< Empty where the system refuses one.
  pid_t owner_ = ::getpid();
  bool released_ = false;
};

}  // namespace kernix::detail
