// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <kernix/core/process_result.hpp>

namespace kernix {

/// Keeps the head and the tail of a stream whose length nobody knows, within a fixed number of bytes.
///
/// A compiler's first messages say what is wrong and its last ones how it ended; what lies between is counted and
/// thrown away. Memory is taken as the stream grows, and never exceeds the limit.
class output_capture {
 public:
  /// @param limit bytes kept in all: the larger half from the head, the rest from the tail.
  explicit output_capture(std::size_t limit) noexcept : head_limit_(limit - limit / 2), tail_limit_(limit / 2) {}

  /// Takes the next bytes of the stream. Linear in their number.
  void append(std::string_view bytes) {
    auto first = std::min(bytes.size(), head_limit_ - head_.size());
    head_.append(bytes.substr(0, first));
    bytes.remove_prefix(first);
    if (bytes.size() > tail_limit_) {
      dropped_ += bytes.size() - tail_limit_;
      bytes.remove_prefix(bytes.size() - tail_limit_);
    }
    auto grown = std::min(bytes.size(), tail_limit_ - tail_.size());
    tail_.append(bytes.substr(0, grown));
    bytes.remove_prefix(grown);
    // The ring is full: each byte takes the place of the oldest.
    dropped_ += bytes.size();
    while (!bytes.empty()) {
      auto run = std::min(bytes.size(), tail_.size() - oldest_);
      bytes.copy(tail_.data() + oldest_, run);
      oldest_ = (oldest_ + run) % tail_.size();
      bytes.remove_prefix(run);
    }
  }

  /// What was kept, in the stream's order; the capture is empty afterwards.
  captured_output take() {
    std::rotate(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(oldest_), tail_.end());
    captured_output kept{.head = std::move(head_), .tail = std::move(tail_), .dropped = dropped_};
    head_.clear();
    tail_.clear();
    oldest_ = 0;
    dropped_ = 0;
    return kept;
  }

 private:
  std::size_t head_limit_;
  std::size_t tail_limit_;
  std::string head_;
  std::string tail_;          // a ring once it is full
  std::size_t oldest_ = 0;    // where the ring begins
  std::uint64_t dropped_ = 0;
};

}  // namespace kernix
