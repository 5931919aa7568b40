// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <kernix/cache/detail/small_file.hpp>
#include <kernix/detail/tagged_record.hpp>

namespace kernix {

/// Who holds a build lock. Stands in a file beside the lock, since reading the lock file itself would drop the lock.
/// For people only: nobody is ever robbed because of what it says.
struct lock_owner {
  std::int64_t process = 0;
  std::string host;
  std::int64_t since_s = 0;  ///< Seconds since the epoch.
  std::string request;       ///< The name of what is built.

  static lock_owner self(std::string_view request) {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    return {::getpid(), host, static_cast<std::int64_t>(::time(nullptr)), std::string(request)};
  }

  /// "process 4711 on alpha, which has been building "axpy" since 2026-12-01 14:03:22 UTC"
  std::string sentence() const {
    const auto since = static_cast<std::time_t>(since_s);
    char when[64] = "?";
    std::tm utc{};
    if (::gmtime_r(&since, &utc)) ::strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &utc);
    return "process " + std::to_string(process) + " on " + host + ", which has been building \"" + request +
           "\" since " + when;
  }
};

namespace detail {

inline std::filesystem::path owner_file(std::filesystem::path lock) { return lock += ".owner"; }

/// Says beside the lock who holds it. Only the holder calls this, so a constant name for the new file is free. What
/// goes wrong here costs a sentence, nothing else.
inline void write_owner(const std::filesystem::path& lock, const lock_owner& owner) {
  record_writer record;
  record.i64(1, owner.process).string(2, owner.host).i64(3, owner.since_s).string(4, owner.request);
  std::filesystem::path staged = owner_file(lock);
  staged += ".new";
  ::unlink(staged.c_str());
  (void)replace_file(owner_file(lock), record.sealed("kernix-owner\n", 1), staged);
}

inline std::optional<lock_owner> read_owner(const std::filesystem::path& lock) {
  std::string text;
  if (read_whole(owner_file(lock), text) != file_state::good) return std::nullopt;
  auto record = record_reader::open(text, "kernix-owner\n", 1);
  if (!record) return std::nullopt;
  return lock_owner{record->i64(1).value_or(0), std::string(record->string(2).value_or("")), record->i64(3).value_or(0),
                    std::string(record->string(4).value_or(""))};
}

}  // namespace detail
}  // namespace kernix
