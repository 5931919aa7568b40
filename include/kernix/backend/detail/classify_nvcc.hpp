// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/backend/detail/classify_common.hpp>
#include <kernix/backend/detail/classify_gnu_rules.hpp>
#include <kernix/backend/detail/classify_nvcc_rules.hpp>

namespace kernix::detail {

/// The version in "gcc versions later than 15 are not supported" or "must be less than 21"; empty if there is none.
inline std::string_view host_version_limit(std::string_view line) {
  for (std::string_view lead : {"versions later than ", "version must be less than ", "must be must be less than "}) {
    std::size_t at = line.find(lead);
    if (at == std::string_view::npos) continue;
    std::string_view rest = line.substr(at + lead.size());
    std::size_t end = rest.find_first_not_of("0123456789.");
    return rest.substr(0, end);
  }
  return {};
}

/// What to do about an error of nvcc, which `line` tells.
inline std::vector<std::string> nvcc_advice(errc code, std::string_view line) {
  switch (code) {
    case errc::host_compiler_incompatible: {
      std::string_view limit = host_version_limit(line);
      std::string which = "a host compiler that this toolkit supports";
      if (!limit.empty()) {
        bool is_clang = line.find("clang") != std::string_view::npos;
        which = (is_clang ? "a clang++ earlier than " : "a g++ no later than ") + std::string(limit);
      }
      return {"set KERNIX_CUDA_HOST_CXX to " + which,
              "set KERNIX_ALLOW_UNSUPPORTED_COMPILER=1 to try this host compiler all the same",
              "choose a newer toolkit: KERNIX_NVCC=/path/to/nvcc"};
    }
    case errc::tool_not_found:
      return {
          "see that the toolkit is whole (bin/ptxas, bin/cudafe++, bin/fatbinary, nvvm/bin/cicc beside nvcc, not "
          "beside "
          "a link to it), or choose another: KERNIX_NVCC=/path/to/nvcc",
          "see that the host compiler is whole, or choose another: KERNIX_CUDA_HOST_CXX=/path/to/g++"};
    case errc::not_executable:
      return {
          "choose another toolkit (KERNIX_NVCC=/path/to/nvcc) or host compiler (KERNIX_CUDA_HOST_CXX=/path/to/g++)"};
    case errc::unsupported_arch:
      return {
          "correct compile_request::architectures or KERNIX_CUDA_ARCHITECTURES; nvcc --list-gpu-arch shows what this "
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
