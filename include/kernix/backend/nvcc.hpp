// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/backend/compiler_backend.hpp>
#include <kernix/backend/detail/classify_nvcc.hpp>
#include <kernix/backend/detail/nvcc_candidates.hpp>
#include <kernix/backend/detail/nvcc_identity.hpp>
#include <kernix/backend/detail/nvcc_plan.hpp>
#include <kernix/core/cuda_architecture.hpp>

namespace kernix {

/// NVIDIA's nvcc: `nvcc source.cu -shared -o out -gencode ... -ccbin HOST ...`. Output kinds: shared object (with the
/// host code that launches kernels), object, cubin, ptx, fatbin.
///
/// Looked for at `compiler`, `KERNIX_NVCC`, `$CUDA_HOME/bin`, `$CUDA_PATH/bin`, in pip's packages and on PATH (the
/// latter first with `KERNIX_NVCC_PREFER=system`), in `$CONDA_PREFIX/bin` and `/usr/local/cuda/bin`. The host compiler is
/// `host_compiler`, `KERNIX_CUDA_HOST_CXX`, the compiler that `CXX` names, or g++.
///
/// Architectures come from the request, else from `architectures` or `KERNIX_CUDA_ARCHITECTURES`, else from the visible
/// GPUs; without any of these a request is refused. A shared object or fatbin also holds the PTX of the highest
/// architecture without a suffix, for GPUs that come later.
class nvcc {
 public:
  /// An absolute path, or a name to be looked up on PATH. Empty: found by the order above.
  std::filesystem::path compiler = {};
  /// The same for the host compiler.
  std::filesystem::path host_compiler = {};
  /// Passes `-allow-unsupported-compiler`. Unset: `KERNIX_ALLOW_UNSUPPORTED_COMPILER` decides, else no.
  std::optional<bool> allow_unsupported_compiler = {};
  /// What requests without architectures are built for: `8.6`, `sm_90a`, `8.6+PTX`, or lists of these.
  std::vector<std::string> architectures = {};
  /// A variable whose value is of no use, as a sentence: every request is refused with it.
  std::string misconfigured = {};

  std::string_view name() const noexcept { return "nvcc"; }
  kernix::platform platform() const noexcept { return kernix::platform::cuda; }

  /// This backend with what the settings say, where it isn't said in code.
  nvcc configured(const settings& from) const {
    nvcc made = *this;
    auto complain = [&](std::string_view variable, std::string_view wanted) {
      if (made.misconfigured.empty())
        made.misconfigured = std::string(variable) + "=\"" + std::string(from.variable(variable)) +
                             "\" can't be used: " + std::string(wanted);
    };
    if (std::string_view list = from.variable("KERNIX_CUDA_ARCHITECTURES"); architectures.empty() && !list.empty()) {
      made.architectures = {std::string(list)};
      if (auto parsed = parse_cuda_architectures(made.architectures); parsed.has_error())
        complain("KERNIX_CUDA_ARCHITECTURES", parsed.error().reason);
    }
    for (std::string_view variable : {"KERNIX_ALLOW_UNSUPPORTED_COMPILER", "BRAINEVENT_ALLOW_UNSUPPORTED_COMPILER"}) {
      if (made.allow_unsupported_compiler || from.variable(variable).empty()) continue;
      made.allow_unsupported_compiler = detail::parse_switch(from.variable(variable));
      if (!made.allow_unsupported_compiler) complain(variable, "it must be 1, true, yes or on; or 0, false, no or off");
    }
    if (auto prefer = from.variable("KERNIX_NVCC_PREFER"); !prefer.empty() && prefer != "pip" && prefer != "system") {
      complain("KERNIX_NVCC_PREFER", "it must be pip or system");
    }
    return made;
  }

  std::vector<tool_candidate> candidates(const settings& from) const {
    if (!compiler.empty()) return {{{compiler.string()}, "nvcc::compiler", true}};
    return detail::nvcc_candidates(from);
  }

  std::vector<tool_candidate> host_candidates(const settings& from) const {
    if (!host_compiler.empty()) return {{{host_compiler.string()}, "nvcc::host_compiler", true}};
    return detail::nvcc_host_candidates(from);
  }

  /// What to ask nvcc to find out what it is.
  std::vector<std::vector<std::string>> questions() const { return detail::nvcc_questions(); }

  /// Reads the answers; a sentence if this is no nvcc.
  std::optional<std::string> describe(toolchain& tools, const std::vector<process_result>& answers) const {
    return detail::describe_nvcc(tools, answers);
  }

  /// A program, looked up on PATH, that says which GPUs there are, and its arguments.
  std::vector<std::string> device_question() const {
    return {"nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"};
  }

  /// The architectures in its answer; none if it failed or named none.
  std::vector<std::string> device_architectures(const process_result& answer) const {
    std::vector<std::string> found;
    if (!answer.succeeded()) return found;
    const std::string text = answer.out.text();
    for (std::string_view line : detail::lines_of(text)) {
      if (auto architecture = cuda_architecture::parse(line)) found.push_back(architecture->text());
    }
    return found;
  }

  result<command_plan> plan(const compile_request& request, const toolchain& tools) const {
    if (!misconfigured.empty()) return refuse(errc::invalid_option, misconfigured);
    const std::vector<std::string>& wanted = !request.architectures.empty() ? request.architectures
                                             : !architectures.empty()       ? architectures
                                                                            : tools.device_architectures;
    if (wanted.empty()) {
      return refuse(
          errc::unsupported_arch,
          "no architecture to build for: the request names none, KERNIX_CUDA_ARCHITECTURES is not set and no GPU is "
          "visible; name one, such as 9.0");
    }
    auto targets = parse_cuda_architectures(wanted);
    if (targets.has_error()) return targets.error();
    return detail::nvcc_planner(request, tools, *targets, allow_unsupported_compiler.value_or(false)).plan();
  }

  diagnosis classify(const command_step& step, const process_result& ended) const {
    return detail::classify_nvcc(step, ended);
  }
};

static_assert(compiler_backend<nvcc>);

}  // namespace kernix
