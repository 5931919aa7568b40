// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include <kernix/detail/descriptor.hpp>

namespace kernix::detail {

/// A file's whole content; nothing if it can't be read or is longer than `longest` bytes. Blocks.
inline std::optional<std::string> file_text(const std::filesystem::path& path, std::size_t longest = std::size_t{64} << 20) {
  descriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 32768> buffer;
  for (;;) {
    ssize_t count = read_some(file, buffer.data(), buffer.size());
    if (count < 0) return std::nullopt;
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > longest) return std::nullopt;
  }
}

}  // namespace kernix::detail
