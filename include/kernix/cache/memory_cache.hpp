// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>

#include <kernix/cache/detail/memory_flights.hpp>
#include <kernix/compile/async_compiler.hpp>
#include <kernix/compile/explain_layer.hpp>
#include <kernix/core/settings.hpp>

namespace kernix {

/// The layer of one process: answers from memory, and has each key compiled by the next layer at most once at a time,
/// whoever and however many ask for it.
///
/// Who asks while a compile of the same key runs joins it. A waiter that leaves (any cancellation type) completes at once
/// with `errc::cancelled` and disturbs nobody; when the last one leaves, the compile is ended. A compile runs to the
/// longest time limit of its waiters; one with a shorter limit completes alone, with `errc::timed_out`. Failures reach
/// every waiter and are not kept.
///
/// An answer is only given while the files that it was made of are unchanged (looked at on the pool, unless they were
/// within `settings::recheck_after`), and only to requests made before they were looked at.
///
/// Bounded by bytes of artifacts and by number of entries, least recently used first out; what was handed out stays.
///
/// A handle onto shared state: destroying it ends all operations with `errc::cancelled`. Thread-safe.
template <class Next>
class memory_cache {
 public:
  static constexpr sharing_scope scope = sharing_scope::process;
  static_assert(explain_layer<scope, Next>::complete);

  /// `executor` is where handlers without an executor of their own are called.
  memory_cache(boost::asio::any_io_executor executor, Next next, settings options = settings::from_environment())
      : state_(detail::memory_flights<Next>::make(std::move(executor), std::move(next), std::move(options))) {}
  memory_cache(memory_cache&&) noexcept = default;
  memory_cache& operator=(memory_cache&& other) noexcept {
    if (this != &other) {
      if (state_) state_->group().close();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~memory_cache() {
    if (state_) state_->group().close();
  }

  boost::asio::any_io_executor get_executor() const { return state_->executor(); }

  /// Completes with `void(error_code, toolchain_search)` when keys can be computed.
  template <class Token>
  auto async_ready(Token&& token) {
    return state_->next().async_ready(std::forward<Token>(token));
  }

  /// The request with its key; see `async_compiler`.
  result<keyed_request> key(compile_request request) { return state_->next().key(std::move(request)); }

  /// Completes with `void(error_code, compile_outcome)`.
  template <class Token>
  auto async_compile(keyed_request keyed, Token&& token) {
    return boost::asio::async_initiate<Token, void(error_code, compile_outcome)>(
        [](auto handler, std::shared_ptr<detail::memory_flights<Next>> state, keyed_request what) {
          detail::waiter<compile_outcome> whom(std::move(handler), state->executor());
          state->request(std::move(what), std::move(whom));
        },
        token, state_, std::move(keyed));
  }

  /// Ends everything and completes with `void(error_code)` when nothing runs any more. New operations are refused with
  /// `errc::shut_down`.
  template <class Token>
  auto async_shutdown(Token&& token) {
    return detail::async_close(state_->executor(), state_->shared_group(), std::forward<Token>(token));
  }

 private:
  std::shared_ptr<detail::memory_flights<Next>> state_;
};

}  // namespace kernix
