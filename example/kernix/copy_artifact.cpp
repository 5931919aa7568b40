// SPDX-License-Identifier: Apache-2.0
#include "copy_artifact.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace tool {

namespace fs = std::filesystem;

namespace {

/// Read before main, while there is one thread: it can only be read by setting it.
const ::mode_t file_mode_mask = [] {
  ::mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}();

}  // namespace

kernix::result<fs::path> copy_whole(const fs::path& from, const fs::path& to) {
  auto failed = [&](const std::error_code& why) {
    return kernix::refuse(kernix::errc::disk_full, "can't write " + to.native() + ": " + why.message());
  };
  // a dot in front, so that nobody's glob picks up half a file
  std::string temporary = (to.parent_path() / ("." + to.filename().native() + ".XXXXXX")).native();
  int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) return failed({errno, std::generic_category()});
  ::close(descriptor);
  std::error_code error;
  fs::copy_file(from, temporary, fs::copy_options::overwrite_existing, error);
  // a copy has the mode of `from`, which depends on who made that: the compiler or the cache
  if (!error) fs::permissions(temporary, static_cast<fs::perms>(0644 & ~file_mode_mask), error);
  if (!error) fs::rename(temporary, to, error);
  if (error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return failed(error);
  }
  return to;
}

}  // namespace tool
