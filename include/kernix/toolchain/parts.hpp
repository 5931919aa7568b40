// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/toolchain.hpp>
#include <kernix/detail/digest_memo.hpp>
#include <kernix/detail/stat_signature.hpp>
#include <kernix/toolchain/detail/path_lookup.hpp>

namespace kernix {
namespace detail {

/// The PATH of everything that is started for a toolchain's driver.
inline std::string child_path(const std::filesystem::path& program) {
  return program.parent_path().native() + ":/usr/local/bin:/usr/bin:/bin";
}

/// Wrappers that can't change what the compiler makes: their names are identity enough, and an update of theirs is no
/// reason to build everything again.
inline bool is_transparent_wrapper(const std::filesystem::path& program) {
  constexpr std::string_view names[] = {"ccache", "sccache", "distcc", "icecc", "env", "nice", "ionice", "timeout"};
  return std::find(std::begin(names), std::end(names), program.filename().native()) != std::end(names);
}

/// Keeps the places that exist of those where a backend says that libraries may be, and
/// completes the list of parts: the driver first, then a wrapper that isn't known to be transparent, then what the
/// backend named, bare names resolved where a child would find them. A part that is nowhere stays, as absent beside the driver.
inline void complete_parts(toolchain& tool) {
  std::vector<toolchain_part> named = std::exchange(tool.parts, {});
  auto add = [&](std::filesystem::path path) {
    for (const toolchain_part& each : tool.parts) {
      if (each.path == path) return;
    }
    tool.parts.push_back({std::move(path), {}, {}});
  };
  std::erase_if(tool.library_directories, [](const std::filesystem::path& each) {
    std::error_code ignored;
    return !std::filesystem::is_directory(each, ignored);
  });
  add(tool.program);
  for (const std::string& word : tool.wrapper) {
    if (word.starts_with('/') && !is_transparent_wrapper(word)) add(word);
  }
  const auto directories = directories_of(child_path(tool.program));
  for (const toolchain_part& part : named) {
    if (part.path.is_absolute()) {
      add(part.path);
      continue;
    }
    if (part.path.empty()) continue;
    auto there = std::find_if(directories.begin(), directories.end(), [&](const std::filesystem::path& directory) {
      return signature_of(directory / part.path).has_value();
    });
    add((there == directories.end() ? directories.front() : *there) / part.path);
  }
}

/// Fills in contents and signatures. False if a file is so new that its signature proves nothing yet: that signature
/// is left empty, which no file has. An absent part's digest is all zeros.
inline bool hash_parts(toolchain& tool, digest_memo& digests) {
  bool all_settled = true;
  for (toolchain_part& part : tool.parts) {
    auto found = digests.content_with_signature(part.path);
    part.content = found ? found->content : digest{};
    part.signature = found && found->settled ? found->signature : stat_signature{};
    all_settled = all_settled && (!found || found->settled);
  }
  return all_settled;
}

inline bool is_absent(const toolchain_part& part) { return part.content == digest{}; }

}  // namespace detail

/// Whether the files of a toolchain, and of its host compiler, are those that it was identified by. Looks at stat
/// signatures only: false means "look closer". Blocks on the disk.
inline bool unchanged(const toolchain& tool) {
  for (const toolchain_part& part : tool.parts) {
    auto now = detail::signature_of(part.path);
    if (detail::is_absent(part) ? now.has_value() : now != part.signature) return false;
  }
  return !tool.host || unchanged(*tool.host);
}

/// The same, where a file with another signature is read again: one that was copied or touched has not changed.
inline bool unchanged(const toolchain& tool, detail::digest_memo& digests) {
  for (const toolchain_part& part : tool.parts) {
    if (!detail::is_absent(part) && detail::signature_of(part.path) == part.signature) continue;
    if (digests.content(part.path).value_or(digest{}) != part.content) return false;
  }
  return !tool.host || unchanged(*tool.host, digests);
}

}  // namespace kernix
