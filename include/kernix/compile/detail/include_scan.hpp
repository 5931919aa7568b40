// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernix::detail {

/// A header as a directive names it.
struct header_name {
  std::string name;
  bool quoted = false;  ///< `"name"`: looked up beside the including file first.
  bool next = false;    ///< `__has_include_next`: looked up behind the place where the asking file lies.

  friend bool operator==(const header_name&, const header_name&) = default;
};

/// What a text asks the preprocessor to look up. Found without preprocessing: inactive branches count too.
struct include_scan {
  std::vector<header_name> includes;  ///< `#include`, `#include_next`, `#import`.
  std::vector<header_name> probes;    ///< `__has_include`, also through macros of the user.
  std::vector<std::string> computed_probes;  ///< Macros that stand where `__has_include` wants a name.
  std::vector<std::pair<std::string, header_name>> definitions;  ///< `#define NAME <header>`.
  bool embeds_files = false;  ///< `.incbin` or `.include` makes the assembler read files that no dependency file lists.
  bool tells_time = false;    ///< `__DATE__`, `__TIME__` or `__TIMESTAMP__`: the same text means something else tomorrow.
};

/// Collects the look-ups of one text.
class include_scanner {
 public:
  explicit include_scanner(std::string_view text) : text_(text) {}

  include_scan scan() {
    // As a digraph and as a trigraph, too: only some standards know those, and one look-up too many does no harm.
    for (std::string_view hash : {std::string_view("#"), std::string_view("%:"), std::string_view("?\?=")}) {
      for (std::size_t at = 0; (at = text_.find(hash, at)) != std::string_view::npos;) {
        const bool starts = begins_line(at);
        at += hash.size();
        if (starts) directive(logical_line(at));
      }
    }
    found_.embeds_files = text_.find(".incbin") != std::string_view::npos || includes_assembly();
    for (std::string_view word : {"__DATE__", "__TIME__", "__TIMESTAMP__"}) {
      found_.tells_time = found_.tells_time || text_.find(word) != std::string_view::npos;
    }
    return std::move(found_);
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r'; }
  /// Whether a string literal holds the assembler's `.include "file"`.
  bool includes_assembly() const {
    constexpr std::string_view word = ".include";
    for (std::size_t at = 0; (at = text_.find(word, at)) != std::string_view::npos;) {
      std::string_view rest = text_.substr(at += word.size());
      const std::size_t blanks = std::min(rest.find_first_not_of(" \t"), rest.size());
      rest.remove_prefix(blanks);
      if (rest.starts_with("\\\"") || (blanks > 0 && rest.starts_with('"'))) return true;
    }
    return false;
  }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
  }

  bool begins_line(std::size_t at) const {
    while (at > 0 && is_blank(text_[at - 1])) --at;
    return at == 0 || text_[at - 1] == '\n' || (at > 1 && text_[at - 1] == '/' && text_[at - 2] == '*');
  }

  /// The rest of a directive: continued lines joined, comments as blanks. Moves `at` behind it.
  std::string logical_line(std::size_t& at) const {
    std::string line;
    constexpr std::size_t longest = 1 << 16;
    while (at < text_.size() && text_[at] != '\n' && line.size() < longest) {
      if (text_[at] == '\\') {
        std::size_t next = at + 1;
        while (next < text_.size() && is_blank(text_[next])) ++next;
        if (next < text_.size() && text_[next] == '\n') {
          at = next + 1;
          continue;
        }
      }
      if (text_.substr(at, 2) == "/*") {
        const std::size_t end = text_.find("*/", at + 2);
        at = end == std::string_view::npos ? text_.size() : end + 2;
        line += ' ';
        continue;
      }
      line += text_[at++];
    }
    return line;
  }

  void directive(const std::string& line) {
    std::string_view rest = line;
    const std::string_view what = take_word(rest);
    skip_blanks(rest);
    if (what == "include" || what == "include_next" || what == "import") {
      if (auto name = take_name(rest); !name.name.empty()) found_.includes.push_back(std::move(name));
    } else if (what == "if" || what == "elif") {
      probes(rest, false);
    } else if (what == "define") {
      const std::string_view macro = take_word(rest);
      const bool has_parameters = rest.starts_with('(');
      skip_blanks(rest);
      if (!has_parameters && (rest.starts_with('<') || rest.starts_with('"'))) {
        if (auto name = take_name(rest); !name.name.empty()) found_.definitions.emplace_back(macro, std::move(name));
      } else if (rest.find("__has_include") != std::string_view::npos) {
        probes(rest, true);
      }
    }
  }

  /// In a condition, a name of a header in parentheses can only be the operand of `__has_include` or of a macro around it.
  void probes(std::string_view line, bool in_definition) {
    for (std::size_t open = 0; (open = line.find('(', open)) != std::string_view::npos; ++open) {
      const std::string_view before = word_before(line, open);
      std::string_view rest = line.substr(open + 1);
      skip_blanks(rest);
      const bool direct = before == "__has_include" || before == "__has_include_next";
      if (!direct && (in_definition || before.empty())) continue;
      if (auto name = take_name(rest); !name.name.empty()) {
        name.next = before.ends_with("_next");
        found_.probes.push_back(std::move(name));
      } else if (direct && !in_definition) {
        const std::string_view macro = take_word(rest);
        if (!macro.empty()) found_.computed_probes.emplace_back(macro);
      }
    }
  }

  static void skip_blanks(std::string_view& line) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  }

  static std::string_view take_word(std::string_view& line) {
    skip_blanks(line);
    std::size_t length = 0;
    while (length < line.size() && is_word(line[length])) ++length;
    const std::string_view word = line.substr(0, length);
    line.remove_prefix(length);
    return word;
  }

  static std::string_view word_before(std::string_view line, std::size_t end) {
    while (end > 0 && is_blank(line[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_word(line[begin - 1])) --begin;
    return line.substr(begin, end - begin);
  }

  /// `<name>` or `"name"` at the start of `line`; empty if there is none. Backslashes stand for themselves.
  static header_name take_name(std::string_view line) {
    if (line.empty() || (line.front() != '<' && line.front() != '"')) return {};
    const bool quoted = line.front() == '"';
    const std::size_t end = line.find(quoted ? '"' : '>', 1);
    if (end == std::string_view::npos || end > 4096) return {};
    return {std::string(line.substr(1, end - 1)), quoted};
  }

  std::string_view text_;
  include_scan found_;
};

/// Finds the headers that a text names.
inline include_scan scan_includes(std::string_view text) { return include_scanner(text).scan(); }

}  // namespace kernix::detail
