// SPDX-License-Identifier: Apache-2.0
#include <kernix/kernel_cache.hpp>
#include <kernix/with_diagnostics.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>

#include "support/manual_compiler.hpp"
#include "support/print.hpp"

namespace asio = boost::asio;
using kernix::compile_outcome;
using kernix::errc;
using kernix::error_code;

namespace {

/// Answers each request at once by what its source says: "fine", or anything else for a compile error.
struct instant_compiler : kernix::test::manual_compiler {
  template <class Token>
  auto async_compile(kernix::keyed_request keyed, Token&& token) {
    return asio::async_initiate<Token, void(error_code, compile_outcome)>(
        [](auto handler, asio::any_io_executor on, std::shared_ptr<kernix::test::call_book> in, kernix::keyed_request what) {
          in->add(what, {});
          kernix::diagnostics said;
          said.log = "log of " + what.request().name;
          if (what.request().source != "fine") {
            said.code = kernix::make_error_code(errc::compile_failed);
            said.reason = "syntax";
          }
          error_code code = said.code;
          kernix::detail::waiter<compile_outcome>(std::move(handler), on).complete(code, compile_outcome::failed(std::move(said)));
        },
        token, executor, book, std::move(keyed));
  }
};

kernix::settings quiet() {
  kernix::settings made;
  made.log = [](kernix::log_level, std::string_view) {};
  return made;
}

kernix::compile_request named(std::string source) {
  kernix::compile_request request;
  request.name = "k";
  request.source = std::move(source);
  return request;
}

using instant_cache = kernix::kernel_cache<instant_compiler>;
using manual_stack = kernix::memory_cache<kernix::test::manual_compiler>;

struct fixture {
  asio::thread_pool elsewhere{2};
  std::shared_ptr<kernix::test::call_book> book = std::make_shared<kernix::test::call_book>();

