// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kernix/core/toolchain.hpp>
#include <kernix/detail/signature_record.hpp>
#include <kernix/detail/tagged_record.hpp>
#include <kernix/toolchain/discovery.hpp>
#include <kernix/toolchain/fingerprint.hpp>

namespace kernix::detail {

// Tags of the remembered toolchain's format. Numbers are never used again for something else.
namespace toolchain_tag {
enum : std::uint32_t {
  backend = 1, program, wrapper, origin, family, version, version_text, target, root, system_include, library_directory,
  architecture, property, part, host, fingerprint,
  name = 40, value, path, content,  // 44 to 48: a signature
  look = 60, host_look, command, decisive, verdict, code, misconfigured, search_verdict, search_code, tool,
};
}

/// Everything about a toolchain but the CPU, which is the machine's and not the toolchain's.
inline record_writer write_toolchain(const toolchain& from) {
  namespace tag = toolchain_tag;
  record_writer to;
  to.string(tag::backend, from.backend).string(tag::program, from.program.native());
  for (const std::string& word : from.wrapper) to.string(tag::wrapper, word);
  to.string(tag::origin, from.origin).string(tag::family, from.family).string(tag::version, from.version);
  to.string(tag::version_text, from.version_text).string(tag::target, from.target).string(tag::root, from.root.native());
  for (const auto& each : from.system_includes) to.string(tag::system_include, each.native());
  for (const auto& each : from.library_directories) to.string(tag::library_directory, each.native());
  for (const std::string& each : from.architectures) to.string(tag::architecture, each);
  for (const auto& [name, value] : from.properties) {
    to.record(tag::property, record_writer().string(tag::name, name).string(tag::value, value));
  }
  for (const toolchain_part& each : from.parts) {
    record_writer part;
    part.string(tag::path, each.path.native()).digest(tag::content, each.content);
    write_signature(part, each.signature);
    to.record(tag::part, part);
  }
  if (from.host) to.record(tag::host, write_toolchain(*from.host));
  return to.digest(tag::fingerprint, from.fingerprint);
}

/// Nothing unless all fields are there and the fingerprint is that of what was read.
inline std::shared_ptr<toolchain> read_toolchain(const record_reader& from, int depth = 0) {
  namespace tag = toolchain_tag;
  auto to = std::make_shared<toolchain>();
  bool whole = true;
  auto text = [&](std::uint32_t which) {
    auto value = from.string(which);
    whole = whole && value;
    return std::string(value.value_or(std::string_view()));
  };
  to->backend = text(tag::backend);
  to->program = text(tag::program);
  for (auto each : from.strings(tag::wrapper)) to->wrapper.emplace_back(each);
  to->origin = text(tag::origin);
  to->family = text(tag::family);
  to->version = text(tag::version);
  to->version_text = text(tag::version_text);
  to->target = text(tag::target);
  to->root = text(tag::root);
  for (auto each : from.strings(tag::system_include)) to->system_includes.emplace_back(each);
  for (auto each : from.strings(tag::library_directory)) to->library_directories.emplace_back(each);
  for (auto each : from.strings(tag::architecture)) to->architectures.emplace_back(each);
  auto properties = from.records(tag::property);
  auto parts = from.records(tag::part);
  auto hosts = from.records(tag::host);
  auto fingerprint = from.digest(tag::fingerprint);
  if (!whole || !properties || !parts || !hosts || !fingerprint || hosts->size() > 1 || depth > 1) return nullptr;
  for (const record_reader& each : *properties) {
    auto name = each.string(tag::name), value = each.string(tag::value);
    if (!name || !value) return nullptr;
    to->properties.emplace_back(*name, *value);
  }
  for (const record_reader& each : *parts) {
    auto path = each.string(tag::path);
    auto content = each.digest(tag::content);
    auto signature = read_signature(each);
    if (!path || !content || !signature) return nullptr;
    to->parts.push_back({std::filesystem::path(*path), *content, *signature});
  }
  if (!hosts->empty()) {
    to->host = read_toolchain(hosts->front(), depth + 1);
    if (!to->host) return nullptr;
  }
  to->fingerprint = *fingerprint;
  return fingerprint_of(*to) == *fingerprint ? to : nullptr;
}

inline record_writer write_look(const examined_candidate& from) {
  namespace tag = toolchain_tag;
  record_writer to;
  for (const std::string& word : from.what.wrapper) to.string(tag::wrapper, word);
  to.string(tag::program, from.what.program.native()).string(tag::command, from.what.command);
  to.string(tag::origin, from.what.origin).u64(tag::decisive, from.what.decisive);
  to.string(tag::search_verdict, from.what.verdict).u64(tag::search_code, static_cast<std::uint64_t>(from.what.code));
  to.u64(tag::misconfigured, from.what.misconfigured);
  to.string(tag::verdict, from.verdict).u64(tag::code, static_cast<std::uint64_t>(from.code));
  write_signature(to, from.signature);
  return to;
}

inline std::optional<examined_candidate> read_look(const record_reader& from) {
  namespace tag = toolchain_tag;
  auto program = from.string(tag::program), command = from.string(tag::command), origin = from.string(tag::origin);
  auto search_verdict = from.string(tag::search_verdict), verdict = from.string(tag::verdict);
  auto decisive = from.u64(tag::decisive), search_code = from.u64(tag::search_code), code = from.u64(tag::code);
  auto misconfigured = from.u64(tag::misconfigured);
  auto signature = read_signature(from);
  if (!program || !command || !origin || !search_verdict || !verdict || !decisive || !search_code || !code ||
      !misconfigured || !signature) {
    return std::nullopt;
  }
  examined_candidate to;
  for (auto word : from.strings(tag::wrapper)) to.what.wrapper.emplace_back(word);
  to.what.program = *program;
  to.what.command = *command;
  to.what.origin = *origin;
  to.what.decisive = *decisive != 0;
  to.what.verdict = *search_verdict;
  to.what.code = static_cast<errc>(*search_code);
  to.what.misconfigured = *misconfigured != 0;
  to.verdict = *verdict;
  to.code = static_cast<errc>(*code);
  to.signature = *signature;
  return to;
}

}  // namespace kernix::detail
