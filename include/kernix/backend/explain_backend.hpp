// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>

#include <kernix/backend/compiler_backend.hpp>

namespace kernix {
namespace detail {

template <class B>
concept says_its_name = requires(const B& backend) {
  { backend.name() } -> std::convertible_to<std::string_view>;
};

template <class B>
concept says_its_platform = requires(const B& backend) {
  { backend.platform() } -> std::same_as<platform>;
};

}  // namespace detail

/// Says in a sentence what keeps `B` from being a `compiler_backend`: write
/// `static_assert(kernix::explain_backend<my_backend>::complete);` below a backend of your own.
///
/// A constraint on a template would answer with the concept's innards instead, so the templates that take a backend are
/// unconstrained and name this.
template <class B>
struct explain_backend {
  static_assert(std::copy_constructible<B>,
                "kernix: a backend is a value and must be copyable: give it a copy constructor");
  static_assert(detail::says_its_name<B>,
                "kernix: this backend does not say its name: give it `std::string_view name() const`, the tool's "
                "name, a word without blanks");
  static_assert(detail::says_its_platform<B>,
                "kernix: this backend does not say its platform: give it `kernix::platform platform() const`");
  static_assert(lists_candidates<B>,
                "kernix: this backend does not list where its compiler may be: give it "
                "`std::vector<kernix::tool_candidate> candidates(const kernix::settings&) const`, best first");
  static_assert(plans_commands<B>,
                "kernix: this backend does not plan its commands: give it `kernix::result<kernix::command_plan> "
                "plan(const kernix::compile_request&, const kernix::toolchain&) const`");
  static_assert(classifies_results<B>,
                "kernix: this backend does not classify results: give it `kernix::diagnosis "
                "classify(const kernix::command_step&, const kernix::process_result&) const`");
  static constexpr bool complete = compiler_backend<B>;
};

}  // namespace kernix
