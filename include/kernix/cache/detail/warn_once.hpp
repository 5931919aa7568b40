// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <kernix/core/settings.hpp>

namespace kernix::detail {

/// Tells a log about each trouble once, however often it is met: a full disk is one fact, not one a kernel.
/// Thread-safe.
class warn_once {
 public:
  explicit warn_once(std::function<void(log_level, std::string_view)> log) : log_(std::move(log)) {}

  void operator()(const std::string& cause, std::string_view text) {
    {
      std::lock_guard guard(mutex_);
      if (said_.size() >= max_causes || !said_.insert(cause).second) return;
    }
    if (log_) log_(log_level::warning, text);
  }

 private:
  static constexpr std::size_t max_causes = 1024;

  std::function<void(log_level, std::string_view)> log_;
  std::mutex mutex_;
  std::set<std::string> said_;
};

}  // namespace kernix::detail
