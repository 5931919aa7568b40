// SPDX-License-Identifier: Apache-2.0

/// How long a 1 ms ticker on the service's only thread is kept waiting while kernix compiles in the same process, beside the
/// same ticker while another process runs the same compiles. Prints the longest gap of each run, in alternating pairs, and
/// the median of their differences.
///
///     ticker [PAIRS [COMPILES]]

#include <kernix/backend/cxx.hpp>
#include <kernix/kernel_cache.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace asio = boost::asio;
namespace fs = std::filesystem;
using clock_type = std::chrono::steady_clock;

namespace {

kernix::compile_request kernel(int index) {
  kernix::compile_request request;
  request.name = "k" + std::to_string(index);
  request.source = "#include <cmath>\n#include <vector>\nextern \"C\" double f(double x) { std::vector<double> v(8, x + " +
                   std::to_string(index) + "); double s = 0; for (double each : v) s += std::sqrt(each); return s; }\n";
  return request;
}

/// Starts all compiles, and calls `done` when the last has ended.
struct compiles {
  kernix::kernel_cache<kernix::default_stack<kernix::cxx>> kernels;
  int left;
  int failed = 0;

  compiles(asio::io_context& io, const fs::path& cache, int count) : kernels(io.get_executor(), kernix::cxx{}, settings(cache)), left(count) {}

  static kernix::settings settings(const fs::path& cache) {
    auto made = kernix::settings::from_environment();
    made.cache_directory = cache;
    return made;
  }

  void start(std::function<void()> done) {
    for (int i = 0, count = left; i < count; ++i) {
      kernels.async_compile(kernel(i), [this, done](kernix::error_code code, kernix::compile_outcome) {
        failed += code.failed();
        if (--left == 0) done();
      });
    }
  }
};

/// Ticks every millisecond until told to stop; the longest time from one tick to the next.
class ticker {
 public:
  explicit ticker(asio::io_context& io) : timer_(io) {}
  void start() {
    last_ = clock_type::now();
    tick();
  }
  void stop() { stopped_ = true; }
  double longest_ms() const { return std::chrono::duration<double, std::milli>(longest_).count(); }

 private:
  void tick() {
    timer_.expires_after(std::chrono::milliseconds(1));
    timer_.async_wait([this](kernix::error_code) {
      auto now = clock_type::now();
      longest_ = std::max(longest_, now - last_);
      last_ = now;
      if (!stopped_) tick();
    });
  }
  asio::steady_timer timer_;
  clock_type::time_point last_;
  clock_type::duration longest_{};
  bool stopped_ = false;
};

double longest_gap_here(const fs::path& cache, int count) {
  asio::io_context io(1);
  compiles work(io, cache, count);
  ticker ticks(io);
  ticks.start();
  work.start([&] { ticks.stop(); });
  io.run();
  if (work.failed) std::exit((std::fprintf(stderr, "%d compiles failed\n", work.failed), 1));
  return ticks.longest_ms();
}

double longest_gap_elsewhere(const char* program, const fs::path& cache, int count) {
  std::string number = std::to_string(count);
  pid_t child = ::fork();
  if (child == 0) {
    ::execl(program, program, "--compile", cache.c_str(), number.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  asio::io_context io(1);
  ticker ticks(io);
  ticks.start();
  asio::steady_timer look(io);
  int status = 0;
  std::function<void()> wait = [&] {
    look.expires_after(std::chrono::milliseconds(5));
    look.async_wait([&](kernix::error_code) { ::waitpid(child, &status, WNOHANG) == child ? ticks.stop() : wait(); });
  };
  wait();
  io.run();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) std::exit((std::fprintf(stderr, "the other process failed\n"), 1));
  return ticks.longest_ms();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--compile") {
    asio::io_context io(1);
    compiles work(io, argv[2], std::atoi(argv[3]));
    work.start([] {});
    io.run();
    return work.failed != 0;
  }
  int pairs = argc > 1 ? std::atoi(argv[1]) : 5;
  int count = argc > 2 ? std::atoi(argv[2]) : 40;
  if (pairs < 1 || count < 1) return std::fprintf(stderr, "usage: ticker [PAIRS [COMPILES]]\n"), 2;
  std::string made = (fs::temp_directory_path() / "kernix-ticker-XXXXXX").string();
  if (!::mkdtemp(made.data())) return std::perror("mkdtemp"), 1;
  std::string program = fs::read_symlink("/proc/self/exe").string();
  std::vector<double> differences;
  std::printf("longest gap of a 1 ms ticker during %d compiles\n%-6s %12s %18s %12s\n", count, "pair", "here [ms]", "elsewhere [ms]", "more [ms]");
  for (int pair = 0; pair < pairs; ++pair) {
    fs::path here = fs::path(made) / ("here" + std::to_string(pair)), there = fs::path(made) / ("there" + std::to_string(pair));
    double inside = 0, outside = 0;
    if (pair % 2 == 0) inside = longest_gap_here(here, count);
    outside = longest_gap_elsewhere(program.c_str(), there, count);
    if (pair % 2 != 0) inside = longest_gap_here(here, count);
    differences.push_back(inside - outside);
    std::printf("%-6d %12.2f %18.2f %12.2f\n", pair + 1, inside, outside, inside - outside);
  }
  std::sort(differences.begin(), differences.end());
  std::printf("median of the differences: %.2f ms\n", differences[differences.size() / 2]);
  fs::remove_all(made);
}
