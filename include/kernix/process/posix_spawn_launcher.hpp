// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <features.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

// Boost 1.81's Process v2 uses both without including them when it is built on std::filesystem.
#include <boost/optional.hpp>
#include <boost/type_traits.hpp>
#include <boost/version.hpp>
#if BOOST_VERSION < 108600 && !defined(BOOST_PROCESS_USE_STD_FS)
#define BOOST_PROCESS_USE_STD_FS  // header-only with it; Boost.Filesystem would have to be linked without
#endif
#include <boost/process/v2/process.hpp>
#include <boost/system/system_category.hpp>
#include <boost/system/system_error.hpp>

#include <kernix/core/error.hpp>
#include <kernix/detail/descriptor.hpp>
#include <kernix/process/detail/pipe.hpp>

#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 34)
#error "kernix needs glibc 2.34 or newer: posix_spawn_file_actions_addclosefrom_np keeps the host's files out of compilers"
#endif

namespace kernix {

/// What a new process gets besides its program and arguments.
struct spawn_setup {
  std::vector<std::string> environment;          ///< `NAME=VALUE`; all of it.
  std::filesystem::path working_directory = "/";
  int out = -1;                                  ///< Becomes its stdout; at least 3.
  int err = -1;                                  ///< Becomes its stderr; at least 3.
  int report = -1;                               ///< Becomes its descriptor 3, if not negative; then at least 4.
};

/// A launcher for Boost.Process v2 that starts processes with `posix_spawn`.
///
/// The default launcher forks, which takes longer the more memory the host has, and runs the host's fork handlers. This
/// one takes the same time always, and starts the child clean: leader of a process group of its own, every signal at its
/// default and none blocked, stdin from /dev/null, no descriptor of the host. Thread-safe.
struct posix_spawn_launcher {
  /// Starts `program`; on failure `ec` says why, no process is left, and the returned object holds none.
  ///
  /// Whoever destroys the returned `basic_process` without `detach` kills the process and reaps it, blocking.
  template <class Executor>
  boost::process::v2::basic_process<Executor> operator()(Executor executor, error_code& ec,
                                                         const std::filesystem::path& program,
                                                         const std::vector<std::string>& arguments,
                                                         const spawn_setup& setup) const {
    using process = boost::process::v2::basic_process<Executor>;
    pid_t pid = start(ec, program, arguments, setup);
    if (ec) return process(executor);
    detail::descriptor handle = open_handle(pid, ec);
    if (!ec) {
      try {
        process made(executor, pid, handle.get());
        (void)handle.release();
        return made;
      } catch (const boost::system::system_error& error) {
        ec = error.code();
      }
    }
    abandon(pid);
    return process(executor);
  }

  /// Kills the process group of an unreaped child, and reaps the child.
  static void abandon(pid_t pid) noexcept {
    ::kill(-pid, SIGKILL);
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED) != 0 && errno == EINTR) {
    }
  }

 private:
  struct attributes {
    attributes() noexcept { ::posix_spawnattr_init(&value); }
    attributes(const attributes&) = delete;
    attributes& operator=(const attributes&) = delete;
    ~attributes() { ::posix_spawnattr_destroy(&value); }
    posix_spawnattr_t value;
  };
  struct file_actions {
    file_actions() noexcept { ::posix_spawn_file_actions_init(&value); }
    file_actions(const file_actions&) = delete;
    file_actions& operator=(const file_actions&) = delete;
    ~file_actions() { ::posix_spawn_file_actions_destroy(&value); }
    posix_spawn_file_actions_t value;
  };

  static std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> list;
    list.reserve(strings.size() + 2);
    for (const std::string& each : strings) list.push_back(const_cast<char*>(each.c_str()));  // NOLINT: execve's type
    list.push_back(nullptr);
    return list;
  }

  static pid_t start(error_code& ec, const std::filesystem::path& program, const std::vector<std::string>& arguments,
                     const spawn_setup& setup) {
    std::vector<char*> argv = pointers(arguments);
    argv.insert(argv.begin(), const_cast<char*>(program.c_str()));  // NOLINT: execve's type
    std::vector<char*> envp = pointers(setup.environment);
    sigset_t all;
    sigset_t none;
    // Not sigfillset, which leaves out the two signals of glibc's own; posix_spawn would have the child ignore those.
    std::memset(&all, 0xff, sizeof all);
    sigemptyset(&none);

    attributes how;
    file_actions files;
    int error = 0;
    auto check = [&error](int result) { error = error != 0 ? error : result; };
    check(::posix_spawnattr_setflags(
        &how.value, static_cast<short>(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)));
    check(::posix_spawnattr_setpgroup(&how.value, 0));
    check(::posix_spawnattr_setsigdefault(&how.value, &all));
    check(::posix_spawnattr_setsigmask(&how.value, &none));
    check(::posix_spawn_file_actions_addchdir_np(&files.value, setup.working_directory.c_str()));
    check(::posix_spawn_file_actions_addopen(&files.value, 0, "/dev/null", O_RDONLY, 0));
    check(::posix_spawn_file_actions_adddup2(&files.value, setup.out, 1));
    check(::posix_spawn_file_actions_adddup2(&files.value, setup.err, 2));
    // Last: `out` or `err` may be 3 themselves, and have been copied by now.
    if (setup.report >= 0) check(::posix_spawn_file_actions_adddup2(&files.value, setup.report, 3));
    check(::posix_spawn_file_actions_addclosefrom_np(&files.value, setup.report >= 0 ? 4 : 3));

    pid_t pid = -1;
    while (error == 0) {
      int result = ::posix_spawn(&pid, program.c_str(), &files.value, &how.value, argv.data(), envp.data());
      if (result == EINTR) continue;
      error = result;
      break;
    }
    if (error != 0) ec.assign(error, boost::system::system_category());
    return pid;
  }

  /// A pidfd; where the system refuses one, a descriptor that never becomes ready stands in for it.
  static detail::descriptor open_handle(pid_t pid, error_code& ec) noexcept {
    detail::descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    bool exhausted = !handle && (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
    if (!handle && !exhausted) handle = detail::descriptor(::eventfd(0, EFD_CLOEXEC));
    handle = detail::lifted(std::move(handle));
    if (!handle) ec.assign(errno, boost::system::system_category());
    return handle;
  }
};

}  // namespace kernix
