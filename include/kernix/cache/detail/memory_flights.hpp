// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <kernix/cache/detail/memory_flight.hpp>
#include <kernix/cache/detail/memory_table.hpp>
#include <kernix/compile/read_validation.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/detail/initiate.hpp>
#include <kernix/detail/runtime.hpp>

namespace kernix::detail {

/// The state of a memory cache: what is known, and what is being asked.
template <class Next>
class memory_flights : public std::enable_shared_from_this<memory_flights<Next>> {
 public:
  using clock = std::chrono::steady_clock;
  using payload_ptr = std::shared_ptr<const outcome_payload>;

  static std::shared_ptr<memory_flights> make(asio::any_io_executor executor, Next next, settings options) {
    auto made = std::shared_ptr<memory_flights>(new memory_flights(std::move(executor), std::move(next), std::move(options)));
    made->runtime_->at_shutdown(made, &drop_waiters);
    return made;
  }

  const asio::any_io_executor& executor() const noexcept { return executor_; }
  Next& next() noexcept { return next_; }
  operation_group& group() noexcept { return *group_; }
  const std::shared_ptr<operation_group>& shared_group() const noexcept { return group_; }

  /// Answers at once from what is fresh; else joins the flight of the same question, or leads a new one.
  void request(keyed_request what, waiter<compile_outcome> whom) {
    if (runtime_->forked()) return refuse_waiter(std::move(whom), errc::forked);
    if (group_->closed()) return refuse_waiter(std::move(whom), errc::shut_down);
    if (what.timeout <= std::chrono::nanoseconds::zero()) what.timeout = options_.compile_timeout;
    if (options_.recheck_after.count() > 0 && what.not_before_ns == 0) {
      auto oldest = clock::now() - options_.recheck_after;
      if (payload_ptr known = table_.fresh(what.key(), what.data->place, oldest)) {
        return whom.complete({}, compile_outcome(std::move(known), origin::memory));
      }
    }
    shard& in = shard_of(what.data->place);
    std::shared_ptr<memory_flight> led;
    {
      std::lock_guard lock(in.mutex);
      auto& flights = what.lookup_only ? in.lookups : in.compiles;
      std::shared_ptr<memory_flight>& flight = flights[what.data->place];
      if (flight && flight->join(whom, what)) return;
      flight = led = std::make_shared<memory_flight>(
          runtime_->engine(), what, [weak = this->weak_from_this()](memory_flight& ended) {
            if (auto self = weak.lock()) self->forget(ended);
          });
      led->join(whom, what);
    }
    if (!group_->enter(led)) return led->cancel();  // closed meanwhile
    asio::post(led->engine, [self = this->shared_from_this(), led] {
      spawn_detached(led->engine, fly(self, led), led->signal.slot());
    });
  }

 private:
  struct shard {
    std::mutex mutex;
    std::unordered_map<digest, std::shared_ptr<memory_flight>> compiles;
    std::unordered_map<digest, std::shared_ptr<memory_flight>> lookups;
  };

  memory_flights(asio::any_io_executor executor, Next next, settings options)
      : executor_(std::move(executor)),
        runtime_(runtime::of(executor_)),
        options_(std::move(options)),
        table_(options_.memory_max_bytes, options_.memory_max_entries),
        next_(std::move(next)) {}

  shard& shard_of(const digest& place) noexcept { return shards_[place.bytes[8] % shards_.size()]; }

  static void refuse_waiter(waiter<compile_outcome> whom, errc why) {
    diagnostics what;
    what.code = make_error_code(why);
    what.reason = std::string(describe(why));
    error_code code = what.code;
    whom.complete(code, compile_outcome::failed(std::move(what)));
  }

  /// Takes an ended flight off the table, so that the next request of its key starts a fresh one.
  void forget(memory_flight& ended) {
    const digest& place = ended.asked.data->place;
    std::shared_ptr<memory_flight> last;  // destroyed after the lock
    shard& in = shard_of(place);
    std::lock_guard lock(in.mutex);
    auto& flights = ended.asked.lookup_only ? in.lookups : in.compiles;
    auto at = flights.find(place);
    if (at == flights.end() || at->second.get() != &ended) return;
    last = std::move(at->second);
    flights.erase(at);
  }

  static void drop_waiters(memory_flights& self) {
    std::vector<std::map<std::uint64_t, memory_flight::member>> dropped;  // destroyed after the locks
    self.group_->abandon();
    for (shard& in : self.shards_) {
      std::lock_guard lock(in.mutex);
      for (auto* flights : {&in.compiles, &in.lookups}) {
        for (auto& [place, flight] : *flights) {
          std::lock_guard members(flight->mutex);
          flight->ended = true;
          dropped.push_back(std::move(flight->members));
          flight->members.clear();
        }
      }
    }
  }

  /// The answers to give, and to whom: completed when no lock is held.
  using answers = std::vector<std::pair<memory_flight::member, compile_outcome>>;

  static void give(answers ready, error_code code) {
    for (auto& [member, outcome] : ready) {
      outcome.elapsed = clock::now() - member.joined;
      member.whom.complete(code, std::move(outcome));
    }
  }

