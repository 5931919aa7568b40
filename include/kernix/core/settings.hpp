// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace kernix {

enum class log_level : std::uint8_t { error, warning, info, debug };

constexpr std::string_view name(log_level level) noexcept {
  switch (level) {
    case log_level::error: return "error";
    case log_level::warning: return "warning";
    case log_level::info: return "info";
    case log_level::debug: return "debug";
  }
  return "unknown";
}

/// Everything about a cache that isn't part of a request. `settings::from_environment()` reads the process' environment
/// once; every member may be set in code. A value that can't be used is reported in `problems`, and the default stands.
struct settings {
  /// Where compiled kernels are kept (`KERNIX_CACHE_DIR`); relative ones are relative to the current directory at the
  /// time of `from_environment`. Default: `$XDG_CACHE_HOME/kernix`, else `$HOME/.cache/kernix`, else
  /// `kernix-UID` in `$TMPDIR` or `/tmp`.
  std::filesystem::path cache_directory = {};
  /// Bytes that the disk cache may take (`KERNIX_CACHE_MAX_SIZE`: a number, with K, M, G or T).
  std::uint64_t cache_max_size = std::uint64_t{5} << 30;
  /// Bytes of artifacts, and their number, that the memory layer keeps alive.
  std::uint64_t memory_max_bytes = std::uint64_t{256} << 20;
  std::size_t memory_max_entries = 4096;
  /// How long a validated answer stands without looking at its files again. Zero: every hit is validated.
  std::chrono::nanoseconds recheck_after{};
  /// Default limit on a compiler's running time (`KERNIX_COMPILE_TIMEOUT`, seconds, fractions allowed).
  std::chrono::nanoseconds compile_timeout = std::chrono::seconds(600);
  /// Between asking a compiler to end and killing it.
  std::chrono::nanoseconds kill_grace = std::chrono::milliseconds(500);
  /// How long to wait for another process that builds the same kernel; default: the compile's own limit and 10 s.
  std::optional<std::chrono::nanoseconds> lock_wait = {};
  /// Compilers at once (`KERNIX_JOBS`), over all caches of one execution context; 0: as many as this process has cores.
  /// The first cache of a context decides.
  unsigned jobs = 0;
  /// Bytes kept of each of a compiler's output streams.
  std::size_t output_limit = 1 << 20;
  /// Never start a compiler (`KERNIX_OFFLINE`: 1, true, yes, on): a miss is `errc::not_cached`.
  bool offline = false;
  /// Variables that tools are found by, as they were in the environment.
  std::map<std::string, std::string, std::less<>> variables = {};
  /// Receives warnings and more, from any thread; `KERNIX_LOG` (error, warning, info, debug) says how much the default
  /// writes to stderr.
  std::function<void(log_level, std::string_view)> log = default_log(log_level::warning);
  /// Variables whose values could not be used, one sentence each.
  std::vector<std::string> problems = {};

  /// The value of a variable; empty if it is unset or empty.
  std::string_view variable(std::string_view key) const noexcept {
    auto at = variables.find(key);
    return at == variables.end() ? std::string_view{} : std::string_view(at->second);
  }

  static std::function<void(log_level, std::string_view)> default_log(log_level most) {
    return [most](log_level level, std::string_view text) {
      if (level > most) return;
      std::string line = "kernix: " + std::string(name(level)) + ": " + std::string(text) + '\n';
      std::fwrite(line.data(), 1, line.size(), stderr);
    };
  }

  /// Reads an environment given as `NAME=VALUE` strings, ended by a null pointer.
  static settings from(const char* const* environment);

  /// Reads this process' environment. Not to be called while another thread changes the environment.
  static settings from_environment() { return from(::environ); }
};

}  // namespace kernix

#include <kernix/core/detail/settings_parse.hpp>
