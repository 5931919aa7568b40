// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kernix/core/command.hpp>

namespace kernix::detail {

/// Reads the rules of a dependency file. See `parse_depfile`.
class depfile_parser {
 public:
  depfile_parser(std::string_view text, dependency_file::dialect how) : text_(text), how_(how) {}

  std::vector<std::string> parse() {
    find_bare_targets();
    while (!text_.empty()) parse_rule(next_line());
    return std::move(names_);
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }

  /// One rule: physical lines, without their ends and the backslashes that continue them.
  using rule = std::vector<std::string_view>;

  rule next_line() {
    rule lines;
    for (bool more = true; more && !text_.empty();) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      // An even number of backslashes before the end of a line are part of a name.
      const std::size_t last = line.find_last_not_of('\\');
      const std::size_t slashes = line.size() - (last == std::string_view::npos ? 0 : last + 1);
      more = slashes % 2 == 1;
      if (more) line.remove_suffix(1);
      lines.push_back(line);
    }
    return lines;
  }

  /// GNU ld escapes nothing, but puts one name on a line and repeats each as a target without prerequisites. These
  /// tell a name with blanks from several names.
  void find_bare_targets() {
    std::string_view rest = text_;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.size() < 2 || line.back() != ':' || is_blank(line.front())) continue;
      line.remove_suffix(1);
      for (std::size_t i = 1; i < line.size(); ++i) {
        if (is_blank(line[i]) && line[i - 1] != '\\') {
          bare_targets_.insert(line);
          break;
        }
      }
    }
  }

  void parse_rule(const rule& lines) {
    if (lines.empty() || lines.front().starts_with('#')) return;  // rustc notes variables in comments
    bool after_colon = false;
    for (std::string_view line : lines) {
      while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
      while (!line.empty() && is_blank(line.back()) && !(line.size() > 1 && line[line.size() - 2] == '\\')) line.remove_suffix(1);
      if (after_colon && bare_targets_.contains(line)) {
        names_.emplace_back(line);
        continue;
      }
      parse_names(line, after_colon);
    }
  }

  void parse_names(std::string_view line, bool& after_colon) {
    std::size_t at = 0;
    while (at < line.size()) {
      if (is_blank(line[at])) {
        ++at;
        continue;
      }
      bool ends_targets = false;
      std::string name = take_name(line, at, after_colon, ends_targets);
      if (after_colon && !name.empty()) names_.push_back(std::move(name));
      if (ends_targets) after_colon = true;
    }
  }

  /// Reads one name from `at`. A colon belongs to a name, unless it ends the targets: the first that a blank or the end
  /// follows.
  std::string take_name(std::string_view line, std::size_t& at, bool after_colon, bool& ends_targets) const {
    std::string name;
    while (at < line.size() && !is_blank(line[at])) {
      const char c = line[at];
      if (c == ':' && !after_colon && (at + 1 == line.size() || is_blank(line[at + 1]))) {
        ends_targets = true;
        ++at;
        break;
      }
      if (c == '\\') {
        at = take_backslashes(line, at, name);
      } else if (c == '$' && how_ == dependency_file::dialect::make && at + 1 < line.size() && line[at + 1] == '$') {
        name += '$';
        at += 2;
      } else {
        name += c;
        ++at;
      }
    }
    return name;
  }

  /// Before a blank, 2N+1 backslashes are N of them and the blank, 2N are N at the end of a name; before `#`, the last
  /// one escapes it and the others stand for themselves; so do all elsewhere.
  std::size_t take_backslashes(std::string_view line, std::size_t at, std::string& name) const {
    const std::size_t end = std::min(line.find_first_not_of('\\', at), line.size());
    const std::size_t count = end - at;
    if (end < line.size() && is_blank(line[end])) {
      name.append(count / 2, '\\');
      if (count % 2 == 0) return end;
      name += line[end];
      return end + 1;
    }
    if (end < line.size() && line[end] == '#' && how_ == dependency_file::dialect::make) {
      name.append(count - 1, '\\');
      name += '#';
      return end + 1;
    }
    name.append(count, '\\');
    return end;
  }

  std::string_view text_;
  dependency_file::dialect how_;
  std::unordered_set<std::string_view> bare_targets_;
  std::vector<std::string> names_;
};

/// The prerequisites of all rules of a dependency file in make's syntax, unescaped, in the order of the file, repeated as
/// often as they are there. Targets, and names that only appear as targets, are left out. Takes any text: what is no rule
/// gives no names, and time and memory are linear in the size of the text.
inline std::vector<std::string> parse_depfile(std::string_view text, dependency_file::dialect how) {
  return depfile_parser(text, how).parse();
}

}  // namespace kernix::detail
