// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <kernix/cache/result_store.hpp>
#include <kernix/core/keyed_request.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/detail/initiate.hpp>
#include <kernix/detail/runtime.hpp>

namespace kernix::detail {

/// The right to build a key on this host. Given back when this ends, wherever a coroutine is left; on the pool, since a
/// filesystem may be slow.
class build_lock {
 public:
  build_lock() = default;
  build_lock(std::shared_ptr<runtime> shared, std::shared_ptr<result_store> store, const digest& key, held_lock lock)
      : shared_(std::move(shared)), store_(std::move(store)), key_(key), lock_(std::move(lock)) {}
  build_lock(build_lock&&) noexcept = default;
  build_lock& operator=(build_lock&& other) noexcept {
    give_back();
    shared_ = std::move(other.shared_);
    store_ = std::move(other.store_);
    key_ = other.key_;
    lock_ = std::move(other.lock_);
    waited = other.waited;
    usable = other.usable;
    return *this;
  }
  ~build_lock() { give_back(); }

  explicit operator bool() const noexcept { return static_cast<bool>(lock_); }

  /// Gives it back on this thread.
  void unlock_here() {
    if (store_) store_->unlock(key_, std::move(lock_));
  }

  bool waited = false;  ///< Whether somebody else was building meanwhile.
  bool usable = true;   ///< Whether files can be locked in this cache directory at all.

 private:
  void give_back() noexcept {
    if (!lock_) return;
    try {
      // Where the pool has ended, the function is destroyed uncalled, and the lock with it.
      asio::post(shared_->pool(), [store = store_, key = key_, lock = std::move(lock_)]() mutable {
        store->unlock(key, std::move(lock));
      });
    } catch (...) {
      lock_.release();
    }
  }

  std::shared_ptr<runtime> shared_;
  std::shared_ptr<result_store> store_;
  digest key_;
  held_lock lock_;
};

/// How long this request waits for another builder at most, as it stands now.
inline std::chrono::nanoseconds lock_patience(const keyed_request& keyed, const settings& configured) {
  if (configured.lock_wait) return *configured.lock_wait;
  std::chrono::nanoseconds limit = keyed.extended_timeout ? keyed.extended_timeout() : keyed.timeout;
  if (limit <= std::chrono::nanoseconds::zero()) limit = configured.compile_timeout;
  constexpr std::chrono::nanoseconds most = std::chrono::hours(24 * 365 * 100);
  return std::min(limit, most) + std::chrono::seconds(10);
}

/// Waits until this request may build its key, without blocking: it asks again after 1 to 50 ms. The kernel gives a
/// dead builder's lock back; a slow one is never robbed. After `lock_patience` the log is told who holds the lock, and
/// the request goes on without it, as it does at once where files can't be locked.
inline asio::awaitable<build_lock> wait_for_build_lock(std::shared_ptr<runtime> shared,
                                                       std::shared_ptr<result_store> store, keyed_request keyed,
                                                       std::shared_ptr<const settings> configured) {
  using clock = std::chrono::steady_clock;
  const clock::time_point start = clock::now();
  std::chrono::nanoseconds pause = std::chrono::milliseconds(1);
  asio::steady_timer timer(co_await asio::this_coro::executor);
  bool waited = false;
  for (;;) {
    auto attempting = on_pool(shared, [store, keyed] { return store->try_lock(keyed); });
    lock_attempt attempt = co_await std::move(attempting);
    build_lock lock(shared, store, keyed.key(), std::move(attempt.lock));
    lock.waited = waited;
    lock.usable = attempt.how != lock_attempt::state::unusable;
    if (attempt.how == lock_attempt::state::acquired) co_return lock;
    if (!lock.usable) {
      if (!attempt.reason.empty()) store->warn_unlockable(attempt.reason);
      co_return lock;
    }
    waited = true;
    const std::chrono::nanoseconds patience = lock_patience(keyed, *configured);
    const std::chrono::nanoseconds spent = clock::now() - start;
    if (spent >= patience) {
      auto asking = on_pool(shared, [store, key = keyed.key()] { return store->who_builds(key); });
      std::string who = co_await std::move(asking);
      store->warn_impatient(keyed, who);
      co_return lock;
    }
    timer.expires_after(std::min(pause, patience - spent));
    co_await timer.async_wait(asio::use_awaitable);
    pause = std::min<std::chrono::nanoseconds>(2 * pause, std::chrono::milliseconds(50));
  }
}

}  // namespace kernix::detail
