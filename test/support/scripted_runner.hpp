// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <kernix/process/process_runner.hpp>

namespace kernix::test {

/// A runner that starts nothing: a function answers each command. Copies share the function and the record.
///
/// By default every answer comes at once. After `hold()` each run waits, as a process would, until `let_go()` (from any
/// thread) or until it is cancelled.
class scripted_runner {
 public:
  using script = std::function<kernix::process_result(const kernix::process_command&)>;

  explicit scripted_runner(script answer) : state_(std::make_shared<state>()) { state_->answer = std::move(answer); }
  scripted_runner() : scripted_runner([](const kernix::process_command&) { return exited(0); }) {}

  static kernix::process_result exited(int code, std::string err = {}, std::string out = {}) {
    kernix::process_result result;
    result.how = kernix::process_result::ending::exited;
    result.exit_code = code;
    result.err.head = std::move(err);
    result.out.head = std::move(out);
    return result;
  }
  static kernix::process_result signalled(int signal) {
    kernix::process_result result;
    result.how = kernix::process_result::ending::signalled;
    result.signal = signal;
    return result;
  }
  static kernix::process_result not_started(int error, std::string message) {
    kernix::process_result result;
    result.spawn_error = {error, boost::system::system_category()};
    result.spawn_message = std::move(message);
    return result;
  }

  /// From now on runs wait for `let_go`.
  void hold() const {
    std::lock_guard lock(state_->mutex);
    state_->held = true;
  }
  /// All runs that wait, and later ones, get their answers.
  void let_go() const {
    std::lock_guard lock(state_->mutex);
    state_->held = false;
    for (auto& waiting : state_->waiting) {
      // The timer belongs to the run's own thread.
      if (auto timer = waiting.lock()) boost::asio::post(timer->get_executor(), [timer] { timer->cancel(); });
    }
    state_->waiting.clear();
  }

  /// The commands that were run, in order.
  std::vector<kernix::process_command> commands() const {
    std::lock_guard lock(state_->mutex);
    return state_->commands;
  }
  std::size_t started() const { return commands().size(); }
  /// Runs that ended because they were cancelled.
  std::size_t cancelled() const {
    std::lock_guard lock(state_->mutex);
    return state_->cancelled;
  }

  boost::asio::awaitable<kernix::process_result> run(kernix::process_command command) const {
    return answer(state_, std::move(command));
  }

 private:
  struct state {
    std::mutex mutex = {};
    script answer = {};
    bool held = false;
    std::size_t cancelled = 0;
    std::vector<kernix::process_command> commands = {};
    std::vector<std::weak_ptr<boost::asio::steady_timer>> waiting = {};
  };

  static boost::asio::awaitable<kernix::process_result> answer(std::shared_ptr<state> shared,
                                                               kernix::process_command command) {
    namespace asio = boost::asio;
    auto timer = std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor,
                                                      asio::steady_timer::time_point::max());
    bool wait = false;
    {
      std::lock_guard lock(shared->mutex);
      shared->commands.push_back(command);
      wait = shared->held;
      if (wait) shared->waiting.push_back(timer);
    }
    if (command.on_start) command.on_start();
    if (wait) co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
    auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) {
      kernix::process_result result;
      result.how = kernix::process_result::ending::cancelled;
      std::lock_guard lock(shared->mutex);
      ++shared->cancelled;
      co_return result;
    }
    co_return shared->answer(command);
  }

  std::shared_ptr<state> state_;
};

static_assert(kernix::process_runner<scripted_runner>);

}  // namespace kernix::test
