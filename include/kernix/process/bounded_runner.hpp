// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <kernix/core/command.hpp>
#include <kernix/core/process_result.hpp>
#include <kernix/detail/job_limit.hpp>
#include <kernix/process/process_runner.hpp>
#include <kernix/process/subprocess_runner.hpp>

namespace kernix {

/// Runs at most N commands at once, first come first served, however many runners share the limit.
///
/// The time in the queue is told in `process_result::queued` and doesn't count against the command's timeout, which begins
/// with the process. Cancellation in the queue gives `ending::cancelled`, and nothing is started.
template <process_runner Runner>
class bounded_runner {
 public:
  bounded_runner(Runner next, std::shared_ptr<detail::job_limit> limit)
      : next_(std::move(next)), limit_(std::move(limit)) {}

  boost::asio::awaitable<process_result> run(process_command command) const {
    return admit(next_, limit_, std::move(command));
  }

 private:
  static boost::asio::awaitable<process_result> admit(Runner next, std::shared_ptr<detail::job_limit> limit,
                                                      process_command command) {
    auto asked = std::chrono::steady_clock::now();
    process_result result;
    try {
      detail::job_limit::permit permit = co_await limit->acquire();
      auto queued = std::chrono::steady_clock::now() - asked;
      result = co_await next.run(std::move(command));
      result.queued += queued;
    } catch (const boost::system::system_error& error) {
      // Thrown by the queue, or by an await on the way to the start.
      if (error.code() != boost::asio::error::operation_aborted) throw;
      result.how = process_result::ending::cancelled;
      result.queued = std::chrono::steady_clock::now() - asked;
    }
    co_return result;
  }

  Runner next_;
  std::shared_ptr<detail::job_limit> limit_;
};

static_assert(process_runner<bounded_runner<subprocess_runner>>);

}  // namespace kernix
