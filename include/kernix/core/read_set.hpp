// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <kernix/core/digest.hpp>

namespace kernix {

/// What `stat` says of a file. While it is unchanged, and older than the look that recorded it, the content is too.
struct stat_signature {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;

  friend bool operator==(const stat_signature&, const stat_signature&) = default;
};

/// A named directory that read files are recorded against: a place that may differ from one request to the next.
struct root {
  std::string name;                 ///< `include0`, `source`: the name of its link in the workspace.
  std::filesystem::path directory;  ///< Absolute.
};

/// The name of the root of files outside the request's directories; their paths are absolute.
inline constexpr const char* system_root = "system";

/// One file that a compile read.
struct read_file {
  std::string root;  ///< The name of a root.
  std::string path;  ///< Relative to it, as the compiler went: may hold `..`.
  digest content;

  friend auto operator<=>(const read_file&, const read_file&) = default;
};

/// A path that a compile looked at, or would have looked at first, and where nothing was: a file that appears there
/// changes what the same source means.
struct absent_file {
  std::string root;
  std::string path;

  friend auto operator<=>(const absent_file&, const absent_file&) = default;
};

/// What an outcome depends on beside its key. It answers only while every file has its content, and every absent one
/// is absent. May be empty.
struct read_set {
  std::vector<read_file> files;
  std::vector<absent_file> absent;

  friend bool operator==(const read_set&, const read_set&) = default;
};

}  // namespace kernix
