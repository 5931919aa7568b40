// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/core/output_kind.hpp>

#include "requests.hpp"

namespace tool {

struct built_file {
  kernix::output_kind kind;
  std::filesystem::path path;
  std::uint64_t bytes;
};

/// How one kernel ended.
struct build_report {
  build_item item;
  std::optional<kernix::origin> origin = std::nullopt;  ///< Null where no answer came from anywhere.
  std::vector<built_file> artifacts = {};
  std::chrono::nanoseconds elapsed{};
  kernix::diagnostics diagnostics = {};

  bool failed() const noexcept { return static_cast<bool>(diagnostics.code); }
};

/// Prints one report to stdout: a line of JSON, or for a person a line with the kernel's name and, indented beneath it, the
/// reason and the compiler's words. False if stdout can't be written to any more.
bool print(const build_report& report, bool json);

}  // namespace tool
