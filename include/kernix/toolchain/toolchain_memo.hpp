// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <kernix/core/hasher.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/detail/descriptor.hpp>
#include <kernix/detail/private_directory.hpp>
#include <kernix/detail/tagged_record.hpp>
#include <kernix/toolchain/detail/toolchain_record.hpp>
#include <kernix/toolchain/discovery.hpp>
#include <kernix/toolchain/parts.hpp>
#include <kernix/toolchain/search_report.hpp>

namespace kernix::detail {

inline constexpr std::string_view toolchain_memo_magic = "kernix-toolchain";
inline constexpr std::uint32_t toolchain_memo_version = 1;

/// The file that remembers what a search with these candidates found; empty without a cache directory.
inline std::filesystem::path toolchain_memo_path(const candidate_lists& lists, const settings& from) {
  if (from.cache_directory.empty()) return {};
  hasher sum;
  sum.field("backend", lists.backend).field("PATH", from.variable("PATH"));
  auto add = [&](std::string_view role, const std::vector<tool_candidate>& candidates) {
    for (const tool_candidate& each : candidates) {
      sum.field(role, each.origin).field("decisive", each.decisive ? "1" : "0");
      for (const std::string& word : each.words) sum.field("word", word);
    }
  };
  add("tool", lists.tools);
  add("host", lists.hosts);
  return from.cache_directory / "toolchains" / sum.finish().hex();
}

/// The content of a file that nobody but this user, or root, can have written; nothing otherwise.
inline std::optional<std::string> read_own_file(const std::filesystem::path& path, std::size_t limit) {
  descriptor file = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if ((status.st_uid != ::geteuid() && status.st_uid != 0) || (status.st_mode & 022) != 0) return std::nullopt;
  if (static_cast<std::size_t>(status.st_size) > limit) return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t count = read_some(file, text.data() + filled, text.size() - filled);
    if (count <= 0) return std::nullopt;
    filled += static_cast<std::size_t>(count);
  }
  return text;
}

/// What was found before, if it would be found again: the same candidates lead to the same program, and all its files
/// have the signatures that they were identified by. Anything else is no answer, and no error. Blocks on the disk.
inline std::optional<discovery> recall_toolchain(const candidate_lists& lists, const settings& from) {
  namespace tag = toolchain_tag;
  const std::filesystem::path path = toolchain_memo_path(lists, from);
  if (path.empty()) return std::nullopt;
  auto text = read_own_file(path, std::size_t{4} << 20);
  if (!text) return std::nullopt;
  auto record = record_reader::open(*text, toolchain_memo_magic, toolchain_memo_version);
  if (!record) return std::nullopt;
  auto tool = record->record(tag::tool);
  auto looks = record->records(tag::look);
  auto host_looks = record->records(tag::host_look);
  if (!tool || !looks || !host_looks || looks->empty()) return std::nullopt;
  discovery known;
  auto read_all = [](const std::vector<record_reader>& records, std::vector<examined_candidate>& to) {
    for (const record_reader& each : records) {
      auto look = read_look(each);
      if (!look) return false;
      to.push_back(std::move(*look));
    }
    return true;
  };
  if (!read_all(*looks, known.tools) || !read_all(*host_looks, known.hosts)) return std::nullopt;
  known.search.found = read_toolchain(*tool);
  if (!known.search.found || known.search.found->program != known.tools.back().what.program) return std::nullopt;
  if (!leads_to_the_same(known, lists, from) || !unchanged(*known.search.found)) return std::nullopt;
  report(known, lists);
  return known;
}

/// Remembers what was found, for this and other processes, unless it is too new to be recognised later. A failure costs
/// the next process a search. Blocks on the disk.
inline bool remember_toolchain(const discovery& found, const candidate_lists& lists, const settings& from) {
  namespace tag = toolchain_tag;
  const std::filesystem::path path = toolchain_memo_path(lists, from);
  if (path.empty() || !found.search.found || !found.lasting || !unchanged(*found.search.found)) return false;
  record_writer record;
  record.record(tag::tool, write_toolchain(*found.search.found));
  for (const examined_candidate& each : found.tools) record.record(tag::look, write_look(each));
  for (const examined_candidate& each : found.hosts) record.record(tag::host_look, write_look(each));
  const std::string text = record.sealed(toolchain_memo_magic, toolchain_memo_version);

  if (make_private_directories(path.parent_path()) != 0 || !distrust(path.parent_path(), false).empty()) return false;
  const std::string temporary = path.native() + '.' + random_name();
  descriptor file = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file) return false;
  if (write_all(file, text) && ::rename(temporary.c_str(), path.c_str()) == 0) return true;
  ::unlink(temporary.c_str());
  return false;
}

}  // namespace kernix::detail
