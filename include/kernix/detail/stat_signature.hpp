// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <time.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include <kernix/core/read_set.hpp>

namespace kernix::detail {

inline std::int64_t nanoseconds_of(const timespec& time) noexcept {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

inline stat_signature signature_of(const struct stat& status) noexcept {
  return {.device = static_cast<std::uint64_t>(status.st_dev),
          .inode = static_cast<std::uint64_t>(status.st_ino),
          .size = static_cast<std::uint64_t>(status.st_size),
          .mtime_ns = nanoseconds_of(status.st_mtim),
          .ctime_ns = nanoseconds_of(status.st_ctim)};
}

/// The signature of what `path` leads to, links followed; nothing if there is nothing, or it can't be reached.
inline std::optional<stat_signature> signature_of(const std::filesystem::path& path) noexcept {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return signature_of(status);
}

/// The time that the kernel stamps files with at this moment (it ticks, every 4 ms on most machines), in nanoseconds
/// since the epoch. Other clocks are ahead of it: a file written after a look at them may carry an older stamp.
inline std::int64_t file_clock_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return nanoseconds_of(now);
}

/// Whether every change made since `now_ns` gives the file another signature: both times are strictly older. `now_ns`
/// must be `file_clock_ns()` as it was *before* the file was looked at.
inline bool settled(const stat_signature& signature, std::int64_t now_ns) noexcept {
  return signature.mtime_ns < now_ns && signature.ctime_ns < now_ns;
}

}  // namespace kernix::detail