  instant_cache instant(asio::any_io_executor executor) {
    return instant_cache(executor, instant_compiler{{elsewhere.get_executor(), book}}, quiet());
  }
  kernix::kernel_cache<manual_stack> manual(asio::any_io_executor executor) {
    manual_stack stack(executor, kernix::test::manual_compiler{elsewhere.get_executor(), book}, quiet());
    return kernix::kernel_cache<manual_stack>(executor, std::move(stack), quiet());
  }
};

template <class T>
T take(std::future<T> from) {
  if (from.wait_for(std::chrono::seconds(30)) != std::future_status::ready) throw std::runtime_error("no answer");
  return from.get();
}

asio::awaitable<void> use_every_awaitable_token(instant_cache& kernels, int& done) {
  auto by_default = kernels.async_compile(named("fine"));
  auto [ec, outcome] = co_await std::move(by_default);
  BOOST_TEST(!ec);
  BOOST_TEST(outcome.diagnostics().log == "log of k");

  auto bad = kernels.async_compile(named("bad"));
  auto [bad_ec, bad_outcome] = co_await std::move(bad);
  BOOST_TEST(bad_ec == errc::compile_failed);
  BOOST_TEST(bad_outcome.diagnostics().log == "log of k");

  auto bare = kernels.async_compile(named("fine"), asio::use_awaitable);
  compile_outcome thrown_or_not = co_await std::move(bare);
  BOOST_TEST(thrown_or_not.diagnostics().log == "log of k");

  auto deferred = kernels.async_lookup(named("fine"), asio::deferred);
  auto as_awaitable = std::move(deferred)(asio::use_awaitable);
  BOOST_TEST((co_await std::move(as_awaitable)).diagnostics().log == "log of k");

  auto explained = kernels.async_compile(named("bad"), kernix::with_diagnostics(asio::use_awaitable));
  bool caught = false;
  try {
    co_await std::move(explained);
  } catch (const kernix::compile_error& error) {
    caught = error.code() == errc::compile_failed && error.diagnostics().log == "log of k";
  }
  BOOST_TEST(caught);

  auto fine = kernels.async_compile(named("fine"), kernix::with_diagnostics(asio::use_awaitable));
  BOOST_TEST((co_await std::move(fine)).diagnostics().log == "log of k");

  auto loading = kernels.async_load<void()>(named("fine"), "f");
  auto [load_ec, kernel] = co_await std::move(loading);
  BOOST_TEST(load_ec == errc::invalid_request);  // the stand-in made no shared object
  BOOST_TEST(kernel.diagnostics().log == "log of k");

  auto tools = kernels.async_find_toolchain();
  auto [tools_ec, search] = co_await std::move(tools);
  BOOST_TEST(!tools_ec);
  ++done;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(kernel_cache, fixture)

BOOST_AUTO_TEST_CASE(every_awaitable_token_works_on_one_thread_and_on_many) {
  for (int threads : {1, 4}) {
    asio::io_context io(threads);
    instant_cache kernels = instant(io.get_executor());
    int done = 0;
    asio::co_spawn(io, use_every_awaitable_token(kernels, done), [](std::exception_ptr thrown) {
      if (thrown) std::rethrow_exception(thrown);
    });
    std::vector<std::thread> all;
    for (int i = 1; i < threads; ++i) all.emplace_back([&] { io.run(); });
    io.run();
    for (auto& each : all) each.join();
    BOOST_TEST(done == 1);
  }
}

BOOST_AUTO_TEST_CASE(callbacks_and_futures_work) {
  asio::thread_pool host(2);
  instant_cache kernels = instant(host.get_executor());
  std::promise<std::pair<error_code, std::string>> called;
  kernels.async_compile(named("bad"), [&](error_code code, compile_outcome outcome) {
    called.set_value({code, outcome.diagnostics().reason});
  });
  auto got = take(called.get_future());
  BOOST_TEST(got.first == errc::compile_failed);
  BOOST_TEST(got.second == "syntax");

  BOOST_TEST(take(kernels.async_compile(named("fine"), asio::use_future)).diagnostics().log == "log of k");
  BOOST_CHECK_THROW(take(kernels.async_compile(named("bad"), asio::use_future)), boost::system::system_error);
  BOOST_CHECK_EXCEPTION(take(kernels.async_compile(named("bad"), kernix::with_diagnostics(asio::use_future))),
                        kernix::compile_error,
                        [](const kernix::compile_error& error) { return error.diagnostics().log == "log of k"; });
  take(kernels.async_find_toolchain(asio::use_future));
  take(kernels.async_shutdown(asio::use_future));
}

BOOST_AUTO_TEST_CASE(a_bad_request_is_refused_before_anything_is_started) {
  asio::thread_pool host(1);
  instant_cache kernels = instant(host.get_executor());
  auto with = [](std::function<void(kernix::compile_request&)> change) {
    kernix::compile_request request = named("fine");
    change(request);
    return request;
  };
  using request = kernix::compile_request;
  const std::vector<std::tuple<std::string, request, errc>> bad = {
      {"empty name", with([](request& r) { r.name = ""; }), errc::invalid_name},
      {"slash", with([](request& r) { r.name = "a/b"; }), errc::invalid_name},
      {"dots", with([](request& r) { r.name = ".."; }), errc::invalid_name},
      {"empty source", with([](request& r) { r.source = ""; }), errc::invalid_request},
      {"negative timeout", with([](request& r) { r.timeout = std::chrono::seconds(-1); }), errc::invalid_request},
      {"zero timeout", with([](request& r) { r.timeout = std::chrono::seconds(0); }), errc::invalid_request},
  };
  for (const auto& [what, each, expected] : bad) {
    std::promise<std::pair<error_code, std::string>> called;
    kernels.async_compile(each, [&](error_code code, compile_outcome outcome) {
      called.set_value({code, outcome.diagnostics().reason});
    });
    auto got = take(called.get_future());
    BOOST_TEST(got.first == expected, what);
    BOOST_TEST(!got.second.empty(), what);
  }
  BOOST_TEST(book->count() == 0u);
}

BOOST_AUTO_TEST_CASE(any_cancellation_type_ends_an_operation) {
  for (auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
    asio::io_context io;
    auto kernels = manual(io.get_executor());
    asio::cancellation_signal leave;
    std::size_t call = book->count();
    error_code got;
    kernels.async_compile(named("a"), asio::bind_cancellation_slot(leave.slot(), [&](error_code code, compile_outcome) { got = code; }));
    book->wait_for_call(call);
    asio::post(io, [&] { leave.emit(type); });
    io.run();
    BOOST_TEST(got == errc::cancelled);
    book->wait_for_cancel(call);
    book->answer(call, kernix::make_error_code(errc::cancelled), {});
  }
}

BOOST_AUTO_TEST_CASE(cancellation_right_after_the_start_is_not_lost) {
  asio::io_context io;
  auto kernels = manual(io.get_executor());
  asio::cancellation_signal leave;
  error_code got;
  kernels.async_compile(named("a"), asio::bind_cancellation_slot(leave.slot(), [&](error_code code, compile_outcome) { got = code; }));
  leave.emit(asio::cancellation_type::terminal);
  io.run();
  BOOST_TEST(got == errc::cancelled);
  std::promise<void> ended;
  kernels.async_shutdown([&](error_code) { ended.set_value(); });
  if (book->count() == 1) book->answer(0, kernix::make_error_code(errc::cancelled), {});
  io.restart();
  io.run();
  take(ended.get_future());
}

BOOST_AUTO_TEST_CASE(destroying_the_cache_ends_its_operations_as_cancelled) {
  asio::io_context io;
  error_code got;
  {
    auto kernels = manual(io.get_executor());
    kernels.async_compile(named("a"), [&](error_code code, compile_outcome) { got = code; });
    book->wait_for_call(0);
  }
  io.run();
  BOOST_TEST(got == errc::cancelled);
  book->wait_for_cancel(0);
  book->answer(0, kernix::make_error_code(errc::cancelled), {});
}

BOOST_AUTO_TEST_CASE(a_cache_that_lives_in_a_coroutine_of_its_context_goes_away_with_it) {
  auto alive = std::make_shared<int>(1);
  {
    asio::io_context io;
  
    asio::co_spawn(
        io,
        [](fixture& self, std::shared_ptr<int> kept) -> asio::awaitable<void> {
          auto kernels = self.instant(co_await asio::this_coro::executor);
          auto operation = kernels.async_compile(named("fine"));
          auto [ec, outcome] = co_await std::move(operation);
          asio::steady_timer forever(co_await asio::this_coro::executor, std::chrono::hours(1));
          co_await forever.async_wait(asio::use_awaitable);
          BOOST_TEST(*kept == 1);
        }(*this, alive),
        asio::detached);
    while (book->count() == 0) io.run_one();
    io.poll();
    BOOST_TEST(alive.use_count() >= 2);
  }
  BOOST_TEST(alive.use_count() == 1);
}

#if defined(__SANITIZE_THREAD__)
#define KERNIX_TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KERNIX_TEST_TSAN 1
#endif
#endif
#ifndef KERNIX_TEST_TSAN  // it refuses threads in the child of a process that has some

/// Ends the child with what `body` returns, without running the parent's exit handlers.
int status_of_child(const std::function<int()>& body) {
  pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

BOOST_AUTO_TEST_CASE(after_a_fork_the_old_cache_says_so_and_a_new_one_works) {
  asio::io_context io(1);
  auto kernels = std::make_unique<instant_cache>(instant(io.get_executor()));
  error_code before = kernix::make_error_code(errc::not_cached);
  kernels->async_compile(named("fine"), [&](error_code code, compile_outcome) { before = code; });
  io.run();
  BOOST_TEST(!before);
  int status = status_of_child([&] {
    io.notify_fork(asio::io_context::fork_child);
    error_code old, fresh = kernix::make_error_code(errc::not_cached);
    kernels->async_compile(named("fine"), [&](error_code code, compile_outcome outcome) {
      old = outcome.diagnostics().reason.empty() ? error_code{} : code;
    });
    io.restart();
    io.run();
    kernels.reset();
    instant_cache again(io.get_executor(), instant_compiler{{io.get_executor(), book}}, quiet());
    again.async_compile(named("fine"), [&](error_code code, compile_outcome) { fresh = code; });
    io.restart();
    io.run();
    return (old == errc::forked ? 0 : 1) + (fresh ? 2 : 0);
  });
  BOOST_TEST(status == 0);
  error_code after = kernix::make_error_code(errc::not_cached);
  kernels->async_compile(named("fine"), [&](error_code code, compile_outcome) { after = code; });
  io.restart();
  io.run();
  BOOST_TEST(!after);
}

#endif

BOOST_AUTO_TEST_CASE(handlers_run_on_their_own_executor) {
  asio::io_context io;
  asio::thread_pool host(1);
  instant_cache kernels = instant(host.get_executor());
  bool called = false;
  auto work = asio::make_work_guard(io);
  kernels.async_compile(named("fine"), asio::bind_executor(io.get_executor(), [&](error_code, compile_outcome) {
                          BOOST_TEST(io.get_executor().running_in_this_thread());
                          called = true;
                          work.reset();
                        }));
  BOOST_TEST(!called);
  io.run();
  BOOST_TEST(called);
}

BOOST_AUTO_TEST_SUITE_END()
