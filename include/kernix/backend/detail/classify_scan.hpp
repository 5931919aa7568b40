// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/backend/detail/message_line.hpp>
#include <kernix/core/process_result.hpp>

namespace kernix::detail {

/// A line that may take part in classification.
struct scanned_line {
  std::string text;          ///< Cleaned.
  bool is_hidden = false;    ///< Shows or continues what the user wrote: never says anything about the tool.
  bool follows_gap = false;  ///< Output was dropped before it.

  output_line read() const noexcept { return read_line(text); }
};

/// Hides what belongs to a message about the user's source rather than being a line of a tool.
///
/// The text of a `static_assert`, of `#pragma message` or of an attribute may hold line feeds, so that its second line
/// looks like any tool's; Clang before 18 and EDG echo source without a gutter. But a message about source starts with a
/// place and ends with the echo: what lies between is its text. Where no echo follows (`#line` names what can't be shown,
/// carets are off, the assembler speaks) and the compile failed for an error in the source, all that follows up to the
/// next message is doubtful and hidden too: the worst that this costs is the plain class.
class source_text_filter {
 public:
  explicit source_text_filter(std::vector<scanned_line>& lines) : lines_(lines) {
    for (std::size_t at = 0; at < lines_.size(); ++at) look_at(at);
    end_message(lines_.size());
    if (!found_error_) return;
    for (auto [first, last] : doubtful_) hide(first, last);
  }

 private:
  void look_at(std::size_t at) {
    if (lines_[at].follows_gap) begin_message(at, at);  // what was dropped may have begun one
    output_line::form how = lines_[at].read().how;
    if (how == output_line::form::located) {
      auto level = level_of(lines_[at].read().level);
      if (level == message::level::error || level == message::level::fatal) found_error_ = true;
      // after a message without an echo, this may be a later line of its text
      lines_[at].is_hidden = in_message_ && !was_echoed_;
      begin_message(at, at + 1);
    } else if (how == output_line::form::echo || how == output_line::form::marks) {
      hide(in_message_ ? first_ : at - (how == output_line::form::marks && at > 0 ? 1 : 0), at + 1);
      first_ = at + 1;
      was_echoed_ = true;
    }
  }

  void begin_message(std::size_t at, std::size_t first) {
    end_message(at);
    in_message_ = true;
    was_echoed_ = false;
    first_ = first;
  }

  void end_message(std::size_t at) {
    if (in_message_ && !was_echoed_) doubtful_.emplace_back(first_, at);
  }

  void hide(std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; ++at) lines_[at].is_hidden = true;
  }

  std::vector<scanned_line>& lines_;
  std::vector<std::pair<std::size_t, std::size_t>> doubtful_;
  std::size_t first_ = 0;
  bool in_message_ = false;
  bool was_echoed_ = false;
  bool found_error_ = false;
};

/// The lines of a process' stderr, or of its stdout if that is all there is. stdout is no place for messages of these
/// tools, but the assembler writes there what the source tells it to (`.print`). A line that begins in what was dropped
/// is left out: its start isn't known.
inline std::vector<scanned_line> scan(const process_result& result) {
  const captured_output& output = result.err.empty() ? result.out : result.err;
  std::vector<scanned_line> lines;
  auto add = [&](std::string_view text, bool follows_gap) {
    for (std::string& line : clean_lines(text)) {
      lines.push_back({.text = std::move(line), .follows_gap = std::exchange(follows_gap, false)});
    }
  };
  if (output.dropped == 0) {
    add(output.head + output.tail, false);
  } else {
    add(output.head, false);
    std::string_view tail = output.tail;
    std::size_t end = tail.find('\n');
    if (end != std::string_view::npos) add(tail.substr(end + 1), true);
  }
  source_text_filter{lines};
  return lines;
}

}  // namespace kernix::detail
