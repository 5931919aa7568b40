// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <kernix/compile/async_compiler.hpp>
#include <kernix/core/hasher.hpp>
#include <kernix/detail/initiate.hpp>
#include <kernix/detail/runtime.hpp>

namespace kernix::test {

/// What the scripted compiler is to do for a request.
struct scripted_answer {
  error_code code = {};
  std::vector<std::pair<output_kind, std::string>> artifacts = {{output_kind::shared_object, "bytes"}};
  read_set reads = {};
  bool cacheable = true;
  std::string log = {};
};

/// A bottom layer that starts nothing: a function answers each request, and the artifacts are small files in a scratch
/// directory that goes with the last copy of the outcome. Copies share the record.
///
/// After `hold()` each compile waits until `let_go()` (from any thread) or until it is cancelled.
class scripted_compiler {
 public:
  static constexpr sharing_scope scope = sharing_scope::origin;
  using script = std::function<scripted_answer(const keyed_request&)>;

  scripted_compiler(boost::asio::any_io_executor executor, std::filesystem::path scratch, script answer = {})
      : state_(std::make_shared<state>()) {
    state_->executor = executor;
    state_->shared = kernix::detail::runtime::of(executor);
    state_->scratch = std::move(scratch);
    state_->answer = answer ? std::move(answer) : [](const keyed_request& keyed) {
      return scripted_answer{.artifacts = {{output_kind::shared_object, keyed.request().source}}};
    };
  }

  /// How many compiles were started, how many ran to their end, and how many were cancelled.
  int started() const { return state_->started; }
  int ended() const { return state_->ended; }
  int cancelled() const { return state_->cancelled; }

  void hold() const { state_->held = true; }
  void let_go() const {
    state_->held = false;
    std::lock_guard lock(state_->mutex);
    for (auto& each : state_->waiting) {
      if (auto timer = each.lock()) boost::asio::post(timer->get_executor(), [timer] { timer->cancel(); });
    }
    state_->waiting.clear();
  }
  /// Called on kernix's thread when a compile has started.
  void on_start(std::function<void()> call) const { state_->on_start = std::move(call); }

  template <class Token>
  auto async_ready(Token&& token) {
    auto make = [] { return be_ready(); };
    return kernix::detail::initiate<toolchain_search>(state_->shared, state_->executor, make,
                                                      std::forward<Token>(token));
  }

  result<keyed_request> key(compile_request request) { return key_of(std::move(request)); }

  /// The key of a request: its source. Its include directories are its roots.
  static keyed_request key_of(compile_request request) {
    auto data = std::make_shared<keyed_request::shared>();
    data->key.value = sha256(request.source);
    data->key.fields = {{"source", request.source}};
    for (std::size_t i = 0; i < request.include_directories.size(); ++i) {
      data->roots.push_back({"include" + std::to_string(i), request.include_directories[i]});
    }
    data->request = std::move(request);
    keyed_request keyed;
    keyed.data = std::move(data);
    keyed.timeout = std::chrono::seconds(600);
    return keyed;
  }

  template <class Token>
  auto async_compile(keyed_request keyed, Token&& token) {
    auto make = [state = state_, keyed = std::move(keyed)] { return compile(state, keyed); };
    return kernix::detail::initiate<compile_outcome>(state_->shared, state_->executor, std::move(make),
                                                     std::forward<Token>(token));
  }

 private:
  struct state {
    boost::asio::any_io_executor executor;
    std::shared_ptr<kernix::detail::runtime> shared;
    std::filesystem::path scratch;
    script answer;
    std::function<void()> on_start;
    std::atomic<bool> held{false};
    std::atomic<int> started{0};
    std::atomic<int> ended{0};
    std::atomic<int> cancelled{0};
    std::mutex mutex;
    std::vector<std::weak_ptr<boost::asio::steady_timer>> waiting;
  };

  struct scratch_directory {
    std::filesystem::path path;
    ~scratch_directory() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };

  static boost::asio::awaitable<std::pair<error_code, toolchain_search>> be_ready() {
    toolchain_search found;
    found.found = std::make_shared<const toolchain>(toolchain{.backend = "scripted", .program = "/scripted"});
    co_return std::pair<error_code, toolchain_search>(error_code{}, std::move(found));
  }

  static boost::asio::awaitable<std::pair<error_code, compile_outcome>> compile(std::shared_ptr<state> self,
                                                                                keyed_request keyed) {
    if (keyed.lookup_only) {
      co_return std::pair<error_code, compile_outcome>(make_error_code(errc::not_cached), compile_outcome::failed({}));
    }
    const std::int64_t began =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    const int number = ++self->started;
    // taken before the wait: what is registered afterwards would miss a `let_go` in between
    auto timer = std::make_shared<boost::asio::steady_timer>(co_await boost::asio::this_coro::executor,
                                                             boost::asio::steady_timer::time_point::max());
    {
      std::lock_guard lock(self->mutex);
      self->waiting.push_back(timer);
    }
    if (self->on_start) self->on_start();
    if (self->held) {
      auto state = co_await boost::asio::this_coro::cancellation_state;
      error_code woken;
      co_await timer->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, woken));
      if (state.cancelled() != boost::asio::cancellation_type::none) {
        ++self->cancelled;
        co_return std::pair<error_code, compile_outcome>(make_error_code(errc::cancelled), compile_outcome::failed({}));
      }
    }
    scripted_answer said = self->answer(keyed);
    ++self->ended;
    if (said.code) {
      diagnostics what;
      what.code = said.code;
      what.log = said.log;
      co_return std::pair<error_code, compile_outcome>(said.code, compile_outcome::failed(std::move(what)));
    }
    auto scratch = std::make_shared<scratch_directory>(scratch_directory{self->scratch / std::to_string(number)});
    std::filesystem::create_directories(scratch->path);
    auto payload = std::make_shared<outcome_payload>();
    payload->key = keyed.key();
    for (auto& [kind, bytes] : said.artifacts) {
      const std::filesystem::path path = scratch->path / ("out" + std::string(suffix(kind)));
      std::ofstream(path, std::ios::binary) << bytes;
      payload->artifacts.push_back({kind, path, bytes.size(), sha256(bytes)});
    }
    payload->reads = said.reads;
    payload->cacheable = said.cacheable;
    payload->diagnostics.log = said.log;
    payload->diagnostics.command = "scripted";
    payload->began_ns = began;
    payload->compile_time = std::chrono::milliseconds(7);
    payload->keeper = scratch;
    co_return std::pair<error_code, compile_outcome>(error_code{},
                                                     compile_outcome(std::move(payload), origin::compiler));
  }

  std::shared_ptr<state> state_;
};

static_assert(async_compiler<scripted_compiler>);

}  // namespace kernix::test
