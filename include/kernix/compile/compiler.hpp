// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <kernix/backend/cache_key.hpp>
#include <kernix/backend/compiler_backend.hpp>
#include <kernix/backend/explain_backend.hpp>
#include <kernix/compile/async_compiler.hpp>
#include <kernix/compile/detail/compile_flow.hpp>
#include <kernix/compile/log_names.hpp>
#include <kernix/core/hasher.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/detail/initiate.hpp>
#include <kernix/detail/operation_group.hpp>
#include <kernix/detail/runtime.hpp>
#include <kernix/process/process_runner.hpp>
#include <kernix/toolchain/toolchain_keeper.hpp>

namespace kernix {

/// The engine: joins a backend, which knows what to run, and a runner, which knows how. Every request is compiled.
///
/// Each compile has a private scratch directory, in which nothing but the request's own files and links to its
/// directories lies. A success keeps it until the last copy of the outcome is gone; of a failure nothing is left, unless the
/// request asked for it.
///
/// A handle onto shared state: destroying it ends all operations with `errc::cancelled`. Thread-safe.
template <class Backend, class Runner>
class compiler {
 public:
  static constexpr sharing_scope scope = sharing_scope::origin;
  static_assert(explain_backend<Backend>::complete);
  static_assert(process_runner<Runner>,
                "kernix: this runner runs nothing: give it `boost::asio::awaitable<kernix::process_result> "
                "run(kernix::process_command) const`, and let it be copyable");

