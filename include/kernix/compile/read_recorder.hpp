// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kernix/compile/detail/depfile.hpp>
#include <kernix/compile/detail/file_text.hpp>
#include <kernix/compile/detail/header_search.hpp>
#include <kernix/compile/detail/include_scan_memo.hpp>
#include <kernix/compile/detail/library_search.hpp>
#include <kernix/compile/detail/workspace_names.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/detail/digest_memo.hpp>
#include <kernix/detail/stat_signature.hpp>

namespace kernix {

/// What a compile depended on beside its key, and whether that is known for sure.
struct recorded_reads {
  read_set reads;
  bool complete = true;
  std::string why_not = {};  ///< One sentence, where it isn't complete.
};

namespace detail {

/// Turns the dependency files of a finished plan into the record of what was read. See `record_reads`.
class read_recorder {
 public:
  read_recorder(const command_plan& plan, const compile_request& request, const toolchain& tools,
                const std::filesystem::path& workspace, std::int64_t began_ns, digest_memo& digests, include_scan_memo& scans)
      : plan_(plan), request_(request), tools_(tools), workspace_(workspace), names_(plan, workspace), began_ns_(began_ns),
        digests_(digests), scans_(scans) {}

  recorded_reads record() {
    for (const command_step& step : plan_.steps) {
      for (const dependency_file& each : step.dependencies) read_list(each);
    }
    for (const std::string& each : listed_) add_file(each);
    search();
    search_libraries();
    finish(recorded_.reads.files);
    finish(recorded_.reads.absent);
    return std::move(recorded_);
  }

 private:
  struct scanned_file {
    std::string name;
    bool of_request = true;  ///< Of the request's own text and directories, not of the system.
    std::shared_ptr<const include_scan> scan;
  };

