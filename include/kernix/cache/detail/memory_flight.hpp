// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/keyed_request.hpp>
#include <kernix/detail/limit_text.hpp>
#include <kernix/detail/operation_group.hpp>
#include <kernix/detail/waiter.hpp>

namespace kernix::detail {

/// One question that several waiters share. It asks in rounds: whoever joined before a round began is answered by it; who
/// joined later is answered by it only if the answer is known to hold still.
///
/// The members are guarded by `mutex`; signal and timer are used on kernix's own thread only.
struct memory_flight : cancellable, std::enable_shared_from_this<memory_flight> {
  using clock = std::chrono::steady_clock;

  struct member {
    waiter<compile_outcome> whom;
    std::chrono::nanoseconds timeout;
    std::int64_t not_before_ns;
    clock::time_point joined;
  };

  memory_flight(asio::any_io_executor on, keyed_request what, std::function<void(memory_flight&)> forget)
      : cancellable(&cancel_this), engine(on), asked(std::move(what)), timer(on), forget_(std::move(forget)) {}

  /// Adds a waiter; false if the flight has ended, and nothing was taken.
  bool join(waiter<compile_outcome>& whom, const keyed_request& what) {
    std::unique_lock lock(mutex);
    if (ended) return false;
    std::uint64_t id = next_id++;
    whom.on_cancel([weak = weak_from_this(), id] {
      if (auto self = weak.lock()) self->leave(id, errc::cancelled, "cancelled");
    });
    members.emplace(id, member{std::move(whom), what.timeout, what.not_before_ns, clock::now()});
    bool late = started != clock::time_point{};
    lock.unlock();
    if (late) arm_later();
    return true;
  }

  /// One waiter goes, the others are not disturbed; the last one ends the flight.
  void leave(std::uint64_t id, errc why, std::string reason) {
    waiter<compile_outcome> whom;
    {
      std::lock_guard lock(mutex);
      auto at = members.find(id);
      if (at == members.end()) return;
      whom = std::move(at->second.whom);
      members.erase(at);
      if (members.empty()) ended = true;
    }
    end_if_empty();
    diagnostics what;
    what.code = make_error_code(why);
    what.reason = std::move(reason);
    error_code code = what.code;
    whom.complete(code, compile_outcome::failed(std::move(what)));
  }

  /// The limit that the compiler gets: the longest among those who wait. It can be made longer later, not shorter.
  std::chrono::nanoseconds grant() {
    std::unique_lock lock(mutex);
    std::chrono::nanoseconds longest = longest_timeout();
    bool longer = longest > granted;
    granted = std::max(granted, longest);
    lock.unlock();
    if (longer) arm_later();  // those who had the longest limit so far now leave alone
    return longest;
  }

  /// On kernix's thread: the compiler has started, with the limit as it is now.
  void start() {
    {
      std::lock_guard lock(mutex);
      started = clock::now();
      granted = longest_timeout();
    }
    arm();
  }

  /// On kernix's thread: has those whose own limit is shorter than the compiler's leave when it has passed.
  void arm() {
    clock::time_point now = clock::now(), earliest = clock::time_point::max();
    std::vector<std::pair<std::uint64_t, std::chrono::nanoseconds>> late;
    {
      std::lock_guard lock(mutex);
      if (started == clock::time_point{}) return;
      for (auto& [id, each] : members) {
        if (each.timeout >= granted) continue;
        clock::time_point limit = std::max(started, each.joined) + each.timeout;
        if (limit <= now) {
          late.emplace_back(id, each.timeout);
        } else {
          earliest = std::min(earliest, limit);
        }
      }
    }
    for (auto& [id, limit] : late) {
      leave(id, errc::timed_out, "timed out after " + limit_text(limit));
    }
    if (earliest == clock::time_point::max()) return;
    timer.expires_at(earliest);
    timer.async_wait([weak = weak_from_this()](error_code code) {
      if (code) return;
      if (auto self = weak.lock()) self->arm();
    });
  }

  static void cancel_this(cancellable& base) {
    auto& self = static_cast<memory_flight&>(base);
    std::vector<std::uint64_t> all;
    {
      std::lock_guard lock(self.mutex);
      for (auto& [id, each] : self.members) all.push_back(id);
    }
    for (std::uint64_t id : all) self.leave(id, errc::cancelled, "cancelled");
  }

  std::mutex mutex;
  std::map<std::uint64_t, member> members;
  std::uint64_t next_id = 1;
  bool ended = false;
  clock::time_point started{};         // of the compiler, in this round
  std::chrono::nanoseconds granted{};  // to the compiler, in this round

  const asio::any_io_executor engine;
  const keyed_request asked;  // by the first waiter
  asio::cancellation_signal signal;
  asio::steady_timer timer;

 private:
  void arm_later() {
    asio::post(engine, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->arm();
    });
  }

  std::chrono::nanoseconds longest_timeout() const {
    std::chrono::nanoseconds longest{0};
    for (auto& [id, each] : members) longest = std::max(longest, each.timeout);
    return longest;
  }

  void end_if_empty() {
    {
      std::lock_guard lock(mutex);
      if (!ended) return;
    }
    forget_(*this);
    asio::post(engine, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->signal.emit(asio::cancellation_type::terminal);
    });
  }

  std::function<void(memory_flight&)> forget_;
};

}  // namespace kernix::detail
