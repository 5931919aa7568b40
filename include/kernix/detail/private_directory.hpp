// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

namespace kernix::detail {

inline std::string system_message(int error) { return std::generic_category().message(error); }

/// 32 hexadecimal digits from the kernel: no two processes, hosts or forks ever draw the same ones, as they would from
/// a clock, a process id or a seed.
inline std::string random_name() {
  unsigned char bytes[16];
  while (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  constexpr char digits[] = "0123456789abcdef";
  std::string name;
  for (unsigned char byte : bytes) {
    name += digits[byte >> 4];
    name += digits[byte & 15];
  }
  return name;
}

/// Why code that lies in `directory` can't be loaded: a sentence, or nothing if it can be trusted. Trusted is what
/// belongs to this user or to root, and what nobody else can write to. In a sticky directory (`/tmp`) others can't
/// touch what is ours, so such a one may hold a private directory, but no code.
inline std::string distrust(const std::filesystem::path& directory, bool may_be_sticky) {
  struct stat found {};
  const int failed = may_be_sticky ? ::stat(directory.c_str(), &found) : ::lstat(directory.c_str(), &found);
  if (failed != 0) return directory.string() + ": " + system_message(errno);
  if (!S_ISDIR(found.st_mode)) return directory.string() + " is not a directory";
  if (found.st_uid != ::geteuid() && found.st_uid != 0) {
    return directory.string() + " belongs to another user (uid " + std::to_string(found.st_uid) + ")";
  }
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !(may_be_sticky && (found.st_mode & S_ISVTX) != 0)) {
    return directory.string() + " can be written to by other users ('chmod go-w' on it helps)";
  }
  return {};
}

/// Makes a directory that only this user can enter, whatever the umask is. An existing one is left as it is. Returns 0
/// or the error number.
inline int make_private_directory(const std::filesystem::path& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0) return errno == EEXIST ? 0 : errno;
  if (::chmod(directory.c_str(), 0700) != 0) return errno;
  return 0;
}

/// The same, and all that is missing above it.
inline int make_private_directories(const std::filesystem::path& directory) {
  int failed = make_private_directory(directory);
  if (failed != ENOENT || !directory.has_relative_path()) return failed;
  if (int above = make_private_directories(directory.parent_path()); above != 0) return above;
  return make_private_directory(directory);
}

}  // namespace kernix::detail
