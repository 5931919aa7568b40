// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <kernix/core/command.hpp>
#include <kernix/core/process_result.hpp>
#include <kernix/core/settings.hpp>

namespace kernix::detail {

/// A step as a process in a workspace. The private TMPDIR overrides the plan's: what a killed compiler leaves goes with it.
inline process_command command_of(const command_step& step, const command_plan& plan, const std::filesystem::path& workspace,
                                  const settings& from) {
  process_command command;
  command.program = step.program;
  for (const argument& each : step.arguments) command.arguments.push_back(each.text);
  for (const environment_entry& each : plan.environment) {
    if (each.name != "TMPDIR") command.environment.push_back(each.name + '=' + each.value);
  }
  command.environment.emplace_back("TMPDIR=tmp");
  command.working_directory = workspace;
  command.grace = from.kill_grace;
  command.output_limit = from.output_limit;
  return command;
}

/// The step as a person would type it. Secrets are in the environment, which isn't shown.
inline std::string shell_text(const command_step& step) {
  std::string text = shell_quoted(step.program);
  for (const argument& each : step.arguments) text += ' ' + shell_quoted(each.text);
  return text;
}

/// Removes every occurrence of `what`.
inline void erase_all(std::string& text, std::string_view what) {
  std::size_t found = text.find(what);
  if (found == std::string::npos) return;
  std::string rest;
  std::size_t from = 0;
  for (; found != std::string::npos; found = text.find(what, from)) {
    rest.append(text, from, found - from);
    from = found + what.size();
  }
  text = std::move(rest.append(text, from));
}

/// Leaves of a step's output only names relative to the workspace, whose path means nothing to anybody.
inline void forget_place(process_result& ended, const std::filesystem::path& workspace) {
  const std::string prefix = workspace.native() + '/';
  for (std::string* each : {&ended.out.head, &ended.out.tail, &ended.err.head, &ended.err.tail}) {
    erase_all(*each, prefix);
    erase_all(*each, "/proc/self/cwd/");  // what compilers are told the current directory is
  }
}

/// What a step said, errors first.
inline void append_log(std::string& log, const process_result& ended) {
  for (const captured_output* each : {&ended.err, &ended.out}) {
    if (each->empty()) continue;
    if (!log.empty() && log.back() != '\n') log += '\n';
    log += each->text();
  }
}

}  // namespace kernix::detail
