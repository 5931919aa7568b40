// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

/// x becomes positive numbers with the sum 1.
extern "C" void softmax(double* x, std::size_t n) {
  double largest = *std::max_element(x, x + n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - largest);
  for (std::size_t i = 0; i < n; ++i) x[i] /= sum;
}
