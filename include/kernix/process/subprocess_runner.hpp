// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <boost/asio/awaitable.hpp>

#include <kernix/core/command.hpp>
#include <kernix/core/process_result.hpp>
#include <kernix/process/detail/drive_process.hpp>
#include <kernix/process/process_runner.hpp>

namespace kernix {

/// Runs commands as child processes.
///
/// Each child leads a process group of its own and starts clean (`posix_spawn_launcher`). Both of its output streams are
/// read to their end whatever their length, and kept within `process_command::output_limit` bytes each. At its time limit,
/// or when the coroutine is cancelled, the group gets SIGINT, a grace, and SIGKILL; when the process has ended by itself, what
/// is left of its group is killed. So nothing of the tree outlives `run`, except a process that left the group on
/// purpose (`setsid`, `setpgid`), which a plain process can't follow; it doesn't delay the end either, even if it keeps the pipes open.
///
/// The host is left alone: no signal handler, mask, directory or variable is changed, and no other child is waited for. Where
/// the host ignores SIGCHLD, or its own code reaps every child, the status comes from the kernel's memory of the
/// process or through a shell that relays it.
///
/// `run` must be awaited on an executor that runs one handler at a time. Destroying its frame, as an `io_context` does when it is
/// destroyed, kills the group and reaps its leader before it returns. The callbacks of the command must not throw.
struct subprocess_runner {
  /// Completes when the process has ended, or could not be started; never with an exception for either. The other
  /// members of the result say what is known: output so far, also after a timeout; `spawn_message` names the file at fault.
  ///
  /// Terminal cancellation ends the process and completes with `ending::cancelled`, or with the process' own end if that
  /// came first.
  boost::asio::awaitable<process_result> run(process_command command) const {
    return detail::run_process(std::move(command));
  }
};

static_assert(process_runner<subprocess_runner>);

}  // namespace kernix
