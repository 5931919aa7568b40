// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <kernix/core/error.hpp>

namespace kernix {

/// What was kept of a stream: all of it, or its head and its tail and how much lies between them.
struct captured_output {
  std::string head;
  std::string tail;
  std::uint64_t dropped = 0;  ///< Bytes between head and tail that were read and thrown away.

  bool empty() const noexcept { return head.empty() && tail.empty(); }

  /// Head and tail in one text, with a line between them that says how much is missing.
  std::string text() const {
    if (dropped == 0) return head + tail;
    return head + "\n[... " + std::to_string(dropped) + " bytes of output dropped ...]\n" + tail;
  }
};

/// How a process ended, and what it said.
struct process_result {
  enum class ending : std::uint8_t {
    not_started,  ///< `spawn_error` and `spawn_message` say why.
    exited,       ///< `exit_code` is valid.
    signalled,    ///< `signal` is valid: by somebody else than kernix.
    timed_out,    ///< Ended by kernix at its time limit.
    cancelled,    ///< Ended by kernix on request.
    status_lost,  ///< It ended, but other code of this process took its status.
  };

  ending how = ending::not_started;
  int exit_code = 0;
  int signal = 0;
  error_code spawn_error = {};      ///< A system error code: ENOENT, EACCES, E2BIG, ...
  std::string spawn_message = {};   ///< Which file or directory, and what is wrong with it.
  captured_output out = {};
  captured_output err = {};
  std::chrono::nanoseconds queued{};  ///< From the request to the start.
  std::chrono::nanoseconds ran{};     ///< From the start to the end.

  bool succeeded() const noexcept { return how == ending::exited && exit_code == 0; }
};

}  // namespace kernix
