// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/artifact.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/core/digest.hpp>
#include <kernix/core/read_set.hpp>

namespace kernix {

/// Where a request's answer came from.
enum class origin : std::uint8_t { compiler, memory, joined, disk, remote };

constexpr std::string_view name(origin value) noexcept {
  switch (value) {
    case origin::compiler: return "compiler";
    case origin::memory: return "memory";
    case origin::joined: return "joined";
    case origin::disk: return "disk";
    case origin::remote: return "remote";
  }
  return "unknown";
}

/// A place for what is made of an outcome once and shared by everybody who holds it: the loaded object.
struct load_once_slot {
  std::mutex mutex;
  std::shared_ptr<void> value;
};

/// What all waiters of one compile share. Immutable, but for the load-once slot.
struct outcome_payload {
  digest key;
  std::vector<artifact> artifacts;
  /// Files have the workspace's constant names in it, which stand for whatever a request calls them.
  kernix::diagnostics diagnostics;
  read_set reads;
  /// When the compile began (system clock, nanoseconds since the epoch): what `force` compares with.
  std::int64_t began_ns = 0;
  std::chrono::nanoseconds compile_time{};
  /// False where a file changed while the compiler ran, or where the list of read files is not known to be whole: the
  /// outcome may be used by those who asked before the compile began, and must not be cached.
  bool cacheable = true;
  /// Keeps the artifacts' files.
  std::shared_ptr<void> keeper;
  mutable load_once_slot loaded;

  outcome_payload() = default;
};

/// A cheap, copyable handle to the result of a compile: the shared payload, and how this waiter came to it. Of a failed
/// operation it holds the diagnostics only. Copies may be used from any thread.
class compile_outcome {
 public:
  compile_outcome() = default;
  compile_outcome(std::shared_ptr<const outcome_payload> payload, kernix::origin from)
      : payload_(std::move(payload)), origin_(from) {}

  /// An outcome that holds nothing but diagnostics.
  static compile_outcome failed(kernix::diagnostics what) {
    auto payload = std::make_shared<outcome_payload>();
    payload->diagnostics = std::move(what);
    payload->cacheable = false;
    return {std::move(payload), origin::compiler};
  }

  const std::vector<artifact>& artifacts() const noexcept { return payload().artifacts; }

  /// The artifact of one kind; null if there is none.
  const kernix::artifact* find(output_kind kind) const noexcept {
    for (const kernix::artifact& each : artifacts()) {
      if (each.kind == kind) return &each;
    }
    return nullptr;
  }

  /// In the words of this waiter's request, where a layer has put them so (see `compile/log_names.hpp`).
  const kernix::diagnostics& diagnostics() const noexcept { return shown_ ? *shown_ : payload().diagnostics; }

  /// Has `diagnostics()` answer with `own` instead of what all waiters share.
  void show(kernix::diagnostics own) { shown_ = std::make_shared<const kernix::diagnostics>(std::move(own)); }
  const digest& key() const noexcept { return payload().key; }
  kernix::origin origin() const noexcept { return origin_; }

  /// From the call to the handler's post, for this waiter.
  std::chrono::nanoseconds elapsed{};

  /// What is shared by all copies; never null.
  const outcome_payload& payload() const noexcept {
    static const outcome_payload empty;
    return payload_ ? *payload_ : empty;
  }
  const std::shared_ptr<const outcome_payload>& shared_payload() const noexcept { return payload_; }

 private:
  std::shared_ptr<const outcome_payload> payload_;
  std::shared_ptr<const kernix::diagnostics> shown_;
  kernix::origin origin_ = kernix::origin::compiler;
};

}  // namespace kernix
