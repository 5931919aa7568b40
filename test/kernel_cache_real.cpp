// SPDX-License-Identifier: Apache-2.0
#include <kernix/backend/cxx.hpp>
#include <kernix/kernel_cache.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include "support/needs_program.hpp"
#include "support/print.hpp"
#include "support/temporary_tree.hpp"

namespace asio = boost::asio;
namespace fs = std::filesystem;
using kernix::errc;
using kernix::error_code;
using kernix::origin;

namespace {

/// A layer that somebody else might write: it counts, and stores nothing.
template <kernix::async_compiler Next>
struct counting_layer {
  static constexpr kernix::sharing_scope scope = Next::scope;
  Next next;
  std::shared_ptr<std::atomic<int>> asked = std::make_shared<std::atomic<int>>(0);

  template <class Token>
  auto async_ready(Token&& token) {
    return next.async_ready(std::forward<Token>(token));
  }
  kernix::result<kernix::keyed_request> key(kernix::compile_request request) { return next.key(std::move(request)); }
  template <class Token>
  auto async_compile(kernix::keyed_request keyed, Token&& token) {
    ++*asked;
    return next.async_compile(std::move(keyed), std::forward<Token>(token));
  }
};

kernix::settings settings_for(const fs::path& cache) {
  kernix::settings made = kernix::settings::from_environment();
  made.cache_directory = cache;
  return made;
}

kernix::compile_request constant_kernel(int value) {
  kernix::compile_request request;
  request.name = "constant" + std::to_string(value);
  request.source = "extern \"C\" int answer() { return " + std::to_string(value) + "; }\n";
  return request;
}

/// Takes a compiler minutes.
kernix::compile_request slow_kernel() {
  kernix::compile_request request = constant_kernel(1);
  request.source +=
      "template <int N> struct f { static constexpr long v = f<N - 1>::v + f<N - 2>::v * N; };\n"
      "template <> struct f<0> { static constexpr long v = 1; };\n"
      "template <> struct f<1> { static constexpr long v = 1; };\n"
      "template <int A, int B> struct g { static constexpr long v = g<A + 1, B - 1>::v + g<A + 2, B - 1>::v + f<A % 7>::v; };\n"
      "template <int A> struct g<A, 0> { static constexpr long v = A; };\n"
      "template <int A, int B> long h(long x) { return B ? h<2 * A, B ? B - 1 : 0>(x) + h<2 * A + 1, B ? B - 1 : 0>(x + A) : x; }\n"
      "long w = g<1, 400>::v;\nlong z(long x) { return h<1, 16>(x); }\n";
  return request;
}

using engine = kernix::compiler<kernix::cxx, kernix::bounded_runner<kernix::subprocess_runner>>;
using hand_stacked = kernix::memory_cache<counting_layer<kernix::disk_cache<counting_layer<engine>>>>;

hand_stacked stack_by_hand(asio::any_io_executor executor, kernix::cxx backend, kernix::settings options) {
  kernix::bounded_runner<kernix::subprocess_runner> runner(kernix::subprocess_runner{},
                                                           kernix::detail::runtime::of(executor)->jobs(options.jobs));
  engine bottom(executor, std::move(backend), std::move(runner), options);
  counting_layer<engine> tapped{std::move(bottom)};
  kernix::disk_cache<counting_layer<engine>> disk(executor, std::move(tapped), options);
  counting_layer<kernix::disk_cache<counting_layer<engine>>> between{std::move(disk)};
  return hand_stacked(executor, std::move(between), options);
}

template <class Cache>
asio::awaitable<void> ask_for(Cache& kernels, int value, std::atomic<int>& right) {
  auto operation = kernels.template async_load<int()>(constant_kernel(value), "answer");
  auto [ec, kernel] = co_await std::move(operation);
  if (ec) std::fprintf(stderr, "%s\n", kernel.diagnostics().to_string().c_str());
  if (!ec && kernel() == value) ++right;
}

/// 200 coroutines on 8 threads ask for 20 kernels; how many got the right one.
template <class MakeCache>
int two_hundred_coroutines(MakeCache make) {
  asio::io_context io(8);
  auto kernels = make(io.get_executor());
  std::atomic<int> right{0};
  for (int i = 0; i < 200; ++i) asio::co_spawn(io, ask_for(kernels, i % 20, right), asio::detached);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { io.run(); });
  for (auto& each : threads) each.join();
  return right;
}

