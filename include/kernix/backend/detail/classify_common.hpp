// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/backend/detail/classify_ending.hpp>
#include <kernix/backend/detail/classify_rule.hpp>
#include <kernix/backend/detail/classify_scan.hpp>
#include <kernix/backend/detail/message_parser.hpp>
#include <kernix/core/advice.hpp>
#include <kernix/core/command.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/core/process_result.hpp>

namespace kernix::detail {

/// A backend's knowledge of what its tools say. Tables are tried in their order.
struct classification_tables {
  /// Lines of a failed step.
  std::initializer_list<std::span<const rule>> failure;
  /// Lines that mean an error although the step succeeded: code for another architecture was made.
  std::span<const rule> success = {};
  /// What an exit code of 127 means where the step said nothing: a shell that the driver runs was refused.
  errc silent_127 = errc::tool_not_found;
  /// Advice by error, and by the line that told it, before the general one.
  std::vector<std::string> (*advice)(errc, std::string_view line) = nullptr;
};

/// What a rule makes of a line.
struct finding {
  errc code{};
  std::size_t at = 0;
  const rule* by = nullptr;
};

/// The first rule that fits the line `at`; nothing where none does, or where the line is the user's.
inline std::optional<finding> find_rule(std::span<const scanned_line> lines, std::size_t at, std::string_view program,
                                        std::span<const rule> rules, bool trusts_fatal) {
  if (lines[at].is_hidden || lines[at].text.empty()) return std::nullopt;
  output_line read = lines[at].read();
  speaker who = speaker::unknown;
  std::string subject = lines[at].text;
  auto say = [&] {
    return read.level.empty() ? std::string(read.text) : std::string(read.level) + ": " + std::string(read.text);
  };
  switch (read.how) {
    case output_line::form::context:
    case output_line::form::echo:
    case output_line::form::marks: return std::nullopt;
    case output_line::form::located:
      who = read.name.ends_with(".s") ? speaker::assembler : speaker_of_file(read.name);
      // `#line` may name a file like a message: then the true place is in what seems to be the text
      if (output_line inner; read_located(read.text, inner)) return std::nullopt;
      // with -Wfatal-errors Clang gives the text of #error as a fatal error
      if (who == speaker::source && !trusts_fatal && read.level == "fatal error") return std::nullopt;
      subject = say();
      break;
    case output_line::form::tool:
      who = speaker_of_tool(read.name, program);
      // a driver of another name: a wrapper, or a link
      if (who == speaker::unknown && !read.level.empty() && read.name.find_first_of(". (") == std::string_view::npos) {
        who = speaker::driver;
      }
      if (who != speaker::unknown) subject = say();
      break;
    case output_line::form::plain:
      who = speaker::nobody;
      subject = say();
      break;
    case output_line::form::other: break;
  }
  for (const rule& each : rules) {
    if (!includes(each.from, who) || !has_shape(subject, each.shape)) continue;
    if (!each.next.empty() && (at + 1 == lines.size() || !has_shape(lines[at + 1].text, each.next))) continue;
    return finding{each.code, at, &each};
  }
  return std::nullopt;
}

/// The strongest finding in the lines, and the first of its strength.
inline std::optional<finding> find_strongest(std::span<const scanned_line> lines, const command_step& step,
                                             std::initializer_list<std::span<const rule>> tables) {
  bool trusts_fatal = true;
  for (const argument& each : step.arguments) {
    if (each.text.find("-Wfatal-errors") != std::string::npos) trusts_fatal = false;
  }
  std::optional<finding> best, last_resort;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    std::optional<finding> found;
    for (auto table = tables.begin(); table != tables.end() && !found; ++table) {
      found = find_rule(lines, at, step.program, *table, trusts_fatal);
    }
    if (!found || found->code == errc{}) continue;
    std::optional<finding>& rival = found->by->is_last_resort ? last_resort : best;
    if (!rival || rank(found->code) < rank(rival->code)) rival = found;
  }
  return best ? best : last_resort;
}

