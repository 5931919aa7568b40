// SPDX-License-Identifier: Apache-2.0
// Several kernels in one coroutine: all compile at the same time, and one await has all of them.

#include <cstddef>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <kernix/kernix.hpp>

namespace asio = boost::asio;

namespace {

/// x to the power of `exponent`, in straight-line code.
kernix::compile_request power(int exponent) {
  std::string product = "1";
  for (int i = 0; i < exponent; ++i) product += " * x";
  std::string source = "extern \"C\" long power(long x) { return " + product + "; }\n";
  return {.name = "power_" + std::to_string(exponent), .source = source};
}

// [parallel]
asio::awaitable<bool> call_all() {
  auto executor = co_await asio::this_coro::executor;
  kernix::kernel_cache kernels{executor, kernix::cxx{}};

  // a deferred operation has not started yet: the group starts all of them, and as many compilers run at once as the settings allow
  auto load = [&](int exponent) { return kernels.async_load<long(long)>(power(exponent), "power", asio::deferred); };
  std::vector<decltype(load(0))> loads;
  for (int exponent = 0; exponent < 5; ++exponent) loads.push_back(load(exponent));

  // each has an error code and a kernel of its own, in the order of the operations; a failure leaves the others alone
  auto group = asio::experimental::make_parallel_group(std::move(loads));
  auto [order, errors, powers] = co_await group.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);

  bool correct = true;
  long expected = 1;
  for (std::size_t i = 0; i < powers.size(); ++i, expected *= 3) {
    if (errors[i]) {
      std::cerr << powers[i].diagnostics().to_string() << '\n';
      correct = false;
      continue;
    }
    std::cout << "3 to the power of " << i << " is " << powers[i](3) << '\n';
    correct = correct && powers[i](3) == expected;
  }
  co_return correct && powers.size() == 5;
}
// [/parallel]

}  // namespace

int main() {
  asio::io_context context;
  auto correct = asio::co_spawn(context, call_all(), asio::use_future);
  context.run();
  return correct.get() ? 0 : 1;
}
