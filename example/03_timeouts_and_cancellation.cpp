// SPDX-License-Identifier: Apache-2.0
// A compile that takes too long, one that nobody wants any more, and one that somebody else still wants.

#include <chrono>
#include <iostream>
#include <string>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <kernix/kernix.hpp>

namespace asio = boost::asio;
using kernix::errc;
using namespace std::chrono_literals;

namespace {

bool all_as_expected = true;

void expect(bool condition, const std::string& what) {
  std::cout << (condition ? "as expected: " : "NOT AS EXPECTED: ") << what << '\n';
  all_as_expected = all_as_expected && condition;
}

/// A header that includes itself twice, 190 levels deep: no compiler comes to an end of it.
kernix::compile_request endless(std::string name) {
  // two requests that differ in their names only are one to kernix: what differs has to be in the text
  kernix::compile_request request{.name = name, .source = "#include \"again.hpp\"\n// " + name + '\n'};
  request.headers = {{"again.hpp", "#if __INCLUDE_LEVEL__ < 190\n#include \"again.hpp\"\n#include \"again.hpp\"\n#endif\n"}};
  return request;
}

}  // namespace

int main() {
  asio::io_context context;
  kernix::kernel_cache kernels{context.get_executor(), kernix::cxx{}};

  // [timeout]
  kernix::compile_request slow = endless("slow");
  slow.timeout = 300ms;  // of the compiler's running time; waiting for a free place is not counted
  kernels.async_compile(slow, [](kernix::error_code ec, kernix::compile_outcome outcome) {
    expect(ec == errc::timed_out, "the time limit ends the compiler: " + outcome.diagnostics().reason);
  });
  // [/timeout]

  // [cancellation]
  asio::cancellation_signal enough;
  kernels.async_compile(endless("unwanted"),
                        asio::bind_cancellation_slot(enough.slot(), [](kernix::error_code ec, kernix::compile_outcome) {
                          expect(ec == errc::cancelled, "the last one to leave ends the compiler");
                        }));
  asio::steady_timer patience(context, 200ms);
  patience.async_wait([&](kernix::error_code) { enough.emit(asio::cancellation_type::total); });
  // [/cancellation]

  // [shared]
  kernix::compile_request shared{.name = "shared", .source = "extern \"C\" int answer() { return 42; }\n"};
  shared.force = true;  // so that there is something to wait for, however often this is run
  asio::cancellation_signal leave;
  kernels.async_load<int()>(shared, "answer",
                            asio::bind_cancellation_slot(leave.slot(), [](kernix::error_code ec, kernix::kernel<int()>) {
                              expect(ec == errc::cancelled, "one of two waiters leaves");
                            }));
  kernels.async_load<int()>(shared, "answer", [](kernix::error_code ec, kernix::kernel<int()> answer) {
    expect(!ec && answer() == 42, "and the other one gets the kernel all the same");
  });
  leave.emit(asio::cancellation_type::terminal);
  // [/shared]

  context.run();
  return all_as_expected ? 0 : 1;
}
