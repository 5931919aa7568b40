// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>

#include <kernix/core/toolchain.hpp>
#include <kernix/detail/initiate.hpp>
#include <kernix/detail/runtime.hpp>

namespace kernix::test {

/// Runs what `make(runtime)` returns, a search for a toolchain, on a runtime of its own, and waits for its end.
template <class Make>
std::pair<error_code, toolchain_search> await_search(boost::asio::io_context& context, Make make) {
  auto shared = detail::runtime::of(context.get_executor());
  std::optional<std::pair<error_code, toolchain_search>> answer;
  detail::initiate<toolchain_search>(
      shared, context.get_executor(), [shared, make] { return make(shared); },
      [&](error_code code, toolchain_search search) { answer.emplace(code, std::move(search)); });
  context.restart();
  context.run();
  return std::move(answer.value());
}

}  // namespace kernix::test
