// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/core/process_result.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix::detail {

/// Lines of a text, without their ends.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// The word that follows `mark` in `text`; empty if `mark` is not there.
inline std::string_view word_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + mark.size());
  return text.substr(0, text.find_first_of(" \t\r\n,"));
}

/// "gcc" or "clang", by what `--version` and `-v` say; empty for neither. The licence text is no proof: every GNU
/// program prints it.
inline std::string_view cxx_family(std::string_view version_answer, std::string_view verbose) {
  if (version_answer.find("clang version ") != std::string_view::npos) return "clang";
  if (verbose.find("\ngcc version ") != std::string_view::npos) return "gcc";
  const std::string_view line = version_answer.substr(0, version_answer.find('\n'));
  const std::string_view word = line.substr(0, line.find(' '));
  for (std::string_view name : {"g++", "gcc", "c++"}) {
    if (word.find(name) != std::string_view::npos && line.find('(') != std::string_view::npos) return "gcc";
  }
  return {};
}

/// The `#include <...>` directories of `-E -v`.
inline std::vector<std::filesystem::path> system_includes_of(std::string_view verbose) {
  std::vector<std::filesystem::path> found;
  bool listing = false;
  for (std::string_view line : lines_of(verbose)) {
    if (line.starts_with("#include <...>")) {
      listing = true;
    } else if (line.starts_with("End of search list")) {
      break;
    } else if (listing && line.starts_with(' ')) {
      line.remove_prefix(line.find_first_not_of(' '));
      found.emplace_back(line);
    }
  }
  return found;
}

/// What g++ and clang++ are asked, in this order.
inline std::vector<std::vector<std::string>> cxx_questions() {
  return {{"--version"},
          {"-E", "-v", "-x", "c++", "/dev/null"},
          {"-Wl,--version"},
          {"-print-prog-name=cc1plus"},
          {"-print-prog-name=as"},
          {"-print-prog-name=ld"},
          {"-print-prog-name=collect2"},
          {"-print-resource-dir"}};
}

/// Reads the answers into `tools`; a sentence on what is wrong if this is neither g++ nor clang++.
inline std::optional<std::string> describe_cxx(toolchain& tools, const std::vector<process_result>& answers) {
  auto out = [&](std::size_t i) {
    return i < answers.size() && answers[i].succeeded() ? answers[i].out.text() : std::string();
  };
  auto line = [&](std::size_t i) {
    std::string text = out(i);
    return text.substr(0, text.find_first_of("\r\n"));
  };
  const std::string version = out(0);
  const std::string verbose = answers.size() > 1 ? answers[1].err.text() : std::string();
  tools.family = cxx_family(version, verbose);
  if (tools.family.empty()) {
    std::string said = line(0).substr(0, 120);
    return "is neither GCC nor Clang: asked for its version, it says " +
           (said.empty() ? std::string("nothing") : '"' + said + '"');
  }
  const bool clang = tools.family == "clang";
  tools.version_text = line(0);
  for (std::string_view each : lines_of(version)) {
    if (clang && each.find("clang version ") != std::string_view::npos) tools.version_text = each;
  }
  tools.version = clang ? word_after(version, "clang version ") : word_after(verbose, "\ngcc version ");
  if (tools.version.empty()) {
    // "g++ (Debian 12.2.0-14) 12.2.0", "g++ (GCC) 13.2.1 20231011"
    const std::size_t close = tools.version_text.rfind(") ");
    if (close != std::string::npos)
      tools.version = tools.version_text.substr(close + 2, tools.version_text.find(' ', close + 2) - close - 2);
  }
  tools.target = word_after("\n" + verbose, "\nTarget: ");
  tools.system_includes = system_includes_of(verbose);
  if (std::string linker = line(2); !linker.empty()) tools.properties.emplace_back("linker", linker);
  for (std::size_t i = 3; i <= 6; ++i) {
    std::string program = line(i);
    if (program.empty()) continue;
    // Clang compiles by itself, and answers with the bare name of what it doesn't have.
    if (clang && program.front() != '/') continue;
    tools.parts.push_back({std::filesystem::path(program).lexically_normal(), {}, {}});
  }
  return std::nullopt;
}

}  // namespace kernix::detail
