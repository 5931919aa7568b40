// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>

#include <kernix/cache/detail/disk_flight.hpp>
#include <kernix/compile/async_compiler.hpp>
#include <kernix/compile/explain_layer.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/detail/initiate.hpp>

namespace kernix {

/// The layer of one host: answers from a directory, and has each key compiled once at a time among all processes that
/// share it.
///
/// An entry answers while its bytes are what was published, and while every file that the compiler read still has its
/// content; that is looked at for each answer. Several results of a key stand beside each other, one for each state of
/// those files. A damaged entry is set aside and built again.
///
/// Who finds nothing takes the key's lock, looks again, asks the next layer, and publishes: a reader sees a whole
/// result or none. While another process builds, it waits, at most `settings::lock_wait`; then it says who holds the
/// lock, and builds for itself. The answer that another process built meanwhile has the origin `joined`.
///
/// The paths of an outcome are links of this process' own, each in a directory whose name is never used again; they
/// last as long as any copy of the outcome, whatever becomes of the entry.
///
/// A directory that can't be used (full, read-only, another user's, writable for others, a file) costs speed and a
/// warning, never the result. Constructing touches nothing.
///
/// A handle onto shared state: destroying it ends all its operations with `errc::cancelled`. Thread-safe.
template <class Next>
class disk_cache {
 public:
  static constexpr sharing_scope scope = sharing_scope::host;
  static_assert(explain_layer<scope, Next>::complete);

  /// `executor` is where handlers without an executor of their own are called.
  disk_cache(boost::asio::any_io_executor executor, Next next, settings options = settings::from_environment())
      : state_(std::make_shared<detail::disk_state<Next>>(std::move(executor), std::move(next), std::move(options))) {}
  disk_cache(disk_cache&&) noexcept = default;
  disk_cache& operator=(disk_cache&& other) noexcept {
    if (this != &other) {
      if (state_) state_->group->close();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~disk_cache() {
    if (state_) state_->group->close();
  }

  boost::asio::any_io_executor get_executor() const { return state_->executor; }

  /// Completes with `void(error_code, toolchain_search)` when keys can be computed.
  template <class Token>
  auto async_ready(Token&& token) {
    return state_->next.async_ready(std::forward<Token>(token));
  }

  /// The request with its key; see `async_compiler`.
  result<keyed_request> key(compile_request request) { return state_->next.key(std::move(request)); }

  /// Completes with `void(error_code, compile_outcome)`. Any cancellation type of the handler's slot ends it: no lock
  /// is held afterwards, and nothing half-written is left. Any number of operations may be in flight.
  template <class Token>
  auto async_compile(keyed_request keyed, Token&& token) {
    auto make = [state = state_, keyed = std::move(keyed)] { return detail::compile_through_disk(state, keyed); };
    return detail::initiate<compile_outcome>(state_->shared, state_->executor, std::move(make),
                                             std::forward<Token>(token), state_->group);
  }

  /// Ends everything and completes with `void(error_code)` when nothing runs any more. New operations are refused with
  /// `errc::shut_down`.
  template <class Token>
  auto async_shutdown(Token&& token) {
    return detail::async_close(state_->executor, state_->group, std::forward<Token>(token));
  }

 private:
  std::shared_ptr<detail::disk_state<Next>> state_;
};

}  // namespace kernix
