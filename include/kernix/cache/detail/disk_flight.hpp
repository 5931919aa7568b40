// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <kernix/cache/detail/build_lock.hpp>
#include <kernix/cache/result_store.hpp>
#include <kernix/compile/log_names.hpp>
#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/error.hpp>
#include <kernix/core/keyed_request.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/detail/initiate.hpp>
#include <kernix/detail/operation_group.hpp>
#include <kernix/detail/runtime.hpp>

namespace kernix::detail {

/// What the handle `disk_cache` and its operations share.
template <class Next>
struct disk_state {
  disk_state(asio::any_io_executor on, Next compiler, settings options)
      : executor(std::move(on)),
        shared(runtime::of(executor)),
        configured(std::make_shared<const settings>(std::move(options))),
        store(std::make_shared<result_store>(*configured)),
        next(std::move(compiler)) {}

  asio::any_io_executor executor;
  std::shared_ptr<runtime> shared;
  std::shared_ptr<const settings> configured;
  std::shared_ptr<result_store> store;
  std::shared_ptr<operation_group> group = std::make_shared<operation_group>();
  Next next;
};

inline asio::awaitable<payload_ptr> find_stored(std::shared_ptr<runtime> shared, std::shared_ptr<result_store> store,
                                                keyed_request keyed) {
  auto finding = on_pool(shared, [store, keyed, shared] { return store->find(keyed, shared->digests()); });
  payload_ptr found = co_await std::move(finding);
  co_return found;
}

/// Stores a fresh outcome and gives the build lock back. Without a lock nothing is stored while somebody else builds
/// the key: two writers of one manifest would lose one of their results, and theirs is as good as ours. Where files
/// can't be locked at all, everybody stores.
inline payload_ptr publish_and_unlock(result_store& store, build_lock& lock, const keyed_request& keyed,
                                      const compile_outcome& fresh) {
  lock_attempt late;
  if (!lock && lock.usable) {
    late = store.try_lock(keyed);
    if (late.how == lock_attempt::state::busy) return nullptr;
  }
  payload_ptr stored = store.publish(keyed, fresh);
  store.unlock(keyed.key(), std::move(late.lock));
  lock.unlock_here();
  return stored;
}

/// Look up; or lock, look again, ask the next layer, publish, unlock. Runs on kernix's own thread; whatever touches the
/// disk runs on the pool. Wherever it is left, the lock goes back.
template <class Next>
asio::awaitable<std::pair<error_code, compile_outcome>> compile_through_disk(std::shared_ptr<disk_state<Next>> state,
                                                                             keyed_request keyed) {
  const auto start = std::chrono::steady_clock::now();
  auto answer = [start, &keyed](payload_ptr payload, origin from) {
    compile_outcome outcome = present(compile_outcome(std::move(payload), from), keyed);
    outcome.elapsed = std::chrono::steady_clock::now() - start;
    return std::pair<error_code, compile_outcome>({}, std::move(outcome));
  };

  if (payload_ptr found = co_await find_stored(state->shared, state->store, keyed)) {
    co_return answer(std::move(found), origin::disk);
  }
  auto lock = std::make_shared<build_lock>();
  // Who only looks, or may not compile, has nothing to wait for.
  if (!keyed.lookup_only && !state->configured->offline) {
    *lock = co_await wait_for_build_lock(state->shared, state->store, keyed, state->configured);
    // Between the look and the lock somebody may have published.
    if (payload_ptr found = co_await find_stored(state->shared, state->store, keyed)) {
      co_return answer(std::move(found), lock->waited ? origin::joined : origin::disk);
    }
  }

  auto compiling = state->next.async_compile(keyed, asio::as_tuple(asio::use_awaitable));
  auto [code, outcome] = co_await std::move(compiling);
  if (!code && outcome.payload().cacheable && !outcome.artifacts().empty()) {
    auto publishing = on_pool(state->shared, [store = state->store, lock, keyed, fresh = outcome] {
      return publish_and_unlock(*store, *lock, keyed, fresh);
    });
    if (payload_ptr stored = co_await std::move(publishing)) co_return answer(std::move(stored), outcome.origin());
  }
  co_return std::pair<error_code, compile_outcome>(code, std::move(outcome));
}

}  // namespace kernix::detail
