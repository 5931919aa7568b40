// SPDX-License-Identifier: Apache-2.0
// The first kernel: source text in, a function to call out of a co_await.

#include <cstddef>
#include <iostream>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_future.hpp>

// [first_kernel]
#include <kernix/kernix.hpp>
namespace asio = boost::asio;

constexpr const char* axpy_source = R"(
extern "C" void axpy(float a, float const* x, float* y, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) y[i] += a * x[i];
})";

asio::awaitable<bool> serve() {
  auto executor = co_await asio::this_coro::executor;
  kernix::kernel_cache kernels{executor, kernix::cxx{}};  // settings come from the environment

  kernix::compile_request request{.name = "axpy", .source = axpy_source};
  auto [ec, axpy] = co_await kernels.async_load<void(float, float const*, float*, std::size_t)>(request, "axpy");
  if (ec) {
    std::cerr << axpy.diagnostics().to_string() << '\n';  // the compiler's log is never lost
    co_return false;
  }
  float x[] = {1, 2, 3};
  float y[] = {10, 20, 30};
  axpy(2.0f, x, y, 3);
  std::cout << y[0] << ' ' << y[1] << ' ' << y[2] << '\n';
  co_return y[0] == 12 && y[1] == 24 && y[2] == 36;
}
// [/first_kernel]

int main() {
  asio::io_context context;
  auto correct = asio::co_spawn(context, serve(), asio::use_future);
  context.run();
  return correct.get() ? 0 : 1;
}
