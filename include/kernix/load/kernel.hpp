// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/load/shared_object.hpp>

namespace kernix {

/// A loaded function and all that keeps it callable; defined for function types `R(Args...)` and `R(Args...) noexcept`.
template <class Signature>
class kernel {
  static_assert(sizeof(Signature) == 0, "kernix::kernel wants a function type, such as void(float*, std::size_t)");
};

/// Copyable; the shared object stays loaded, and its file stays, while any copy lives. Of a failed operation it holds the
/// diagnostics and no function. Copies may be called and destroyed from any thread, as far as the function itself allows;
/// the last one to go unloads the object.
///
/// The type can't be checked against the machine code: `Signature` must be that of the function.
template <class R, class... Args, bool IsNoexcept>
class kernel<R(Args...) noexcept(IsNoexcept)> {
 public:
  using signature = R(Args...) noexcept(IsNoexcept);
  using pointer = R (*)(Args...) noexcept(IsNoexcept);

  kernel() = default;
  kernel(pointer function, std::shared_ptr<const shared_object> object, compile_outcome outcome)
      : function_(function), outcome_(std::move(outcome)), object_(std::move(object)) {}

  /// A kernel without a function: the compile failed, and its outcome says why.
  explicit kernel(compile_outcome failed) : outcome_(std::move(failed)) {}

  /// A kernel without a function: the compile succeeded, and loading didn't.
  kernel(compile_outcome outcome, kernix::diagnostics load_failure)
      : outcome_(std::move(outcome)),
        load_failure_(std::make_shared<const kernix::diagnostics>(std::move(load_failure))) {}

  /// Calls the function. An empty kernel throws `std::bad_function_call`; a `noexcept` one ends the process.
  R operator()(Args... args) const noexcept(IsNoexcept) {
    if (!function_) {
      if constexpr (IsNoexcept) {
        std::terminate();
      } else {
        throw std::bad_function_call();
      }
    }
    return function_(std::forward<Args>(args)...);
  }

  explicit operator bool() const noexcept { return function_ != nullptr; }

  /// The bare pointer, for callers that keep a copy of the kernel beside it.
  pointer get() const noexcept { return function_; }

  /// What the compiler said, or why there is no function. Valid while this kernel lives.
  const kernix::diagnostics& diagnostics() const noexcept {
    return load_failure_ ? *load_failure_ : outcome_.diagnostics();
  }

  /// The compile that the function came from.
  const compile_outcome& outcome() const noexcept { return outcome_; }

 private:
  pointer function_ = nullptr;
  compile_outcome outcome_;
  std::shared_ptr<const kernix::diagnostics> load_failure_;
  std::shared_ptr<const shared_object> object_;  // after the outcome: it goes first, and the file after it
};

}  // namespace kernix
