// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/digest.hpp>
#include <kernix/core/hasher.hpp>

namespace kernix::detail {

inline void append_number(std::string& to, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
}

inline std::uint64_t number_at(std::string_view bytes, std::size_t width) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Builds a record: a sequence of fields, each a tag, a length and a value (numbers little-endian). Tags may repeat; a
/// field may be a record.
class record_writer {
 public:
  record_writer& string(std::uint32_t tag, std::string_view value) {
    append_number(body_, tag, 4);
    append_number(body_, value.size(), 8);
    body_ += value;
    return *this;
  }
  record_writer& u64(std::uint32_t tag, std::uint64_t value) {
    std::string bytes;
    append_number(bytes, value, 8);
    return string(tag, bytes);
  }
  record_writer& i64(std::uint32_t tag, std::int64_t value) { return u64(tag, static_cast<std::uint64_t>(value)); }
  record_writer& digest(std::uint32_t tag, const kernix::digest& value) {
    return string(tag, {reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
  }
  record_writer& record(std::uint32_t tag, const record_writer& nested) { return string(tag, nested.body_); }

  /// The record as a file's whole content: magic, format version, fields, and the SHA-256 of all that.
  std::string sealed(std::string_view magic, std::uint32_t version) const {
    std::string file(magic);
    append_number(file, version, 4);
    file += body_;
    const kernix::digest sum = sha256(file);
    file.append(reinterpret_cast<const char*>(sum.bytes.data()), sum.bytes.size());
    return file;
  }

 private:
  std::string body_;
};

/// Reads a record that `record_writer` made. A view: the bytes must outlive it and everything it hands out. Never throws
/// for what the bytes hold; a missing field, or one of another size than asked for, is "nothing".
class record_reader {
 public:
  /// The record in a file's content; nothing unless magic, version, digest and the framing of all fields are right.
  static std::optional<record_reader> open(std::string_view file, std::string_view magic, std::uint32_t version) {
    kernix::digest sum;
    if (file.size() < magic.size() + 4 + sum.bytes.size() || !file.starts_with(magic)) return std::nullopt;
    if (number_at(file.substr(magic.size()), 4) != version) return std::nullopt;
    const std::string_view covered = file.substr(0, file.size() - sum.bytes.size());
    std::memcpy(sum.bytes.data(), covered.data() + covered.size(), sum.bytes.size());
    if (sha256(covered) != sum) return std::nullopt;
    return parse(covered.substr(magic.size() + 4));
  }

  /// The first field with this tag.
  std::optional<std::string_view> string(std::uint32_t tag) const noexcept {
    for (const auto& [each, value] : fields_) {
      if (each == tag) return value;
    }
    return std::nullopt;
  }
  std::optional<std::uint64_t> u64(std::uint32_t tag) const noexcept {
    auto value = string(tag);
    if (!value || value->size() != 8) return std::nullopt;
    return number_at(*value, 8);
  }
  std::optional<std::int64_t> i64(std::uint32_t tag) const noexcept {
    auto value = u64(tag);
    if (!value) return std::nullopt;
    return static_cast<std::int64_t>(*value);
  }
  std::optional<kernix::digest> digest(std::uint32_t tag) const noexcept {
    auto value = string(tag);
    kernix::digest read;
    if (!value || value->size() != read.bytes.size()) return std::nullopt;
    std::memcpy(read.bytes.data(), value->data(), read.bytes.size());
    return read;
  }
  std::optional<record_reader> record(std::uint32_t tag) const {
    auto value = string(tag);
    if (!value) return std::nullopt;
    return parse(*value);
  }

  /// All fields with this tag, in order.
  std::vector<std::string_view> strings(std::uint32_t tag) const {
    std::vector<std::string_view> values;
    for (const auto& [each, value] : fields_) {
      if (each == tag) values.push_back(value);
    }
    return values;
  }
  /// All records with this tag, in order; nothing if one of them is malformed.
  std::optional<std::vector<record_reader>> records(std::uint32_t tag) const {
    std::vector<record_reader> all;
    for (const auto& [each, value] : fields_) {
      if (each != tag) continue;
      auto nested = parse(value);
      if (!nested) return std::nullopt;
      all.push_back(std::move(*nested));
    }
    return all;
  }

 private:
  static std::optional<record_reader> parse(std::string_view body) {
    record_reader reader;
    while (!body.empty()) {
      if (body.size() < 12) return std::nullopt;
      const auto tag = static_cast<std::uint32_t>(number_at(body, 4));
      const std::uint64_t length = number_at(body.substr(4), 8);
      body.remove_prefix(12);
      if (length > body.size()) return std::nullopt;
      reader.fields_.emplace_back(tag, body.substr(0, static_cast<std::size_t>(length)));
      body.remove_prefix(static_cast<std::size_t>(length));
    }
    return reader;
  }

  std::vector<std::pair<std::uint32_t, std::string_view>> fields_;
};

}  // namespace kernix::detail