/// A compiler that notes each compile it is asked for in a file, and hands it on.
kernix::cxx counted_compiler(const fs::path& directory) {
  kernix::cxx backend;
  backend.compiler = directory / "counted-g++";
  return backend;
}

void write_counted_compiler(const fs::path& directory) {
  std::ofstream script(directory / "counted-g++");
  script << "#!/bin/sh\ncase \" $* \" in *' -shared '*) echo x >>'" << (directory / "compiles").string() << "' ;; esac\nexec g++ \"$@\"\n";
  script.close();
  fs::permissions(directory / "counted-g++", fs::perms::owner_all);
}

int count_lines(const fs::path& file) {
  std::ifstream from(file);
  int lines = 0;
  for (std::string line; std::getline(from, line);) ++lines;
  return lines;
}

/// Runs this very program twice at once, each with one test case, and says how many of the two succeeded.
int run_twice(const char* test_case, const fs::path& directory) {
  std::string program = fs::read_symlink("/proc/self/exe").string();
  std::string which = std::string("--run_test=") + test_case;
  ::setenv("KERNIX_RACE_DIRECTORY", directory.c_str(), 1);
  pid_t children[2];
  for (pid_t& child : children) {
    child = ::fork();
    if (child == 0) {
      ::execl(program.c_str(), program.c_str(), which.c_str(), "--log_level=error", static_cast<char*>(nullptr));
      ::_exit(127);
    }
  }
  int succeeded = 0;
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    succeeded += WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  ::unsetenv("KERNIX_RACE_DIRECTORY");
  return succeeded;
}

/// What was written within the same tick of the clock as a compile's start counts as changed meanwhile.
void wait_until_settled(const fs::path& file) {
  while (!kernix::detail::settled(*kernix::detail::signature_of(file), kernix::detail::file_clock_ns())) std::this_thread::yield();
}

struct tree {
  kernix::test::temporary_tree files;
  fs::path root = files.root();
};

