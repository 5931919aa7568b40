// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kernix/backend/detail/classify_common.hpp>
#include <kernix/backend/detail/classify_gnu_rules.hpp>
#include <kernix/backend/detail/classify_nvcc_rules.hpp>

namespace kernix::detail {

/// What to do about an error of nvcc.
inline std::vector<std::string> nvcc_advice(errc code) {
  switch (code) {
    case errc::host_compiler_incompatible:
      return {"set KERNIX_CUDA_HOST_CXX to a host compiler that this toolkit supports (CUDA 13: g++ up to 15, clang++ up to 20)",
              "set KERNIX_ALLOW_UNSUPPORTED_COMPILER=1 to try this host compiler all the same",
              "choose a newer toolkit: KERNIX_NVCC=/path/to/nvcc"};
    case errc::tool_not_found:
      return {"see that the toolkit is whole (bin/ptxas, bin/cudafe++, bin/fatbinary, nvvm/bin/cicc beside nvcc, not beside "
              "a link to it), or choose another: KERNIX_NVCC=/path/to/nvcc",
              "see that the host compiler is whole, or choose another: KERNIX_CUDA_HOST_CXX=/path/to/g++"};
    case errc::not_executable:
      return {"choose another toolkit (KERNIX_NVCC=/path/to/nvcc) or host compiler (KERNIX_CUDA_HOST_CXX=/path/to/g++)"};
    case errc::unsupported_arch:
      return {"correct compile_request::architectures or KERNIX_CUDA_ARCHITECTURES; nvcc --list-gpu-arch shows what this "
              "toolkit knows"};
    default: return {};
  }
}

/// What the result of a step of nvcc means.
inline diagnosis classify_nvcc(const command_step& step, const process_result& result) {
  return classify(step, result,
                  {.failure = {nvcc_rules, gnu_rules},
                   .success = nvcc_success_rules,
                   .silent_127 = errc::command_line_too_long,
                   .advice = nvcc_advice});
}

}  // namespace kernix::detail
