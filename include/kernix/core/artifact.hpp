// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include <kernix/core/digest.hpp>
#include <kernix/core/output_kind.hpp>

namespace kernix {

/// A file that a compile produced.
struct artifact {
  output_kind kind{};
  /// Valid, and its bytes unchanged, while any copy of the outcome lives.
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  digest content;
};

}  // namespace kernix
