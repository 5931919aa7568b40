// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <kernix/cache/detail/small_file.hpp>
#include <kernix/cache/held_files.hpp>
#include <kernix/cache/result_meta.hpp>
#include <kernix/core/compile_outcome.hpp>

// A result is a directory that is written in `staging`, made whole by one rename, and never changed: its artifacts, and
// `meta`, which says what they must be. Nothing is synced to the disk, which would cost more than the rest of
// publishing taken together: what a power cut tears is found by its digest, and compiled again.

namespace kernix::detail {

inline bool is_real_directory(const std::filesystem::path& path) noexcept {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

/// What was read of a result, and what is wrong with it where it isn't good.
struct entry_look {
  file_state state = file_state::absent;
  std::string culprit = {};  ///< The file that is damaged or unreadable.
  result_meta meta = {};     ///< With the artifacts' paths as they may be handed out.
};

/// A file of a result that isn't there: either somebody removed the whole result, or it is damaged.
inline file_state blame(file_state state, const std::filesystem::path& directory) noexcept {
  return state == file_state::absent && is_real_directory(directory) ? file_state::damaged : state;
}

/// Opens a result: links its files into `held` and checks them there, so that what was checked is what is handed out.
/// Where they can't be linked or copied (or `held` is null) they are checked in place, and their own paths handed out.
inline entry_look open_entry(const std::filesystem::path& directory, const digest& key, const held_directory* held) {
  entry_look look;
  std::string text;
  look.culprit = "meta";
  look.state = blame(read_whole(directory / look.culprit, text), directory);
  if (look.state != file_state::good) return look;
  auto meta = decode_result_meta(text);
  if (!meta || meta->key != key) {
    look.state = file_state::damaged;
    return look;
  }
  look.meta = std::move(*meta);
  for (artifact& each : look.meta.artifacts) {
    look.culprit = each.path.string();
    const std::filesystem::path stored = directory / each.path;
    const std::filesystem::path own = held ? held->path() / each.path : std::filesystem::path{};
    each.path = held && link_or_copy(stored, own, each.content) == 0 ? own : stored;
    look.state = blame(verify_file(each.path, each.bytes, each.content), directory);
    if (look.state != file_state::good) return look;
  }
  return look;
}

/// Notes that a result was used, for those who remove the longest unused ones. A cache that can't be written to goes
/// without.
inline void touch_entry(const std::filesystem::path& directory) noexcept {
  (void)::utimensat(AT_FDCWD, (directory / "meta").c_str(), nullptr, 0);
}

/// Writes a result into the new directory `staged`, and gives each artifact a second name in `held`. The bytes are
/// copied, not linked: the originals are others' (a scratch directory that may be kept for inspection), who may write
/// to them. `meta` is completed with sizes and with the paths in `held`. Returns 0 or the error number; EIO where an
/// artifact is not what its digest says.
inline int write_entry(const std::filesystem::path& staged, result_meta& meta, const held_directory& held) {
  if (int failed = make_private_directory(staged); failed != 0) return failed;
  for (std::size_t i = 0; i < meta.artifacts.size(); ++i) {
    artifact& each = meta.artifacts[i];
    const std::string name = artifact_file_name(each.kind, i);
    if (int failed = copy_checked(each.path, staged / name, each.content); failed != 0) return failed;
    struct stat written {};
    if (::lstat((staged / name).c_str(), &written) != 0) return errno;
    each.bytes = static_cast<std::uint64_t>(written.st_size);
    each.path = held.path() / name;
    if (int failed = link_or_copy(staged / name, each.path, each.content); failed != 0) return failed;
  }
  return write_new_file(staged / "meta", encode(meta), 0444);
}

/// Makes a written result visible, whole. Returns 0 or the error number.
inline int publish_entry(const std::filesystem::path& staged, const std::filesystem::path& result) {
  if (int failed = make_private_directories(result.parent_path()); failed != 0) return failed;
  return std::rename(staged.c_str(), result.c_str()) == 0 ? 0 : errno;
}

}  // namespace kernix::detail