/// The sentence about a line: at most 400 bytes of it, in valid UTF-8.
inline std::string quote_line(std::string_view line) {
  constexpr std::size_t most = 400;
  std::string text = to_utf8(line.substr(0, most));
  if (line.size() > most) text += "...";
  return text;
}

inline std::string place_of(const message& where) {
  std::string text = to_utf8(where.file);
  if (where.line > 0) text += ':' + std::to_string(where.line);
  if (where.column > 0) text += ':' + std::to_string(where.column);
  return text.empty() ? text : text + ": ";
}

/// A scanned line as the reason names it: without its level where it names a place.
inline std::string describe_line(const scanned_line& line) {
  output_line read = line.read();
  if (read.how != output_line::form::located) return quote_line(line.text);
  message where{.file = std::string(read.name), .line = read.line, .column = read.column};
  return place_of(where) + quote_line(read.text);
}

/// What a failure comes down to where no rule knows better: the first error in the source, else the first line at all.
inline diagnosis plain_failure(const command_step& step, const process_result& result,
                               std::span<const scanned_line> lines, const std::vector<message>& messages) {
  diagnosis plain{.code = make_error_code(errc::compile_failed)};
  plain.reason = std::string(describe(errc::compile_failed)) + ": ";
  for (const message& each : messages) {
    if (each.severity < message::level::error) continue;
    plain.reason += place_of(each) + quote_line(each.text);
    return plain;
  }
  for (const scanned_line& each : lines) {
    if (each.text.empty()) continue;
    plain.reason += quote_line(each.text);
    return plain;
  }
  plain.reason = tool_name(step) + " ended with exit status " + std::to_string(result.exit_code) + " and said nothing";
  return plain;
}

/// What the result of a step means, by the tables of a backend.
///
/// kernix's own reason comes first, then the error of starting the process, then how it ended and what the tools said. A
/// success is a success whatever was written, but for the lines that the backend's `success` table names.
inline diagnosis classify(const command_step& step, const process_result& result, const classification_tables& tables) {
  diagnosis verdict;
  verdict.messages = parse_messages(result.err.text() + result.out.text());
  auto conclude = [&](errc code, std::string reason, std::string_view first_advice = {}) {
    verdict.code = make_error_code(code);
    verdict.reason = std::move(reason);
    if (!first_advice.empty()) verdict.advice.emplace_back(first_advice);
    if (tables.advice != nullptr) {
      for (std::string& each : tables.advice(code, verdict.reason)) verdict.advice.push_back(std::move(each));
    }
    for (std::string& each : general_advice(code)) verdict.advice.push_back(std::move(each));
  };
  if (auto own = own_reason(step, result)) {
    conclude(own->code, std::move(own->sentence));
    return verdict;
  }
  std::vector<scanned_line> lines = scan(result);
  std::optional<finding> found =
      result.succeeded() ? find_strongest(lines, step, {tables.success}) : find_strongest(lines, step, tables.failure);
  if (result.succeeded() && !found) return verdict;
  std::optional<ending_reason> ending = reason_of_ending(step, result);
  if (!found && !ending && result.exit_code == 127) {
    errc code = lines.empty() ? tables.silent_127 : errc::tool_not_found;
    std::string said = lines.empty() ? " and said nothing" : ": " + quote_line(lines.front().text);
    ending = ending_reason{code,
                           std::string(describe(code)) + ": " + tool_name(step) + " ended with exit status 127" + said};
  }
  if (ending && (!found || found->by->is_last_resort || rank(ending->code) < rank(found->code))) {
    conclude(ending->code, std::move(ending->sentence));
  } else if (found) {
    conclude(found->code, std::string(describe(found->code)) + ": " + describe_line(lines[found->at]),
             found->by->advice);
  } else {
    diagnosis plain = plain_failure(step, result, lines, verdict.messages);
    conclude(errc::compile_failed, std::move(plain.reason));
  }
  return verdict;
}

}  // namespace kernix::detail
