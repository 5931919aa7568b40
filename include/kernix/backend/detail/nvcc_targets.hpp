// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <kernix/core/command.hpp>
#include <kernix/core/cuda_architecture.hpp>
#include <kernix/core/output_kind.hpp>
#include <kernix/core/refusal.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix::detail {

/// Refuses what this nvcc doesn't know, before it is started. Suffixes: `a` since 9.0, `f` since 10.0.
inline std::optional<refusal> refuse_unknown(const std::vector<cuda_target>& targets, const toolchain& tools) {
  std::vector<int> known;
  std::string listed;
  for (const std::string& each : tools.architectures) {
    if (auto architecture = cuda_architecture::parse(each)) known.push_back(architecture->number);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (int each : known) listed += (listed.empty() ? "" : ", ") + std::to_string(each);
  for (const cuda_target& each : targets) {
    const cuda_architecture& wanted = each.architecture;
    const bool knows = known.empty() || std::binary_search(known.begin(), known.end(), wanted.number);
    const bool has_feature = wanted.portable() || wanted.number >= (wanted.feature == 'a' ? 90 : 100);
    if (knows && has_feature) continue;
    std::string sentence = "the architecture sm_" + wanted.text() + " is not supported by nvcc " + tools.version;
    if (!listed.empty()) sentence += ", which knows " + listed;
    if (knows)
      sentence += std::string("; the suffix ") + wanted.feature + " exists from " +
                  (wanted.feature == 'a' ? "90" : "100") + " on";
    return refuse(errc::unsupported_arch, sentence + "; choose another architecture or another toolkit");
  }
  return std::nullopt;
}

/// The `-gencode` words: machine code for each architecture, and PTX of the highest portable one (and of those it was
/// asked for) that newer GPUs compile when they load it.
inline result<std::vector<argument>> nvcc_target_words(const std::vector<cuda_target>& targets, output_kind kind) {
  std::vector<argument> words;
  auto generate = [&](const std::string& architecture, const char* what) {
    words.emplace_back("-gencode=arch=compute_" + architecture + ",code=" + what + architecture);
  };
  if (kind == output_kind::cubin || kind == output_kind::ptx) {
    if (targets.size() > 1) {
      return refuse(errc::invalid_request, "a " + std::string(name(kind)) + " holds one architecture, and " +
                                               std::to_string(targets.size()) +
                                               " are asked for; name one, or ask for a fatbin");
    }
    generate(targets.front().architecture.text(), kind == output_kind::ptx ? "compute_" : "sm_");
    return words;
  }
  const auto portable = highest_portable(targets);
  for (const cuda_target& each : targets) generate(each.architecture.text(), "sm_");
  for (const cuda_target& each : targets) {
    if (each.ptx || each.architecture == portable) generate(each.architecture.text(), "compute_");
  }
  return words;
}

}  // namespace kernix::detail
