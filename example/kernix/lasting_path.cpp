// SPDX-License-Identifier: Apache-2.0
#include "lasting_path.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <kernix/cache/cache_directory.hpp>
#include <kernix/cache/manifest.hpp>
#include <kernix/cache/result_meta.hpp>

namespace tool {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

fs::path lasting_path(const fs::path& cache, const kernix::digest& key, const kernix::artifact& file) {
  kernix::cache_directory directory(cache);
  auto listed = kernix::decode_manifest(bytes_of(directory.manifest(key)));
  if (!listed) return {};
  for (const kernix::manifest_result& result : listed->results) {
    fs::path place = directory.result(result.id);
    auto meta = kernix::decode_result_meta(bytes_of(place / "meta"));
    if (!meta) continue;
    for (const kernix::artifact& each : meta->artifacts) {
      if (each.kind == file.kind && each.content == file.content) return place / each.path;
    }
  }
  return {};
}

}  // namespace tool
