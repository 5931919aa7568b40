// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/command.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/core/digest.hpp>
#include <kernix/core/hasher.hpp>
#include <kernix/core/keyed_request.hpp>
#include <kernix/core/output_kind.hpp>
#include <kernix/core/platform.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix {

/// What the fields of a key mean: changed whenever they change, so that old entries are never taken for new ones.
inline constexpr std::string_view key_format = "kernix key 1";

namespace detail {

/// Collects tagged fields, hashing them as they come and keeping what may be shown.
class key_fields {
 public:
  /// A field as it stands; a long one is kept, and hashed, as its digest under a tag of its own.
  void add(std::string_view tag, std::string_view value) {
    constexpr std::size_t longest = 512;
    if (value.size() > longest) {
      put(std::string(tag) + " sha256", sha256(value).hex());
    } else {
      put(std::string(tag), std::string(value));
    }
  }

  void add_digest(std::string_view tag, std::string_view text) {
    put(std::string(tag) + " sha256", sha256(text).hex());
  }

  /// Hashed, and kept as nothing but its presence.
  void add_secret(std::string_view tag, std::string_view value) {
    hash_.field(tag, value);
    fields_.emplace_back(std::string(tag), "(secret)");
  }

  cache_key finish() { return {hash_.finish(), std::move(fields_)}; }

 private:
  void put(std::string tag, std::string value) {
    hash_.field(tag, value);
    fields_.emplace_back(std::move(tag), std::move(value));
  }

  hasher hash_;
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Whether any argument asks for what this machine has (`-march=native`): the output then depends on its CPU.
inline bool depends_on_cpu(const command_plan& plan) {
  auto is_native = [](const argument& each) {
    return each.how == argument::kind::literal && each.text.find("=native") != std::string::npos;
  };
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const command_step& step) {
    return std::any_of(step.arguments.begin(), step.arguments.end(), is_native);
  });
}

}  // namespace detail

/// The key of a request: the hash of its plan. Whatever reaches the command line, the workspace or the child's
/// environment is in it, so a backend can't forget a flag; what is marked as without effect is not, nor are the
/// request's name, its timeout and the places where things lie. Pure.
inline cache_key make_key(const compile_request& request, const command_plan& plan, const toolchain& tools,
                          std::string_view backend, platform runs_on) {
  detail::key_fields fields;
  fields.add("format", key_format);
  fields.add("backend", backend);
  fields.add("platform", name(runs_on));
  fields.add("kind", name(request.kind));
  fields.add("toolchain", tools.fingerprint.hex());
  if (tools.host) fields.add("host compiler", tools.host->fingerprint.hex());
  if (detail::depends_on_cpu(plan)) fields.add("cpu", tools.cpu);
  fields.add("source", plan.source_path);
  for (const workspace_file& each : plan.files) {
    fields.add("file", each.path);
    fields.add_digest("text", each.text);
  }
  // The files below a link are checked by content before an entry answers; only that it is there, and its place in the
  // order, is part of what was asked.
  for (const workspace_link& each : plan.links) fields.add("root", each.path);
  for (const environment_entry& each : plan.environment) {
    if (!each.in_key) continue;
    fields.add("variable", each.name);
    each.is_secret ? fields.add_secret("value", each.value) : fields.add("value", each.value);
  }
  for (const command_step& step : plan.steps) {
    fields.add("step", step.name);
    for (const argument& each : step.arguments) {
      switch (each.how) {
        case argument::kind::literal: fields.add("argument", each.text); break;
        case argument::kind::toolchain_path: fields.add("toolchain path", ""); break;
        case argument::kind::no_effect: break;
      }
    }
  }
  for (const planned_output& each : plan.outputs) {
    fields.add("output", name(each.kind));
    fields.add("path", each.path);
  }
  return fields.finish();
}

}  // namespace kernix
