// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <kernix/core/command.hpp>
#include <kernix/core/error.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/core/toolchain.hpp>
#include <kernix/toolchain/detail/path_lookup.hpp>

namespace kernix::detail {

/// A candidate whose words have been looked for in the file system.
struct located_candidate {
  std::vector<std::string> wrapper = {};  ///< As in `toolchain`.
  std::filesystem::path program = {};     ///< Absolute; what was looked at last where none was found.
  std::string command = {};               ///< For the error text.
  std::string origin = {};
  bool decisive = false;
  std::string verdict = {};  ///< What is wrong with it; empty: it may be asked what it is.
  errc code = errc::toolchain_not_found;  ///< Of the verdict.
  bool misconfigured = false;  ///< The verdict is about a variable's value: worth a warning even if another is found.

  bool usable() const noexcept { return verdict.empty(); }

  friend bool operator==(const located_candidate&, const located_candidate&) = default;
};

/// What is wrong with the variable that a candidate that can't be used came from; empty if nothing is.
inline std::string variable_complaint(const std::string& origin, const std::filesystem::path& program, const settings& from) {
  const std::string_view value = from.variable(origin);
  if (value.empty() || origin == "PATH") return {};
  std::string shown = origin + "=\"" + std::string(value) + "\" ";
  if (value.find(':') != std::string_view::npos) return shown + "is a list, or has a stray colon: it must name one place";
  if (!program.is_absolute() && program.has_parent_path()) return shown + "is a relative path: it must be absolute";
  std::error_code ignored;
  if (program.native().size() > value.size() && program.native().starts_with(value) &&
      std::filesystem::is_regular_file(value, ignored)) {
    return shown + "is a file: it must be a directory";
  }
  return {};
}

/// The program itself where a link of the same name, or of the tool's, leads to it: nvcc looks for its parts beside the
/// path it was called by. Other links stay: `clang++` and ccache's links act by the name they are called by.
inline std::filesystem::path without_links(const std::filesystem::path& program, std::string_view tool) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(program, error);
  if (error || (real.filename() != program.filename() && real.filename() != tool)) return program.lexically_normal();
  return real;
}

/// The matches of a bare name on a search path: those that can be executed. If there are none: the first that can't be,
/// and why.
inline std::vector<std::pair<std::filesystem::path, std::optional<file_complaint>>> matches_on_path(
    std::string_view name, const std::vector<std::filesystem::path>& directories) {
  std::vector<std::pair<std::filesystem::path, std::optional<file_complaint>>> found;
  std::optional<std::pair<std::filesystem::path, std::optional<file_complaint>>> broken;
  for (const std::filesystem::path& directory : directories) {
    std::filesystem::path program = directory / name;
    struct stat status;
    if (::lstat(program.c_str(), &status) != 0) continue;
    auto complaint = complaint_about(program);
    if (!complaint) {
      found.emplace_back(std::move(program), std::nullopt);
    } else if (!broken) {
      broken.emplace(std::move(program), std::move(complaint));
    }
  }
  if (found.empty() && broken) found.push_back(std::move(*broken));
  return found;
}

/// Everything that one word of a candidate may stand for, and what is wrong with each.
inline std::vector<std::pair<std::filesystem::path, std::optional<file_complaint>>> resolve_word(
    const std::string& word, const std::vector<std::filesystem::path>& directories) {
  std::vector<std::pair<std::filesystem::path, std::optional<file_complaint>>> found;
  if (word.empty()) {
    found.emplace_back(word, file_complaint{errc::toolchain_not_found, "is empty"});
  } else if (word.find('/') == std::string::npos) {
    found = matches_on_path(word, directories);
    if (found.empty()) found.emplace_back(word, file_complaint{errc::toolchain_not_found, "is not on PATH"});
  } else if (word.front() != '/') {
    found.emplace_back(word, file_complaint{errc::toolchain_not_found, "is a relative path: only absolute ones and bare names are used"});
  } else {
    for (std::filesystem::path& path : expand_pattern(word)) {
      auto complaint = complaint_about(path);
      found.emplace_back(std::move(path), std::move(complaint));
    }
    if (found.empty()) found.emplace_back(word, file_complaint{errc::toolchain_not_found, "matches nothing"});
  }
  return found;
}

/// Looks for one candidate: several results where its driver is a pattern, or a bare name that is on PATH more than once.
inline std::vector<located_candidate> locate(const tool_candidate& candidate, const settings& from, std::string_view tool) {
  const std::vector<std::filesystem::path> directories = search_path(from);
  located_candidate common{.origin = candidate.origin, .decisive = candidate.decisive};
  std::vector<std::string> words = candidate.words;
  std::string whole;
  for (const std::string& word : words) whole += (whole.empty() ? "" : " ") + word;
  if (words.size() > 1 && whole.front() == '/' && !complaint_about(whole)) words = {whole};  // a path with blanks
  common.command = words.size() == 1 ? shell_quoted(whole) : whole;

  auto complain = [&](const std::filesystem::path& about, const std::string& subject, const file_complaint& complaint) {
    located_candidate bad = common;
    bad.program = about;
    bad.verdict = variable_complaint(candidate.origin, about, from);
    bad.misconfigured = !bad.verdict.empty();
    if (!bad.misconfigured) bad.verdict = subject.empty() ? complaint.sentence : subject + " " + complaint.sentence;
    bad.code = complaint.code;
    return bad;
  };
  if (words.empty()) return {complain({}, {}, {errc::toolchain_not_found, "is empty"})};

  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool is_option = i > 0 && (words[i].starts_with('-') || words[i].find('=') != std::string::npos);
    if (is_option) {
      common.wrapper.push_back(words[i]);
      continue;
    }
    auto [path, complaint] = resolve_word(words[i], directories).front();
    if (complaint) return {complain(path, path.string(), *complaint)};
    common.wrapper.push_back(path.string());
  }
  if (words.size() > 1 && words.back().starts_with('-')) {
    return {complain(words.back(), words.back(),
                     {errc::toolchain_not_found, "is an option where a compiler should be: options belong into the request's flags"})};
  }

  std::vector<located_candidate> located;
  for (auto& [path, complaint] : resolve_word(words.back(), directories)) {
    const bool is_whole = words.size() == 1 && path == words.back();
    if (complaint) {
      located.push_back(complain(path, is_whole ? std::string() : path.string(), *complaint));
      if (words.size() == 1 && path != words.back()) {
        located.back().command = shell_quoted(path.string());
        if (!located.back().misconfigured) located.back().verdict = complaint->sentence;
      }
    } else {
      located_candidate good = common;
      good.program = without_links(path, tool);
      good.command.clear();
      for (const std::string& word : good.wrapper) good.command += shell_quoted(word) + ' ';
      good.command += shell_quoted(path.string());
      located.push_back(std::move(good));
    }
    // What the user named is the first match: a second one would be a silent fall-through.
    if (candidate.decisive) break;
  }
  return located;
}

/// Looks for all candidates, in order. Blocks on the disk; starts nothing.
inline std::vector<located_candidate> locate(const std::vector<tool_candidate>& candidates, const settings& from,
                                             std::string_view tool) {
  std::vector<located_candidate> all;
  for (const tool_candidate& candidate : candidates) {
    for (located_candidate& each : locate(candidate, from, tool)) {
      const bool decides = each.decisive;
      all.push_back(std::move(each));
      if (decides) return all;
    }
  }
  return all;
}

}  // namespace kernix::detail
