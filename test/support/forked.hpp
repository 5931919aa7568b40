// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <stdexcept>
#include <utility>

namespace kernix::test {

/// A child process that runs a function, for cases about several processes. To be made before the case has threads.
/// Whatever the function throws ends the child with status 99.
class forked_child {
 public:
  explicit forked_child(const std::function<int()>& work) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    process_ = ::fork();
    if (process_ < 0) throw std::runtime_error("fork");
    if (process_ == 0) {
      ::close(ends[0]);
      to_parent = ends[1];
      int status = 99;
      try {
        status = work();
      } catch (...) {
      }
      ::_exit(status);
    }
    ::close(ends[1]);
    from_child_ = ends[0];
  }
  forked_child(forked_child&& other) noexcept
      : process_(std::exchange(other.process_, -1)), from_child_(std::exchange(other.from_child_, -1)) {}
  ~forked_child() {
    if (process_ > 0) kill();
    if (from_child_ >= 0) ::close(from_child_);
  }

  /// In the child: tells the parent that a point has been reached.
  static void tell() {
    char byte = '!';
    while (::write(to_parent, &byte, 1) < 0 && errno == EINTR) {
    }
  }
  /// In the parent: waits for that. False if the child ended without reaching it.
  bool heard() const {
    char byte;
    ssize_t count;
    do {
      count = ::read(from_child_, &byte, 1);
    } while (count < 0 && errno == EINTR);
    return count == 1;
  }

  /// Waits for the end; the exit status, or minus the signal.
  int join() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int kill() {
    ::kill(process_, SIGKILL);
    return join();
  }

 private:
  static inline int to_parent = -1;
  pid_t process_ = -1;
  int from_child_ = -1;
};

}  // namespace kernix::test
