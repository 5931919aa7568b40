// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/core/command.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/core/platform.hpp>
#include <kernix/core/process_result.hpp>
#include <kernix/core/refusal.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix {

/// Says what it is: `name()` is the tool, a word without blanks; `platform()` is what its kernels run on.
template <class B>
concept names_itself = requires(const B& backend) {
  { backend.name() } -> std::convertible_to<std::string_view>;
  { backend.platform() } -> std::same_as<platform>;
};

/// Says where its compiler may be, best first. Pure: the settings hold all that it may look at.
template <class B>
concept lists_candidates = requires(const B& backend, const settings& from) {
  { backend.candidates(from) } -> std::same_as<std::vector<tool_candidate>>;
};

/// Turns a request into commands, or refuses it with a sentence. Pure: equal arguments give equal plans.
template <class B>
concept plans_commands = requires(const B& backend, const compile_request& request, const toolchain& tools) {
  { backend.plan(request, tools) } -> std::same_as<result<command_plan>>;
};

/// Says what a step's result means: success, or which error. Pure.
template <class B>
concept classifies_results = requires(const B& backend, const command_step& step, const process_result& outcome) {
  { backend.classify(step, outcome) } -> std::same_as<diagnosis>;
};

/// A compiler as a compile-time policy: a pure value type that starts nothing and reads no file, clock or environment.
///
/// Two more members are used where a backend has them (see `toolchain/identify.hpp`): `questions(program)` and
/// `describe(toolchain&, answers)`, to find out more than the first line of `--version`; and `host_candidates(settings)`
/// where the compiler needs a host compiler.
template <class B>
concept compiler_backend =
    std::copy_constructible<B> && names_itself<B> && lists_candidates<B> && plans_commands<B> && classifies_results<B>;

}  // namespace kernix
