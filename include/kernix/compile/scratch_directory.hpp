// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <kernix/compile/detail/process_stamp.hpp>
#include <kernix/core/refusal.hpp>
#include <kernix/detail/private_directory.hpp>

namespace kernix {

/// A directory for one compile, with a directory `tmp` in it, that only this user can enter. Removed with all that is in
/// it when this ends, links not followed; a forked child's copy removes nothing. Blocks on the disk.
class scratch_directory {
 public:
  scratch_directory() = default;

  /// Makes one below `parent`, with a name that no other process, host or fork draws. With `kept`, nobody ever removes it.
  static result<scratch_directory> make(const std::filesystem::path& parent, bool kept = false) {
    int failed = 0;
    for (int round = 0; round < 8; ++round) {
      std::string name = (kept ? std::string(kept_prefix) : std::string()) + detail::process_stamp() + '.' + detail::random_name();
      std::filesystem::path path = parent / name;
      // Unlike `make_private_directory`, an existing one is not ours.
      failed = ::mkdir(path.c_str(), 0700) == 0 ? 0 : errno;
      if (failed == EEXIST) continue;
      if (failed != 0) break;
      scratch_directory made(std::move(path), kept);
      failed = ::chmod(made.path_.c_str(), 0700) == 0 ? detail::make_private_directory(made.path_ / "tmp") : errno;
      if (failed == 0) return made;
      made.kept_ = false;
      break;
    }
    return refuse(errc::disk_full, "no scratch directory can be made in " + parent.string() + ": " + detail::system_message(failed));
  }

  scratch_directory(scratch_directory&& other) noexcept { swap(other); }
  scratch_directory& operator=(scratch_directory&& other) noexcept {
    scratch_directory taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~scratch_directory() {
    if (path_.empty() || kept_ || process_ != ::getpid()) return;
    std::error_code ignored;
    try {
      std::filesystem::remove_all(path_, ignored);
    } catch (...) {  // no memory: the next sweep of a later process will do it
    }
  }

  explicit operator bool() const noexcept { return !path_.empty(); }
  const std::filesystem::path& path() const noexcept { return path_; }
  bool kept() const noexcept { return kept_; }

  static constexpr std::string_view kept_prefix = "kept.";

 private:
  scratch_directory(std::filesystem::path path, bool kept) : path_(std::move(path)), kept_(kept) {}

  void swap(scratch_directory& other) noexcept {
    path_.swap(other.path_);
    std::swap(kept_, other.kept_);
    std::swap(process_, other.process_);
  }

  std::filesystem::path path_;
  bool kept_ = false;
  pid_t process_ = ::getpid();
};

/// Removes what processes that are gone left in `parent`, a directory of this user alone. Blocks on the disk; what goes
/// wrong is somebody else's turn.
inline void sweep_scratch(const std::filesystem::path& parent) {
  std::error_code ignored;
  std::filesystem::directory_iterator at(parent, ignored);
  for (; !ignored && at != std::filesystem::directory_iterator(); at.increment(ignored)) {
    std::error_code failed;
    if (detail::is_dead(at->path().filename().native())) std::filesystem::remove_all(at->path(), failed);
  }
}

}  // namespace kernix
