// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace kernix::detail {

/// When, why and how hard a process is to be ended: decided here, done elsewhere.
///
/// The four cases: neither limit nor cancellation has come: wait. The limit has passed: ask whether a longer one stands,
/// else the process has timed out. Cancellation has come: cancelled. Both: whichever was seen first stays the reason.
/// An ending process is asked first (`interrupt`), and killed when its grace has passed.
class end_schedule {
 public:
  using clock = std::chrono::steady_clock;
  enum class reason : std::uint8_t { none, timed_out, cancelled };
  enum class step : std::uint8_t { wait, interrupt, kill };

  /// @param limit from `start`; zero or less: none.
  end_schedule(clock::time_point start, std::chrono::nanoseconds limit, std::chrono::nanoseconds grace) noexcept
      : start_(start), grace_(grace), next_(limit.count() > 0 ? after(start, limit) : clock::time_point::max()) {}

  /// What to do now. Each of `interrupt` and `kill` is answered once.
  step advance(clock::time_point now, bool cancelled, const std::function<std::chrono::nanoseconds()>& extended) {
    if (why_ == reason::none) {
      if (cancelled) {
        why_ = reason::cancelled;
      } else if (now < next_) {
        return step::wait;
      } else {
        auto longer = extended ? after(start_, extended()) : now;
        if (longer > now) {
          next_ = longer;
          return step::wait;
        }
        why_ = reason::timed_out;
      }
      next_ = after(now, grace_);
      if (next_ > now) return step::interrupt;
    }
    if (now < next_ || next_ == clock::time_point::max()) return step::wait;
    next_ = clock::time_point::max();
    return step::kill;
  }

  /// When `advance` has something new to say, unless cancellation comes first.
  clock::time_point wake() const noexcept { return next_; }
  reason why() const noexcept { return why_; }

 private:
  // A limit of `nanoseconds::max()` means none, and must not wrap around.
  static clock::time_point after(clock::time_point from, std::chrono::nanoseconds by) noexcept {
    auto room = clock::time_point::max() - from;
    return by >= room ? clock::time_point::max() : from + by;
  }

  clock::time_point start_;
  std::chrono::nanoseconds grace_;
  clock::time_point next_;
  reason why_ = reason::none;
};

}  // namespace kernix::detail
