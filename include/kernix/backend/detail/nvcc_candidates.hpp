// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/backend/detail/command_words.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix::detail {

/// The parts of a list separated by colons, without blanks around them and without empty ones: `:/usr/local/cuda` is
/// what a careless `export CUDA_HOME=$CUDA_HOME:...` leaves.
inline std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(':'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    while (!part.empty() && (part.front() == ' ' || part.front() == '\t')) part.remove_prefix(1);
    while (!part.empty() && (part.back() == ' ' || part.back() == '\t')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

/// Where pip puts packages; a `*` stands for every match in its directory, the highest version first.
inline std::vector<std::string> site_packages(const settings& from) {
  std::vector<std::string> roots;
  for (std::string_view variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (std::string_view value = from.variable(variable); value.starts_with('/')) {
      roots.push_back(std::string(value) + "/lib/python3.*/site-packages");
    }
  }
  for (std::string& each : split_list(from.variable("PYTHONPATH"))) {
    if (each.starts_with('/')) roots.push_back(std::move(each));
  }
  if (std::string_view home = from.variable("HOME"); home.starts_with('/')) {
    roots.push_back(std::string(home) + "/.local/lib/python3.*/site-packages");
  }
  for (const char* each : {"/usr/local/lib/python3.*/dist-packages", "/usr/local/lib/python3.*/site-packages",
                           "/usr/lib/python3/dist-packages"}) {
    roots.emplace_back(each);
  }
  return roots;
}

/// Where nvcc may be, best first, where no path is given in code.
inline std::vector<tool_candidate> nvcc_candidates(const settings& from) {
  if (auto words = split_words(from.variable("KERNIX_NVCC")); !words.empty())
    return {{std::move(words), "KERNIX_NVCC", true}};
  std::vector<tool_candidate> all;
  for (std::string_view variable : {"CUDA_HOME", "CUDA_PATH"}) {
    for (const std::string& each : split_list(from.variable(variable))) {
      all.push_back({{(std::filesystem::path(each) / "bin/nvcc").string()}, std::string(variable)});
    }
  }
  auto add_pip = [&] {
    for (const char* package : {"/nvidia/cu*/bin/nvcc", "/nvidia/cuda_nvcc/bin/nvcc"}) {
      for (const std::string& root : site_packages(from)) all.push_back({{root + package}, "pip"});
    }
  };
  const bool system_first = from.variable("KERNIX_NVCC_PREFER") == "system";
  if (!system_first) add_pip();
  all.push_back({{"nvcc"}, "PATH"});
  if (system_first) add_pip();
  if (std::string_view conda = from.variable("CONDA_PREFIX"); conda.starts_with('/')) {
    all.push_back({{(std::filesystem::path(conda) / "bin/nvcc").string()}, "CONDA_PREFIX"});
  }
  all.push_back({{"/usr/local/cuda/bin/nvcc"}, "the usual place"});
  return all;
}

/// Where nvcc's host compiler may be.
inline std::vector<tool_candidate> nvcc_host_candidates(const settings& from) {
  if (auto words = split_words(from.variable("KERNIX_CUDA_HOST_CXX")); !words.empty())
    return {{std::move(words), "KERNIX_CUDA_HOST_CXX", true}};
  // nvcc calls the compiler itself: a wrapper before it, and options after it, are of no use to it.
  if (auto words = split_command(from.variable("CXX")).driver; !words.empty()) return {{{words.back()}, "CXX", true}};
  return {{{"g++"}, "PATH"}};
}

}  // namespace kernix::detail
