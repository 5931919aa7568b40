// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/output_kind.hpp>

namespace kernix {

/// One argument of a planned command. The kinds decide what enters the key; nothing is ever replaced inside strings.
///
/// Commands run with the workspace as their working directory, and every file they are given is named relative to it
/// (directories of the request are reached through links, see `workspace_link`). So the text of an argument is the same
/// wherever the compile happens, and no user's path ever reaches a compiler's own shell.
struct argument {
  enum class kind : std::uint8_t {
    literal,         ///< Part of the key as it stands.
    toolchain_path,  ///< A path of the toolchain that can't reach the output: the fingerprint stands for it in the key.
    no_effect,       ///< Can't affect the output (verbosity, parallelism, dependency files): not in the key.
  };
  std::string text;
  kind how = kind::literal;

  argument(std::string literal) : text(std::move(literal)) {}  // NOLINT(google-explicit-constructor)
  argument(std::string_view literal) : text(literal) {}        // NOLINT(google-explicit-constructor)
  argument(const char* literal) : text(literal) {}             // NOLINT(google-explicit-constructor)
  argument(std::string value, kind k) : text(std::move(value)), how(k) {}
};

/// An argument that can't affect the output.
inline argument no_effect(std::string text) { return {std::move(text), argument::kind::no_effect}; }

/// A path of the toolchain; only its presence is in the key.
inline argument toolchain_path(std::string text) { return {std::move(text), argument::kind::toolchain_path}; }

/// A variable of a planned command's environment.
struct environment_entry {
  std::string name;
  std::string value;
  bool in_key = true;      ///< Whether it can change the output.
  bool is_secret = false;  ///< Hashed into the key, never written to a manifest or a log.
};

/// A file that is written into the workspace before the first step.
struct workspace_file {
  std::string path;  ///< Relative, constant or named by an in-memory header; no `..`.
  std::string text;
};

/// A directory of the request that is linked into the workspace: the root that its files are recorded against.
struct workspace_link {
  std::string path;               ///< The link's name in the workspace, which is also the root's name: `include0`.
  std::filesystem::path target;   ///< Absolute. Not in the key: the files that were read through it are in the record.
};

/// Where a step leaves the list of files that it read.
struct dependency_file {
  /// How names are escaped in it.
  enum class dialect : std::uint8_t {
    make,  ///< `\ ` for a blank, `\#`, `$$`; written by g++, clang, hipcc, GNU ld, rustc.
    nvcc,  ///< Blanks escaped, `$` and `#` not, `\` turned into `/`.
  };
  std::string path;
  dialect how = dialect::make;
  bool required = true;  ///< Whether a success without this file can't be cached.
};

/// One process of a plan.
struct command_step {
  std::string name;  ///< "compile", "link", "dependencies": the stage that an error names.
  std::string program;  ///< Absolute path.
  std::vector<argument> arguments;
  std::vector<dependency_file> dependencies = {};
};

/// A file that the plan leaves in the workspace.
struct planned_output {
  output_kind kind{};
  std::string path;
  bool required = true;
};

/// Everything that a backend wants done for a request: pure data, made without touching the system.
struct command_plan {
  std::vector<workspace_file> files;
  std::vector<workspace_link> links;
  std::vector<environment_entry> environment;
  std::vector<command_step> steps;
  std::vector<planned_output> outputs;
  std::string source_path;  ///< The workspace's name of the request's own text: `kernel.cpp`.
  /// Directories searched for headers, in order, as seen from the workspace; the system's follow from the toolchain.
  std::vector<std::string> include_path;
  /// Absolute directories searched for libraries, in order, before those of the toolchain and the system.
  std::vector<std::string> library_path = {};
};

/// One process to run, everything decided.
struct process_command {
  std::filesystem::path program;            ///< Absolute.
  std::vector<std::string> arguments;       ///< Without the program.
  std::vector<std::string> environment;     ///< `NAME=VALUE`; the whole environment of the child.
  std::filesystem::path working_directory;  ///< Absolute; empty: `/`.
  /// Limit on the time from the start of the process; zero: none.
  std::chrono::nanoseconds timeout{};
  /// Between asking the process group to end (SIGINT, so that compilers remove their temporary files) and SIGKILL.
  std::chrono::nanoseconds grace = std::chrono::milliseconds(500);
  /// Bytes kept of each of stdout and stderr: half of the limit from the head, half from the tail.
  std::size_t output_limit = 1 << 20;
  /// Called on kernix's thread when the process has started and its time begins to count.
  std::function<void()> on_start = {};
  /// Asked when `timeout` has passed: a longer limit (from the start as well) lets the process go on.
  std::function<std::chrono::nanoseconds()> extended_timeout = {};
  /// Called on kernix's thread with each whole line of stderr while the process runs.
  std::function<void(std::string_view)> on_stderr_line = {};
};

/// The command as a person would type it into a POSIX shell.
inline std::string shell_quoted(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted += '\'';
}

}  // namespace kernix
