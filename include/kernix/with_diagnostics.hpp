// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>

#include <kernix/core/compile_error.hpp>
#include <kernix/core/error.hpp>

namespace kernix {

/// A completion token that adapts another: see `with_diagnostics`.
template <class Token>
struct with_diagnostics_t {
  Token token;
};

/// Adapts any completion token so that an operation of kernix fails with an exception that carries the compiler's log
/// (`kernix::compile_error`), where the bare token would throw an error code and lose it, or hand over a code. The adapted
/// operation completes with `void(std::exception_ptr, T)`.
///
///     auto outcome = co_await kernels.async_compile(request, kernix::with_diagnostics(asio::use_awaitable));
template <class Token>
with_diagnostics_t<std::decay_t<Token>> with_diagnostics(Token&& token) {
  return {std::forward<Token>(token)};
}

namespace detail {

template <class Handler>
struct with_diagnostics_handler {
  Handler handler;

  template <class... Values>
  void operator()(error_code code, Values... values) {
    std::exception_ptr thrown;
    if (code) thrown = std::make_exception_ptr(compile_error(code, log_of(code, values...)));
    std::move(handler)(std::move(thrown), std::move(values)...);
  }

 private:
  template <class... Values>
  static diagnostics log_of(error_code code, const Values&... values) {
    diagnostics what;
    (void)std::initializer_list<int>{(take(what, values), 0)...};
    what.code = code;
    return what;
  }
  template <class Value>
  static void take(diagnostics& what, const Value& value) {
    if constexpr (requires { what = value.diagnostics(); }) what = value.diagnostics();
  }
};

}  // namespace detail
}  // namespace kernix

namespace boost::asio {

template <class Token, class... Values>
class async_result<kernix::with_diagnostics_t<Token>, void(kernix::error_code, Values...)> {
  using adapted = void(std::exception_ptr, Values...);

 public:
  template <class Initiation, class RawToken, class... Args>
  static auto initiate(Initiation&& initiation, RawToken&& token, Args&&... args) {
    return async_initiate<Token, adapted>(
        [](auto handler, auto start, auto... rest) {
          std::move(start)(kernix::detail::with_diagnostics_handler<decltype(handler)>{std::move(handler)}, std::move(rest)...);
        },
        token.token, std::forward<Initiation>(initiation), std::forward<Args>(args)...);
  }
};

template <template <class, class> class Associator, class Handler, class Default>
struct associator<Associator, kernix::detail::with_diagnostics_handler<Handler>, Default> : Associator<Handler, Default> {
  static auto get(const kernix::detail::with_diagnostics_handler<Handler>& h) noexcept {
    return Associator<Handler, Default>::get(h.handler);
  }
  static auto get(const kernix::detail::with_diagnostics_handler<Handler>& h, const Default& fallback) noexcept {
    return Associator<Handler, Default>::get(h.handler, fallback);
  }
};

}  // namespace boost::asio
