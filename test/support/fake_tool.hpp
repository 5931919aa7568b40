// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <kernix/process/subprocess_runner.hpp>

namespace kernix::test {

/// A fresh marker: a variable in the environment of a tool, by which all processes of its tree are known.
inline std::string fresh_marker() {
  static int count = 0;
  return "KERNIX_TEST_MARKER=" + std::to_string(::getpid()) + "." + std::to_string(++count);
}

/// A tool written as a shell script, for `sh -c`: no script file that could be busy while another thread spawns.
inline kernix::process_command sh(std::string script, std::string marker = fresh_marker()) {
  kernix::process_command command;
  command.program = "/bin/sh";
  command.arguments = {"-c", std::move(script), "tool"};
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", std::move(marker)};
  return command;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A path that no file has, until `make`; removed at the end.
struct temporary_file {
  std::string path = "/tmp/kernix-test-" + std::to_string(::getpid()) + "-" + fresh_marker().substr(19);

  temporary_file() = default;
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { ::unlink(path.c_str()); }
  void make() const { std::ofstream(path) << "made\n"; }
};

/// Live processes that carry the marker. Zombies don't count: the first process of a container may not reap them.
inline int survivors(const std::string& marker) {
  int count = 0;
  std::error_code ec;
  for (std::filesystem::directory_iterator at("/proc", ec), end; !ec && at != end; at.increment(ec)) {
    std::string name = at->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string environment = read_file(at->path() / "environ");
    if (environment.find(marker + '\0') == std::string::npos) continue;
    std::string stat = read_file(at->path() / "stat");
    auto end_of_name = stat.rfind(')');
    if (end_of_name != std::string::npos && stat[end_of_name + 2] != 'Z' && stat[end_of_name + 2] != 'X') ++count;
  }
  return count;
}

/// The marker of a command made by `sh`.
inline std::string marker_of(const kernix::process_command& command) { return command.environment.back(); }

inline int open_descriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count - 1;  // the listing's own
}

/// Children of this process that nobody has reaped, dead or alive.
inline bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/// Runs one command in an `io_context` of its own, on this thread.
template <class Runner>
kernix::process_result run(const Runner& runner, kernix::process_command command) {
  boost::asio::io_context context;
  std::optional<kernix::process_result> result;
  boost::asio::co_spawn(context, runner.run(std::move(command)),
                        [&](std::exception_ptr failure, kernix::process_result got) {
                          if (failure) std::rethrow_exception(failure);
                          result = std::move(got);
                        });
  context.run();
  return std::move(result).value();
}

inline kernix::process_result run(kernix::process_command command) {
  return run(kernix::subprocess_runner{}, std::move(command));
}

/// Runs `body` in a fork, whose own settings of the process may be changed at will; its exit code, or -signal. Exceptions
/// give 99. To be called while this process has one thread.
inline int in_fork(const std::function<int()>& body) {
  std::cout.flush();
  std::fflush(nullptr);
  pid_t pid = ::fork();
  if (pid == 0) {
    ::alarm(60);
    int code = 99;
    try {
      code = body();
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace kernix::test
