// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/core/read_set.hpp>
#include <kernix/detail/stat_signature.hpp>

namespace kernix::detail {

/// Finds the places in which a library would have been found first, had it been there: the linker takes `libNAME.so` or
/// else `libNAME.a` of the first directory that holds one of them.
class library_search {
 public:
  /// `path` are the directories that the request adds, in order; `began_ns` is when the compile began, on the clock of files.
  library_search(const std::vector<std::string>& path, std::int64_t began_ns) : began_ns_(began_ns) {
    for (const std::string& each : path) directories_.push_back(normal(each));
  }

  /// Follows the search for a library that was read from `file`, which may also be one that nobody searched for.
  void explain(const std::string& file) {
    const std::filesystem::path found(file);
    const std::string name = found.filename().native();
    const std::string_view ending = name.ends_with(".so") ? ".so" : name.ends_with(".a") ? ".a" : "";
    if (ending.empty() || !name.starts_with("lib")) return;
    const std::string stem = name.substr(0, name.size() - ending.size());
    const std::string home = normal(found.parent_path().native());
    for (const std::string& each : directories_) {
      if (each == home) {
        if (ending == ".a") look(each + '/' + stem + ".so");
        return;
      }
      look(each + '/' + stem + ".so");
      look(each + '/' + stem + ".a");
    }
  }

  /// The places where nothing was.
  const std::vector<absent_file>& absent() const noexcept { return absent_; }

  /// A library that would be found first, but wasn't there when the compile began; empty if there is none.
  const std::string& appeared() const noexcept { return appeared_; }

 private:
  static std::string normal(const std::string& name) {
    std::string text = std::filesystem::path(name).lexically_normal().native();
    while (text.size() > 1 && text.back() == '/') text.pop_back();
    return text;
  }

  void look(const std::string& place) {
    struct stat status;
    if (::stat(place.c_str(), &status) != 0) {
      absent_.push_back({std::string(system_root), place});
    } else if (!settled(signature_of(status), began_ns_)) {
      appeared_ = place;
    }
  }

  std::int64_t began_ns_;
  std::vector<std::string> directories_;
  std::vector<absent_file> absent_;
  std::string appeared_;
};

}  // namespace kernix::detail
