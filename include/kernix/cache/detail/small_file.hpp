// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <kernix/core/digest.hpp>
#include <kernix/core/hasher.hpp>
#include <kernix/detail/descriptor.hpp>
#include <kernix/detail/private_directory.hpp>

namespace kernix::detail {

/// How a look at a file of the cache ended.
enum class file_state {
  good,
  absent,
  unreadable,  ///< There is something that this user may not, or can't, read.
  damaged,     ///< It is not what was written: no regular file, or other bytes.
};

/// Opens a regular file of the cache, never through a link, never waiting for a named pipe's writer.
inline file_state open_regular(const std::filesystem::path& path, descriptor& file, std::uint64_t& size) {
  file = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return file_state::absent;
    return errno == ELOOP || errno == ENXIO ? file_state::damaged : file_state::unreadable;
  }
  struct stat found {};
  if (::fstat(file.get(), &found) != 0) return file_state::unreadable;
  if (!S_ISREG(found.st_mode)) return file_state::damaged;
  size = static_cast<std::uint64_t>(found.st_size);
  return file_state::good;
}

/// Reads a whole file of the cache.
inline file_state read_whole(const std::filesystem::path& path, std::string& text) {
  constexpr std::uint64_t limit = std::uint64_t{64} << 20;
  descriptor file;
  std::uint64_t size = 0;
  if (file_state state = open_regular(path, file, size); state != file_state::good) return state;
  if (size > limit) return file_state::damaged;
  text.resize(static_cast<std::size_t>(size));
  std::size_t filled = 0;
  while (filled < text.size()) {
    ssize_t count = read_some(file, text.data() + filled, text.size() - filled);
    if (count < 0) return file_state::unreadable;
    if (count == 0) return file_state::damaged;
    filled += static_cast<std::size_t>(count);
  }
  return file_state::good;
}

/// Reads a file to its end and computes its digest, writing it to `to` on the way where one is given. `errno` tells
/// why the result is not `good`; `unreadable` is a failed write as well.
inline file_state digest_of(const descriptor& from, digest& content, const descriptor* to = nullptr) {
  constexpr std::size_t block = std::size_t{128} << 10;
  auto buffer = std::make_unique<char[]>(block);
  hasher sum;
  for (;;) {
    ssize_t count = read_some(from, buffer.get(), block);
    if (count < 0) return file_state::unreadable;
    std::string_view bytes(buffer.get(), static_cast<std::size_t>(count));
    if (bytes.empty()) break;
    sum.bytes(bytes);
    if (to && !write_all(*to, bytes)) return file_state::unreadable;
  }
  content = sum.finish();
  return file_state::good;
}

/// Checks size and digest of a file.
inline file_state verify_file(const std::filesystem::path& path, std::uint64_t bytes, const digest& content) {
  descriptor file;
  std::uint64_t size = 0;
  if (file_state state = open_regular(path, file, size); state != file_state::good) return state;
  if (size != bytes) return file_state::damaged;
  digest found;
  if (file_state state = digest_of(file, found); state != file_state::good) return state;
  return found == content ? file_state::good : file_state::damaged;
}

/// Makes a file that did not exist, with this mode whatever the umask is; empty, with `errno` set, after an error.
inline descriptor create_file(const std::filesystem::path& path, mode_t mode) {
  descriptor file = open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  if (file && ::fchmod(file.get(), mode) != 0) return {};
  return file;
}

/// Writes a new file. Returns 0 or the error number.
inline int write_new_file(const std::filesystem::path& path, std::string_view text, mode_t mode) {
  descriptor file = create_file(path, mode);
  return file && write_all(file, text) ? 0 : errno;
}

/// Copies a file whose content is known, checking that content on the way: the copy is what was hashed, whatever
/// somebody does to the original. Returns 0 or the error number; EIO if it is not the expected content.
inline int copy_checked(const std::filesystem::path& from, const std::filesystem::path& to, const digest& content) {
  descriptor source = open_file(from, O_RDONLY | O_NONBLOCK);
  if (!source) return errno;
  descriptor target = create_file(to, 0444);
  if (!target) return errno;
  digest found;
  if (digest_of(source, found, &target) != file_state::good) return errno ? errno : EIO;
  return found == content ? 0 : EIO;
}

/// Puts a file in the place of another, or of nothing, at once: a reader sees the old bytes or the new. `staged` is a
/// free name on the same filesystem. Returns 0 or the error number.
inline int replace_file(const std::filesystem::path& path, std::string_view text, const std::filesystem::path& staged,
                        mode_t mode = 0644) {
  if (int failed = write_new_file(staged, text, mode); failed != 0) {
    ::unlink(staged.c_str());
    return failed;
  }
  if (std::rename(staged.c_str(), path.c_str()) == 0) return 0;
  int failed = errno;
  if (failed == ENOENT && make_private_directories(path.parent_path()) == 0) {
    failed = std::rename(staged.c_str(), path.c_str()) == 0 ? 0 : errno;
  }
  if (failed != 0) ::unlink(staged.c_str());
  return failed;
}

/// Removes a directory with all that is in it; what resists stays.
inline void remove_tree(const std::filesystem::path& directory) noexcept {
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
}

}  // namespace kernix::detail
