// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kernix/compile/detail/include_scan.hpp>
#include <kernix/compile/detail/workspace_names.hpp>
#include <kernix/core/read_set.hpp>
#include <kernix/core/toolchain.hpp>
#include <kernix/detail/stat_signature.hpp>

namespace kernix::detail {

/// Walks the search path as the preprocessor did, to find the places where it looked in vain: a header that appears
/// there later changes what the same text means. Each name is walked once, each place is looked at once, and a missing
/// directory stands for everything below it, so that 500 headers cost a few milliseconds.
class header_search {
 public:
  /// `read` are the names of the headers that were read; `began_ns` is when the compile began, on the clock of files.
  header_search(const workspace_names& names, const toolchain& tools, const std::vector<std::string>& read, std::int64_t began_ns)
      : names_(names), began_ns_(began_ns) {
    // In-memory headers lie in a directory of the workspace that is searched before all others.
    for (const workspace_file& each : names.plan().files) add_directory(each.path.substr(0, each.path.find('/')), each.path);
    for (const std::string& each : names.plan().include_path) add_directory(each, {});
    add_system_includes(tools);
    for (const std::string& each : read) {
      std::string name = normal(each);
      by_last_part_[std::string(last_part(name))].push_back(name);
      read_.insert(std::move(name));
    }
  }

  /// Follows one `#include` of `file`.
  void include(const std::string& file, const header_name& header) {
    if (header.name.starts_with('/') || !first_time(file, header, 'i')) return;
    std::vector<std::string> missing;
    std::optional<std::size_t> before_unread;
    for (const std::string& candidate : candidates(file, header)) {
      const std::string name = normal(candidate);
      if (read_.contains(name) || names_.own(name)) {
        explained_.insert(name);
        return add_absent(missing, missing.size());
      }
      switch (const looked& there = look(candidate); there.what) {
        case found::nothing: missing.push_back(there.missing); break;
        case found::file:
          if (there.changed_ns >= began_ns_) appeared_ = candidate;
          if (!before_unread) before_unread = missing.size();
          break;
        case found::other: break;
      }
    }
    // Read under another name, or in a branch that wasn't taken; in a directory of the system that isn't known; or nowhere.
    if (before_unread) return add_absent(missing, *before_unread);
    auto same = by_last_part_.find(std::string(last_part(header.name)));
    if (same == by_last_part_.end()) return;
    for (const std::string& each : same->second) {
      if (each.starts_with('/') && each.ends_with('/' + header.name)) return add_absent(missing, missing.size());
    }
  }

  /// Follows one `__has_include` of `file`. Where `__has_include_next` begins depends on how `file` was found: it is followed
  /// through all directories, which can only notice too much.
  void probe(const std::string& file, const header_name& header) {
    if (!first_time(file, header, header.next ? 'n' : 'p')) return;
    std::vector<std::string> missing;
    std::vector<std::string> places = header.name.starts_with('/') ? std::vector<std::string>{header.name} : candidates(file, header);
    for (std::string& candidate : places) {
      if (names_.own(normal(candidate)) && !header.next) return;
      switch (const looked& there = look(candidate); there.what) {
        case found::nothing: missing.push_back(there.missing); break;
        case found::file:
          probed_.push_back(std::move(candidate));
          if (!header.next) return;
          break;
        case found::other: break;
      }
    }
    add_absent(missing, missing.size());
  }

  /// Follows what no directive explains (forced includes, names made by macros): whoever asked, earlier directories had
  /// nothing of that name.
  void explain(const std::string& read) {
    const std::string name = normal(read);
    if (explained_.contains(name)) return;
    std::size_t best = directories_.size();
    for (std::size_t i = 0; i < directories_.size(); ++i) {
      const std::string& directory = directories_[i];
      if (name.size() <= directory.size() + 1 || !name.starts_with(directory) || name[directory.size()] != '/') continue;
      if (best == directories_.size() || directory.size() > directories_[best].size()) best = i;
    }
    if (best == directories_.size()) return;
    const header_name header{name.substr(directories_[best].size() + 1), false};
    for (std::size_t i = 0; i < best; ++i) {
      const std::string candidate = joined(directories_[i], header.name);
      const looked& there = look(candidate);
      if (there.what == found::nothing) absent_.insert(there.missing);
      if (there.what == found::file && there.changed_ns >= began_ns_ && !read_.contains(normal(candidate))) appeared_ = candidate;
    }
  }