/// Runs one operation to its end on a context of its own.
template <class Body>
void run(Body body) {
  asio::io_context io;
  std::exception_ptr thrown;
  asio::co_spawn(io, body(io.get_executor()), [&](std::exception_ptr what) { thrown = what; });
  io.run();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(kernel_cache_race_worker, *boost::unit_test::disabled())

BOOST_AUTO_TEST_CASE(front_door) {
  fs::path directory = std::getenv("KERNIX_RACE_DIRECTORY");
  int right = two_hundred_coroutines([&](asio::any_io_executor executor) {
    return kernix::kernel_cache(executor, counted_compiler(directory), settings_for(directory / "cache"));
  });
  BOOST_TEST(right == 200);
}

BOOST_AUTO_TEST_CASE(hand_stacked_layers) {
  fs::path directory = std::getenv("KERNIX_RACE_DIRECTORY");
  int right = two_hundred_coroutines([&](asio::any_io_executor executor) {
    auto options = settings_for(directory / "cache");
    return kernix::kernel_cache(executor, stack_by_hand(executor, counted_compiler(directory), options), options);
  });
  BOOST_TEST(right == 200);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(kernel_cache_real, tree)

BOOST_AUTO_TEST_CASE(two_processes_of_200_coroutines_compile_each_of_20_kernels_once) {
  write_counted_compiler(root);
  BOOST_TEST(run_twice("kernel_cache_race_worker/front_door", root) == 2);
  BOOST_TEST(count_lines(root / "compiles") == 20);
}

BOOST_AUTO_TEST_CASE(two_processes_with_hand_stacked_layers_compile_each_kernel_once) {
  write_counted_compiler(root);
  BOOST_TEST(run_twice("kernel_cache_race_worker/hand_stacked_layers", root) == 2);
  BOOST_TEST(count_lines(root / "compiles") == 20);
}

BOOST_AUTO_TEST_CASE(a_kernel_is_compiled_then_found_in_memory_and_on_disk) {
  for (origin expected : {origin::compiler, origin::disk}) {
    run([&](asio::any_io_executor executor) -> asio::awaitable<void> {
      kernix::kernel_cache kernels{executor, kernix::cxx{}, settings_for(root / "cache")};
      for (origin from : {expected, origin::memory}) {
        auto operation = kernels.async_load<int()>(constant_kernel(42), "answer");
        auto [ec, kernel] = co_await std::move(operation);
        BOOST_TEST_REQUIRE(!ec, kernel.diagnostics().to_string());
        BOOST_TEST(kernel() == 42);
        BOOST_TEST(kernel.outcome().origin() == from);
      }
    });
  }
}

BOOST_AUTO_TEST_CASE(an_edited_header_is_a_miss_in_memory_and_on_disk_and_old_kernels_go_on) {
  auto header = [&](int value) {
    std::ofstream(root / "value.hpp") << "#define VALUE " << value << "\n";
    wait_until_settled(root / "value.hpp");
  };
  kernix::compile_request request;
  request.name = "with_header";
  request.source = "#include \"value.hpp\"\nextern \"C\" int answer() { return VALUE; }\n";
  request.include_directories = {root};
  run([&](asio::any_io_executor executor) -> asio::awaitable<void> {
    kernix::kernel_cache kernels{executor, kernix::cxx{}, settings_for(root / "cache")};
    std::vector<kernix::kernel<int()>> held;
    for (int value : {1, 2, 3}) {
      header(value);
      auto operation = kernels.async_load<int()>(request, "answer");
      auto [ec, kernel] = co_await std::move(operation);
      BOOST_TEST_REQUIRE(!ec, kernel.diagnostics().to_string());
      BOOST_TEST(kernel.outcome().origin() == origin::compiler);
      held.push_back(std::move(kernel));
    }
    for (int value : {1, 2, 3}) BOOST_TEST(held[static_cast<std::size_t>(value - 1)]() == value);
  });
  header(4);
  run([&](asio::any_io_executor executor) -> asio::awaitable<void> {
    kernix::kernel_cache kernels{executor, kernix::cxx{}, settings_for(root / "cache")};
    auto operation = kernels.async_load<int()>(request, "answer");
    auto [ec, kernel] = co_await std::move(operation);
    BOOST_TEST_REQUIRE(!ec);
    BOOST_TEST(kernel.outcome().origin() == origin::compiler);
    BOOST_TEST(kernel() == 4);
  });
  header(2);
  run([&](asio::any_io_executor executor) -> asio::awaitable<void> {
    kernix::kernel_cache kernels{executor, kernix::cxx{}, settings_for(root / "cache")};
    auto operation = kernels.async_load<int()>(request, "answer");
    auto [ec, kernel] = co_await std::move(operation);
    BOOST_TEST_REQUIRE(!ec);
    BOOST_TEST(kernel.outcome().origin() == origin::disk);
    BOOST_TEST(kernel() == 2);
  });
}

BOOST_AUTO_TEST_CASE(a_cache_path_that_cannot_be_used_gets_a_warning_and_the_kernel_all_the_same) {
  std::ofstream(root / "file") << "not a directory";
  run([&](asio::any_io_executor executor) -> asio::awaitable<void> {
    auto warnings = std::make_shared<std::atomic<int>>(0);
    auto options = settings_for(root / "file");
    options.log = [warnings](kernix::log_level level, std::string_view) { *warnings += level == kernix::log_level::warning; };
    kernix::kernel_cache kernels{executor, kernix::cxx{}, options};
    for (int i = 0; i < 2; ++i) {
      auto operation = kernels.async_load<int()>(constant_kernel(i), "answer");
      auto [ec, kernel] = co_await std::move(operation);
      BOOST_TEST_REQUIRE(!ec, kernel.diagnostics().to_string());
      BOOST_TEST(kernel() == i);
    }
    BOOST_TEST(*warnings == 1);
  });
}

BOOST_AUTO_TEST_CASE(a_missing_symbol_lists_what_the_object_exports) {
  run([&](asio::any_io_executor executor) -> asio::awaitable<void> {
    kernix::kernel_cache kernels{executor, kernix::cxx{}, settings_for(root / "cache")};
    auto operation = kernels.async_load<int()>(constant_kernel(1), "anwser");
    auto [ec, kernel] = co_await std::move(operation);
    BOOST_TEST(ec == errc::symbol_not_found);
    BOOST_TEST(kernel.diagnostics().to_string().find("answer") != std::string::npos);
  });
}

BOOST_AUTO_TEST_CASE(kernels_of_every_compiler_give_the_right_numbers) {
  int built = 0;
  for (const char* name : {"g++", "clang++-14", "clang++-19"}) {
    kernix::test::needs_program program(name);
    if (program.path().empty()) continue;
    ++built;
    run([&](asio::any_io_executor executor) -> asio::awaitable<void> {
      kernix::cxx backend;
      backend.compiler = program.path();
      kernix::kernel_cache kernels{executor, backend, settings_for(root / "cache")};
      kernix::compile_request request;
      request.name = "dot";
      request.source = "#include <cstddef>\nextern \"C\" double dot(double const* x, double const* y, std::size_t n) {"
                       " double s = 0; for (std::size_t i = 0; i < n; ++i) s += x[i] * y[i]; return s; }\n";
      auto operation = kernels.async_load<double(double const*, double const*, std::size_t)>(request, "dot");
      auto [ec, dot] = co_await std::move(operation);
      BOOST_TEST_REQUIRE(!ec, dot.diagnostics().to_string());
      BOOST_TEST(dot.outcome().origin() == origin::compiler);  // another compiler is another key
      const double x[] = {1, 2, 3}, y[] = {4, 5, 6};
      BOOST_TEST(dot(x, y, 3) == 32.0);
    });
  }
  BOOST_TEST(built >= 1);
}

/// Live processes whose working directory lies below `directory`.
int processes_in(const fs::path& directory) {
  int found = 0;
  for (const auto& each : fs::directory_iterator("/proc")) {
    std::error_code gone;
    fs::path there = fs::read_symlink(each.path() / "cwd", gone);
    found += !gone && there.native().starts_with(directory.native());
  }
  return found;
}

BOOST_AUTO_TEST_CASE(destroying_the_context_ends_the_compiler_and_leaves_no_file) {
  bool called = false;
  auto started = std::make_shared<std::promise<void>>();
  auto start = started->get_future();
  {
    asio::io_context io;
    auto options = settings_for(root / "cache");
    auto once = std::make_shared<std::atomic<bool>>(false);
    options.log = [started, once](kernix::log_level, std::string_view line) {
      if (line.find(" -shared ") != std::string_view::npos && !once->exchange(true)) started->set_value();
    };
    kernix::kernel_cache kernels{io.get_executor(), kernix::cxx{}, options};
    kernels.async_compile(slow_kernel(), [&](error_code, kernix::compile_outcome) { called = true; });
    BOOST_REQUIRE(start.wait_for(std::chrono::seconds(30)) == std::future_status::ready);
    while (processes_in(root) == 0) std::this_thread::yield();
  }
  BOOST_TEST(!called);
  BOOST_TEST(processes_in(root) == 0);
  BOOST_TEST(fs::is_empty(root / "cache" / "scratch"));
}

BOOST_AUTO_TEST_CASE(a_shut_down_cache_has_no_compiler_running_and_refuses_more) {
  run([&](asio::any_io_executor executor) -> asio::awaitable<void> {
    kernix::kernel_cache kernels{executor, kernix::cxx{}, settings_for(root / "cache")};
    kernix::compile_request slow = slow_kernel();
    std::promise<error_code> ended;
    auto end = ended.get_future();
    kernels.async_compile(slow, [&](error_code code, kernix::compile_outcome) { ended.set_value(code); });
    auto [ec] = co_await kernels.async_shutdown();
    BOOST_TEST(!ec);
    auto late = kernels.async_compile(constant_kernel(2));
    auto [refused, outcome] = co_await std::move(late);
    BOOST_TEST(refused == errc::shut_down);
    BOOST_TEST(!outcome.diagnostics().reason.empty());
  });
}

BOOST_AUTO_TEST_SUITE_END()
