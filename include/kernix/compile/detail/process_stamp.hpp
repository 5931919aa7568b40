// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <kernix/compile/detail/file_text.hpp>
#include <kernix/core/hasher.hpp>

namespace kernix::detail {

/// When a process of this PID namespace started, in clock ticks since boot; nothing if there is no such process.
inline std::optional<std::uint64_t> process_start(pid_t process) {
  auto stat = file_text("/proc/" + std::to_string(process) + "/stat", 1 << 16);
  if (!stat) return std::nullopt;
  // The second field is the program's name in parentheses, which may hold anything.
  std::size_t at = stat->rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = stat->find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  std::uint64_t ticks = 0;
  auto [end, error] = std::from_chars(stat->data() + at + 1, stat->data() + stat->size(), ticks);
  if (error != std::errc{}) return std::nullopt;
  return ticks;
}

/// Where process ids mean what they mean here: this boot of this machine, this PID namespace. 12 hexadecimal digits.
inline std::string pid_realm() {
  std::error_code ignored;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", ignored).native();
  return sha256(file_text("/proc/sys/kernel/random/boot_id").value_or("") + space).hex().substr(0, 12);
}

/// `PID.START.REALM`: names this process among all that ever were. Remembered from the first time on that the system told
/// it: a process that has no descriptor left can't read it again, and a name without it would never be swept.
inline std::string process_stamp() {
  struct known {
    pid_t process;
    std::string text;
    const known* older;  ///< From before a fork.
  };
  static std::atomic<const known*> newest{nullptr};
  const pid_t self = ::getpid();
  const known* remembered = newest.load(std::memory_order_acquire);
  if (remembered && remembered->process == self) return remembered->text;
  const auto start = process_start(self);
  const auto boot = file_text("/proc/sys/kernel/random/boot_id");
  std::string text = std::to_string(self) + '.' + std::to_string(start.value_or(0)) + '.' + pid_realm();
  if (start && boot) {
    auto made = std::make_unique<const known>(known{self, text, remembered});
    if (newest.compare_exchange_strong(remembered, made.get(), std::memory_order_acq_rel)) made.release();
  }
  return text;
}

/// Whether the process that made `stamp` (the start of a longer name) is certainly gone. What was stamped in another
/// realm, or by nobody, is not ours to judge.
inline bool is_dead(std::string_view stamp) {
  std::uint64_t numbers[2] = {};
  for (std::uint64_t& each : numbers) {
    auto [end, error] = std::from_chars(stamp.data(), stamp.data() + stamp.size(), each);
    if (error != std::errc{} || end == stamp.data() + stamp.size() || *end != '.') return false;
    stamp.remove_prefix(static_cast<std::size_t>(end - stamp.data()) + 1);
  }
  if (stamp.substr(0, stamp.find('.')) != pid_realm() || numbers[0] == 0 || numbers[0] > 0x7fffffff || numbers[1] == 0) return false;
  const auto process = static_cast<pid_t>(numbers[0]);
  if (::kill(process, 0) != 0 && errno == ESRCH) return true;
  const auto started = process_start(process);
  return started && *started != numbers[1];
}

}  // namespace kernix::detail
