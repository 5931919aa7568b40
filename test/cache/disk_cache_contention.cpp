// SPDX-License-Identifier: Apache-2.0
// Several processes, or several contexts of one, that want the same key.
#include <kernix/cache/disk_cache.hpp>

#include <boost/test/unit_test.hpp>

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/forked.hpp"
#include "support/host_cache.hpp"

namespace {

using namespace kernix;
using namespace kernix::test;
namespace fs = std::filesystem;

struct place {
  temporary_tree tree;
  fs::path cache = tree / "cache";
  fs::path scratch = tree / "scratch";

  fs::path lock_of(const keyed_request& keyed) const {
    return cache / "v1/locks" / keyed.key().hex().substr(0, 2) / keyed.key().hex();
  }
};

std::string origin_of(const compile_outcome& outcome) { return std::string(name(outcome.origin())); }
keyed_request key_of(std::string source) { return scripted_compiler::key_of(request_of(std::move(source))); }

/// A request that says when it has met a lock that somebody else holds: it is asked then how patient it is.
keyed_request with_news_of_waiting(keyed_request keyed, std::shared_ptr<std::promise<void>> met) {
  auto told = std::make_shared<std::atomic<bool>>(false);
  keyed.extended_timeout = [met = std::move(met), told]() -> std::chrono::nanoseconds {
    if (!told->exchange(true)) met->set_value();
    return std::chrono::seconds(600);
  };
  return keyed;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_disk_cache_contention)

BOOST_FIXTURE_TEST_CASE(who_waits_for_another_builder_joins_its_result, place) {
  cache_process one(cache, scratch / "1");
  cache_process two(cache, scratch / "2");
  std::promise<void> building;
  one.compiler.hold();
  one.compiler.on_start([&] { building.set_value(); });
  auto first = one.start(key_of("axpy"));
  building.get_future().wait();
  auto met = std::make_shared<std::promise<void>>();
  auto second = two.start(with_news_of_waiting(key_of("axpy"), met));
  met->get_future().wait();
  one.compiler.let_go();
  BOOST_TEST(origin_of(first.get().second) == "compiler");
  auto [code, joined] = second.get();
  BOOST_TEST(origin_of(joined) == "joined");
  BOOST_TEST(text_of(joined) == "axpy");
  BOOST_TEST(one.compiler.started() == 1);
  BOOST_TEST(two.compiler.started() == 0);
}

BOOST_FIXTURE_TEST_CASE(a_failed_builder_leaves_the_key_to_the_next, place) {
  cache_process one(cache, scratch / "1", [](const keyed_request&) {
    return scripted_answer{.code = make_error_code(errc::compile_failed)};
  });
  cache_process two(cache, scratch / "2");
  std::promise<void> building;
  one.compiler.hold();
  one.compiler.on_start([&] { building.set_value(); });
  auto first = one.start(key_of("axpy"));
  building.get_future().wait();
  auto met = std::make_shared<std::promise<void>>();
  auto second = two.start(with_news_of_waiting(key_of("axpy"), met));
  met->get_future().wait();
  one.compiler.let_go();
  BOOST_TEST((first.get().first == errc::compile_failed));
  BOOST_TEST(origin_of(second.get().second) == "compiler");
}

BOOST_FIXTURE_TEST_CASE(a_forced_request_does_not_join_a_compile_that_began_before_it, place) {
  cache_process one(cache, scratch / "1");
  cache_process two(cache, scratch / "2");
  std::promise<void> building;
  one.compiler.hold();
  one.compiler.on_start([&] { building.set_value(); });
  auto first = one.start(key_of("axpy"));
  building.get_future().wait();
  auto met = std::make_shared<std::promise<void>>();
  keyed_request forced = with_news_of_waiting(key_of("axpy"), met);
  forced.not_before_ns = std::chrono::system_clock::now().time_since_epoch().count();
  auto second = two.start(forced);
  met->get_future().wait();
  one.compiler.let_go();
  first.get();
  BOOST_TEST(origin_of(second.get().second) == "compiler");
}

BOOST_FIXTURE_TEST_CASE(whoever_has_waited_long_enough_says_who_builds_and_builds_alone, place) {
  cache_process one(cache, scratch / "1");
  settings impatient;
  impatient.lock_wait = std::chrono::nanoseconds(1);
  cache_process two(cache, scratch / "2", {}, impatient);
  std::promise<void> building;
  one.compiler.hold();
  one.compiler.on_start([&] { building.set_value(); });
  auto first = one.start(key_of("axpy"));
  building.get_future().wait();
  auto [code, alone] = two.compile(key_of("axpy"));
  BOOST_TEST(!code);
  BOOST_TEST(origin_of(alone) == "compiler");
  BOOST_TEST(text_of(alone) == "axpy");
  BOOST_TEST(two.log->count("process " + std::to_string(::getpid()) + " on ") == 1u);
  BOOST_TEST(two.log->count("which has been building \"kernel\" since ") == 1u);
  BOOST_TEST(only_result(cache).empty());  // the owner was not robbed: it will publish
  one.compiler.let_go();
  BOOST_TEST(origin_of(first.get().second) == "compiler");
  BOOST_TEST(!only_result(cache).empty());
  BOOST_TEST(text_of(alone) == "axpy");
}

BOOST_FIXTURE_TEST_CASE(looking_up_waits_for_nobody, place) {
  cache_process one(cache, scratch / "1");
  cache_process two(cache, scratch / "2");
  std::promise<void> building;
  one.compiler.hold();
  one.compiler.on_start([&] { building.set_value(); });
  auto first = one.start(key_of("axpy"));
  building.get_future().wait();
  keyed_request look = key_of("axpy");
  look.lookup_only = true;
  BOOST_TEST((two.compile(look).first == errc::not_cached));
  one.compiler.let_go();
  first.get();
}

BOOST_FIXTURE_TEST_CASE(cancelling_a_compile_frees_the_lock_and_leaves_nothing, place) {
  cache_process one(cache, scratch / "1");
  std::promise<void> building;
  one.compiler.hold();
  one.compiler.on_start([&] { building.set_value(); });
  boost::asio::cancellation_signal signal;
  auto first = one.start(key_of("axpy"), signal.slot());
  building.get_future().wait();
  boost::asio::post(one.context, [&] { signal.emit(boost::asio::cancellation_type::total); });
  BOOST_TEST((first.get().first == errc::cancelled));
  BOOST_TEST(one.compiler.cancelled() == 1);
  BOOST_TEST(entries(cache / "v1/staging") == 0u);
  BOOST_TEST(entries(cache / "v1/results") == 0u);
  cache_process two(cache, scratch / "2");
  BOOST_TEST(origin_of(two.compile(key_of("axpy")).second) == "compiler");  // waits until the lock has come back
}

BOOST_FIXTURE_TEST_CASE(cancelling_a_wait_for_the_lock_leaves_the_owner_alone, place) {
  cache_process one(cache, scratch / "1");
  cache_process two(cache, scratch / "2");
  std::promise<void> building;
  one.compiler.hold();
  one.compiler.on_start([&] { building.set_value(); });
  auto first = one.start(key_of("axpy"));
  building.get_future().wait();
  auto met = std::make_shared<std::promise<void>>();
  boost::asio::cancellation_signal signal;
  auto second = two.start(with_news_of_waiting(key_of("axpy"), met), signal.slot());
  met->get_future().wait();
  boost::asio::post(two.context, [&] { signal.emit(boost::asio::cancellation_type::partial); });
  BOOST_TEST((second.get().first == errc::cancelled));
  one.compiler.let_go();
  BOOST_TEST(origin_of(first.get().second) == "compiler");
  BOOST_TEST(two.compiler.started() == 0);
}

BOOST_FIXTURE_TEST_CASE(a_cancel_at_any_moment_ends_as_cancelled_or_as_a_success, place) {
  cache_process one(cache, scratch);
  for (int round = 0; round < 60; ++round) {
    const keyed_request keyed = key_of("source " + std::to_string(round));
    boost::asio::cancellation_signal signal;
    auto future = one.start(keyed, signal.slot());
    for (int i = 0; i < round * 20; ++i) std::this_thread::yield();
    std::promise<void> emitted;
    boost::asio::post(one.context, [&] {
      signal.emit(boost::asio::cancellation_type::terminal);
      emitted.set_value();
    });
    emitted.get_future().wait();
    auto [code, outcome] = future.get();
    if (!code) {
      BOOST_TEST(text_of(outcome) == "source " + std::to_string(round));
    } else {
      BOOST_TEST((code == errc::cancelled));
    }
    BOOST_TEST(text_of(one.compile(keyed).second) ==
               "source " + std::to_string(round));  // would wait if a lock were held
  }
  BOOST_TEST(entries(cache / "v1/staging") == 0u);
}

BOOST_FIXTURE_TEST_CASE(the_end_of_a_context_frees_the_lock, place) {
  {
    cache_process one(cache, scratch / "1");
    std::promise<void> building;
    one.compiler.hold();
    one.compiler.on_start([&] { building.set_value(); });
    one.start(key_of("axpy"));
    building.get_future().wait();
  }
  cache_process two(cache, scratch / "2");
  BOOST_TEST(origin_of(two.compile(key_of("axpy")).second) == "compiler");
}

BOOST_FIXTURE_TEST_CASE(a_killed_builder_blocks_nobody, place) {
  forked_child owner([&] {
    cache_process one(cache, scratch / "1");
    one.compiler.hold();
    one.compiler.on_start([] { forked_child::tell(); });
    one.compile(key_of("axpy"));
    return 0;
  });
  BOOST_REQUIRE(owner.heard());
  cache_process two(cache, scratch / "2");
  auto met = std::make_shared<std::promise<void>>();
  auto second = two.start(with_news_of_waiting(key_of("axpy"), met));
  met->get_future().wait();  // it lives: we wait
  BOOST_TEST(owner.kill() == -SIGKILL);
  BOOST_TEST(origin_of(second.get().second) == "compiler");
  BOOST_TEST(two.compiler.started() == 1);
}

BOOST_FIXTURE_TEST_CASE(a_lock_file_that_nobody_holds_means_nothing, place) {
  for (mode_t mode : {mode_t{0600}, mode_t{0}}) {
    const keyed_request keyed = key_of("axpy " + std::to_string(mode));
    { cache_process(cache, scratch).compile(key_of("first")); }
    fs::create_directories(lock_of(keyed).parent_path());
    std::ofstream(lock_of(keyed)).close();
    ::chmod(lock_of(keyed).c_str(), mode);
    cache_process one(cache, scratch);
    BOOST_TEST(origin_of(one.compile(keyed).second) == "compiler");
    BOOST_TEST(one.log->lines().empty());
  }
}

BOOST_FIXTURE_TEST_CASE(without_locks_everybody_builds_and_publishes, place) {
  const keyed_request keyed = key_of("axpy");
  { cache_process(cache, scratch).compile(key_of("first")); }
  fs::create_directories(lock_of(keyed));  // no lock file can be made here
  cache_process one(cache, scratch);
  BOOST_TEST(origin_of(one.compile(keyed).second) == "compiler");
  BOOST_TEST(origin_of(one.compile(keyed).second) == "disk");
  BOOST_TEST(one.log->count("are built without a lock") == 1u);
  BOOST_TEST(one.log->lines().size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(several_processes_compile_each_key_once, place) {
  constexpr int processes = 4;
  constexpr int keys = 10;
  int gate[2];
  BOOST_REQUIRE(::pipe(gate) == 0);
  std::list<forked_child> children;
  for (int each = 0; each < processes; ++each) {
    children.emplace_back([&, each] {
      ::close(gate[1]);
      const int count = ::open((tree / "count").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
      cache_process one(cache, scratch / std::to_string(each), [count](const keyed_request& keyed) {
        if (::write(count, ".", 1) != 1) return scripted_answer{.code = make_error_code(errc::disk_full)};
        return scripted_answer{.artifacts = {{output_kind::shared_object, keyed.request().source}}};
      });
      forked_child::tell();
      char byte;
      if (::read(gate[0], &byte, 1) != 0) return 1;  // all start together, when the parent closes its end
      std::vector<cache_process::future_type> futures;
      for (int key = 0; key < keys; ++key)
        futures.push_back(one.start(key_of("kernel " + std::to_string((key + each) % keys))));
      for (int key = 0; key < keys; ++key) {
        auto [code, outcome] = futures[static_cast<std::size_t>(key)].get();
        if (code || text_of(outcome) != "kernel " + std::to_string((key + each) % keys)) return 2;
      }
      return one.log->lines().empty() ? 0 : 3;
    });
  }
  for (forked_child& each : children) BOOST_REQUIRE(each.heard());
  ::close(gate[0]);
  ::close(gate[1]);
  for (forked_child& each : children) BOOST_TEST(each.join() == 0);
  BOOST_TEST(text_of(tree / "count") == std::string(keys, '.'));
  BOOST_TEST(entries(cache / "v1/holds") == 0u);
  BOOST_TEST(entries(cache / "v1/staging") == 0u);
}

BOOST_FIXTURE_TEST_CASE(readers_see_a_whole_result_while_it_is_rebuilt, place) {
  std::list<forked_child> readers;
  auto script = [](const keyed_request&) { return scripted_answer{.code = make_error_code(errc::compile_failed)}; };
  int build = 0;
  auto builds = [&build](const keyed_request&) {
    std::string text = "build " + std::to_string(++build);
    return scripted_answer{.artifacts = {{output_kind::object, text}, {output_kind::mlir, text}}, .log = text};
  };
  int end[2];
  BOOST_REQUIRE(::pipe(end) == 0);
  for (int each = 0; each < 2; ++each) {
    readers.emplace_back([&, each] {
      ::close(end[1]);
      ::fcntl(end[0], F_SETFL, O_NONBLOCK);
      cache_process one(cache, scratch / std::to_string(each), script);
      forked_child::tell();
      char byte;
      int seen = 0;
      bool written = false;
      while (::read(end[0], &byte, 1) != 0) {  // until the parent closes its end
        auto look = key_of("axpy");
        look.lookup_only = true;
        auto [code, outcome] = one.compile(look);
        if (code && !written) continue;  // nothing was published yet
        if (code) return 1;
        written = true;
        ++seen;
        if (outcome.artifacts().size() != 2) return 2;
        const std::string text = text_of(outcome.artifacts()[0].path);
        if (!text.starts_with("build ") || text_of(outcome.artifacts()[1].path) != text) return 3;
        if (outcome.diagnostics().log != text) return 4;
      }
      return seen > 0 && one.log->lines().empty() ? 0 : 5;
    });
  }
  for (forked_child& each : readers) BOOST_REQUIRE(each.heard());
  {
    cache_process writer(cache, scratch / "writer", builds);
    for (int round = 0; round < 100; ++round) {
      auto forced = key_of("axpy");
      forced.not_before_ns = std::chrono::system_clock::now().time_since_epoch().count();
      BOOST_TEST(origin_of(writer.compile(forced).second) == "compiler");
    }
  }
  ::close(end[0]);
  ::close(end[1]);
  for (forked_child& each : readers) BOOST_TEST(each.join() == 0);
}

BOOST_FIXTURE_TEST_CASE(what_a_killed_process_left_is_swept_and_what_a_living_one_uses_is_not, place) {
  auto hold = [&](const std::string& source) {
    return forked_child([&, source]() -> int {
      cache_process one(cache, scratch / source);
      auto [code, outcome] = one.compile(key_of(source));
      forked_child::tell();
      for (;;) ::pause();
    });
  };
  forked_child dead = hold("dead");
  BOOST_REQUIRE(dead.heard());
  const std::string left = fs::directory_iterator(cache / "v1/holds")->path().filename();
  fs::create_directory(cache / "v1/staging" / (left + "+17"));
  dead.kill();
  forked_child living = hold("living");
  BOOST_REQUIRE(living.heard());  // its own first publication sweeps
  BOOST_TEST(!fs::exists(cache / "v1/holds" / left));
  BOOST_TEST(entries(cache / "v1/staging") == 0u);
  BOOST_TEST(entries(cache / "v1/holds") == 1u);
  { cache_process(cache, scratch / "3").compile(key_of("third")); }
  BOOST_TEST(entries(cache / "v1/holds") == 1u);
  living.kill();
}

BOOST_AUTO_TEST_SUITE_END()
