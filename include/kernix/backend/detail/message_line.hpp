// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <kernix/backend/detail/message_text.hpp>
#include <kernix/core/diagnostics.hpp>

namespace kernix::detail {

/// A line of a compiler's output, taken apart. The views point into the line.
struct output_line {
  enum class form : std::uint8_t {
    other,    ///< An empty line, or one of a form that is not known.
    context,  ///< `file: In function 'f':`, `In file included from file:line:`: where the next message is.
    echo,     ///< Of the source: `   12 | text`, with its number or without.
    marks,    ///< Under an echoed line: `^~~~`.
    located,  ///< `file:line:column: level: text`, `file(line): level: text`.
    tool,     ///< `name: level: text`, `name level   : text`: the tool itself speaks.
    plain,    ///< `level: text`: so does clang's second half, which doesn't say its name.
  };
  form how = form::other;
  std::string_view name = {};   ///< Of the file, or of the tool, as written.
  std::string_view level = {};  ///< "fatal error", "warning", ...; empty where a tool's line has none.
  std::string_view text = {};   ///< What follows the level.
  std::string_view file = {};   ///< That a tool's own line names: ptxas does.
  int line = 0;
  int column = 0;
};

/// The words that introduce a message's text, and what they mean.
inline constexpr std::array<std::pair<std::string_view, message::level>, 19> message_levels{{
    {"error", message::level::error},
    {"warning", message::level::warning},
    {"note", message::level::note},
    {"fatal error", message::level::fatal},
    {"fatal", message::level::fatal},
    {"internal compiler error", message::level::fatal},
    {"internal error", message::level::fatal},
    {"catastrophic error", message::level::fatal},
    {"command-line error", message::level::fatal},
    {"sorry, unimplemented", message::level::error},
    {"remark", message::level::note},
    {"info", message::level::note},
    {"Error", message::level::error},
    {"Warning", message::level::warning},
    {"Fatal error", message::level::fatal},
    {"Internal error", message::level::fatal},
    {"Info", message::level::note},
    {"Remark", message::level::note},
    {"Command-line error", message::level::fatal},
}};

inline std::optional<message::level> level_of(std::string_view word) noexcept {
  for (const auto& [spelling, level] : message_levels) {
    if (spelling == word) return level;
  }
  return std::nullopt;
}

/// Level and text of `rest`: "error: text", "fatal   : text", "warning #177-D: text", "fatal error C1189: text".
inline bool read_level(std::string_view rest, output_line& into) noexcept {
  std::size_t colon = rest.substr(0, 64).find(':');
  if (colon == std::string_view::npos) return false;
  std::string_view word = rest.substr(0, colon);
  auto trim = [&] {
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
  };
  trim();
  if (std::size_t space = word.rfind(' '); !level_of(word) && space != std::string_view::npos) {
    std::string_view number = word.substr(space + 1);  // EDG's #177-D, MSVC's C1189
    if (std::any_of(number.begin(), number.end(), is_digit)) word = word.substr(0, space);
    trim();
  }
  if (!level_of(word)) return false;
  into.level = word;
  into.text = rest.substr(colon + 1);
  while (!into.text.empty() && into.text.front() == ' ') into.text.remove_prefix(1);
  return true;
}

/// The number at the start of `text`, which is shortened by it; -1 if there is none.
inline int read_number(std::string_view& text) noexcept {
  int value = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || text.empty() || !is_digit(text.front())) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// `file:line:column: level: text`, `file:line: level: text`, `file(line): level: text`, `file(line,column): ...`. The
/// leftmost place that fits counts: what is right of it belongs to the text. File names may hold blanks and colons.
inline bool read_located(std::string_view line, output_line& into) noexcept {
  for (std::size_t at = line.find_first_of(":("); at != std::string_view::npos; at = line.find_first_of(":(", at + 1)) {
    if (at == 0) continue;
    char opening = line[at];
    std::string_view rest = line.substr(at + 1);
    int number = read_number(rest);
    if (number < 0 || rest.empty()) continue;
    int column = 0;
    if (rest.front() == (opening == '(' ? ',' : ':')) {
      std::string_view after = rest.substr(1);
      if (int second = read_number(after); second >= 0) {
        column = second;
        rest = after;
      }
    }
    if (opening == '(') {
      if (!rest.starts_with(")")) continue;
      rest.remove_prefix(1);
      while (rest.starts_with(" ")) rest.remove_prefix(1);
    }
    if (!rest.starts_with(": ")) continue;
    rest.remove_prefix(2);
    if (!read_level(rest, into)) continue;
    into.name = line.substr(0, at);
    into.line = number;
    into.column = column;
    return true;
  }
  return false;
}

/// Whether `line` shows source: `   12 | text`, `      | text`, `  +++ |+text`.
inline bool is_echo(std::string_view line) noexcept {
  std::size_t bar = line.find('|');
  if (bar == std::string_view::npos || bar == 0 || line[bar - 1] != ' ') return false;
  std::string_view gutter = line.substr(0, bar);
  return gutter.find_first_not_of(" 0123456789+") == std::string_view::npos;
}

/// Whether `line` only leads to the next message. What stands before `: In` is a file's name, whatever it looks like.
inline bool is_context(std::string_view line) noexcept {
  if (line.starts_with("In file included from ")) return true;
  if (!line.ends_with(':')) return false;
  for (std::string_view lead : {": In ", ": At global scope:", ": At top level:"}) {
    if (line.find(lead) != std::string_view::npos) return true;
  }
  return false;
}

/// Whether `line` is made of the marks that stand under an echoed line.
inline bool is_marks(std::string_view line) noexcept {
  return line.find('^') != std::string_view::npos && line.find_first_not_of(" \t^~-|") == std::string_view::npos;
}

/// `name level   : text` (nvcc, ptxas), `name file, line N; level   : text` (ptxas), `name: level: text`, `name: text`.
inline bool read_tool(std::string_view line, output_line& into) noexcept {
  std::size_t blank = line.find(' ');
  if (blank != std::string_view::npos && blank > 0 && line[blank - 1] != ':') {
    std::string_view rest = line.substr(blank + 1);
    if (read_level(rest, into)) {
      into.name = line.substr(0, blank);
      return true;
    }
    if (std::size_t where = rest.find(", line "); where != std::string_view::npos) {
      std::string_view after = rest.substr(where + 7);
      int number = read_number(after);
      if (number >= 0 && after.starts_with("; ") && read_level(after.substr(2), into)) {
        into.name = line.substr(0, blank);
        into.file = rest.substr(0, where);
        into.line = number;
        return true;
      }
    }
  }
  std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || colon == 0) return false;
  into.name = line.substr(0, colon);
  std::string_view rest = line.substr(colon + 2);
  if (!read_level(rest, into)) into.text = rest;
  return true;
}

