// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <kernix/backend/compiler_backend.hpp>
#include <kernix/compile/compiler.hpp>

#include "support/temporary_tree.hpp"

namespace kernix::test {

/// A backend whose compiler is never run: plans are made of the request's parts, so that tests decide everything.
struct toy_backend {
  std::filesystem::path program = "/bin/sh";

  std::string_view name() const { return "toy"; }
  kernix::platform platform() const { return kernix::platform::cpu; }
  std::vector<kernix::tool_candidate> candidates(const kernix::settings&) const { return {{{program.string()}, "toy", true}}; }

  /// A flag `two` plans a second step, `mlir` an optional output; other flags are refused.
  kernix::result<kernix::command_plan> plan(const kernix::compile_request& request, const kernix::toolchain& tools) const {
    kernix::command_plan made;
    made.source_path = "kernel.toy";
    made.files.push_back({made.source_path, request.source});
    for (const auto& each : request.headers) made.files.push_back({"headers0/" + each.name, each.text});
    for (const auto& each : request.include_directories) {
      std::string link = "include" + std::to_string(made.links.size());
      made.include_path.push_back(link);
      made.links.push_back({std::move(link), each.is_absolute() ? each : request.base_directory / each});
    }
    made.environment = {{"LC_ALL", "C"}, {"TMPDIR", "/elsewhere", false}};
    made.steps.push_back({"compile", tools.program.string(), {"kernel.toy", kernix::no_effect("-v")}, {{.path = "kernel.d"}}});
    made.outputs.push_back({request.kind, "kernel.so"});
    for (const std::string& flag : request.compile_flags) {
      if (flag == "two") {
        made.steps.push_back({"link", tools.program.string(), {"kernel.o"}});
      } else if (flag == "mlir") {
        made.outputs.push_back({kernix::output_kind::mlir, "kernel.mlir", false});
      } else {
        return kernix::refuse(kernix::errc::invalid_option, "toy knows no \"" + flag + '"');
      }
    }
    return made;
  }

  kernix::diagnosis classify(const kernix::command_step&, const kernix::process_result& ended) const {
    kernix::diagnosis made;
    const std::string said = ended.err.text();
    if (!said.empty()) made.messages.push_back({kernix::message::level::error, said.substr(0, said.find(':')), 1, 0, "said"});
    if (!ended.succeeded()) {
      const bool full = said.find("No space left") != std::string::npos;
      made.code = make_error_code(full ? kernix::errc::disk_full : kernix::errc::compile_failed);
      made.reason = "toy failed: " + said.substr(0, said.find('\n'));
      made.advice = {"try again"};
    }
    return made;
  }
};
static_assert(kernix::compiler_backend<toy_backend>);

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Everything below a directory, relative, sorted; empty if it doesn't exist.
inline std::vector<std::string> entries_of(const std::filesystem::path& directory) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    found.push_back(at->path().lexically_relative(directory).string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Waits for something that happens on another thread; false if it doesn't within a minute.
template <class Condition>
bool eventually(Condition condition) {
  for (auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1); std::chrono::steady_clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

using compile_answer = std::pair<kernix::error_code, kernix::compile_outcome>;

/// An engine over its own `io_context`, which one thread runs, with a directory of its own as cache and TMPDIR.
template <class Backend, class Runner>
class engine_under_test {
 public:
  using engine_type = kernix::compiler<Backend, Runner>;

  explicit engine_under_test(Backend backend, Runner runner, std::function<void(kernix::settings&)> change = {}) {
    options.cache_directory = tree.root() / "cache";
    options.variables["TMPDIR"] = (tree.root() / "tmp").string();
    options.variables["PATH"] = "/usr/local/bin:/usr/bin:/bin";
    options.log = {};
    std::filesystem::create_directory(tree.root() / "tmp");
    if (change) change(options);
    engine.emplace(context->get_executor(), std::move(backend), std::move(runner), options);
    thread_ = std::thread([this] { context->run(); });
  }
  ~engine_under_test() {
    engine.reset();
    stop();
  }

  /// Ends the thread and destroys the context; the engine, if it lives, is a handle without a context.
  void stop() {
    work.reset();
    if (context) context->stop();
    if (thread_.joinable()) thread_.join();
    context.reset();
  }

  std::filesystem::path scratch() const { return options.cache_directory / "scratch"; }

  kernix::toolchain_search ready() {
    std::promise<std::pair<kernix::error_code, kernix::toolchain_search>> done;
    engine->async_ready([&](kernix::error_code code, kernix::toolchain_search found) { done.set_value({code, std::move(found)}); });
    auto found = done.get_future().get();
    if (found.first) throw std::runtime_error("no toolchain: " + found.second.report.to_string());
    return std::move(found.second);
  }

  kernix::keyed_request key(kernix::compile_request request) {
    ready();
    auto keyed = engine->key(std::move(request));
    if (!keyed) throw std::runtime_error(keyed.error().reason);
    return std::move(*keyed);
  }

  std::future<compile_answer> start(kernix::keyed_request keyed) {
    auto done = std::make_shared<std::promise<compile_answer>>();
    engine->async_compile(std::move(keyed), [done](kernix::error_code code, kernix::compile_outcome outcome) {
      done->set_value({code, std::move(outcome)});
    });
    return done->get_future();
  }
  compile_answer compile(kernix::keyed_request keyed) { return start(std::move(keyed)).get(); }
  compile_answer compile(kernix::compile_request request) { return compile(key(std::move(request))); }

  kernix::test::temporary_tree tree;
  kernix::settings options;
  std::optional<boost::asio::io_context> context{std::in_place};
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work{context->get_executor()};
  std::optional<engine_type> engine;

 private:
  std::thread thread_;
};

}  // namespace kernix::test
