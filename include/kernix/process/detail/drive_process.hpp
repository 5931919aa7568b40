// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <kernix/core/command.hpp>
#include <kernix/core/process_result.hpp>
#include <kernix/process/detail/child.hpp>
#include <kernix/process/detail/end_schedule.hpp>
#include <kernix/process/detail/process_io.hpp>
#include <kernix/process/detail/relay.hpp>
#include <kernix/process/detail/spawn_failure.hpp>

namespace kernix::detail {

/// Closes the streams of a run whose coroutine is destroyed.
struct io_guard {
  std::shared_ptr<process_io> io;
  explicit io_guard(std::shared_ptr<process_io> watched) noexcept : io(std::move(watched)) {}
  io_guard(const io_guard&) = delete;
  io_guard& operator=(const io_guard&) = delete;
  ~io_guard() { io->stop(); }
};

inline process_result not_started(error_code why, const process_command& command) {
  process_result result;
  result.spawn_error = why;
  result.spawn_message = explain_spawn_error(why.value(), command.program, command.working_directory);
  return result;
}

/// Nothing, and `ec` set, where Asio can't have the descriptors that its own event loop needs.
inline std::shared_ptr<process_io> make_io(const asio::any_io_executor& executor, const process_command& command,
                                           error_code& ec) {
  try {
    return std::make_shared<process_io>(executor, command.output_limit, command.on_stderr_line);
  } catch (const boost::system::system_error& error) {
    ec = error.code();
    return nullptr;
  }
}

/// Starts the command, with its streams connected to `io`. On failure `ec` says why, and nothing is left.
inline child::process start_process(process_command& command, bool relayed, process_io& io, error_code& ec) {
  asio::any_io_executor executor = io.wake.get_executor();
  auto connect = [&](output_stream& stream, int least) {
    pipe_ends made;
    if (!ec) made = make_pipe(ec, least);
    if (!ec) stream.pipe.assign(made.read.get(), ec);
    if (!ec) (void)made.read.release();
    return std::move(made.write);
  };
  descriptor out = connect(io.out, 3);
  descriptor err = connect(io.err, 3);
  descriptor report;
  if (relayed) {
    if (int error = foreseeable_spawn_error(command.program, command.working_directory); error != 0) {
      ec.assign(error, boost::system::system_category());
    }
    report = connect(io.report, 4);
  }
  if (ec) return child::process(executor);
  spawn_setup setup{.environment = command.environment, .working_directory = command.working_directory,
                    .out = out.get(), .err = err.get(), .report = report.get()};
  if (!relayed) return posix_spawn_launcher{}(executor, ec, command.program, command.arguments, setup);
  return posix_spawn_launcher{}(executor, ec, relay::shell, relay::arguments(command.program, command.arguments), setup);
}

/// Waits until something happens or `until` comes; for nothing, now and then.
inline asio::awaitable<void> next_event(std::shared_ptr<process_io> io, asio::steady_timer::time_point until) {
  io->wake.expires_at(until);
  if (!io->woken) co_await io->wake.async_wait(asio::as_tuple(asio::use_awaitable));
}

// g++ 12 takes the frame's own operator new, once inlined, for aligned_alloc, and warns that the pair doesn't match.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

/// One attempt. Expects that cancellation doesn't make awaits throw.
inline asio::awaitable<process_result> drive_process(process_command command, bool relayed) {
  using clock = end_schedule::clock;
  using namespace std::chrono_literals;
  auto executor = co_await asio::this_coro::executor;
  error_code ec;
  auto io = make_io(executor, command, ec);
  if (!io) co_return not_started(ec, command);
  io_guard guard(io);
  child::process started = start_process(command, relayed, *io, ec);
  if (ec) co_return not_started(ec, command);
  child process(std::move(started));
  auto begin = clock::now();
  end_schedule schedule(begin, command.timeout, command.grace);
  if (descriptor handle = process.take_exit_handle()) {
    io->exit.assign(handle.get(), ec);
    if (!ec) (void)handle.release();
  }
  io->pump(io->out);
  io->pump(io->err);
  if (relayed) io->pump(io->report);
  if (command.on_start) command.on_start();

  // Without a descriptor that tells of the end, the process is looked at now and then.
  auto pause = clock::duration(1ms);
  child::state now = child::state::running;
  for (;;) {
    io->woken = false;
    io->watch_exit();
    now = process.look();
    if (now != child::state::running) break;
    auto cancellation = co_await asio::this_coro::cancellation_state;
    bool cancelled = cancellation.cancelled() != asio::cancellation_type::none;
    switch (schedule.advance(clock::now(), cancelled, command.extended_timeout)) {
      case end_schedule::step::interrupt: process.signal_group(SIGINT); break;
      case end_schedule::step::kill: process.signal_group(SIGKILL); break;
      case end_schedule::step::wait: break;
    }
    auto until = schedule.wake();
    if (!io->exit.is_open()) {
      until = std::min(until, clock::now() + pause);
      pause = std::min<clock::duration>(2 * pause, 20ms);
    }
    co_await next_event(io, until);
  }

  process_result result;
  result.ran = clock::now() - begin;
  std::optional<exit_status> status = process.reap();
  // Whoever reaped it may not be done: the kernel remembers the status a moment later.
  for (int i = 0; i < 10 && !status && !relayed && io->exit.is_open(); ++i) {
    io->woken = false;
    co_await next_event(io, clock::now() + 1ms);
    status = process.remembered();
  }
  // Killed grandchildren are not ours to wait for, and take a moment to die. Looking gets dear where there are many processes.
  pause = 1ms;
  for (auto give_up = clock::now() + 1s; process.group_alive() && clock::now() < give_up; pause *= 2) {
    io->woken = false;
    co_await next_event(io, clock::now() + pause);
  }
  io->out.finish();
  io->err.finish();
  io->report.finish();
  if (relayed) status = relay::parse(io->report.kept.take().text());
  result.out = io->out.kept.take();
  result.err = io->err.kept.take();
  switch (schedule.why()) {
    case end_schedule::reason::timed_out: result.how = process_result::ending::timed_out; break;
    case end_schedule::reason::cancelled: result.how = process_result::ending::cancelled; break;
    case end_schedule::reason::none:
      if (!status) {
        result.how = process_result::ending::status_lost;
      } else if (status->signalled) {
        result.how = process_result::ending::signalled;
      } else {
        result.how = process_result::ending::exited;
      }
  }
  if (status) (status->signalled ? result.signal : result.exit_code) = status->value;
  co_return result;
}

/// Runs the command directly, or through the relay where the host throws statuses away; and once more through the relay
/// when the status was lost all the same. Leaves the caller's way of dealing with cancellation as it was.
inline asio::awaitable<process_result> run_process(process_command command) {
  if (command.working_directory.empty()) command.working_directory = "/";
  bool throws = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
  process_result result;
  std::exception_ptr failure;
  try {
    bool relayed = host_discards_statuses();
    result = co_await drive_process(command, relayed);
    if (result.how == process_result::ending::status_lost && !relayed) {
      command.on_start = {};
      result = co_await drive_process(command, true);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  co_await asio::this_coro::throw_if_cancelled(throws);
  if (failure) std::rethrow_exception(failure);
  co_return result;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace kernix::detail
