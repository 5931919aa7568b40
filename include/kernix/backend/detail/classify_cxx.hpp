// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kernix/backend/detail/classify_common.hpp>
#include <kernix/backend/detail/classify_gnu_rules.hpp>

namespace kernix::detail {

/// What to do about an error of g++ or clang++.
inline std::vector<std::string> cxx_advice(errc code, std::string_view) {
  switch (code) {
    case errc::tool_not_found:
      return {"install the compiler's package again (on Debian: apt-get install --reinstall g++ binutils libc6-dev)",
              "choose another compiler: KERNIX_CXX=/path/to/g++"};
    case errc::not_executable: return {"choose another compiler: KERNIX_CXX=/path/to/g++"};
    case errc::unsupported_arch: return {"correct -march=, -mcpu= or -mtune= in compile_flags"};
    default: return {};
  }
}

/// What the result of a step of g++ or clang++ means.
inline diagnosis classify_cxx(const command_step& step, const process_result& result) {
  return classify(step, result, {.failure = {gnu_rules}, .advice = cxx_advice});
}

}  // namespace kernix::detail
