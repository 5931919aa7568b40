// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

/// Counts how often each byte occurs. counts has 256 elements.
extern "C" void histogram(unsigned char const* bytes, std::size_t n, unsigned* counts) noexcept {
  for (std::size_t i = 0; i < n; ++i) ++counts[bytes[i]];
}
