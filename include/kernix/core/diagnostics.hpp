// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/core/error.hpp>
#include <kernix/core/process_result.hpp>

namespace kernix {

/// One message of a compiler or linker.
struct message {
  enum class level : std::uint8_t { note, warning, error, fatal };
  level severity = level::error;
  std::string file = {};  ///< As the user knows it; empty where the tool itself speaks.
  int line = 0;           ///< From 1; 0 if unknown.
  int column = 0;         ///< From 1; 0 if unknown.
  std::string text = {};
};

/// What there is to know about how an outcome came to be. Kept for successes too: their warnings are in it.
struct diagnostics {
  error_code code = {};           ///< What the operation completed with.
  std::string reason = {};        ///< One sentence: what happened, to which file or command. Empty after a success.
  std::vector<std::string> advice = {};  ///< What to do about it, most promising first.
  std::string stage = {};         ///< The step that failed, or the last one: "compile", "link", "discovery", "load".
  std::string command = {};       ///< Shell-quoted command of that step; empty if none was started.
  int exit_status = 0;            ///< Of that step.
  int signal = 0;                 ///< That ended that step; 0 if none did.
  std::string log = {};           ///< Everything the steps wrote, bounded, bytes as they came; files as the user knows them.
  std::vector<message> messages = {};  ///< Parsed from `log`.
  std::string kept_scratch = {};  ///< The scratch directory, where the request asked to keep it.

  /// The log as valid UTF-8: each byte that isn't is shown as U+FFFD.
  std::string log_utf8() const;

  /// Reason, command, log and advice as one text for a person.
  std::string to_string() const;
};

/// What a backend makes of a process result.
struct diagnosis {
  error_code code = {};
  std::string reason = {};
  std::vector<std::string> advice = {};
  std::vector<message> messages = {};
};

/// `text` with each byte that isn't valid UTF-8 replaced by U+FFFD.
std::string to_utf8(std::string_view text);

}  // namespace kernix

#include <kernix/core/detail/diagnostics_text.hpp>
