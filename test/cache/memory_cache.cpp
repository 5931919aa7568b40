// SPDX-License-Identifier: Apache-2.0
#include <kernix/cache/memory_cache.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <kernix/core/hasher.hpp>
#include <kernix/detail/runtime.hpp>

#include "support/manual_compiler.hpp"
#include "support/print.hpp"

namespace asio = boost::asio;
using kernix::compile_outcome;
using kernix::errc;
using kernix::error_code;
using kernix::origin;
using kernix::test::manual_compiler;

namespace {

using cache = kernix::memory_cache<manual_compiler>;
static_assert(kernix::async_compiler<cache>);
using answer = std::tuple<error_code, compile_outcome>;

std::shared_ptr<kernix::outcome_payload> payload_of(std::string log = {}) {
  auto made = std::make_shared<kernix::outcome_payload>();
  made->diagnostics.log = std::move(log);
  made->began_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return made;
}

/// Notes that it was called, and never answers.
struct endless_compiler : manual_compiler {
  template <class Token>
  auto async_compile(kernix::keyed_request keyed, Token&& token) {
    book->add(std::move(keyed), {});
    auto make = []() { return wait(); };
    return kernix::detail::initiate<compile_outcome>(kernix::detail::runtime::of(executor), executor, make, std::forward<Token>(token));
  }
  static asio::awaitable<std::pair<error_code, compile_outcome>> wait() {
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::hours(1));
    co_await timer.async_wait(asio::use_awaitable);
    co_return std::pair<error_code, compile_outcome>();
  }
};

struct fixture {
  std::shared_ptr<kernix::test::call_book> book = std::make_shared<kernix::test::call_book>();
  asio::thread_pool pool{2};
  kernix::settings options = [] {
    kernix::settings made;
    made.log = [](kernix::log_level, std::string_view) {};
    return made;
  }();
  std::vector<kernix::root> roots;
  std::optional<cache> cached;

  cache& get() {
    if (!cached) cached.emplace(pool.get_executor(), manual_compiler{pool.get_executor(), book, roots}, options);
    return *cached;
  }
  kernix::keyed_request keyed(std::string source) {
    kernix::compile_request request;
    request.name = "k";
    request.source = std::move(source);
    return get().key(std::move(request)).value();
  }
  std::future<answer> ask(kernix::keyed_request what) {
    auto promise = std::make_shared<std::promise<answer>>();
    get().async_compile(std::move(what), [promise](error_code code, compile_outcome outcome) {
      promise->set_value({code, std::move(outcome)});
    });
    return promise->get_future();
  }
  std::future<answer> ask(std::string source) { return ask(keyed(std::move(source))); }
  /// Says on kernix's own thread, as a compiler does, that the compile has started; returns when that has been heard.
  void start(const kernix::keyed_request& asked) {
    std::promise<void> heard;
    asio::post(kernix::detail::runtime::of(pool.get_executor())->engine(), [&] {
      asked.on_start();
      heard.set_value();
    });
    heard.get_future().get();
  }
  void answer_call(std::size_t index, std::string log) { book->answer(index, {}, compile_outcome(payload_of(std::move(log)), origin::compiler)); }
};

template <class T>
T take(std::future<T>& from) {
  if (from.wait_for(std::chrono::seconds(30)) != std::future_status::ready) throw std::runtime_error("no answer");
  return from.get();
}

std::string log_of(const answer& from) { return std::get<1>(from).diagnostics().log; }
error_code code_of(const answer& from) { return std::get<0>(from); }
origin origin_of(const answer& from) { return std::get<1>(from).origin(); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cache_memory_cache, fixture)

BOOST_AUTO_TEST_CASE(requests_of_one_key_share_one_compile) {
  std::vector<std::future<answer>> all;
  for (int i = 0; i < 50; ++i) all.push_back(ask("a"));
  book->wait_for_call(0);
  for (int i = 0; i < 50; ++i) all.push_back(ask("a"));
  answer_call(0, "one");
  int compiled = 0, joined = 0;
  for (auto& each : all) {
    answer got = take(each);
    BOOST_TEST(!code_of(got));
    BOOST_TEST(log_of(got) == "one");
    compiled += origin_of(got) == origin::compiler;
    joined += origin_of(got) == origin::joined;
  }
  BOOST_TEST(compiled == 1);
  BOOST_TEST(joined == 99);
  BOOST_TEST(book->count() == 1u);
}

