// SPDX-License-Identifier: Apache-2.0
// Errors: what to branch on, and where the compiler's own words are.

#include <iostream>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <kernix/kernix.hpp>

namespace asio = boost::asio;
using kernix::errc;
using kernix::failure;

namespace {

bool all_as_expected = true;

void expect(bool condition, const std::string& what) {
  std::cout << (condition ? "as expected: " : "NOT AS EXPECTED: ") << what << '\n';
  all_as_expected = all_as_expected && condition;
}

bool is(kernix::error_code code, failure condition) { return code == kernix::make_error_condition(condition); }

asio::awaitable<void> show_errors() {
  auto executor = co_await asio::this_coro::executor;
  kernix::kernel_cache kernels{executor, kernix::cxx{}};

  // [compile_error]
  kernix::compile_request broken{.name = "broken", .source = "extern \"C\" int answer() { return 42 }\n"};
  auto [rejected, outcome] = co_await kernels.async_compile(broken);
  expect(rejected == errc::compile_failed, "the compiler rejects the source");
  expect(is(rejected, failure::source), "and callers branch on the condition: whose fault is it?");
  for (const kernix::message& each : outcome.diagnostics().messages) {
    std::cout << "  line " << each.line << ", column " << each.column << ": " << each.text << '\n';
  }
  expect(!outcome.diagnostics().messages.empty(), "its messages are parsed");
  // [/compile_error]

  // [missing_symbol]
  kernix::compile_request mangled{.name = "mangled", .source = "int answer() { return 42; }\n"};
  auto [missing, answer] = co_await kernels.async_load<int()>(mangled, "answer");
  expect(missing == errc::symbol_not_found, "C++ mangles names");
  std::cout << answer.diagnostics().to_string() << '\n';  // says what is exported, and what to do
  expect(!answer.diagnostics().advice.empty(), "the advice is to say extern \"C\"");
  // [/missing_symbol]

  // [bad_request]
  kernix::compile_request evil{.name = "../evil", .source = "int x;\n"};
  auto [refused, nothing] = co_await kernels.async_compile(evil);
  expect(refused == errc::invalid_name && is(refused, failure::request), "a bad request starts nothing");
  std::cout << "  " << nothing.diagnostics().reason << '\n';
  // [/bad_request]

  // [no_compiler]
  kernix::kernel_cache nowhere{executor, kernix::cxx{.compiler = "/nowhere/g++"}};
  auto [absent, search] = co_await nowhere.async_find_toolchain();
  expect(is(absent, failure::toolchain), "a compiler that isn't there is the installation's fault");
  std::cout << search.diagnostics().to_string() << '\n';  // every place that was looked at
  // [/no_compiler]

  // [exception]
  bool thrown = false;
  try {
    co_await kernels.async_compile(broken, kernix::with_diagnostics(asio::use_awaitable));
  } catch (const kernix::compile_error& error) {
    thrown = error.code() == errc::compile_failed && !error.diagnostics().log.empty();
  }
  expect(thrown, "an exception carries the log, too");
  // [/exception]
}

}  // namespace

int main() {
  asio::io_context context;
  auto done = asio::co_spawn(context, show_errors(), asio::use_future);
  context.run();
  done.get();
  return all_as_expected ? 0 : 1;
}
