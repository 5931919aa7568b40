// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include <kernix/compile/async_compiler.hpp>

namespace kernix {

/// Says in a sentence what keeps `Next` from standing beneath a layer that shares with `Scope`:
/// `static_assert(kernix::explain_layer<kernix::sharing_scope::process, Next>::complete);`
///
/// A nearer layer answers without asking the farther one. In the wrong order the farther layer's answer would hide the nearer
/// one's for ever, or two layers of one scope would keep everything twice; so the order is checked by the compiler.
template <sharing_scope Scope, class Next>
struct explain_layer {
  static_assert(std::move_constructible<Next>, "kernix: the next compiler must be movable");
  static_assert(declares_scope<Next>,
                "kernix: the next compiler does not declare its scope: give it `static constexpr "
                "kernix::sharing_scope scope`, and let a layer that stores nothing repeat its next layer's");
  static_assert(becomes_ready<Next>,
                "kernix: the next compiler does not become ready: give it `async_ready(token)`, completing with "
                "`void(kernix::error_code, kernix::toolchain_search)`");
  static_assert(makes_keys<Next>,
                "kernix: the next compiler does not make keys: give it `kernix::result<kernix::keyed_request> "
                "key(kernix::compile_request)`");
  static_assert(compiles_keyed_requests<Next>,
                "kernix: the next compiler does not compile: give it `async_compile(keyed_request, token)`, "
                "completing with `void(kernix::error_code, kernix::compile_outcome)`");
  static constexpr bool is_farther = [] {
    if constexpr (declares_scope<Next>) {
      return Next::scope > Scope;
    } else {
      return true;
    }
  }();
  static_assert(is_farther,
                "kernix: the layers are stacked in the wrong order: a layer must stand on one that shares more widely "
                "(memory_cache on disk_cache on remote_cache on compiler), each at most once");
  static constexpr bool complete = async_compiler<Next> && is_farther;
};

}  // namespace kernix
