// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/awaitable.hpp>

#include <concepts>

#include <kernix/core/command.hpp>
#include <kernix/core/process_result.hpp>

namespace kernix {

/// Runs one command and reports what became of it; knows nothing about compilers.
///
/// `run(command)` is a coroutine that is awaited on kernix's own thread (its executor is the thread's). It always ends with
/// a `process_result` and never throws for what happens to a process. Terminal cancellation ends the process tree and
/// gives `ending::cancelled`; when the coroutine has ended, or its frame is destroyed, no process of the tree is alive.
/// Several runs may be in progress at once.
template <class R>
concept process_runner = std::copy_constructible<R> && requires(const R& runner, process_command command) {
  { runner.run(command) } -> std::same_as<boost::asio::awaitable<process_result>>;
};

}  // namespace kernix
