// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <kernix/detail/stat_signature.hpp>

namespace kernix::test {

/// A directory of its own that is removed, with all that is in it, at the end of the test.
class temporary_tree {
 public:
  temporary_tree() {
    std::string name = (std::filesystem::temp_directory_path() / "kernix-tree-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp " + name);
    root_ = std::filesystem::canonical(name);
  }
  temporary_tree(const temporary_tree&) = delete;
  ~temporary_tree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  const std::filesystem::path& root() const noexcept { return root_; }
  std::filesystem::path operator/(std::string_view name) const { return root_ / name; }

  /// Writes a file, in place if it exists; its directories are made.
  std::filesystem::path file(std::string_view name, std::string_view text) const {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  /// Writes an executable shell script.
  std::filesystem::path script(std::string_view name, std::string_view body) const {
    const std::filesystem::path path = file(name, "#!/bin/sh\n" + std::string(body) + '\n');
    ::chmod(path.c_str(), 0755);
    return path;
  }

  std::filesystem::path link(std::string_view name, const std::filesystem::path& target) const {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::remove(path);
    std::filesystem::create_symlink(target, path);
    return path;
  }

 private:
  std::filesystem::path root_;
};

/// Returns when the kernel's file clock has ticked: what was written before has settled. Kernels with fine-grained stamps
/// may stamp a file with the exact time, ahead of the ticking clock, and ticks may be late: so one tick is not enough.
inline void wait_for_file_clock_tick() {
  timespec exact{};
  ::clock_gettime(CLOCK_REALTIME, &exact);
  const std::int64_t now = detail::nanoseconds_of(exact);
  while (detail::file_clock_ns() <= now) {
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

/// Sets a file's modification time back to what it was: what `cp -p` or a package manager may do.
inline void set_mtime(const std::filesystem::path& path, std::int64_t mtime_ns) {
  const timespec times[2] = {{0, UTIME_OMIT}, {mtime_ns / 1'000'000'000, mtime_ns % 1'000'000'000}};
  if (::utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) throw std::runtime_error("utimensat " + path.string());
}

}  // namespace kernix::test
