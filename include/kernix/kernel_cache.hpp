// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <kernix/backend/compiler_backend.hpp>
#include <kernix/cache/disk_cache.hpp>
#include <kernix/cache/memory_cache.hpp>
#include <kernix/compile/compiler.hpp>
#include <kernix/compile/log_names.hpp>
#include <kernix/core/advice.hpp>
#include <kernix/core/check_request.hpp>
#include <kernix/detail/initiate.hpp>
#include <kernix/load/load_function.hpp>
#include <kernix/process/bounded_runner.hpp>
#include <kernix/process/subprocess_runner.hpp>

namespace kernix {

/// The usual stack: memory, then disk, then the compiler as a child process, at most `settings::jobs` at once.
template <class Backend>
using default_stack = memory_cache<disk_cache<compiler<Backend, bounded_runner<subprocess_runner>>>>;

/// The token of operations that are given none: `auto [ec, value] = co_await kernels.async_compile(request)`. Such an
/// operation starts when it is awaited; with g++ 12, name the request first (a braced one inside a `co_await` expression is
/// destroyed twice).
using default_completion_token = boost::asio::as_tuple_t<boost::asio::deferred_t>;

/// The front door: source text in, a loaded, callable kernel out of a `co_await`.
///
///     kernix::kernel_cache kernels{executor, kernix::cxx{}};
///     auto [ec, axpy] = co_await kernels.async_load<void(float, float const*, float*, std::size_t)>(request, "axpy");
///
/// Every operation takes its arguments by value and a completion token last. Handlers are called on their associated
/// executor (without one: the cache's), never inline. Any cancellation type of the handler's slot, emitted as Asio
/// demands on the handler's own executor, ends the operation within moments with `errc::cancelled`, and nothing else: who
/// shares the compile is not disturbed, and the last one to leave ends the compiler.
///
/// Bad requests are refused before anything is started. After an error the value carries the diagnostics: reason, command,
/// log, advice.
///
/// Destroying the cache ends all its operations with `errc::cancelled`; destroying the execution context destroys handlers
/// uncalled. Either way no compiler and no temporary file is left. All members may be called from any thread at once.
template <async_compiler Stack>
class kernel_cache {
 public:
  /// A cache in front of a stack of your own.
  kernel_cache(boost::asio::any_io_executor executor, Stack stack, settings options = settings::from_environment())
      : state_(std::make_shared<state>(std::move(executor), std::move(stack), std::move(options))) {
    state_->shared->at_shutdown(state_, +[](state& self) { self.group->abandon(); });
    for (const std::string& each : state_->options.problems) state_->options.log(log_level::warning, each);
  }

  /// The usual stack over one backend.
  template <class Backend>
    requires std::same_as<Stack, default_stack<Backend>>
  kernel_cache(boost::asio::any_io_executor executor, Backend backend, settings options = settings::from_environment())
      : kernel_cache(executor, make_stack(executor, std::move(backend), options), options) {}

