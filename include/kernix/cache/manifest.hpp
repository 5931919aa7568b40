// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/digest.hpp>
#include <kernix/core/read_set.hpp>
#include <kernix/detail/signature_record.hpp>
#include <kernix/detail/tagged_record.hpp>

namespace kernix {

/// One result of a key: which directory holds it, and what it depends on.
struct manifest_result {
  std::string id;               ///< 32 hexadecimal digits, never used twice.
  std::int64_t began_ns = 0;    ///< When its compile began (system clock).
  std::int64_t created_ns = 0;  ///< When it was published (system clock).
  read_set reads;
};

/// What the cache knows of one key: the results that were made for it, each for other contents of the files that the
/// compiler read; and, for people, what the key was made of. A value; replaced as a whole, never changed in place.
struct manifest {
  /// More results than this are not kept: the oldest goes.
  static constexpr std::size_t max_results = 16;
  static constexpr std::size_t max_names = 16;

  digest key;
  std::vector<std::pair<std::string, std::string>> fields;  ///< Tagged fields of the key, without secrets.
  std::vector<std::string> names;                           ///< Of the requests that built it, newest first.
  std::vector<manifest_result> results;                     ///< Newest first.

  /// Adds a result in front. Those with the same dependencies are superseded. Returns what is no longer listed.
  std::vector<manifest_result> put(manifest_result fresh) {
    std::vector<manifest_result> dropped;
    std::vector<manifest_result> kept;
    for (manifest_result& each : results) (each.reads == fresh.reads ? dropped : kept).push_back(std::move(each));
    results = std::move(kept);
    results.insert(results.begin(), std::move(fresh));
    while (results.size() > max_results) {
      dropped.push_back(std::move(results.back()));
      results.pop_back();
    }
    return dropped;
  }

  /// Notes that a request of this name built it.
  void add_name(std::string_view name) {
    std::erase(names, name);
    names.emplace(names.begin(), name);
    if (names.size() > max_names) names.resize(max_names);
  }
};

namespace detail {

inline constexpr std::string_view manifest_magic = "kernix-manifest\n";
inline constexpr std::uint32_t manifest_version = 1;

/// The tags of the format: numbers are never given another meaning.
namespace manifest_tags {
enum : std::uint32_t { key = 1, field = 2, name = 3, result = 4 };
enum : std::uint32_t { field_name = 1, field_value = 2 };
enum : std::uint32_t { id = 1, began = 2, created = 3, file = 4, absent = 5 };
enum : std::uint32_t { root = 1, path = 2, content = 3 };
}  // namespace manifest_tags

/// An id becomes part of a path: nothing but what `random_name` makes is let through.
inline bool is_result_id(std::string_view id) noexcept {
  return id.size() == 32 && id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

inline std::optional<manifest_result> decode_result(const record_reader& record) {
  auto id = record.string(manifest_tags::id);
  auto began = record.i64(manifest_tags::began);
  auto created = record.i64(manifest_tags::created);
  auto files = record.records(manifest_tags::file);
  auto absent = record.records(manifest_tags::absent);
  if (!id || !is_result_id(*id) || !began || !created || !files || !absent) return std::nullopt;
  manifest_result result{.id = std::string(*id), .began_ns = *began, .created_ns = *created, .reads = {}};
  for (const record_reader& file : *files) {
    auto root = file.string(manifest_tags::root);
    auto path = file.string(manifest_tags::path);
    auto content = file.digest(manifest_tags::content);
    if (!root || !path || !content) return std::nullopt;
    result.reads.files.push_back({std::string(*root), std::string(*path), *content, read_signature(file).value_or(stat_signature{})});
  }
  for (const record_reader& file : *absent) {
    auto root = file.string(manifest_tags::root);
    auto path = file.string(manifest_tags::path);
    if (!root || !path) return std::nullopt;
    result.reads.absent.push_back({std::string(*root), std::string(*path)});
  }
  return result;
}

}  // namespace detail

/// The manifest as a file's content.
inline std::string encode(const manifest& what) {
  detail::record_writer all;
  all.digest(detail::manifest_tags::key, what.key);
  for (const auto& [name, value] : what.fields) {
    detail::record_writer field;
    field.string(detail::manifest_tags::field_name, name).string(detail::manifest_tags::field_value, value);
    all.record(detail::manifest_tags::field, field);
  }
  for (const std::string& name : what.names) all.string(detail::manifest_tags::name, name);
  for (const manifest_result& each : what.results) {
    detail::record_writer result;
    result.string(detail::manifest_tags::id, each.id)
        .i64(detail::manifest_tags::began, each.began_ns)
        .i64(detail::manifest_tags::created, each.created_ns);
    for (const read_file& file : each.reads.files) {
      detail::record_writer record;
      record.string(detail::manifest_tags::root, file.root).string(detail::manifest_tags::path, file.path);
      if (file.seen != stat_signature{}) detail::write_signature(record, file.seen);
      result.record(detail::manifest_tags::file, record.digest(detail::manifest_tags::content, file.content));
    }
    for (const absent_file& file : each.reads.absent) {
      detail::record_writer record;
      result.record(
          detail::manifest_tags::absent,
          record.string(detail::manifest_tags::root, file.root).string(detail::manifest_tags::path, file.path));
    }
    all.record(detail::manifest_tags::result, result);
  }
  return all.sealed(detail::manifest_magic, detail::manifest_version);
}

/// The manifest in a file's content; nothing unless every byte is as it was written.
inline std::optional<manifest> decode_manifest(std::string_view bytes) {
  auto all = detail::record_reader::open(bytes, detail::manifest_magic, detail::manifest_version);
  if (!all) return std::nullopt;
  auto key = all->digest(detail::manifest_tags::key);
  auto fields = all->records(detail::manifest_tags::field);
  auto results = all->records(detail::manifest_tags::result);
  if (!key || !fields || !results) return std::nullopt;
  manifest what;
  what.key = *key;
  for (const detail::record_reader& field : *fields) {
    auto name = field.string(detail::manifest_tags::field_name);
    auto value = field.string(detail::manifest_tags::field_value);
    if (!name || !value) return std::nullopt;
    what.fields.emplace_back(*name, *value);
  }
  for (std::string_view name : all->strings(detail::manifest_tags::name)) what.names.emplace_back(name);
  for (const detail::record_reader& record : *results) {
    auto result = detail::decode_result(record);
    if (!result) return std::nullopt;
    what.results.push_back(std::move(*result));
  }
  return what;
}

}  // namespace kernix
