// SPDX-License-Identifier: Apache-2.0
#include "deliver.hpp"

#include <stdlib.h>

#include <cerrno>
#include <iostream>
#include <system_error>

#include "copy_artifact.hpp"
#include "lasting_path.hpp"

namespace tool {
namespace {

namespace fs = std::filesystem;

kernix::result<fs::path> temporary_directory() {
  std::error_code error;
  for (const fs::path& place : {fs::temp_directory_path(error), fs::path("/tmp")}) {
    if (!place.is_absolute()) continue;  // TMPDIR may say anything
    std::string pattern = (place / "kernix-built-XXXXXX").native();
    if (::mkdtemp(pattern.data())) return fs::path(pattern);
    error = {errno, std::generic_category()};
  }
  return kernix::refuse(kernix::errc::disk_full, "can't make a directory for temporary files: " + error.message());
}

}  // namespace

kernix::result<std::vector<built_file>> deliver(const kernix::compile_outcome& outcome, const std::string& name,
                                                const fs::path& output, const fs::path& cache) {
  std::vector<built_file> files;
  fs::path temporary;
  for (const kernix::artifact& each : outcome.artifacts()) {
    fs::path path = output.empty() ? lasting_path(cache, outcome.key(), each) : fs::path{};
    if (path.empty()) {
      fs::path directory = output.empty() ? temporary : output;
      if (directory.empty()) {
        auto made = temporary_directory();
        if (!made) return made.error();
        directory = temporary = *made;
        std::cerr << "kernix: warning: the cache did not keep " << name << ", so it is left in " << directory.native() << '\n';
      }
      auto copied = copy_whole(each.path, directory / (name + std::string(kernix::suffix(each.kind))));
      if (!copied) return copied.error();
      path = std::move(*copied);
    }
    files.push_back({each.kind, std::move(path), each.bytes});
  }
  return files;
}

}  // namespace tool
