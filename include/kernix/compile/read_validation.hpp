// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <kernix/core/read_set.hpp>
#include <kernix/detail/digest_memo.hpp>

namespace kernix {

namespace detail {

/// Where a recorded path is for a request with these roots; empty if the request has no such root.
inline std::string recorded_place(std::string_view root_name, const std::string& path, std::span<const root> roots) {
  if (root_name == system_root) return path;
  for (const root& each : roots) {
    if (each.name == root_name) return each.directory.native() + '/' + path;
  }
  return {};
}

/// Calls `differs(path, what)` at the first difference and returns false; returns true if there is none.
template <class Differs>
bool compare_reads(const read_set& recorded, std::span<const root> roots, digest_memo& digests, Differs differs) {
  for (const absent_file& each : recorded.absent) {
    const std::string place = recorded_place(each.root, each.path, roots);
    struct stat status;
    if (place.empty() || ::stat(place.c_str(), &status) == 0) {
      differs(place.empty() ? each.path : place, place.empty() ? "belongs to a directory that the request doesn't have" : "exists now and comes first in a search");
      return false;
    }
  }
  for (const read_file& each : recorded.files) {
    const std::string place = recorded_place(each.root, each.path, roots);
    if (!place.empty() && each.seen != stat_signature{}) digests.believe(place, each.seen, each.content);
    const auto content = place.empty() ? std::nullopt : digests.content(place);
    if (!content || *content != each.content) {
      differs(place.empty() ? each.path : place,
              place.empty() ? "belongs to a directory that the request doesn't have"
                            : content ? "has changed" : "is gone or can't be read");
      return false;
    }
  }
  return true;
}

}  // namespace detail

/// Whether all that a compile read is still as it was, for a request with these roots. Blocks on the disk: one `stat` a
/// file while nothing has changed. Thread-safe.
inline bool still_valid(const read_set& recorded, std::span<const root> roots, detail::digest_memo& digests) {
  return detail::compare_reads(recorded, roots, digests, [](const std::string&, const char*) {});
}

/// The first difference as a sentence: "/src/axpy.h has changed"; nothing if there is none.
inline std::optional<std::string> first_difference(const read_set& recorded, std::span<const root> roots,
                                                   detail::digest_memo& digests) {
  std::optional<std::string> sentence;
  detail::compare_reads(recorded, roots, digests,
                        [&](const std::string& path, const char* what) { sentence = path + ' ' + what; });
  return sentence;
}

}  // namespace kernix
