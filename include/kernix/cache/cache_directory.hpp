// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <kernix/cache/detail/small_file.hpp>
#include <kernix/core/digest.hpp>
#include <kernix/detail/private_directory.hpp>

namespace kernix {

/// Where things lie in a cache directory:
///
/// ```
/// CACHEDIR.TAG               tells backup programs to pass
/// v1/manifests/ab/<key>      which results a key has, replaced by rename
/// v1/results/ab/<id>/        one result, immutable, renamed into place whole
/// v1/locks/ab/<key>          build locks; <key>.owner says who holds one; `sweep` is held shared by all builders
/// v1/staging/                what is being written
/// v1/holds/<process>/        links to what a process has handed out
/// ```
///
/// Nothing is touched before `open`. Thread-safe; blocks on the disk.
class cache_directory {
 public:
  /// What the directory is good for.
  struct access {
    bool readable = false;
    bool writable = false;
    std::string problem = {};  ///< Why it isn't writable, or not even readable.
  };

  /// A relative path is relative to the current directory now: the host may change it later.
  explicit cache_directory(const std::filesystem::path& directory) : top_(directory) {
    std::error_code error;
    if (std::filesystem::path absolute = std::filesystem::absolute(directory, error); !error && !directory.empty()) {
      top_ = absolute;
    }
  }

  /// Makes what is missing and checks what is there. Success is remembered; after a failure the next call tries again,
  /// since disks get space and mounts appear.
  access open() {
    std::lock_guard guard(mutex_);
    if (opened_.writable) return opened_;
    opened_ = look();
    return opened_;
  }

  /// Has the next `open` look again: somebody removed what was there.
  void forget() {
    std::lock_guard guard(mutex_);
    opened_ = {};
  }

  const std::filesystem::path& top() const noexcept { return top_; }
  std::filesystem::path version() const { return top_ / "v1"; }
  std::filesystem::path manifest(const digest& key) const { return bucket("manifests", key.hex()); }
  std::filesystem::path result(std::string_view id) const { return bucket("results", id); }
  std::filesystem::path lock(const digest& key) const { return bucket("locks", key.hex()); }
  std::filesystem::path sweep_lock() const { return version() / "locks" / "sweep"; }
  std::filesystem::path staging() const { return version() / "staging"; }
  std::filesystem::path holds() const { return version() / "holds"; }

 private:
  std::filesystem::path bucket(const char* kind, std::string_view name) const {
    return version() / kind / name.substr(0, 2) / name;
  }

  access look() const {
    if (top_.empty() || !top_.is_absolute()) return {.problem = "no cache directory is known"};
    if (int failed = detail::make_private_directories(top_); failed != 0) return refused(top_, failed);
    if (std::string why = detail::distrust(top_, true); !why.empty()) return {.problem = std::move(why)};
    if (int failed = detail::make_private_directory(version()); failed != 0) return refused(version(), failed);
    if (std::string why = detail::distrust(version(), false); !why.empty()) return {.problem = std::move(why)};
    if (::faccessat(AT_FDCWD, version().c_str(), R_OK | X_OK, AT_EACCESS) != 0) return refused(version(), errno);

    access found{.readable = true};
    int failed = ::faccessat(AT_FDCWD, version().c_str(), W_OK, AT_EACCESS) == 0 ? 0 : errno;
    for (const char* kind : {"manifests", "results", "locks", "staging", "holds"}) {
      if (failed == 0) failed = detail::make_private_directory(version() / kind);
    }
    found.writable = failed == 0;
    if (failed != 0) found.problem = refused(version(), failed).problem;
    if (found.writable) tag();
    return found;
  }

  static access refused(const std::filesystem::path& where, int error) {
    return {.problem = where.string() + ": " + detail::system_message(error)};
  }

  /// https://bford.info/cachedir/
  void tag() const {
    (void)detail::write_new_file(top_ / "CACHEDIR.TAG",
                                 "Signature: 8a477f597d28d172789f06886806bc55\n"
                                 "# This directory holds compiled kernels. It can be removed at any time.\n",
                                 0644);
  }

  std::filesystem::path top_;
  std::mutex mutex_;
  access opened_;
};

}  // namespace kernix
