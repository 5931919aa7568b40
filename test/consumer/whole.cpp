// SPDX-License-Identifier: Apache-2.0
// Uses the front door: all of kernix is instantiated and linked. The request is refused, so no compiler is needed.

#include <cstdio>

#include <boost/asio/io_context.hpp>

#include <kernix/kernix.hpp>

int main() {
  boost::asio::io_context context;
  kernix::kernel_cache kernels(context.get_executor(), kernix::cxx{});
  bool refused = false;
  kernels.async_compile(kernix::compile_request{.name = "../evil", .source = "int x;"},
                        [&](kernix::error_code code, kernix::compile_outcome) {
                          std::puts(code.message().c_str());
                          refused = code == kernix::errc::invalid_name;
                        });
  context.run();
  return refused ? 0 : 1;
}
