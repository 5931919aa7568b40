// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <kernix/backend/compiler_backend.hpp>
#include <kernix/compile/detail/compile_job.hpp>
#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/error.hpp>
#include <kernix/detail/initiate.hpp>
#include <kernix/process/process_runner.hpp>

namespace kernix::detail {

inline asio::awaitable<bool> is_cancelled() {
  const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
  co_return state.cancelled() != asio::cancellation_type::none;
}

/// The steps of a plan, one after the other; false after the first that fails.
template <compiler_backend B, process_runner R>
asio::awaitable<bool> run_steps(std::shared_ptr<runtime> shared, std::shared_ptr<compile_job> job, B backend, R runner) {
  for (const command_step& step : job->plan().steps) {
    if (co_await is_cancelled()) {
      job->cancelled();
      co_return false;
    }
    process_command command = job->command(step);
    auto running = runner.run(std::move(command));
    process_result ended = co_await std::move(running);
    co_await asio::this_coro::throw_if_cancelled(false);  // a runner may have set it otherwise: what was said must be kept
    // On the pool as well: megabytes of messages take their time to be read.
    auto judge = [job, backend, step = &step, ended = std::move(ended)]() mutable {
      forget_place(ended, job->workspace());
      diagnosis made_of_it = backend.classify(*step, ended);
      return job->finish_step(std::move(ended), std::move(made_of_it));
    };
    auto judging = on_pool(shared, std::move(judge));
    if (!co_await std::move(judging)) co_return false;
  }
  co_return true;
}

/// Workspace, steps, outputs.
template <compiler_backend B, process_runner R>
asio::awaitable<void> run_once(std::shared_ptr<runtime> shared, std::shared_ptr<compile_job> job, B backend, R runner) {
  auto preparing = on_pool(shared, [job] { return job->prepare(); });
  std::optional<refusal> refused = co_await std::move(preparing);
  if (refused) {
    job->fail(std::move(*refused));
    co_return;
  }
  auto running = run_steps(shared, job, std::move(backend), std::move(runner));
  if (!co_await std::move(running)) co_return;
  auto collecting = on_pool(shared, [job] { job->collect(); });
  co_await std::move(collecting);
}

/// A whole compile: again in the next place where one has no room left, for a full disk costs speed and not the result.
/// After a failure everything is gone from the disk before the answer is given.
template <compiler_backend B, process_runner R>
asio::awaitable<void> run_job(std::shared_ptr<runtime> shared, std::shared_ptr<compile_job> job, B backend, R runner) {
  // Cancellation is asked about where it matters; thrown out of any other await, it would skip the clean-up.
  co_await asio::this_coro::throw_if_cancelled(false);
  try {
    for (bool again = true; again;) {
      auto attempt = run_once(shared, job, backend, runner);
      co_await std::move(attempt);
      again = false;
      if (!job->failed()) break;
      auto moving = on_pool(shared, [job] { return job->move_on(); });
      again = co_await std::move(moving);
    }
  } catch (const std::bad_alloc&) {
    job->fail(refuse(errc::out_of_memory, "kernix itself ran out of memory"));
  } catch (const boost::system::system_error& error) {
    job->fail({error.code(), error.code() == make_error_code(errc::cancelled) ? "cancelled" : error.what()});
  } catch (const std::exception& error) {
    job->fail(refuse(errc::spawn_failed, std::string("the compile could not be run: ") + error.what()));
  }
  if (!job->failed()) co_return;
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  auto cleaning = on_pool(shared, [job] { job->clean_up(); });
  co_await std::move(cleaning);
}

}  // namespace kernix::detail
