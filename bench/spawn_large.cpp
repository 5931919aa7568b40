// SPDX-License-Identifier: Apache-2.0
// How long starting a compiler takes in a small process and in one with much memory resident.
//
//   spawn_large [GIB [ROUNDS]]          default: 4 GiB, 200 rounds
//
// Prints the median of each: a bare posix_spawn and waitpid of /bin/true, the runner's start (from `run` to `on_start`, all
// of it on the event loop's thread) and the runner's whole run. The last line is the ratio of the starts.
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <kernix/process/subprocess_runner.hpp>

namespace {

using clock_type = std::chrono::steady_clock;

double microseconds(clock_type::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double bare_spawn() {
  auto begin = clock_type::now();
  pid_t pid = -1;
  char name[] = "/bin/true";
  char* argv[] = {name, nullptr};
  char* envp[] = {nullptr};
  if (::posix_spawn(&pid, name, nullptr, nullptr, argv, envp) != 0) std::exit(1);
  double time = microseconds(clock_type::now() - begin);
  ::waitpid(pid, nullptr, 0);
  return time;
}

struct run_times {
  double start = 0;
  double whole = 0;
};

run_times runner(boost::asio::io_context& context) {
  run_times times;
  kernix::process_command command;
  command.program = "/bin/true";
  context.restart();
  auto begin = clock_type::now();
  command.on_start = [&] { times.start = microseconds(clock_type::now() - begin); };
  boost::asio::co_spawn(context, kernix::subprocess_runner{}.run(std::move(command)),
                        [](std::exception_ptr, kernix::process_result result) {
                          if (!result.succeeded()) std::exit(1);
                        });
  context.run();
  times.whole = microseconds(clock_type::now() - begin);
  return times;
}

struct medians {
  double bare = 0;
  double start = 0;
  double whole = 0;
};

medians measure(int rounds) {
  boost::asio::io_context context;
  std::vector<double> bare;
  std::vector<double> start;
  std::vector<double> whole;
  runner(context);  // the event loop's own descriptors
  for (int i = 0; i < rounds; ++i) {
    bare.push_back(bare_spawn());
    run_times times = runner(context);
    start.push_back(times.start);
    whole.push_back(times.whole);
  }
  return {median(bare), median(start), median(whole)};
}

void print(const char* what, const medians& found) {
  std::printf("%-22s posix_spawn alone %8.0f us   runner: start %8.0f us, whole run %8.0f us\n", what, found.bare,
              found.start, found.whole);
}

}  // namespace

int main(int argc, char** argv) {
  double gib = argc > 1 ? std::atof(argv[1]) : 4;
  int rounds = argc > 2 ? std::atoi(argv[2]) : 200;
  if (gib <= 0 || rounds <= 0) {
    std::fputs("usage: spawn_large [GIB [ROUNDS]]\n", stderr);
    return 2;
  }
  medians small = measure(rounds);
  print("small process", small);

  auto bytes = static_cast<std::size_t>(gib * 1024 * 1024 * 1024);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    return 1;
  }
  // Small pages, as a service's heap has them: their table is what a fork would have to copy.
  ::madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (std::size_t at = 0; at < bytes; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
  medians large = measure(rounds);
  char title[32];
  std::snprintf(title, sizeof title, "%.3g GiB resident", gib);
  print(title, large);
  std::printf("ratio of the starts    %.2f\n", large.start / small.start);
  return 0;
}