  template <class T>
  static void finish(std::vector<T>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  void incomplete(std::string why) {
    if (recorded_.complete) recorded_.why_not = std::move(why);
    recorded_.complete = false;
  }

  void read_list(const dependency_file& file) {
    auto text = file_text(workspace_ / file.path);
    std::vector<std::string> names;
    if (text) names = parse_depfile(*text, file.how);
    if (names.empty() && file.required) return incomplete("the compiler left no list of the files that it read (" + file.path + ")");
    for (std::string& each : names) {
      std::string seen = names_.seen(each);
      if (known_.insert(seen).second) listed_.push_back(std::move(seen));
    }
  }

  void add_file(const std::string& seen) {
    auto place = names_.place(seen);
    if (!place) {
      // Inputs that the key covers, and intermediate files; but what lies beside the workspace is anybody's.
      if (std::filesystem::path(seen).lexically_normal().native().starts_with("..")) {
        incomplete("the compiler read " + seen + ", which lies outside of every directory that the request names");
      }
      return;
    }
    if (seen.starts_with("/dev/")) return;
    const std::string disk = *names_.on_disk(seen);
    const std::filesystem::path path(disk);
    auto found = digests_.content_with_signature(path);
    if (!found) return incomplete("the compiler lists " + disk + ", which can't be read");
    check_age(disk);
    if (!is_library(seen)) {
      headers_.push_back(seen);
      auto scan = scans_.scan(path, found->content);
      if (!scan) return incomplete(disk + " changed while the compiler ran");
      scanned_.push_back({seen, place->first != system_root, std::move(scan)});
    }
    recorded_.reads.files.push_back({std::move(place->first), std::move(place->second), found->content,
                                     found->settled ? found->signature : stat_signature{}});
  }

  /// Nothing on the way to a file may have changed since the compile began: not its bytes, not a link that leads to it.
  void check_age(const std::string& disk) {
    struct stat status;
    if (::lstat(disk.c_str(), &status) != 0) return incomplete(disk + " disappeared while the compiler ran");
    bool old = settled(signature_of(status), began_ns_);
    if (S_ISLNK(status.st_mode)) old = old && ::stat(disk.c_str(), &status) == 0 && settled(signature_of(status), began_ns_);
    if (!old) return incomplete(disk + " changed while the compiler ran");
    for (std::size_t slash = disk.rfind('/'); slash != std::string::npos && slash > 0; slash = disk.rfind('/', slash - 1)) {
      std::string directory = disk.substr(0, slash);
      if (!directories_.insert(directory).second) return;  // and so were all above it
      if (::lstat(directory.c_str(), &status) == 0 && S_ISLNK(status.st_mode) && !settled(signature_of(status), began_ns_)) {
        return incomplete("the link " + directory + " changed while the compiler ran");
      }
    }
  }

  static bool is_library(std::string_view name) {
    return name.ends_with(".o") || name.ends_with(".a") || name.ends_with(".so") || name.ends_with(".bc") ||
           name.find(".so.") != std::string_view::npos;
  }

  void search() {
    for (const workspace_file& each : plan_.files) {
      scanned_.push_back({each.path, true, std::make_shared<const include_scan>(scan_includes(each.text))});
    }
    header_search walk(names_, tools_, headers_, began_ns_);
    std::unordered_multimap<std::string, header_name> macros = defined_headers();
    for (const scanned_file& file : scanned_) {
      for (const header_name& each : file.scan->includes) walk.include(file.name, each);
      for (const header_name& each : file.scan->probes) walk.probe(file.name, each);
      for (const std::string& each : file.scan->computed_probes) {
        auto [begin, end] = macros.equal_range(each);
        if (begin == end && file.of_request) incomplete("what __has_include(" + each + ") looks for can't be told");
        for (; begin != end; ++begin) walk.probe(file.name, begin->second);
      }
      if (file.scan->tells_time && file.of_request) incomplete("__DATE__, __TIME__ and __TIMESTAMP__ have another value each time");
      if (file.scan->embeds_files && file.of_request) incomplete("the assembler's .incbin or .include reads files that no list names");
    }
    for (const std::string& each : headers_) walk.explain(each);
    if (!walk.appeared().empty()) incomplete(*names_.on_disk(walk.appeared()) + " appeared while the compiler ran");
    recorded_.reads.absent = walk.absent();
    for (const std::string& each : walk.probed()) {
      if (known_.insert(each).second) add_file(each);
    }
  }

  void search_libraries() {
    library_search walk(plan_.library_path, began_ns_);
    for (const std::string& each : listed_) {
      if (is_library(each)) walk.explain(each);
    }
    if (!walk.appeared().empty()) incomplete(walk.appeared() + " appeared while the compiler ran");
    recorded_.reads.absent.insert(recorded_.reads.absent.end(), walk.absent().begin(), walk.absent().end());
  }

  std::unordered_multimap<std::string, header_name> defined_headers() const {
    std::unordered_multimap<std::string, header_name> macros;
    for (const scanned_file& file : scanned_) macros.insert(file.scan->definitions.begin(), file.scan->definitions.end());
    for (const std::string& each : request_.defines) {
      std::string text = "#define " + each + '\n';
      std::replace(text.begin() + 8, text.end(), '=', ' ');
      for (auto& found : scan_includes(text).definitions) macros.insert(std::move(found));
    }
    return macros;
  }

  const command_plan& plan_;
  const compile_request& request_;
  const toolchain& tools_;
  const std::filesystem::path& workspace_;
  workspace_names names_;
  std::int64_t began_ns_;
  digest_memo& digests_;
  include_scan_memo& scans_;
  std::unordered_set<std::string> known_;
  std::vector<std::string> listed_;
  std::vector<std::string> headers_;
  std::unordered_set<std::string> directories_;
  std::vector<scanned_file> scanned_;
  recorded_reads recorded_;
};

}  // namespace detail

/// Records what the steps of `plan`, which have ended, read: each listed file with its digest, against a root of the
/// request or as a file of the system; and the places where a new header would be found first. Files of the workspace
/// are left out: their bytes are in the key. Blocks on the disk; 500 headers take a few milliseconds once their digests
/// are known. `began_ns` is `file_clock_ns()` before the first step: whatever is as young makes the record incomplete.
inline recorded_reads record_reads(const command_plan& plan, const compile_request& request, const toolchain& tools,
                                   const std::filesystem::path& workspace, std::int64_t began_ns,
                                   detail::digest_memo& digests, detail::include_scan_memo& scans) {
  return detail::read_recorder(plan, request, tools, workspace, began_ns, digests, scans).record();
}

}  // namespace kernix
