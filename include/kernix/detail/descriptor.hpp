// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

namespace kernix::detail {

/// Owns a file descriptor.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  explicit operator bool() const noexcept { return fd_ >= 0; }
  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// Opens a file close-on-exec; empty after an error, with `errno` set. Never takes 0, 1 or 2, which a host may have
/// closed and whose users would then write into our file.
inline descriptor open_file(const std::filesystem::path& path, int flags, mode_t mode = 0) noexcept {
  int fd;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
  } while (fd < 0 && errno == EINTR);
  descriptor opened(fd);
  if (fd < 0 || fd > 2) return opened;
  return descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

/// Reads up to `size` bytes; 0 at the end, -1 after an error.
inline ssize_t read_some(const descriptor& from, char* buffer, std::size_t size) noexcept {
  ssize_t count;
  do {
    count = ::read(from.get(), buffer, size);
  } while (count < 0 && errno == EINTR);
  return count;
}

/// Writes all of `data`; false, with `errno` set, if that fails.
inline bool write_all(const descriptor& to, std::string_view data) noexcept {
  while (!data.empty()) {
    ssize_t count = ::write(to.get(), data.data(), data.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    data.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace kernix::detail
