// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/advice.hpp>
#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/core/keyed_request.hpp>

namespace kernix {

/// Translates the workspace's constant names (`kernel.cpp`, `include0/x.h`) into those that one requester knows: its
/// source file, or the kernel's name with the source's suffix; the real directories; in-memory headers by their names.
///
/// What is kept and shared holds the workspace's names only; each requester gets a translation of its own. Pure.
class log_names {
 public:
  explicit log_names(const keyed_request& keyed) {
    if (!keyed.data) return;
    const compile_request& request = keyed.data->request;
    const command_plan& plan = keyed.data->plan;
    if (!plan.source_path.empty()) files_.emplace_back(plan.source_path, source_name(request, plan.source_path));
    for (const memory_header& header : request.headers) {
      for (const workspace_file& file : plan.files) {
        if (file.path.ends_with('/' + header.name)) files_.emplace_back(file.path, header.name);
      }
    }
    for (const root& each : keyed.data->roots) directories_.emplace_back(each.name + '/', each.directory.native() + '/');
  }

  /// A file's name by itself.
  std::string file(const std::string& name) const {
    for (const auto& [from, to] : files_) {
      if (name == from) return to;
    }
    for (const auto& [from, to] : directories_) {
      if (name.starts_with(from)) return to + name.substr(from.size());
    }
    return name;
  }

  /// All of a compiler's output. Lines that echo source text with a line number before it are left alone.
  std::string text(std::string_view raw) const {
    std::string shown;
    shown.reserve(raw.size() + raw.size() / 8);
    while (!raw.empty()) {
      const std::size_t end = std::min(raw.find('\n'), raw.size() - 1) + 1;
      append_line(shown, raw.substr(0, end));
      raw.remove_prefix(end);
    }
    return shown;
  }

 private:
  static std::string source_name(const compile_request& request, const std::string& source_path) {
    if (!request.source_file.empty()) return request.source_file.native();
    const std::string suffix = std::filesystem::path(source_path).extension().native();
    return request.name.ends_with(suffix) ? request.name : request.name + suffix;
  }

  /// `   12 | text` or `      | text`.
  static bool is_echo(std::string_view line) {
    const std::size_t at = line.find_first_not_of("0123456789 \t");
    return at != std::string_view::npos && at > 0 && line[at] == '|';
  }

  /// Whether a name can start after what has been read of a line: at its start, or behind a blank, a quote or a bracket.
  static bool may_start(std::string_view before) {
    if (before.empty()) return true;
    const char last = before.back();
    if (std::string_view(" \t'\"`([<").find(last) != std::string_view::npos) return true;
    if (before.ends_with("\xe2\x80\x98") || before.ends_with("\xe2\x80\x9c")) return true;  // typographic quotes
    if (last != 'm' && last != 'K') return false;
    const std::size_t escape = before.rfind('\x1b');  // a colour: ESC [ digits m
    return escape != std::string_view::npos &&
           before.find_first_not_of("[0123456789;", escape + 1) == before.size() - 1;
  }

  static bool may_end(std::string_view after) {
    return after.empty() || std::string_view(":(,;'\"`)]>\r\n\x1b").find(after.front()) != std::string_view::npos ||
           after.starts_with("\xe2\x80\x99") || after.starts_with("\xe2\x80\x9d");
  }

  void append_line(std::string& shown, std::string_view line) const {
    if (is_echo(line)) {
      shown += line;
      return;
    }
    std::size_t at = 0;
    while (at < line.size()) {
      const std::string_view rest = line.substr(at);
      const std::size_t taken = may_start(line.substr(0, at)) ? append_name(shown, rest) : 0;
      if (taken == 0) shown += rest.front();
      at += taken == 0 ? 1 : taken;
    }
  }

  /// Appends the translation of a name that `rest` starts with, and returns the name's length; 0 if there is none.
  std::size_t append_name(std::string& shown, std::string_view rest) const {
    for (const auto& [from, to] : files_) {
      if (!rest.starts_with(from) || !may_end(rest.substr(from.size()))) continue;
      shown += to;
      return from.size();
    }
    for (const auto& [from, to] : directories_) {
      if (!rest.starts_with(from)) continue;
      shown += to;
      return from.size();
    }
    return 0;
  }

  std::vector<std::pair<std::string, std::string>> files_;
  std::vector<std::pair<std::string, std::string>> directories_;
};

/// Diagnostics in the words of one request.
inline diagnostics present(diagnostics raw, const log_names& names) {
  if (raw.code && raw.advice.empty()) raw.advice = advice_for(raw);
  raw.reason = names.text(raw.reason);
  raw.log = names.text(raw.log);
  for (message& each : raw.messages) {
    each.file = names.file(each.file);
    each.text = names.text(each.text);
  }
  return raw;
}

/// An outcome whose diagnostics speak of the files as the requester knows them. Cheap where there is nothing to say. May be
/// applied by every layer that hands out an outcome: it always starts from what is shared.
inline compile_outcome present(compile_outcome outcome, const keyed_request& keyed) {
  const diagnostics& raw = outcome.payload().diagnostics;
  if (raw.log.empty() && raw.messages.empty() && raw.reason.empty()) return outcome;
  outcome.show(present(raw, log_names(keyed)));
  return outcome;
}

}  // namespace kernix