  /// `executor` is where handlers without an executor of their own are called. Nothing is looked for yet.
  compiler(boost::asio::any_io_executor executor, Backend backend, Runner runner,
           settings options = settings::from_environment())
      : state_(std::make_shared<state>(std::move(executor), configure(std::move(backend), options), std::move(runner),
                                       std::move(options))) {}
  compiler(compiler&&) noexcept = default;
  compiler& operator=(compiler&& other) noexcept {
    if (this != &other) {
      close();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~compiler() { close(); }

  boost::asio::any_io_executor get_executor() const { return state_->executor; }

  /// Finds the toolchain, or looks whether the known one is unchanged.
  ///
  /// Completes with `void(error_code, toolchain_search)`. Any cancellation type ends it. Errors: `failure::toolchain`; the
  /// search's diagnostics list every candidate.
  template <class Token>
  auto async_ready(Token&& token) {
    auto make = [state = state_] { return ready(state); };
    return detail::initiate<toolchain_search>(state_->shared, state_->executor, std::move(make),
                                              std::forward<Token>(token), state_->group);
  }

  /// The request with its plan and its key, made with the toolchain that the last `async_ready` has found. Refused by the
  /// backend where an option is wrong. Relative paths are relative to `base_directory`, by default the current directory.
  result<keyed_request> key(compile_request request) const {
    std::shared_ptr<const toolchain> tools = state_->toolchain_now();
    if (!tools) return refuse(errc::toolchain_not_found, "no compiler is known yet: complete async_ready first");
    if (!request.base_directory.is_absolute()) {
      std::error_code ignored;  // a deleted current directory only matters to relative paths
      request.base_directory = std::filesystem::current_path(ignored) / request.base_directory;
    }
    const Backend& backend = state_->backend;
    result<command_plan> plan = backend.plan(request, *tools);
    if (!plan) return plan.error();

    auto data = std::make_shared<keyed_request::shared>();
    data->plan = std::move(*plan);
    data->key = make_key(request, data->plan, *tools, backend.name(), backend.platform());
    hasher place;
    place.field("key", data->key.value.hex());
    for (const workspace_link& each : data->plan.links) {
      data->roots.push_back({each.path, each.target});
      place.field(each.path, each.target.native());
    }
    data->place = place.finish();
    data->request = std::move(request);
    data->toolchain = std::move(tools);
    keyed_request keyed;
    keyed.timeout = data->request.timeout.value_or(state_->options->compile_timeout);
    keyed.data = std::move(data);
    return keyed;
  }

  /// Compiles. Several may be in progress at once; how many run is the runner's affair.
  ///
  /// Completes with `void(error_code, compile_outcome)`. Any cancellation type ends the compiler's whole process tree, and
  /// completes with `errc::cancelled` when nothing of it is left. Errors: any of `errc`; `errc::not_cached` where the request only wants to look,
  /// or the settings say `offline`. After an error the outcome carries the diagnostics.
  template <class Token>
  auto async_compile(keyed_request keyed, Token&& token) {
    auto make = [state = state_, keyed = std::move(keyed)]() mutable { return compile(state, std::move(keyed)); };
    return detail::initiate<compile_outcome>(state_->shared, state_->executor, std::move(make), std::forward<Token>(token),
                                             state_->group);
  }

  /// Ends everything and completes with `void(error_code)` when no compiler runs any more. New operations are refused with
  /// `errc::shut_down`.
  template <class Token>
  auto async_shutdown(Token&& token) {
    return detail::async_close(state_->executor, state_->group, std::forward<Token>(token));
  }

 private:
  using keeper = detail::toolchain_keeper<Backend, Runner>;

  struct state {
    state(boost::asio::any_io_executor on, Backend with, Runner by, settings from)
        : executor(std::move(on)),
          shared(detail::runtime::of(executor)),
          backend(std::move(with)),
          runner(std::move(by)),
          options(std::make_shared<const settings>(std::move(from))),
          tools(std::make_shared<keeper>(shared, backend, runner, *options)) {}

    std::shared_ptr<const toolchain> toolchain_now() const {
      std::lock_guard lock(mutex);
      return known;
    }

    boost::asio::any_io_executor executor;
    std::shared_ptr<detail::runtime> shared;
    Backend backend;
    Runner runner;
    std::shared_ptr<const settings> options;
    std::shared_ptr<keeper> tools;
    std::shared_ptr<detail::include_scan_memo> scans = std::make_shared<detail::include_scan_memo>();
    std::shared_ptr<detail::operation_group> group = std::make_shared<detail::operation_group>();
    mutable std::mutex mutex;
    std::shared_ptr<const toolchain> known;
    bool swept = false;  // used on kernix's own thread only
  };

  static Backend configure(Backend backend, const settings& from) {
    if constexpr (requires { { backend.configured(from) } -> std::same_as<Backend>; }) {
      return backend.configured(from);
    } else {
      return backend;
    }
  }

  void close() {
    if (state_) state_->group->close();
  }

  static boost::asio::awaitable<std::pair<error_code, toolchain_search>> ready(std::shared_ptr<state> self) {
    auto looking = self->tools->ready();
    std::pair<error_code, toolchain_search> found = co_await std::move(looking);
    if (!found.first) {
      std::lock_guard lock(self->mutex);
      self->known = found.second.found;
    }
    co_return found;
  }

  static std::pair<error_code, compile_outcome> refused(errc code, std::string reason) {
    diagnostics what;
    what.code = make_error_code(code);
    what.reason = std::move(reason);
    what.stage = "lookup";
    const error_code as_code = what.code;
    return {as_code, compile_outcome::failed(std::move(what))};
  }

  static boost::asio::awaitable<std::pair<error_code, compile_outcome>> compile(std::shared_ptr<state> self, keyed_request keyed) {
    if (keyed.lookup_only) co_return refused(errc::not_cached, "there is no entry for \"" + keyed.request().name + '"');
    if (self->options->offline) {
      co_return refused(errc::not_cached, "there is no entry for \"" + keyed.request().name +
                                              "\", and the compiler is off (KERNIX_OFFLINE, settings::offline)");
    }
    auto job = std::make_shared<detail::compile_job>(std::move(keyed), self->shared, self->options, self->scans);
    if (!std::exchange(self->swept, true)) job->sweep_first();
    auto running = detail::run_job(self->shared, job, self->backend, self->runner);
    co_await std::move(running);
    co_return job->outcome();
  }

  std::shared_ptr<state> state_;
};

}  // namespace kernix