/// Whether a place follows a quoted name: `'f':12:3: error: ...`. So ends the name of a file that looks like a message.
inline bool quote_before_place(std::string_view text) noexcept {
  for (std::size_t at = text.find('\''); at != std::string_view::npos; at = text.find('\'', at + 1)) {
    output_line after;
    if (at + 2 < text.size() && is_digit(text[at + 2]) && read_located(text.substr(at, 64), after) &&
        after.name == "'") {
      return true;
    }
  }
  return false;
}

/// `place: undefined reference to 'f'`: a linker speaks, and names a symbol, which may look like anything.
inline bool read_linker(std::string_view line, output_line& into) noexcept {
  if (!line.ends_with('\'') && !line.ends_with(": first defined here")) return false;
  for (std::string_view what : {": undefined reference to ", ": multiple definition of "}) {
    std::size_t at = line.find(what);
    if (at == std::string_view::npos || at == 0) continue;
    output_line before;
    if (read_located(line.substr(0, at + 1), before) || read_level(line, before)) continue;
    if (quote_before_place(line.substr(at))) continue;
    into.name = "ld";
    into.text = line.substr(at + 2);
    return true;
  }
  return false;
}

/// Takes a cleaned line apart.
inline output_line read_line(std::string_view line) noexcept {
  output_line read;
  if (is_echo(line)) {
    read.how = output_line::form::echo;
  } else if (is_marks(line)) {
    read.how = output_line::form::marks;
  } else if (line.empty() || line.front() == ' ' || line.front() == '\t') {
    read.how = output_line::form::other;
  } else if (is_context(line)) {
    read.how = output_line::form::context;
  } else if (read_linker(line, read)) {
    read.how = output_line::form::tool;
  } else if (read_located(line, read)) {
    read.how = output_line::form::located;
  } else if (read_level(line, read)) {
    read.how = output_line::form::plain;
  } else if (read_tool(line, read)) {
    read.how = output_line::form::tool;
  }
  return read;
}

}  // namespace kernix::detail
