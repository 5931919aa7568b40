// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>

namespace kernix::detail {

/// Puts the calling thread's floating-point state back as it was: rounding, exception masks and flags, and on x86 the
/// whole of MXCSR with its flush-to-zero bits.
///
/// A shared object linked with `-Ofast` or `-ffast-math` sets FTZ and DAZ from a constructor, in the thread that loads
/// it (g++ 12, clang 14): without the guard the host's own arithmetic on that thread would lose its denormals.
class floating_point_guard {
 public:
  floating_point_guard() noexcept { std::fegetenv(&saved_); }
  ~floating_point_guard() { std::fesetenv(&saved_); }
  floating_point_guard(const floating_point_guard&) = delete;
  floating_point_guard& operator=(const floating_point_guard&) = delete;

 private:
  std::fenv_t saved_;
};

}  // namespace kernix::detail
