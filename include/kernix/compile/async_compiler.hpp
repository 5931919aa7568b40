// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/core/error.hpp>
#include <kernix/core/keyed_request.hpp>
#include <kernix/core/refusal.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix {

/// With whom a layer shares what it knows, from near to far. A layer stands on layers that are farther.
enum class sharing_scope : std::uint8_t { process = 1, host = 2, fleet = 3, origin = 4 };

namespace detail {
struct ready_probe {
  void operator()(error_code, toolchain_search) const {}
};
struct compile_probe {
  void operator()(error_code, compile_outcome) const {}
};
}  // namespace detail

/// Says with whom it shares: `static constexpr sharing_scope scope`. A layer that stores nothing repeats its next layer's.
template <class C>
concept declares_scope = requires {
  { C::scope } -> std::convertible_to<sharing_scope>;
};

/// `async_ready(token)` completes with `void(error_code, toolchain_search)` as soon as keys can be computed.
template <class C>
concept becomes_ready = requires(C& compiler) { compiler.async_ready(detail::ready_probe{}); };

/// `key(request)` gives the request with its key, once `async_ready` has completed without an error. Callable from any
/// thread; the request has been checked before.
template <class C>
concept makes_keys = requires(C& compiler, compile_request request) {
  { compiler.key(request) } -> std::same_as<result<keyed_request>>;
};

/// `async_compile(keyed, token)` completes with `void(error_code, compile_outcome)`; after an error the outcome carries
/// the diagnostics. Any cancellation type of the handler's slot ends it.
template <class C>
concept compiles_keyed_requests =
    requires(C& compiler, keyed_request keyed) { compiler.async_compile(keyed, detail::compile_probe{}); };

/// What every layer models, from the engine up to the memory cache: a cached compiler is a compiler.
template <class C>
concept async_compiler = std::move_constructible<C> && declares_scope<C> && becomes_ready<C> && makes_keys<C> &&
                         compiles_keyed_requests<C>;

}  // namespace kernix
