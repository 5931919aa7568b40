// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <kernix/core/digest.hpp>
#include <kernix/core/hasher.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix::detail {

/// What a toolchain is, wherever it lies: two machines with the same packages get the same fingerprint. `host` and the
/// parts' contents must be filled in.
inline digest fingerprint_of(const toolchain& tool) {
  hasher sum;
  auto add = [&](std::string_view tag, const digest& value) {
    sum.field(tag, {reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
  };
  sum.field("backend", tool.backend).field("family", tool.family).field("version", tool.version);
  sum.field("version text", tool.version_text).field("target", tool.target);
  auto properties = tool.properties;
  std::sort(properties.begin(), properties.end());
  for (const auto& [name, value] : properties) sum.field("property", name).field("value", value);
  for (const std::string& word : tool.wrapper) {
    sum.field("wrapper", word.starts_with('/') ? std::filesystem::path(word).filename().native() : word);
  }
  for (const toolchain_part& part : tool.parts) {
    sum.field("part", part.path.filename().native());
    add("content", part.content);
  }
  if (tool.host) add("host", tool.host->fingerprint);
  return sum.finish();
}

}  // namespace kernix::detail