BOOST_AUTO_TEST_CASE(different_keys_are_compiled_side_by_side) {
  auto a = ask("a");
  auto b = ask("b");
  book->wait_for_call(1);
  bool a_first = book->wait_for_call(0).request().source == "a";
  answer_call(0, a_first ? "a" : "b");
  answer_call(1, a_first ? "b" : "a");
  BOOST_TEST(log_of(take(a)) == "a");
  BOOST_TEST(log_of(take(b)) == "b");
}

BOOST_AUTO_TEST_CASE(what_was_compiled_once_is_answered_from_memory) {
  auto first = ask("a");
  book->wait_for_call(0);
  answer_call(0, "one");
  take(first);
  auto second = ask("a");
  answer got = take(second);
  BOOST_TEST(log_of(got) == "one");
  BOOST_CHECK(origin_of(got) == origin::memory);
  BOOST_TEST(book->count() == 1u);
}

BOOST_AUTO_TEST_CASE(one_waiter_leaving_disturbs_nobody) {
  auto stays = ask("a");
  book->wait_for_call(0);
  asio::cancellation_signal leave;
  std::promise<answer> left;
  get().async_compile(keyed("a"), asio::bind_cancellation_slot(leave.slot(), [&](error_code code, compile_outcome outcome) {
                        left.set_value({code, std::move(outcome)});
                      }));
  leave.emit(asio::cancellation_type::total);
  auto gone = left.get_future();
  answer got = take(gone);
  BOOST_TEST(code_of(got) == errc::cancelled);
  BOOST_TEST(std::get<1>(got).diagnostics().reason == "cancelled");
  answer_call(0, "one");
  BOOST_TEST(log_of(take(stays)) == "one");
}

BOOST_AUTO_TEST_CASE(last_waiter_leaving_ends_the_compile_and_a_new_request_starts_afresh) {
  asio::cancellation_signal leave;
  std::promise<error_code> left;
  get().async_compile(keyed("a"), asio::bind_cancellation_slot(leave.slot(), [&](error_code code, compile_outcome) { left.set_value(code); }));
  book->wait_for_call(0);
  leave.emit(asio::cancellation_type::partial);
  auto gone = left.get_future();
  BOOST_TEST(take(gone) == errc::cancelled);
  book->wait_for_cancel(0);
  auto again = ask("a");
  book->wait_for_call(1);
  answer_call(1, "two");
  BOOST_TEST(log_of(take(again)) == "two");
  book->answer(0, kernix::make_error_code(errc::cancelled), {});
}

BOOST_AUTO_TEST_CASE(failures_reach_every_waiter_and_are_not_kept) {
  auto a = ask("a");
  auto b = ask("a");
  book->wait_for_call(0);
  auto failed = payload_of("syntax");
  book->answer(0, kernix::make_error_code(errc::compile_failed), compile_outcome(failed, origin::compiler));
  for (auto* each : {&a, &b}) {
    answer got = take(*each);
    BOOST_TEST(code_of(got) == errc::compile_failed);
    BOOST_TEST(log_of(got) == "syntax");
  }
  auto c = ask("a");
  book->wait_for_call(1);
  answer_call(1, "fine");
  BOOST_TEST(log_of(take(c)) == "fine");
}

