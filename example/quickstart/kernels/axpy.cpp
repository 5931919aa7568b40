// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

/// y += a x
extern "C" void axpy(float a, float const* x, float* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}
