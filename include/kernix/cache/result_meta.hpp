// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/artifact.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/core/digest.hpp>
#include <kernix/detail/tagged_record.hpp>

namespace kernix {

/// What a result is beside its artifacts' bytes: the file `meta` of its directory. The artifacts' files have constant
/// names, so that a request's name never becomes part of a path.
struct result_meta {
  digest key;
  std::vector<artifact> artifacts;  ///< Their paths are file names within the result's directory.
  kernix::diagnostics diagnostics;  ///< Of a success: its command and its warnings.
  std::int64_t began_ns = 0;
  std::chrono::nanoseconds compile_time{};
};

/// The name of a result's n-th artifact within its directory.
inline std::string artifact_file_name(output_kind kind, std::size_t index) {
  return (index == 0 ? std::string("kernel") : "kernel-" + std::to_string(index)) + std::string(suffix(kind));
}

namespace detail {

inline constexpr std::string_view result_magic = "kernix-result\n";
inline constexpr std::uint32_t result_version = 1;

/// The tags of the format: numbers are never given another meaning.
namespace result_tags {
enum : std::uint32_t { key = 1, artifact = 2, began = 3, compile_time = 4, diagnostics = 5 };
enum : std::uint32_t { kind = 1, bytes = 2, content = 3 };
enum : std::uint32_t {
  stage = 1,
  command = 2,
  exit_status = 3,
  signal = 4,
  log = 5,
  message = 6,
  reason = 7,
  advice = 8
};
enum : std::uint32_t { severity = 1, file = 2, line = 3, column = 4, text = 5 };
}  // namespace result_tags

inline record_writer encode(const diagnostics& what) {
  namespace tag = result_tags;
  record_writer record;
  record.string(tag::stage, what.stage).string(tag::command, what.command).string(tag::log, what.log);
  record.i64(tag::exit_status, what.exit_status).i64(tag::signal, what.signal).string(tag::reason, what.reason);
  for (const std::string& each : what.advice) record.string(tag::advice, each);
  for (const message& each : what.messages) {
    record_writer nested;
    nested.u64(tag::severity, static_cast<std::uint64_t>(each.severity)).string(tag::file, each.file);
    nested.i64(tag::line, each.line).i64(tag::column, each.column).string(tag::text, each.text);
    record.record(tag::message, nested);
  }
  return record;
}

/// Diagnostics are there for people: what is missing is left empty.
inline diagnostics decode_diagnostics(const record_reader& record) {
  namespace tag = result_tags;
  auto text = [](const record_reader& from, std::uint32_t which) {
    return std::string(from.string(which).value_or(""));
  };
  auto number = [](const record_reader& from, std::uint32_t which) {
    return static_cast<int>(from.i64(which).value_or(0));
  };
  diagnostics what;
  what.stage = text(record, tag::stage);
  what.command = text(record, tag::command);
  what.log = text(record, tag::log);
  what.reason = text(record, tag::reason);
  what.exit_status = number(record, tag::exit_status);
  what.signal = number(record, tag::signal);
  for (std::string_view each : record.strings(tag::advice)) what.advice.emplace_back(each);
  for (const record_reader& each : record.records(tag::message).value_or(std::vector<record_reader>{})) {
    message one;
    one.severity = static_cast<message::level>(each.u64(tag::severity).value_or(2));
    one.file = text(each, tag::file);
    one.line = number(each, tag::line);
    one.column = number(each, tag::column);
    one.text = text(each, tag::text);
    what.messages.push_back(std::move(one));
  }
  return what;
}

}  // namespace detail

/// The description as a file's content.
inline std::string encode(const result_meta& what) {
  namespace tag = detail::result_tags;
  detail::record_writer all;
  all.digest(tag::key, what.key).i64(tag::began, what.began_ns).i64(tag::compile_time, what.compile_time.count());
  for (const artifact& each : what.artifacts) {
    detail::record_writer record;
    record.u64(tag::kind, static_cast<std::uint64_t>(each.kind)).u64(tag::bytes, each.bytes);
    all.record(tag::artifact, record.digest(tag::content, each.content));
  }
  all.record(tag::diagnostics, detail::encode(what.diagnostics));
  return all.sealed(detail::result_magic, detail::result_version);
}

/// The description in a file's content; nothing unless every byte is as it was written.
inline std::optional<result_meta> decode_result_meta(std::string_view bytes) {
  namespace tag = detail::result_tags;
  auto all = detail::record_reader::open(bytes, detail::result_magic, detail::result_version);
  if (!all) return std::nullopt;
  auto key = all->digest(tag::key);
  auto artifacts = all->records(tag::artifact);
  auto began = all->i64(tag::began);
  if (!key || !artifacts || artifacts->empty() || !began) return std::nullopt;
  result_meta what;
  what.key = *key;
  what.began_ns = *began;
  what.compile_time = std::chrono::nanoseconds(all->i64(tag::compile_time).value_or(0));
  for (const detail::record_reader& each : *artifacts) {
    auto kind = each.u64(tag::kind);
    auto size = each.u64(tag::bytes);
    auto content = each.digest(tag::content);
    if (!kind || !size || !content) return std::nullopt;
    const auto as_kind = static_cast<output_kind>(*kind);
    std::string file = artifact_file_name(as_kind, what.artifacts.size());
    what.artifacts.push_back({.kind = as_kind, .path = std::move(file), .bytes = *size, .content = *content});
  }
  if (auto record = all->record(tag::diagnostics)) what.diagnostics = detail::decode_diagnostics(*record);
  return what;
}

}  // namespace kernix
