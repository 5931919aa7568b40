// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/digest.hpp>

namespace kernix::detail {

/// Outcomes by key, several a key where the files they were made of differ. Bounded by bytes and by number, least recently
/// used first out. Thread-safe; never blocks on anything but short locks.
class memory_table {
 public:
  using clock = std::chrono::steady_clock;
  using payload_ptr = std::shared_ptr<const outcome_payload>;

  memory_table(std::uint64_t max_bytes, std::size_t max_entries) : max_bytes_(max_bytes), max_entries_(max_entries) {}

  /// An outcome that was validated for these places at `oldest` or later; null if there is none.
  payload_ptr fresh(const digest& key, const digest& place, clock::time_point oldest) {
    shard& in = shard_of(key);
    std::lock_guard lock(in.mutex);
    auto at = in.slots.find(key);
    if (at == in.slots.end()) return nullptr;
    for (const entry& each : at->second.entries) {
      if (each.place == place && each.validated >= oldest) {
        touch(in, at->second);
        return each.payload;
      }
    }
    return nullptr;
  }

  /// All outcomes of a key, newest first.
  std::vector<payload_ptr> find(const digest& key) {
    shard& in = shard_of(key);
    std::lock_guard lock(in.mutex);
    std::vector<payload_ptr> all;
    auto at = in.slots.find(key);
    if (at == in.slots.end()) return all;
    touch(in, at->second);
    for (const entry& each : at->second.entries) all.push_back(each.payload);
    return all;
  }

  /// Stores an outcome, or notes that a stored one was found valid for these places at this time.
  void put(const digest& key, const digest& place, const payload_ptr& payload, clock::time_point validated) {
    shard& in = shard_of(key);
    {
      std::lock_guard lock(in.mutex);
      auto [at, added] = in.slots.try_emplace(key);
      slot& where = at->second;
      if (added) {
        in.order.push_front(key);
        where.position = in.order.begin();
      }
      touch(in, where);
      for (entry& each : where.entries) {
        if (each.payload != payload) continue;
        each.place = place;
        each.validated = validated;
        return;
      }
      where.entries.insert(where.entries.begin(), entry{payload, place, validated, cost(*payload)});
      bytes_ += where.entries.front().bytes;
      ++entries_;
      // The same files again make an older result superfluous: a forced compile replaced it.
      for (std::size_t i = 1; i < where.entries.size();) {
        if (where.entries.size() > max_variants || where.entries[i].payload->reads == payload->reads) {
          forget(where, i);
        } else {
          ++i;
        }
      }
    }
    shrink();
  }

  std::uint64_t bytes() const noexcept { return bytes_; }
  std::size_t entries() const noexcept { return entries_; }

 private:
  static constexpr std::size_t max_variants = 8;

  struct entry {
    payload_ptr payload;
    digest place;
    clock::time_point validated;
    std::uint64_t bytes;
  };
  struct slot {
    std::vector<entry> entries;
    std::list<digest>::iterator position;
    std::uint64_t used = 0;
  };
  struct shard {
    std::mutex mutex;
    std::unordered_map<digest, slot> slots;
    std::list<digest> order;  // most recently used first
  };

  static std::uint64_t cost(const outcome_payload& payload) {
    std::uint64_t sum = sizeof(outcome_payload) + payload.diagnostics.log.size();
    for (const artifact& each : payload.artifacts) sum += each.bytes;
    for (const read_file& each : payload.reads.files) sum += sizeof each + each.path.size();
    for (const absent_file& each : payload.reads.absent) sum += sizeof each + each.path.size();
    return sum;
  }

  shard& shard_of(const digest& key) noexcept { return shards_[key.bytes[8] % shards_.size()]; }

  void forget(slot& where, std::size_t index) {
    bytes_ -= where.entries[index].bytes;
    --entries_;
    where.entries.erase(where.entries.begin() + static_cast<std::ptrdiff_t>(index));
  }

  bool too_much() const noexcept { return bytes_ > max_bytes_ || entries_ > max_entries_; }

  /// The shard whose least recently used slot is the oldest of all; null if all are empty.
  shard* oldest_shard() {
    shard* oldest = nullptr;
    std::uint64_t oldest_use = std::numeric_limits<std::uint64_t>::max();
    for (shard& each : shards_) {
      std::lock_guard lock(each.mutex);
      if (each.order.empty()) continue;
      std::uint64_t use = each.slots.find(each.order.back())->second.used;
      if (use < oldest_use) {
        oldest_use = use;
        oldest = &each;
      }
    }
    return oldest;
  }

  /// Forgets what was used least recently, until the rest fits.
  void shrink() {
    while (too_much()) {
      shard* in = oldest_shard();
      if (!in) return;
      std::vector<entry> released;  // destroyed after the lock: it may remove files
      std::lock_guard lock(in->mutex);
      if (in->order.empty()) continue;
      auto at = in->slots.find(in->order.back());
      released.swap(at->second.entries);
      for (const entry& each : released) bytes_ -= each.bytes;
      entries_ -= released.size();
      in->slots.erase(at);
      in->order.pop_back();
    }
  }

  void touch(shard& in, slot& where) {
    where.used = ++clock_;
    in.order.splice(in.order.begin(), in.order, where.position);
  }

  std::array<shard, 16> shards_;
  std::atomic<std::uint64_t> clock_{0};  // counts uses
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::size_t> entries_{0};
  const std::uint64_t max_bytes_;
  const std::size_t max_entries_;
};

}  // namespace kernix::detail
