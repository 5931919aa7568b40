// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/backend/detail/cxx_identity.hpp>
#include <kernix/core/cuda_architecture.hpp>
#include <kernix/core/process_result.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix::detail {

/// What nvcc is asked, in this order. The dry run names the toolkit's directories before it looks for a host compiler.
inline std::vector<std::vector<std::string>> nvcc_questions() {
  return {{"--version"}, {"--list-gpu-code"}, {"--dryrun", "-x", "cu", "-c", "/dev/null", "-o", "/dev/null"}};
}

/// The value of a `#$ NAME=VALUE` line of nvcc's dry run: the last one, as in a script.
inline std::string_view dry_run_value(std::string_view text, std::string_view variable) {
  std::string_view found;
  const std::string start = "#$ " + std::string(variable) + "=";
  for (std::string_view line : lines_of(text)) {
    if (line.starts_with(start)) found = line.substr(start.size());
  }
  return found;
}

/// The directories of `"-I/a" "-isystem" "/b"`.
inline std::vector<std::filesystem::path> quoted_directories(std::string_view text) {
  std::vector<std::filesystem::path> found;
  while (true) {
    const std::size_t open = text.find('"');
    const std::size_t close = open == std::string_view::npos ? open : text.find('"', open + 1);
    if (close == std::string_view::npos) return found;
    std::string_view word = text.substr(open + 1, close - open - 1);
    text.remove_prefix(close + 1);
    if (word.starts_with("-I")) word.remove_prefix(2);
    if (word.starts_with('/')) found.push_back(std::filesystem::path(word).lexically_normal());
  }
}

/// Reads the answers into `tools`; a sentence on what is wrong if this is no nvcc. Directories and parts are those that
/// belong there: whether they exist is for others to find out.
inline std::optional<std::string> describe_nvcc(toolchain& tools, const std::vector<process_result>& answers) {
  namespace fs = std::filesystem;
  tools.version.clear();
  const std::string version = answers.empty() ? std::string() : answers[0].out.text();
  for (std::string_view line : lines_of(version)) {
    const std::size_t at = line.find(", release ");
    if (at == std::string_view::npos) continue;
    tools.version_text = line;
    tools.version = word_after(line, ", release ");
    const std::size_t full = line.rfind(" V");
    if (full != std::string_view::npos && full > at) tools.version = line.substr(full + 2);
  }
  if (tools.version.empty()) return "is no nvcc: asked for its version, it names no release";
  tools.family = "nvcc";
  if (answers.size() > 1 && answers[1].succeeded()) {
    const std::string listed = answers[1].out.text();
    for (std::string_view line : lines_of(listed)) {
      if (cuda_architecture::parse(line)) tools.architectures.emplace_back(line);
    }
  }
  const std::string dry_run = answers.size() > 2 ? answers[2].err.text() : std::string();
  auto directory = [&](std::string_view variable, const fs::path& otherwise) {
    const std::string_view value = dry_run_value(dry_run, variable);
    return value.starts_with('/') ? fs::path(value).lexically_normal() : otherwise;
  };
  const fs::path bin = directory("_HERE_", tools.program.parent_path());  // not the place of a wrapper script
  tools.root = directory("TOP", bin.parent_path());
  if (!tools.root.has_filename()) tools.root = tools.root.parent_path();
  for (std::string_view variable : {"INCLUDES", "SYSTEM_INCLUDES"}) {
    for (fs::path& each : quoted_directories(dry_run_value(dry_run, variable)))
      tools.system_includes.push_back(std::move(each));
  }
  for (std::string_view each : {"lib64", "lib"}) tools.library_directories.push_back(tools.root / each);
  if (tools.root.filename() == "cuda_nvcc") {  // pip's split layout: the run-time library is a package of its own
    const fs::path runtime = tools.root.parent_path() / "cuda_runtime";
    tools.system_includes.push_back(runtime / "include");
    for (std::string_view each : {"lib64", "lib"}) tools.library_directories.push_back(runtime / each);
  }
  for (std::string_view each : {"nvcc", "nvcc.profile", "cudafe++", "ptxas", "fatbinary", "nvlink", "crt/link.stub"}) {
    tools.parts.push_back({bin / each, {}, {}});
  }
  tools.parts.push_back({directory("CICC_PATH", tools.root / "nvvm/bin") / "cicc", {}, {}});
  tools.parts.push_back({directory("NVVMIR_LIBRARY_DIR", tools.root / "nvvm/libdevice") / "libdevice.10.bc", {}, {}});
  return std::nullopt;
}

}  // namespace kernix::detail
