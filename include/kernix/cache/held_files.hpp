// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <kernix/cache/detail/small_file.hpp>
#include <kernix/detail/lock_table.hpp>
#include <kernix/detail/private_directory.hpp>

namespace kernix::detail {

/// A directory of this process' own, for links to what it has handed out. Removed with its last user; what a killed
/// process leaves is removed by `sweep_holds`, which can tell because a living one holds the lock `alive` in it.
class hold_place {
 public:
  /// Makes one below `holds`; null, with the error number in `error`, if that can't be done.
  static std::shared_ptr<hold_place> make(const std::filesystem::path& holds, int& error) {
    for (int round = 0; round < 3; ++round) {
      std::string name = std::to_string(::getpid()) + '-' + random_name();
      std::filesystem::path directory = holds / name;
      if (error = make_private_directory(directory); error != 0) return nullptr;
      lock_attempt attempt = lock_table::instance().try_acquire(directory / "alive");
      // A sweeper may take the new directory for a dead one's before it is locked.
      if (attempt.how == lock_attempt::state::busy || ::access(directory.c_str(), F_OK) != 0) continue;
      return std::shared_ptr<hold_place>(
          new hold_place(std::move(name), std::move(directory), std::move(attempt.lock)));
    }
    error = EBUSY;
    return nullptr;
  }

  hold_place(const hold_place&) = delete;
  hold_place& operator=(const hold_place&) = delete;
  ~hold_place() {
    if (process_ == ::getpid()) remove_tree(directory_);
  }

  /// Unique among all processes: also the prefix of what this process stages.
  const std::string& name() const noexcept { return name_; }
  const std::filesystem::path& directory() const noexcept { return directory_; }
  std::string next() { return std::to_string(count_.fetch_add(1, std::memory_order_relaxed)); }

 private:
  hold_place(std::string name, std::filesystem::path directory, held_lock alive)
      : name_(std::move(name)), directory_(std::move(directory)), alive_(std::move(alive)) {}

  std::string name_;
  std::filesystem::path directory_;
  held_lock alive_;
  std::atomic<std::uint64_t> count_{0};
  const pid_t process_ = ::getpid();
};

/// The files of one outcome: removed when the last copy of the outcome is gone. A forked child's copies remove nothing.
class held_directory {
 public:
  held_directory(std::filesystem::path directory, std::shared_ptr<hold_place> place)
      : directory_(std::move(directory)), place_(std::move(place)) {}
  held_directory(const held_directory&) = delete;
  held_directory& operator=(const held_directory&) = delete;
  ~held_directory() {
    if (process_ == ::getpid()) remove_tree(directory_);
  }

  const std::filesystem::path& path() const noexcept { return directory_; }

 private:
  std::filesystem::path directory_;
  std::shared_ptr<hold_place> place_;
  const pid_t process_ = ::getpid();
};

/// A new directory in `place`. Its path is never used again in this process' life, nor in another's: `dlopen` takes an
/// object that it has loaded from an equal path for the same one. Null, with the error number in `error`, on failure.
inline std::shared_ptr<held_directory> hold_in(const std::shared_ptr<hold_place>& place, int& error) {
  std::filesystem::path directory = place->directory() / place->next();
  if (error = make_private_directory(directory); error != 0) return nullptr;
  return std::make_shared<held_directory>(std::move(directory), place);
}

/// The same outside the cache, where the cache can't be written to.
inline std::shared_ptr<held_directory> hold_outside(std::string_view temporary_directory, int& error) {
  std::filesystem::path directory(temporary_directory.empty() ? "/tmp" : temporary_directory);
  directory /= "kernix-held-" + random_name();
  if (::mkdir(directory.c_str(), 0700) != 0) {  // one that exists is somebody else's
    error = errno;
    return nullptr;
  }
  auto held = std::make_shared<held_directory>(directory, nullptr);
  error = ::chmod(directory.c_str(), 0700) == 0 ? 0 : errno;
  return error == 0 ? held : nullptr;
}

/// Gives a file a second name, or copies it where that isn't possible. Returns 0 or the error number.
inline int link_or_copy(const std::filesystem::path& from, const std::filesystem::path& to, const digest& content) {
  // another filesystem, one without links, too many links, or a file of root's that this user may not link
  return ::link(from.c_str(), to.c_str()) == 0 ? 0 : copy_checked(from, to, content);
}

/// Whether kernix gave a place this name: a process id and a `random_name`. Nothing else is ever swept.
inline bool is_hold_name(std::string_view name) noexcept {
  const std::size_t dash = name.find('-');
  return dash != 0 && dash != std::string_view::npos && name.size() - dash == 33 &&
         name.find_first_not_of("0123456789") == dash &&
         name.find_first_not_of("0123456789abcdef", dash + 1) == std::string_view::npos;
}

/// Removes what dead processes left: their holds, and what they were staging.
inline void sweep_holds(const std::filesystem::path& holds, const std::filesystem::path& staging) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(holds, error), end; !error && at != end; at.increment(error)) {
    const std::filesystem::path& each = at->path();
    if (!is_hold_name(each.filename().native())) continue;
    lock_attempt attempt = lock_table::instance().try_acquire(each / "alive");
    if (attempt.how != lock_attempt::state::acquired) continue;
    const std::string prefix = each.filename().string() + "+";
    std::error_code ignored;
    for (std::filesystem::directory_iterator staged(staging, ignored), last; !ignored && staged != last;
         staged.increment(ignored)) {
      if (staged->path().filename().string().starts_with(prefix)) remove_tree(staged->path());
    }
    remove_tree(each);
  }
}

}  // namespace kernix::detail
