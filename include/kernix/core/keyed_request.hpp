// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kernix/core/command.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/core/digest.hpp>
#include <kernix/core/read_set.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix {

/// The identity of a request: the digest of everything that reaches the compiler, and the fields that it was made of.
struct cache_key {
  digest value;
  /// Tagged fields, without secrets and with long texts replaced by their digests: what `explain` compares.
  std::vector<std::pair<std::string, std::string>> fields;
};

/// A request with its key, computed once and shared by every layer. Cheap to copy.
struct keyed_request {
  struct shared {
    compile_request request;
    cache_key key;
    command_plan plan;
    std::shared_ptr<const kernix::toolchain> toolchain;
    /// Where this request's roots are.
    std::vector<root> roots;
    /// Key and places: two requests with one key whose roots lie elsewhere may read different files.
    digest place;
  };
  std::shared_ptr<const shared> data;

  /// Answer from a cache or with `errc::not_cached`; never compile.
  bool lookup_only = false;
  /// A forced request: accept nothing whose compile began before this time (system clock, ns); 0: anything goes.
  std::int64_t not_before_ns = 0;
  /// Limit on the time the compiler runs.
  std::chrono::nanoseconds timeout{};

  /// Called on kernix's thread when the compiler has started; may be empty.
  std::function<void()> on_start = {};
  /// The limit as it is now: a flight runs to the longest of its waiters'; may be empty.
  std::function<std::chrono::nanoseconds()> extended_timeout = {};

  const compile_request& request() const noexcept { return data->request; }
  const digest& key() const noexcept { return data->key.value; }
};

}  // namespace kernix
