// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

/// c = a b, all of them n by n and in rows; in blocks that stay in the cache.
extern "C" void matmul(float const* a, float const* b, float* c, std::size_t n) {
  constexpr std::size_t block = 32;
  std::fill(c, c + n * n, 0.0f);
  for (std::size_t ii = 0; ii < n; ii += block) {
    for (std::size_t kk = 0; kk < n; kk += block) {
      for (std::size_t i = ii; i < std::min(ii + block, n); ++i) {
        for (std::size_t k = kk; k < std::min(kk + block, n); ++k) {
          for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
      }
    }
  }
}
