// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kernix/backend/detail/message_line.hpp>
#include <kernix/core/diagnostics.hpp>

namespace kernix::detail {

/// A linker's line about an object or a source: `k.cpp:(.text+0x14): undefined reference to 'f'`, `k.cpp:3: multiple
/// definition of 'f'`, with the linker's own name before it or not.
inline bool read_linker_place(std::string_view whole, message& into) {
  if (whole.starts_with("/") || whole.starts_with("ld")) {
    std::size_t colon = whole.find(": ");
    std::string_view tool = base_name(whole.substr(0, colon));
    if (colon != std::string_view::npos && (tool == "ld" || tool.starts_with("ld."))) whole.remove_prefix(colon + 2);
  }
  for (std::string_view what : {"undefined reference to ", "multiple definition of ", "undefined symbol: "}) {
    std::size_t at = whole.find(what);
    if (at == std::string_view::npos || at < 3 || whole.substr(at - 2, 2) != ": ") continue;
    std::string_view place = whole.substr(0, at - 2);
    if (std::size_t section = place.rfind(":("); section != std::string_view::npos) {
      place = place.substr(0, section);
    } else if (std::size_t colon = place.rfind(':'); colon != std::string_view::npos) {
      std::string_view number = place.substr(colon + 1);
      if (int line = read_number(number); line >= 0 && number.empty()) {
        into.line = line;
        place = place.substr(0, colon);
      }
    }
    // `/tmp/x.o:k.cpp`: the source is what a person wants
    if (std::size_t object = place.rfind(".o:"); object != std::string_view::npos) place.remove_prefix(object + 3);
    into.severity = message::level::error;
    into.file = std::string(place);
    into.text = to_utf8(whole.substr(at));
    return true;
  }
  return false;
}

/// Tools whose lines without a level are errors. Of others such lines are context ("g++: note: ..." has a level).
inline bool speaks_of_errors(std::string_view tool) {
  std::string_view name = base_name(tool);
  return name == "ld" || name.starts_with("ld.") || name == "collect2" || name == "sh" || name == "cc1plus" ||
         name.ends_with("-ld");
}

/// The message in a tool's line without a level; false where it is none.
inline bool read_unlevelled(const output_line& read, message& into) {
  if (!speaks_of_errors(read.name) || read.text.empty() || read.text.back() == ':') return false;
  std::string_view text = read.text;
  into.severity = message::level::error;
  // `ld: x.o: warning: relocation in read-only section`, `ld: warning: ...` is read as a level before
  if (std::size_t at = text.find(": warning: "); at != std::string_view::npos) into.severity = message::level::warning;
  if (text.starts_with("use the --help") || text.find("getcwd() failed") != std::string_view::npos) {
    into.severity = message::level::note;
  }
  into.text = to_utf8(text);
  return true;
}

/// The messages in a compiler's output: GCC's and Clang's, those of nvcc's front end, of ptxas, of linkers, and lines in
/// which a driver itself speaks (with an empty file). `In file included from` and echoed source are left out, repeated
/// lines (nvcc compiles for host and device) are given once. Texts are valid UTF-8; files keep their bytes.
inline std::vector<message> parse_messages(std::string_view log) {
  std::vector<message> messages;
  std::unordered_set<std::string> seen;
  for (std::string& line : clean_lines(log)) {
    output_line read = read_line(line);
    message found;
    switch (read.how) {
      case output_line::form::located:
        found.file = std::string(read.name);
        found.line = read.line;
        found.column = read.column;
        break;
      case output_line::form::tool:
        if (read_linker_place(line, found)) break;
        if (read.level.empty() && !read_unlevelled(read, found)) continue;
        found.file = std::string(read.file);
        found.line = read.line;
        break;
      case output_line::form::plain: break;
      case output_line::form::other:
      case output_line::form::context:
      case output_line::form::echo:
      case output_line::form::marks: continue;
    }
    if (found.text.empty()) {
      found.severity = level_of(read.level).value_or(message::level::error);
      found.text = to_utf8(read.text);
    }
    if (seen.insert(std::move(line)).second) messages.push_back(std::move(found));
  }
  return messages;
}

}  // namespace kernix::detail
