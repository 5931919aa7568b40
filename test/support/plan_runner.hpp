// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <kernix/core/command.hpp>
#include <kernix/core/process_result.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/core/toolchain.hpp>

#include "support/temporary_tree.hpp"

namespace kernix::test {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a program to its end, the plainest way: to see what real tools make of plans, without kernix's own runner.
inline process_result run_plainly(const std::string& program, const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& environment, const std::filesystem::path& directory) {
  const temporary_tree streams;
  const std::string out = (streams / "out").string();
  const std::string err = (streams / "err").string();
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& each : arguments) argv.push_back(const_cast<char*>(each.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> envp;
  for (const std::string& each : environment) envp.push_back(const_cast<char*>(each.c_str()));
  envp.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(directory.c_str()) != 0) ::_exit(126);
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    ::execve(program.c_str(), argv.data(), envp.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  process_result ended;
  ended.how = WIFEXITED(status) ? process_result::ending::exited : process_result::ending::signalled;
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.out.head = text_of(out);
  ended.err.head = text_of(err);
  return ended;
}

/// The program that a bare name means on PATH; empty if there is none.
inline std::string on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (std::string rest = path ? path : ""; !rest.empty();) {
    const std::string directory = rest.substr(0, rest.find(':'));
    rest.erase(0, directory.size() + 1);
    const std::string program = directory + '/' + name;
    if (!directory.empty() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

/// Asks a compiler what its backend wants to know; nothing where the backend says that it isn't one of its own.
template <class Backend>
std::optional<toolchain> ask(const Backend& backend, const std::string& program) {
  toolchain tools;
  tools.backend = backend.name();
  tools.program = program;
  std::vector<process_result> answers;
  for (const auto& words : backend.questions()) {
    answers.push_back(run_plainly(program, words, {"LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin"}, "/"));
  }
  if (backend.describe(tools, answers)) return std::nullopt;
  return tools;
}

/// Lays out a plan's workspace in `workspace` and runs its steps; the result of the last one that ran.
inline process_result run_plan(const command_plan& plan, const std::filesystem::path& workspace) {
  namespace fs = std::filesystem;
  fs::create_directories(workspace / "tmp");
  for (const workspace_file& each : plan.files) {
    fs::create_directories((workspace / each.path).parent_path());
    std::ofstream(workspace / each.path, std::ios::binary) << each.text;
  }
  for (const workspace_link& each : plan.links) fs::create_directory_symlink(each.target, workspace / each.path);
  std::vector<std::string> environment;
  for (const environment_entry& each : plan.environment) environment.push_back(each.name + '=' + each.value);
  process_result ended;
  for (const command_step& step : plan.steps) {
    std::vector<std::string> arguments;
    for (const argument& each : step.arguments) arguments.push_back(each.text);
    ended = run_plainly(step.program, arguments, environment, workspace);
    if (!ended.succeeded()) break;
  }
  return ended;
}

}  // namespace kernix::test
