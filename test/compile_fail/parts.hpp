// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <kernix/backend/compiler_backend.hpp>
#include <kernix/process/process_runner.hpp>

/// The parts of a backend one by one, so that each test leaves out just one.
namespace parts {

struct named {
  std::string_view name() const { return "parts"; }
};
struct placed {
  kernix::platform platform() const { return kernix::platform::cpu; }
};
struct listing {
  std::vector<kernix::tool_candidate> candidates(const kernix::settings&) const { return {}; }
};
struct planning {
  kernix::result<kernix::command_plan> plan(const kernix::compile_request&, const kernix::toolchain&) const {
    return kernix::command_plan{};
  }
};
struct classifying {
  kernix::diagnosis classify(const kernix::command_step&, const kernix::process_result&) const { return {}; }
};

struct backend : named, placed, listing, planning, classifying {};

struct runner {
  boost::asio::awaitable<kernix::process_result> run(kernix::process_command) const { co_return kernix::process_result{}; }
};

}  // namespace parts
