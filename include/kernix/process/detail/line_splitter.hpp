// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace kernix::detail {

/// Hands out a stream line by line, without the line ends. A line longer than `longest` comes in pieces.
class line_splitter {
 public:
  static constexpr std::size_t longest = std::size_t{1} << 16;

  explicit line_splitter(std::function<void(std::string_view)> each) : each_(std::move(each)) {}

  void append(std::string_view bytes) {
    if (!each_) return;
    while (!bytes.empty()) {
      auto end = bytes.find('\n');
      bool whole = end != std::string_view::npos;
      std::string_view piece = bytes.substr(0, std::min(whole ? end : bytes.size(), longest - pending_.size()));
      bytes.remove_prefix(piece.size());
      pending_.append(piece);
      bool at_end = whole && !bytes.empty() && bytes.front() == '\n';
      if (at_end) bytes.remove_prefix(1);
      if (at_end || pending_.size() == longest) emit();
    }
  }

  /// The stream has ended: a last line without a line end is a line too.
  void finish() {
    if (each_ && !pending_.empty()) emit();
  }

 private:
  void emit() {
    std::string line = std::exchange(pending_, {});
    if (!line.empty() && line.back() == '\r') line.pop_back();
    each_(line);
  }

  std::function<void(std::string_view)> each_;
  std::string pending_;
};

}  // namespace kernix::detail
