// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/command.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/core/error.hpp>
#include <kernix/core/toolchain.hpp>
#include <kernix/toolchain/discovery.hpp>

namespace kernix::detail {

/// `KERNIX_NVCC` for nvcc.
inline std::string variable_of(std::string_view backend) {
  std::string variable = "KERNIX_";
  for (char c : backend) variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

inline std::string how_to_install(std::string_view backend) {
  if (backend == "cxx") return "install a C++ compiler, for instance with `apt-get install g++`";
  if (backend == "nvcc") return "install the CUDA toolkit, or the Python package nvidia-cuda-nvcc";
  if (backend == "hipcc") return "install hipcc, for instance with `apt-get install hipcc`, or ROCm";
  if (backend == "teenyc") return "install teenyc as a toolchain of rustup";
  return "install " + std::string(backend);
}

inline std::string sentence_about(const examined_candidate& each) {
  if (each.what.misconfigured) return each.verdict;
  return each.what.command + " (" + each.what.origin + ") can't be used: " + each.verdict;
}

/// What the candidates come to where none of them could be used. Pure.
inline diagnostics report_none_found(const std::vector<examined_candidate>& looks, std::string_view backend, std::string_view role) {
  diagnostics report;
  report.code = make_error_code(errc::toolchain_not_found);
  report.reason = "no usable " + std::string(role) + " was found";
  const bool decided = !looks.empty() && looks.back().what.decisive;
  if (decided) {
    report.code = make_error_code(looks.back().code);
    report.reason = sentence_about(looks.back());
  }
  for (const examined_candidate& each : looks) {
    if (each.code != errc::not_executable || each.what.program.empty()) continue;
    report.advice.push_back("make it executable: `chmod +x " + shell_quoted(each.what.program.native()) + "`");
  }
  if (decided) {
    report.advice.push_back("correct or remove what " + looks.back().what.origin + " says: it decides, so nothing else is tried");
  } else if (role == backend) {
    report.advice.push_back("set " + variable_of(backend) + " to the absolute path of the compiler");
  }
  report.advice.push_back(how_to_install(backend));
  return report;
}

inline void list_tried(toolchain_search& search, const std::vector<examined_candidate>& looks, std::string_view prefix) {
  for (const examined_candidate& each : looks) {
    search.tried.push_back({each.what.command, std::string(prefix) + each.what.origin, each.verdict});
  }
}

/// Makes the search's list of what was tried, and its report where nothing was found. Pure.
inline void report(discovery& done, const candidate_lists& lists) {
  toolchain_search& search = done.search;
  search.tried.clear();
  list_tried(search, done.tools, "");
  list_tried(search, done.hosts, "host compiler: ");
  if (search.found) return;
  const bool tool_is_there =
      std::any_of(done.tools.begin(), done.tools.end(), [](const examined_candidate& each) { return each.what.usable() && each.ok(); });
  if (tool_is_there) {
    search.report = report_none_found(done.hosts, lists.host_backend, "host compiler for " + lists.backend);
    if (search.report.code == errc::toolchain_not_found) search.report.code = make_error_code(errc::tool_not_found);
    if (lists.backend == "nvcc") search.report.advice.push_back("name the host compiler in KERNIX_CUDA_HOST_CXX");
  } else {
    search.report = report_none_found(done.tools, lists.backend, lists.backend);
  }
  search.report.stage = "discovery";
  for (const tried_candidate& each : search.tried) {
    search.report.log += "tried " + each.command + " (" + each.origin + "): " + each.verdict + '\n';
  }
  if (search.tried.empty()) search.report.log = "there was no place to look at\n";
  done.code = search.report.code;
}

}  // namespace kernix::detail
