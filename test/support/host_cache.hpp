// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/thread_pool.hpp>

#include <kernix/cache/disk_cache.hpp>
#include <kernix/core/settings.hpp>

#include "support/scripted_compiler.hpp"
#include "support/temporary_tree.hpp"

namespace kernix::test {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The bytes of the first artifact.
inline std::string text_of(const compile_outcome& outcome) {
  return outcome.artifacts().empty() ? "(no artifact)" : text_of(outcome.artifacts()[0].path);
}

/// All warnings of a cache, from any thread.
class captured_log {
 public:
  void add(std::string_view text) {
    std::lock_guard lock(mutex_);
    lines_.emplace_back(text);
  }
  std::vector<std::string> lines() const {
    std::lock_guard lock(mutex_);
    return lines_;
  }
  std::size_t count(std::string_view part) const {
    std::size_t found = 0;
    for (const std::string& line : lines()) found += line.find(part) != std::string::npos;
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

inline compile_request request_of(std::string source, std::string name = "kernel") {
  return {.name = std::move(name), .source = std::move(source)};
}

/// A process of its own, as far as a cache can tell: an execution context, a scripted compiler, and a disk cache on it.
struct cache_process {
  explicit cache_process(const std::filesystem::path& directory, const std::filesystem::path& scratch,
                         scripted_compiler::script script = {}, settings options = {})
      : compiler(context.get_executor(), scratch, std::move(script)),
        cache(context.get_executor(), compiler, complete(std::move(options), directory, *log)) {}

  static settings complete(settings options, const std::filesystem::path& directory, captured_log& to) {
    options.cache_directory = directory;
    options.log = [&to](log_level, std::string_view text) { to.add(text); };
    return options;
  }

  using result_type = std::pair<error_code, compile_outcome>;
  using future_type = std::future<result_type>;

  /// Starts a compile; `signal`, emitted on `context`, cancels it.
  future_type start(keyed_request keyed, boost::asio::cancellation_slot slot = {}) {
    auto promise = std::make_shared<std::promise<result_type>>();
    future_type future = promise->get_future();
    auto done = [promise](error_code code, compile_outcome outcome) { promise->set_value({code, std::move(outcome)}); };
    cache.async_compile(std::move(keyed), boost::asio::bind_cancellation_slot(slot, std::move(done)));
    return future;
  }
  result_type compile(keyed_request keyed) { return start(std::move(keyed)).get(); }
  result_type compile(compile_request request) { return compile(scripted_compiler::key_of(std::move(request))); }

  std::unique_ptr<captured_log> log = std::make_unique<captured_log>();
  boost::asio::thread_pool context{1};
  scripted_compiler compiler;
  disk_cache<scripted_compiler> cache;
};

/// The only directory below `v1/results`; empty if there isn't exactly one.
inline std::filesystem::path only_result(const std::filesystem::path& cache) {
  std::vector<std::filesystem::path> found;
  std::error_code ignored;
  for (const auto& bucket : std::filesystem::directory_iterator(cache / "v1/results", ignored)) {
    for (const auto& each : std::filesystem::directory_iterator(bucket)) found.push_back(each);
  }
  return found.size() == 1 ? found[0] : std::filesystem::path{};
}

/// How many entries a directory has.
inline std::size_t entries(const std::filesystem::path& directory) {
  std::error_code ignored;
  auto begin = std::filesystem::directory_iterator(directory, ignored);
  return ignored ? 0 : static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

}  // namespace kernix::test