  /// Takes out the members that joined before `limit` and that `accepts`; `from(id, is_first)` is the origin of each.
  template <class From, class Accepts>
  static answers take(memory_flight& flight, std::uint64_t limit, const payload_ptr& payload, From from, Accepts accepts) {
    answers ready;
    std::lock_guard lock(flight.mutex);
    for (auto at = flight.members.begin(); at != flight.members.end() && at->first < limit;) {
      if (!accepts(at->first, at->second)) {
        ++at;
        continue;
      }
      ready.emplace_back(std::move(at->second), compile_outcome(payload, from(at->first, ready.empty())));
      at = flight.members.erase(at);
    }
    return ready;
  }

  /// Ends the flight if nobody waits any more; else says up to which member the coming round answers.
  static std::uint64_t next_round(memory_flights& self, memory_flight& flight, std::int64_t& not_before) {
    {
      std::lock_guard lock(flight.mutex);
      flight.started = {};
      flight.granted = {};
      not_before = 0;
      for (auto& [id, each] : flight.members) not_before = std::max(not_before, each.not_before_ns);
      if (!flight.members.empty()) return flight.next_id;
      flight.ended = true;
    }
    self.forget(flight);
    return 0;
  }

  /// However the flight ends, nobody is left waiting for it.
  struct landing {
    std::shared_ptr<operation_group> group;
    std::shared_ptr<memory_flight> flight;
    ~landing() {
      flight->cancel();
      group->leave(*flight);
    }
  };

  static asio::awaitable<void> fly(std::shared_ptr<memory_flights> self, std::shared_ptr<memory_flight> flight) {
    landing at_the_end{self->group_, flight};
    std::uint64_t waited_for_compile = 0;  // members below this number were there while the next layer was asked
    std::int64_t not_before = 0;
    while (std::uint64_t limit = next_round(*self, *flight, not_before)) {
      clock::time_point looked = clock::now();
      if (payload_ptr valid = co_await validated(self, flight->asked, not_before)) {
        self->table_.put(flight->asked.key(), flight->asked.data->place, valid, looked);
        auto from = [&](std::uint64_t id, bool) { return id < waited_for_compile ? origin::joined : origin::memory; };
        give(take(*flight, limit, valid, from, [](auto, auto&) { return true; }), {});
        continue;
      }
      keyed_request keyed = flight->asked;
      keyed.not_before_ns = not_before;
      keyed.on_start = [weak = std::weak_ptr(flight)] {
        if (auto running = weak.lock()) running->start();
      };
      keyed.extended_timeout = [weak = std::weak_ptr(flight)] {
        auto running = weak.lock();
        return running ? running->grant() : std::chrono::nanoseconds::zero();
      };
      keyed.timeout = flight->grant();
      auto operation = self->next_.async_compile(std::move(keyed), asio::as_tuple(asio::use_awaitable));
      std::tuple<error_code, compile_outcome> answer = co_await std::move(operation);
      error_code code = std::get<0>(answer);
      payload_ptr payload = std::get<1>(answer).shared_payload();
      auto from = [first = std::get<1>(answer).origin()](std::uint64_t, bool is_first) { return is_first ? first : origin::joined; };
      std::chrono::nanoseconds granted{};
      {
        std::lock_guard lock(flight->mutex);
        waited_for_compile = flight->next_id;
        granted = flight->granted;
      }
      flight->timer.cancel();
      if (code) {
        // Whoever came late and forced a compile after this one began, or has a longer limit than the one that ended it,
        // wants another; everybody else shares the failure.
        std::int64_t began = payload ? payload->began_ns : 0;
        auto shares = [&](std::uint64_t id, memory_flight::member& late) {
          return id < limit || (began >= late.not_before_ns && (code != errc::timed_out || late.timeout <= granted));
        };
        give(take(*flight, std::numeric_limits<std::uint64_t>::max(), payload, from, shares), code);
        continue;
      }
      if (payload && payload->cacheable) self->table_.put(flight->asked.key(), flight->asked.data->place, payload, looked);
      give(take(*flight, limit, payload, from, [](auto, auto&) { return true; }), {});
    }
  }

  /// A known outcome whose files are unchanged, looked at now on the pool; null if there is none.
  static asio::awaitable<payload_ptr> validated(std::shared_ptr<memory_flights> self, keyed_request what, std::int64_t not_before) {
    std::vector<payload_ptr> known = self->table_.find(what.key());
    std::erase_if(known, [&](const payload_ptr& each) { return each->began_ns < not_before; });
    if (known.empty()) co_return nullptr;
    auto look = [self, what, known]() -> payload_ptr {
      for (const payload_ptr& each : known) {
        if (still_valid(each->reads, what.data->roots, self->runtime_->digests())) return each;
      }
      return nullptr;
    };
    auto looking = on_pool(self->runtime_, std::move(look));
    co_return co_await std::move(looking);
  }

  asio::any_io_executor executor_;
  std::shared_ptr<runtime> runtime_;
  settings options_;
  memory_table table_;
  Next next_;
  std::shared_ptr<operation_group> group_ = std::make_shared<operation_group>();
  std::array<shard, 16> shards_;
};

}  // namespace kernix::detail
