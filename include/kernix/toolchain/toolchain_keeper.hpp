// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <kernix/backend/compiler_backend.hpp>
#include <kernix/core/error.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/core/toolchain.hpp>
#include <kernix/detail/initiate.hpp>
#include <kernix/detail/runtime.hpp>
#include <kernix/process/process_runner.hpp>
#include <kernix/toolchain/discovery.hpp>
#include <kernix/toolchain/find_toolchain.hpp>
#include <kernix/toolchain/parts.hpp>

namespace kernix::detail {

/// Keeps the toolchain of one engine: finds it when it is first needed, notices when it changes, and finds it anew. Every
/// member is to be called on kernix's own thread only.
template <compiler_backend B, process_runner R>
class toolchain_keeper : public std::enable_shared_from_this<toolchain_keeper<B, R>> {
 public:
  using answer = std::pair<error_code, toolchain_search>;

  toolchain_keeper(std::shared_ptr<runtime> shared, B backend, R runner, settings from)
      : shared_(std::move(shared)), backend_(std::move(backend)), runner_(std::move(runner)), settings_(std::move(from)) {}

  /// A toolchain whose recorded fingerprint is trusted: `ready` answers with it and looks at nothing.
  void pin(std::shared_ptr<const toolchain> trusted) { pinned_ = std::move(trusted); }

  /// The toolchain that keys are made with. Looked at again unless that was done within the settings' `recheck_after`;
  /// callers that come while a search runs share it.
  asio::awaitable<answer> ready() { return ready(this->shared_from_this()); }

  /// The toolchain that can compile: the pinned one's place is taken by what is found on this machine.
  asio::awaitable<answer> tool() { return found(this->shared_from_this()); }

  /// Whether a toolchain is still what it was when it was identified: for a look after a compile.
  asio::awaitable<bool> still(std::shared_ptr<const toolchain> tool) { return still(shared_, std::move(tool)); }

  /// Searches started so far.
  std::size_t searches() const noexcept { return searches_; }

 private:
  /// A search that is in progress, and those who wait for its end.
  struct search_flight {
    explicit search_flight(const asio::any_io_executor& engine)
        : ended(engine, asio::steady_timer::time_point::max()) {}
    asio::steady_timer ended;
    std::optional<answer> result;
  };

  /// Tells the waiters that the flight has ended, even where its leader was cancelled or destroyed.
  class flight_end {
   public:
    flight_end(std::shared_ptr<toolchain_keeper> of, std::shared_ptr<search_flight> what)
        : keeper_(std::move(of)), flight_(std::move(what)) {}
    flight_end(const flight_end&) = delete;
    flight_end& operator=(const flight_end&) = delete;
    ~flight_end() {
      keeper_->flight_.reset();
      flight_->ended.cancel();
    }

   private:
    std::shared_ptr<toolchain_keeper> keeper_;
    std::shared_ptr<search_flight> flight_;
  };

  static asio::awaitable<answer> ready(std::shared_ptr<toolchain_keeper> self) {
    if (self->pinned_) {
      toolchain_search search;
      search.found = self->pinned_;
      co_return answer(error_code(), std::move(search));
    }
    auto finding = found(std::move(self));
    co_return co_await std::move(finding);
  }

  static asio::awaitable<answer> found(std::shared_ptr<toolchain_keeper> self) {
    if (self->known_) {
      const auto now = std::chrono::steady_clock::now();
      if (self->looked_ && now - *self->looked_ < self->settings_.recheck_after) co_return self->known_answer();
      auto known = self->known_;
      auto look = [known, shared = self->shared_, backend = self->backend_, from = self->settings_] {
        return leads_to_the_same(*known, candidates_of(backend, from), from) &&
               kernix::unchanged(*known->search.found, shared->digests());
      };
      auto looking = on_pool(self->shared_, std::move(look));
      if (co_await std::move(looking)) {
        self->looked_ = now;
        co_return answer(error_code(), known->search);
      }
      if (self->known_ == known) self->known_.reset();  // another caller may have found the new one meanwhile
      if (self->known_) co_return self->known_answer();
    }
    for (;;) {
      if (!self->flight_) {
        auto leading = lead(self);
        co_return co_await std::move(leading);
      }
      auto flight = self->flight_;
      auto waiting = flight->ended.async_wait(asio::as_tuple(asio::use_awaitable));
      co_await std::move(waiting);
      if (flight->result) co_return *flight->result;
      // Its leader went away. If we were cancelled ourselves, the next await throws; asked here, for clarity.
      const auto state = co_await asio::this_coro::cancellation_state;
      if (state.cancelled() != asio::cancellation_type::none) co_return cancelled_answer();
    }
  }

  static asio::awaitable<answer> lead(std::shared_ptr<toolchain_keeper> self) {
    auto flight = std::make_shared<search_flight>(self->shared_->engine());
    self->flight_ = flight;
    flight_end end(self, flight);
    ++self->searches_;
    const auto began = std::chrono::steady_clock::now();
    auto discovering = discover(self->shared_, self->backend_, self->runner_, self->settings_);
    auto done = std::make_shared<const discovery>(co_await std::move(discovering));
    if (done->code == make_error_code(errc::cancelled)) co_return cancelled_answer();
    flight->result.emplace(done->code, done->search);
    if (!done->code) {
      self->known_ = done;
      self->looked_ = began;
    }
    co_return *flight->result;
  }

  static asio::awaitable<bool> still(std::shared_ptr<runtime> shared, std::shared_ptr<const toolchain> tool) {
    auto look = [shared, tool] { return kernix::unchanged(*tool, shared->digests()); };
    auto looking = on_pool(shared, std::move(look));
    co_return co_await std::move(looking);
  }

  answer known_answer() const { return {error_code(), known_->search}; }

  static answer cancelled_answer() {
    discovery none = cancelled_discovery();
    return {none.code, std::move(none.search)};
  }

  std::shared_ptr<runtime> shared_;
  B backend_;
  R runner_;
  settings settings_;
  std::shared_ptr<const toolchain> pinned_;
  std::shared_ptr<const discovery> known_;
  std::optional<std::chrono::steady_clock::time_point> looked_;
  std::shared_ptr<search_flight> flight_;
  std::size_t searches_ = 0;
};

}  // namespace kernix::detail
