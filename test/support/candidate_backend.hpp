// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/backend/compiler_backend.hpp>

namespace kernix::test {

/// A backend for tests of discovery: its candidates are given; it asks for a version and for one part.
struct candidate_backend {
  std::vector<tool_candidate> list = {};

  std::string_view name() const { return "fake"; }
  kernix::platform platform() const { return kernix::platform::cpu; }
  std::vector<tool_candidate> candidates(const settings&) const { return list; }
  result<command_plan> plan(const compile_request&, const toolchain&) const { return command_plan{}; }
  diagnosis classify(const command_step&, const process_result&) const { return {}; }

  std::vector<std::vector<std::string>> questions() const { return {{"--version"}, {"--part"}}; }
  std::optional<std::string> describe(toolchain& tool, const std::vector<process_result>& answers) const {
    std::string text = answers.at(0).out.head;
    text = text.substr(0, text.find('\n'));
    if (!text.starts_with("fake ")) return "is not the fake compiler: it says \"" + text + "\"";
    tool.family = "fake";
    tool.version_text = text;
    tool.version = text.substr(5);
    std::string parts = answers.at(1).out.head;
    while (!parts.empty()) {
      const std::string line = parts.substr(0, parts.find('\n'));
      parts.erase(0, line.size() + 1);
      if (!line.empty()) tool.parts.push_back({line, {}, {}});
    }
    return std::nullopt;
  }
};
static_assert(compiler_backend<candidate_backend>);

/// The same for a compiler that needs a host compiler.
struct hosted_backend : candidate_backend {
  std::vector<tool_candidate> hosts = {};

  candidate_backend host_backend() const { return {}; }
  std::vector<tool_candidate> host_candidates(const settings&) const { return hosts; }
};

/// The body of a shell script that answers as `candidate_backend` expects.
inline std::string fake_compiler(std::string_view version, std::string_view parts = {}) {
  return "case \"$1\" in --version) echo 'fake " + std::string(version) + "';; --part) printf '%s\\n' " + std::string(parts) +
         ";; *) exit 1;; esac";
}

}  // namespace kernix::test