BOOST_AUTO_TEST_CASE(an_edited_file_is_a_miss) {
  auto directory = std::filesystem::temp_directory_path() / ("kernix-memory-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  auto write = [&](std::string text) { std::ofstream(directory / "h.hpp") << text; };
  roots = {{"include0", directory}};
  auto with_header = [&](std::string log, std::string header) {
    auto made = payload_of(std::move(log));
    made->reads.files.push_back({"include0", "h.hpp", kernix::sha256(header)});
    return compile_outcome(made, origin::compiler);
  };
  write("1");
  auto a = ask("a");
  book->wait_for_call(0);
  book->answer(0, {}, with_header("one", "1"));
  take(a);
  write("2");  // same size, and most likely within the same tick of the file system's clock
  auto b = ask("a");
  book->wait_for_call(1);
  book->answer(1, {}, with_header("two", "2"));
  BOOST_TEST(log_of(take(b)) == "two");
  write("1");
  auto c = ask("a");
  answer back = take(c);
  BOOST_TEST(log_of(back) == "one");  // the older outcome is right again
  BOOST_CHECK(origin_of(back) == origin::memory);
  std::filesystem::remove_all(directory);
}

BOOST_AUTO_TEST_CASE(an_outcome_of_changing_files_is_only_for_those_who_asked_before) {
  auto before = ask("a");
  book->wait_for_call(0);
  auto during = ask("a");
  auto torn = payload_of("torn");
  torn->cacheable = false;
  book->answer(0, {}, compile_outcome(torn, origin::compiler));
  BOOST_TEST(log_of(take(before)) == "torn");
  book->wait_for_call(1);
  answer_call(1, "whole");
  BOOST_TEST(log_of(take(during)) == "whole");
}

BOOST_AUTO_TEST_CASE(a_forced_request_takes_nothing_that_began_before_it) {
  auto a = ask("a");
  book->wait_for_call(0);
  auto old = payload_of("old");
  auto forced = keyed("a");
  forced.not_before_ns = old->began_ns + 1;
  auto b = ask(forced);
  auto c = ask(forced);
  book->answer(0, {}, compile_outcome(old, origin::compiler));
  BOOST_TEST(log_of(take(a)) == "old");
  BOOST_TEST(book->wait_for_call(1).not_before_ns == forced.not_before_ns);
  auto fresh = payload_of("new");
  fresh->began_ns = forced.not_before_ns;
  book->answer(1, {}, compile_outcome(fresh, origin::compiler));
  BOOST_TEST(log_of(take(b)) == "new");
  BOOST_TEST(log_of(take(c)) == "new");  // forced requests that wait together share one
  auto d = ask("a");
  BOOST_TEST(log_of(take(d)) == "new");
  BOOST_TEST(book->count() == 2u);
}

BOOST_AUTO_TEST_CASE(a_shorter_limit_leaves_alone_and_the_flight_runs_to_the_longest) {
  auto brief = keyed("a");
  brief.timeout = std::chrono::milliseconds(1);
  auto patient = keyed("a");
  patient.timeout = std::chrono::hours(1);
  auto a = ask(brief);
  auto asked = book->wait_for_call(0);
  BOOST_CHECK(asked.timeout == brief.timeout);
  auto b = ask(patient);
  BOOST_CHECK(asked.extended_timeout() == patient.timeout);
  start(asked);
  answer gave_up = take(a);
  BOOST_TEST(code_of(gave_up) == errc::timed_out);
  BOOST_TEST(std::get<1>(gave_up).diagnostics().reason.find("timed out after 0.001 s") == 0u);
  answer_call(0, "late");
  BOOST_TEST(log_of(take(b)) == "late");
}

BOOST_AUTO_TEST_CASE(a_short_limit_holds_also_when_the_waiter_with_the_long_one_leaves) {
  auto patient = keyed("a");
  patient.timeout = std::chrono::hours(1);
  asio::cancellation_signal leave;
  std::promise<error_code> left;
  get().async_compile(patient, asio::bind_cancellation_slot(leave.slot(), [&](error_code code, compile_outcome) { left.set_value(code); }));
  auto asked = book->wait_for_call(0);
  auto brief = keyed("a");
  brief.timeout = std::chrono::milliseconds(1);
  auto b = ask(brief);
  BOOST_CHECK(asked.timeout == patient.timeout);
  start(asked);  // with an hour
  leave.emit(asio::cancellation_type::terminal);
  auto gone = left.get_future();
  BOOST_TEST(take(gone) == errc::cancelled);
  BOOST_TEST(code_of(take(b)) == errc::timed_out);
  book->wait_for_cancel(0);
  book->answer(0, kernix::make_error_code(errc::cancelled), {});
}

BOOST_AUTO_TEST_CASE(a_waiter_outlasted_by_a_later_one_leaves_at_its_own_limit) {
  auto brief = keyed("a");
  brief.timeout = std::chrono::milliseconds(50);
  auto a = ask(brief);
  auto asked = book->wait_for_call(0);
  start(asked);
  auto patient = keyed("a");
  patient.timeout = std::chrono::hours(1);
  auto b = ask(patient);
  BOOST_CHECK(asked.extended_timeout() == patient.timeout);
  BOOST_TEST(code_of(take(a)) == errc::timed_out);
  answer_call(0, "late");
  BOOST_TEST(log_of(take(b)) == "late");
}

BOOST_AUTO_TEST_CASE(a_lookup_neither_joins_nor_becomes_a_compile) {
  auto compile = ask("a");
  book->wait_for_call(0);
  auto only = keyed("a");
  only.lookup_only = true;
  auto lookup = ask(only);
  BOOST_TEST(book->wait_for_call(1).lookup_only);
  book->answer(1, kernix::make_error_code(errc::not_cached), {});
  BOOST_TEST(code_of(take(lookup)) == errc::not_cached);
  answer_call(0, "one");
  take(compile);
  auto found = ask(only);
  BOOST_CHECK(origin_of(take(found)) == origin::memory);
}

BOOST_AUTO_TEST_CASE(the_number_of_entries_is_bounded) {
  options.memory_max_entries = 3;
  for (int i = 0; i < 10; ++i) {
    auto each = ask(std::to_string(i));
    book->wait_for_call(static_cast<std::size_t>(i));
    answer_call(static_cast<std::size_t>(i), "x");
    take(each);
  }
  auto newest = ask("9");
  BOOST_CHECK(origin_of(take(newest)) == origin::memory);
  auto oldest = ask("0");
  book->wait_for_call(10);
  answer_call(10, "again");
  BOOST_TEST(log_of(take(oldest)) == "again");
}

BOOST_AUTO_TEST_CASE(the_bytes_of_artifacts_are_bounded) {
  options.memory_max_bytes = 1 << 20;
  auto big = payload_of("big");
  big->artifacts.push_back({kernix::output_kind::object, "x", 2 << 20, {}});
  auto a = ask("a");
  book->wait_for_call(0);
  book->answer(0, {}, compile_outcome(big, origin::compiler));
  take(a);
  auto b = ask("a");
  book->wait_for_call(1);
  answer_call(1, "small");
  BOOST_TEST(log_of(take(b)) == "small");
}

BOOST_AUTO_TEST_CASE(destroying_the_cache_cancels_its_waiters) {
  auto a = ask("a");
  book->wait_for_call(0);
  cached.reset();
  BOOST_TEST(code_of(take(a)) == errc::cancelled);
  book->wait_for_cancel(0);
  book->answer(0, kernix::make_error_code(errc::cancelled), {});
}

BOOST_AUTO_TEST_CASE(shutting_down_waits_for_the_compile_to_end) {
  auto a = ask("a");
  book->wait_for_call(0);
  std::promise<error_code> closed;
  auto end = closed.get_future();
  get().async_shutdown([&](error_code code) { closed.set_value(code); });
  BOOST_TEST(code_of(take(a)) == errc::cancelled);
  book->wait_for_cancel(0);
  BOOST_CHECK(end.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
  book->answer(0, kernix::make_error_code(errc::cancelled), {});
  BOOST_TEST(!take(end));
  auto late = ask("a");
  BOOST_TEST(code_of(take(late)) == errc::shut_down);
}

BOOST_AUTO_TEST_CASE(a_destroyed_context_destroys_handlers_uncalled) {
  auto alive = std::make_shared<int>(1);
  bool called = false;
  {
    asio::io_context host;
    kernix::memory_cache<endless_compiler> inside(host.get_executor(), endless_compiler{host.get_executor(), book}, options);
    inside.async_compile(keyed("a"), [alive, &called](error_code, compile_outcome) { called = true; });
    book->wait_for_call(0);
    BOOST_TEST(alive.use_count() == 2);
  }
  BOOST_TEST(!called);
  BOOST_TEST(alive.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(a_context_may_be_destroyed_before_the_cache) {
  auto alive = std::make_shared<int>(1);
  auto host = std::make_unique<asio::io_context>();
  kernix::memory_cache<endless_compiler> outlives(host->get_executor(), endless_compiler{host->get_executor(), book}, options);
  outlives.async_compile(keyed("a"), [alive](error_code, compile_outcome) {});
  book->wait_for_call(0);
  host.reset();
  BOOST_TEST(alive.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(handlers_run_on_their_own_executor_and_never_inline) {
  asio::io_context host;
  auto work = asio::make_work_guard(host);
  auto first = ask("a");
  book->wait_for_call(0);
  answer_call(0, "one");
  take(first);
  bool called = false;
  get().async_compile(keyed("a"), asio::bind_executor(host.get_executor(), [&](error_code, compile_outcome) {
                        called = true;
                        BOOST_TEST(host.get_executor().running_in_this_thread());
                        work.reset();
                      }));
  BOOST_TEST(!called);
  host.run();
  BOOST_TEST(called);
}

BOOST_AUTO_TEST_SUITE_END()
