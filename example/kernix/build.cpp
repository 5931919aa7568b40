// SPDX-License-Identifier: Apache-2.0
#include "build.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <kernix/core/settings.hpp>

#include "advise.hpp"
#include "backends.hpp"
#include "deliver.hpp"
#include "report.hpp"
#include "requests.hpp"

namespace tool {
namespace {

namespace fs = std::filesystem;
using steady = std::chrono::steady_clock;

kernix::settings settings_for(const build_options& options) {
  kernix::settings settings = kernix::settings::from_environment();
  if (!options.cache.empty()) settings.cache_directory = fs::absolute(options.cache);
  if (options.jobs) settings.jobs = *options.jobs;
  return settings;
}

/// All builds of one call; used by one thread.
class build_run {
 public:
  explicit build_run(const build_options& options)
      : options_(options), settings_(settings_for(options)), signals_(context_, SIGINT, SIGTERM, SIGHUP) {}

  int run(const std::vector<build_item>& items) {
    signals_.async_wait([this](boost::system::error_code error, int number) {
      if (error) return;
      signal_ = number;
      signals_.clear();  // a second one ends the program at once
      cancel_all();
    });
    waiting_ = items.size();
    for (const build_item& item : items) start(item);
    context_.run();
    if (signal_) return 128 + *signal_;
    return failed_ ? some_failed : all_built;
  }

 private:
  void start(const build_item& item) {
    kernix::result<kernix::compile_request> request = make_request(options_, item);
    if (!request) {
      kernix::diagnostics what;
      what.code = request.error().code;
      what.reason = request.error().reason;
      return finish({.item = item, .diagnostics = std::move(what)});
    }
    cache_for(*item.which).compile(
        std::move(*request), [this, item, began = steady::now()](kernix::error_code code, kernix::compile_outcome outcome) {
          ended(item, code, outcome, steady::now() - began);
        });
  }

  open_cache& cache_for(const backend& which) {
    auto at = caches_.find(&which);
    if (at == caches_.end()) {
      at = caches_.emplace(&which, which.open(context_.get_executor(), settings_)).first;
      settings_.problems.clear();  // the first cache has told them
    }
    return at->second;
  }

  void ended(const build_item& item, kernix::error_code code, const kernix::compile_outcome& outcome,
             steady::duration elapsed) {
    build_report report{.item = item, .elapsed = elapsed, .diagnostics = outcome.diagnostics()};
    report.diagnostics.code = code;
    if (!code || !report.diagnostics.command.empty()) report.origin = outcome.origin();  // else nothing answered, or was started
    if (!code) {
      auto files = deliver(outcome, item.name, options_.output, settings_.cache_directory);
      if (files) {
        report.artifacts = std::move(*files);
      } else {
        report.diagnostics.code = files.error().code;
        report.diagnostics.reason = files.error().reason;
      }
    }
    finish(std::move(report));
  }

  void finish(build_report report) {
    if (report.failed()) advise(report.diagnostics);
    failed_ = failed_ || report.failed();
    if (!print(report, options_.json)) {  // nobody reads any more: nobody wants the rest
      failed_ = true;
      cancel_all();
    }
    if (--waiting_ == 0) signals_.cancel();
  }

  void cancel_all() {
    for (auto& [which, cache] : caches_) cache.cancel_all();
  }

  const build_options& options_;
  kernix::settings settings_;
  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
  std::map<const backend*, open_cache> caches_;
  std::size_t waiting_ = 0;
  bool failed_ = false;
  std::optional<int> signal_;
};

int refuse(const std::string& sentence) {
  std::cerr << "kernix: " << sentence << '\n';
  return wrong_use;
}

}  // namespace

int build(const build_options& options) {
  std::vector<build_item> items = build_items(options);
  if (auto wrong = wrong_options(options, items)) return refuse(*wrong);
  if (std::error_code error; !options.cache.empty() && (static_cast<void>(fs::absolute(options.cache, error)), error)) {
    return refuse("the cache directory " + options.cache.native() + " is relative to a current directory that is gone");
  }
  if (!options.output.empty()) {
    std::error_code error;
    fs::create_directories(options.output, error);
    if (error || !fs::is_directory(options.output, error)) {
      return refuse("the output directory " + options.output.native() + " can't be made: " +
                    (error ? error : std::make_error_code(std::errc::not_a_directory)).message());
    }
  }
  std::signal(SIGPIPE, SIG_IGN);  // a closed stdout shows as a failed write, and the compilers are ended properly
  return build_run(options).run(items);
}

}  // namespace tool
