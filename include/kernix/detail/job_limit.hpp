// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace kernix::detail {

namespace asio = boost::asio;

/// At most `limit()` permits exist at once; who asks first is served first.
///
/// For coroutines of one thread (kernix's own): no member may be called from two threads at once. Permits stay valid
/// when the limit itself is gone.
class job_limit {
  struct waiter;

  struct state {
    unsigned limit;
    unsigned running = 0;
    std::list<waiter*> queue = {};

    void release() noexcept;
  };

  // Lives in the frame of a queued `acquire`, so that whatever ends the frame also leaves the queue.
  struct waiter {
    std::shared_ptr<state> owner;
    asio::steady_timer wake;
    bool queued = true;
    bool granted = false;  ///< A permit is held here, and not yet by the coroutine.
    std::list<waiter*>::iterator place = {};

    waiter(std::shared_ptr<state> s, const asio::any_io_executor& executor)
        : owner(std::move(s)), wake(executor, asio::steady_timer::time_point::max()) {
      place = owner->queue.insert(owner->queue.end(), this);
    }
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;
    ~waiter() {
      // A permit that was handed to a frame which never resumed goes to the next in the queue.
      if (queued) owner->queue.erase(place);
      if (granted) owner->release();
    }
  };

 public:
  /// The right to run one process, given back when it is destroyed.
  class permit {
   public:
    permit() noexcept = default;  ///< No right at all.
    permit(permit&&) noexcept = default;
    permit& operator=(permit&& other) noexcept {
      std::swap(owner_, other.owner_);
      return *this;
    }
    ~permit() {
      if (owner_) owner_->release();
    }

   private:
    friend class job_limit;
    explicit permit(std::shared_ptr<state> owner) noexcept : owner_(std::move(owner)) {}
    std::shared_ptr<state> owner_;
  };

  /// @param limit how many permits may exist at once; 0 is taken as 1.
  explicit job_limit(unsigned limit) : state_(std::make_shared<state>(state{std::max(limit, 1U)})) {}

  /// Completes with a permit when all who asked before have had theirs and one is free.
  ///
  /// Terminal cancellation leaves the queue and throws `operation_aborted`; so does a cancellation that arrives together
  /// with the permit, which then goes to the next.
  asio::awaitable<permit> acquire() const { return acquire_from(state_); }

  unsigned limit() const noexcept { return state_->limit; }
  /// Permits that exist now.
  unsigned running() const noexcept { return state_->running; }
  /// Coroutines that wait for a permit.
  std::size_t queued() const noexcept { return state_->queue.size(); }

 private:
  static asio::awaitable<permit> acquire_from(std::shared_ptr<state> owner) {
    if (owner->running < owner->limit && owner->queue.empty()) {
      ++owner->running;
      co_return permit(std::move(owner));
    }
    waiter self(owner, co_await asio::this_coro::executor);
    auto cancelled = co_await asio::this_coro::cancellation_state;
    while (self.queued && cancelled.cancelled() == asio::cancellation_type::none) {
      co_await self.wake.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    if (cancelled.cancelled() != asio::cancellation_type::none) {
      throw boost::system::system_error(asio::error::operation_aborted);
    }
    self.granted = false;
    co_return permit(std::move(owner));
  }

  std::shared_ptr<state> state_;
};

inline void job_limit::state::release() noexcept {
  if (queue.empty()) {
    --running;
    return;
  }
  // Handed over directly: a newcomer that asks before the waiter has resumed can't overtake it.
  waiter* next = queue.front();
  queue.pop_front();
  next->queued = false;
  next->granted = true;
  next->wake.cancel();
}

}  // namespace kernix::detail