  /// The places where nothing was, in no order, without repetitions.
  std::vector<absent_file> absent() const {
    std::vector<absent_file> all;
    all.reserve(absent_.size());
    for (const std::string& each : absent_) {
      if (auto at = names_.place(each)) all.push_back({std::move(at->first), std::move(at->second)});
    }
    return all;
  }

  /// Files that a probe found, which may not be among those that were read.
  const std::vector<std::string>& probed() const noexcept { return probed_; }

  /// A file that would be found first, but wasn't there when the compile began; empty if there is none.
  const std::string& appeared() const noexcept { return appeared_; }

 private:
  enum class found : std::uint8_t { nothing, file, other };
  struct looked {
    found what = found::nothing;
    std::int64_t changed_ns = 0;
    std::string missing = {};  ///< The outermost directory on the way that doesn't exist, or the name itself.
  };

  void add_directory(const std::string& directory, std::string_view unless) {
    std::string name = normal(directory);
    if (name == unless || std::find(directories_.begin(), directories_.end(), name) != directories_.end()) return;
    directories_.push_back(std::move(name));
  }

  void add_system_includes(const toolchain& tools) {
    for (const auto& each : tools.system_includes) add_directory(each.native(), {});
    if (tools.host) add_system_includes(*tools.host);
  }

  static std::string_view last_part(std::string_view name) {
    return name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
  }

  /// One spelling for one file, as far as that can be told without looking: clang and nvcc write `/a/../b`.
  static std::string normal(const std::string& name) {
    if (name.find("/.") == std::string::npos && name.find("//") == std::string::npos && !name.ends_with('/')) return name;
    std::string text = std::filesystem::path(name).lexically_normal().native();
    if (text.size() > 1 && text.back() == '/') text.pop_back();
    return text;
  }

  std::vector<std::string> candidates(const std::string& file, const header_name& header) const {
    std::vector<std::string> places;
    places.reserve(directories_.size() + 1);
    if (header.quoted) places.push_back(joined(directory_of(file), header.name));
    for (const std::string& each : directories_) places.push_back(joined(each, header.name));
    return places;
  }

  bool first_time(const std::string& file, const header_name& header, char how) {
    std::string key(1, how);
    if (header.quoted) {
      key += directory_of(file);
      key += '"';
    }
    return walked_.insert(key += header.name).second;
  }

  const looked& look(const std::string& seen) {
    auto known = looked_.find(seen);
    if (known != looked_.end()) return known->second;
    return looked_.emplace(seen, look_up(seen)).first->second;
  }

  looked look_up(const std::string& seen) {
    const std::string_view above = directory_of(seen);
    if (above.size() > 1) {
      const looked& directory = look(std::string(above));
      if (directory.what == found::nothing) return {found::nothing, 0, directory.missing};
    }
    struct stat status;
    auto disk = names_.on_disk(seen);
    if (!disk) return {names_.own(seen) ? found::file : found::other, 0, {}};
    if (::stat(disk->c_str(), &status) != 0) return {found::nothing, 0, seen};
    const stat_signature signature = signature_of(status);
    return {S_ISDIR(status.st_mode) ? found::other : found::file, std::max(signature.mtime_ns, signature.ctime_ns), {}};
  }

  void add_absent(const std::vector<std::string>& missing, std::size_t count) {
    absent_.insert(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(count));
  }

  const workspace_names& names_;
  std::int64_t began_ns_;
  std::vector<std::string> directories_;
  std::unordered_set<std::string> read_;
  std::unordered_set<std::string> explained_;
  std::unordered_set<std::string> walked_;
  std::unordered_map<std::string, std::vector<std::string>> by_last_part_;
  std::unordered_map<std::string, looked> looked_;
  std::unordered_set<std::string> absent_;
  std::vector<std::string> probed_;
  std::string appeared_;
};

}  // namespace kernix::detail
