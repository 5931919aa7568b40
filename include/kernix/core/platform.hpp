// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace kernix {

/// What a backend's kernels run on.
enum class platform : std::uint8_t { cpu, cuda, hip, triton };

constexpr std::string_view name(platform value) noexcept {
  switch (value) {
    case platform::cpu: return "cpu";
    case platform::cuda: return "cuda";
    case platform::hip: return "hip";
    case platform::triton: return "triton";
  }
  return "unknown";
}

}  // namespace kernix