  kernel_cache(kernel_cache&&) noexcept = default;
  kernel_cache& operator=(kernel_cache&& other) noexcept {
    if (this != &other) {
      close();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~kernel_cache() { close(); }

  boost::asio::any_io_executor get_executor() const { return state_->executor; }

  /// Compiles the request, or answers from a cache, without loading anything.
  ///
  /// Completes with `void(error_code, compile_outcome)`. Errors: any of `errc`.
  template <class Token = default_completion_token>
  auto async_compile(compile_request request, Token&& token = {}) {
    return start(std::move(request), false, std::forward<Token>(token));
  }

  /// Answers from a cache, or with `errc::not_cached`; never starts a compile.
  ///
  /// Completes with `void(error_code, compile_outcome)`.
  template <class Token = default_completion_token>
  auto async_lookup(compile_request request, Token&& token = {}) {
    return start(std::move(request), true, std::forward<Token>(token));
  }

  /// Compiles the request into a shared object, loads it, and finds `symbol` in it (its linkage name: `extern "C"` is what
  /// makes it plain). The kernel keeps the object loaded.
  ///
  /// Completes with `void(error_code, kernel<Signature>)`. Errors: any of `errc`; `symbol_not_found` lists what the object
  /// exports.
  template <class Signature, class Token = default_completion_token>
  auto async_load(compile_request request, std::string symbol, Token&& token = {}) {
    fix_base_directory(request);
    auto make = [state = state_, request = std::move(request), symbol = std::move(symbol)]() mutable {
      return load<Signature>(state, std::move(request), std::move(symbol));
    };
    return detail::initiate<kernel<Signature>>(state_->shared, state_->executor, std::move(make),
                                               std::forward<Token>(token), state_->group);
  }

  /// Finds the compiler, or says where it was looked for and what was wrong there. Other operations do this by themselves.
  ///
  /// Completes with `void(error_code, toolchain_search)`.
  template <class Token = default_completion_token>
  auto async_find_toolchain(Token&& token = {}) {
    auto make = [state = state_] { return find(state); };
    return detail::initiate<toolchain_search>(state_->shared, state_->executor, std::move(make), std::forward<Token>(token),
                                              state_->group);
  }

  /// Ends all operations with `errc::cancelled`, and completes when no compiler runs any more. Operations started later are
  /// refused with `errc::shut_down`. Can't be cancelled itself.
  ///
  /// Completes with `void(error_code)`.
  template <class Token = default_completion_token>
  auto async_shutdown(Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(error_code)>(
        [](auto handler, state_ptr self) {
          auto whom = std::make_shared<detail::waiter<>>(std::move(handler), self->executor);
          self->group->close();
          self->group->notify_when_empty([self, whom] { shut_down_stack(*self, whom); });
        },
        token, state_);
  }

 private:
  struct state {
    state(boost::asio::any_io_executor ex, Stack layers, settings with)
        : executor(std::move(ex)), shared(detail::runtime::of(executor)), options(std::move(with)), stack(std::move(layers)) {}

    boost::asio::any_io_executor executor;
    std::shared_ptr<detail::runtime> shared;
    settings options;
    Stack stack;
    std::shared_ptr<detail::operation_group> group = std::make_shared<detail::operation_group>();
  };
  using state_ptr = std::shared_ptr<state>;
  template <class T>
  using answer = std::pair<error_code, T>;

  template <class Backend>
  static Stack make_stack(boost::asio::any_io_executor executor, Backend backend, const settings& options) {
    using engine = compiler<Backend, bounded_runner<subprocess_runner>>;
    bounded_runner<subprocess_runner> runner(subprocess_runner{}, detail::runtime::of(executor)->jobs(options.jobs));
    engine bottom(executor, std::move(backend), std::move(runner), options);
    disk_cache<engine> middle(executor, std::move(bottom), options);
    return Stack(executor, std::move(middle), options);
  }

  void close() {
    if (state_) state_->group->close();
  }

  /// Relative paths mean what they meant at the call.
  static void fix_base_directory(compile_request& request) {
    if (!request.base_directory.empty()) return;
    std::error_code ignored;  // a deleted directory only matters to relative paths
    request.base_directory = std::filesystem::current_path(ignored);
  }

  template <class Token>
  auto start(compile_request request, bool lookup_only, Token&& token) {
    fix_base_directory(request);
    auto make = [state = state_, request = std::move(request), lookup_only]() mutable {
      return compile(state, std::move(request), lookup_only);
    };
    return detail::initiate<compile_outcome>(state_->shared, state_->executor, std::move(make), std::forward<Token>(token),
                                             state_->group);
  }

  static answer<compile_outcome> refused(const refusal& why, std::string stage) {
    kernix::diagnostics what;
    what.code = why.code;
    what.reason = why.reason;
    what.stage = std::move(stage);
    what.advice = advice_for(what);
    return {why.code, compile_outcome::failed(std::move(what))};
  }

  static boost::asio::awaitable<answer<compile_outcome>> compile(state_ptr self, compile_request request, bool lookup_only) {
    auto began = std::chrono::steady_clock::now();
    auto wall = std::chrono::system_clock::now().time_since_epoch();
    if (auto why = check(request)) co_return refused(*why, "request");

    auto ready = self->stack.async_ready(boost::asio::as_tuple(boost::asio::use_awaitable));
    std::tuple<error_code, toolchain_search> tools = co_await std::move(ready);
    if (std::get<0>(tools)) {
      co_return answer<compile_outcome>(std::get<0>(tools), compile_outcome::failed(std::get<1>(tools).report));
    }
    bool force = request.force && !lookup_only;
    auto timeout = request.timeout.value_or(self->options.compile_timeout);
    result<keyed_request> keyed = self->stack.key(std::move(request));
    if (!keyed) co_return refused(keyed.error(), "request");
    keyed->lookup_only = lookup_only;
    keyed->timeout = timeout;
    if (force) keyed->not_before_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count();

    auto operation = self->stack.async_compile(*keyed, boost::asio::as_tuple(boost::asio::use_awaitable));
    std::tuple<error_code, compile_outcome> done = co_await std::move(operation);
    compile_outcome outcome = present(std::move(std::get<1>(done)), *keyed);
    outcome.elapsed = std::chrono::steady_clock::now() - began;
    co_return answer<compile_outcome>(std::get<0>(done), std::move(outcome));
  }

  template <class Signature>
  static boost::asio::awaitable<answer<kernel<Signature>>> load(state_ptr self, compile_request request, std::string symbol) {
    auto compiling = compile(self, std::move(request), false);
    answer<compile_outcome> compiled = co_await std::move(compiling);
    if (compiled.first) co_return answer<kernel<Signature>>(compiled.first, kernel<Signature>(std::move(compiled.second)));
    auto work = [outcome = std::move(compiled.second), symbol = std::move(symbol)] {
      return load_function<Signature>(outcome, symbol);
    };
    auto loading = detail::on_pool(self->shared, std::move(work));
    co_return co_await std::move(loading);
  }

  static boost::asio::awaitable<answer<toolchain_search>> find(state_ptr self) {
    auto ready = self->stack.async_ready(boost::asio::as_tuple(boost::asio::use_awaitable));
    std::tuple<error_code, toolchain_search> done = co_await std::move(ready);
    co_return answer<toolchain_search>(std::get<0>(done), std::move(std::get<1>(done)));
  }

  static void shut_down_stack(state& self, std::shared_ptr<detail::waiter<>> whom) {
    auto done = boost::asio::bind_executor(self.shared->engine(), [whom](error_code code) { whom->complete(code); });
    if constexpr (requires { self.stack.async_shutdown(std::move(done)); }) {
      self.stack.async_shutdown(std::move(done));
    } else {
      whom->complete({});
    }
  }

  state_ptr state_;
};

template <class Backend>
  requires(!async_compiler<Backend>)
kernel_cache(boost::asio::any_io_executor, Backend) -> kernel_cache<default_stack<Backend>>;
template <class Backend>
  requires(!async_compiler<Backend>)
kernel_cache(boost::asio::any_io_executor, Backend, settings) -> kernel_cache<default_stack<Backend>>;
template <async_compiler Stack>
kernel_cache(boost::asio::any_io_executor, Stack) -> kernel_cache<Stack>;
template <async_compiler Stack>
kernel_cache(boost::asio::any_io_executor, Stack, settings) -> kernel_cache<Stack>;

}  // namespace kernix
