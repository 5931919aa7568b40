// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace kernix::detail {

/// A time limit as a person gave it: "5 s", "0.25 s".
inline std::string limit_text(std::chrono::nanoseconds limit) {
  std::string text = std::to_string(std::chrono::duration<double>(limit).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

}  // namespace kernix::detail
