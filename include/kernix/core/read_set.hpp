// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <string>
#include <tuple>
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
  /// The file's signature where it was read, if that proves the content; all zeros if not. No part of its identity: it
  /// saves who looks from the same place from reading the file again.
  stat_signature seen = {};

  friend std::strong_ordering operator<=>(const read_file& a, const read_file& b) noexcept {
    return std::tie(a.root, a.path, a.content) <=> std::tie(b.root, b.path, b.content);
  }
  friend bool operator==(const read_file& a, const read_file& b) noexcept { return (a <=> b) == 0; }
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
