// SPDX-License-Identifier: Apache-2.0
// quickstart KERNELS ORIGIN: compiles the kernels of a directory in parallel, calls the C++ ones and checks their results, then
// asks for all of them again. Ends with 0 if every result is right and, the first time, came from ORIGIN (compiler, disk).

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>

#include <kernix/kernix.hpp>

namespace asio = boost::asio;

namespace {

using kernix::error_code;
using cxx_cache = kernix::kernel_cache<kernix::default_stack<kernix::cxx>>;
using nvcc_cache = kernix::kernel_cache<kernix::default_stack<kernix::nvcc>>;

bool everything_right = true;

/// One row of the table.
void print(const std::string& name, const std::string& compiler, const kernix::compile_outcome& outcome, bool right,
           const char* remark) {
  everything_right = everything_right && right;
  std::printf("  %-12s %-14s %8.3f s   %-9s  %s\n", name.c_str(), compiler.c_str(),
              std::chrono::duration<double>(outcome.elapsed).count(), std::string(kernix::name(outcome.origin())).c_str(), remark);
}

void print_failure(const std::string& name, const kernix::diagnostics& what) {
  everything_right = false;
  std::printf("  %-12s FAILED\n%s\n", name.c_str(), what.to_string().c_str());
}

/// One pass over all kernels; every one that comes from elsewhere than `wanted` is a failure.
struct pass {
  std::filesystem::path directory;
  std::string wanted;
  std::string cxx_compiler;
  std::string nvcc_compiler;

  kernix::compile_request request(const std::string& file) const {
    std::ifstream stream(directory / file, std::ios::binary);
    if (!stream) throw std::runtime_error("can't read " + (directory / file).string());
    kernix::compile_request made{.name = std::filesystem::path(file).stem().string(),
                                 .source = {std::istreambuf_iterator<char>(stream), {}}};
    made.source_file = directory / file;
    return made;
  }

  bool from_there(const kernix::compile_outcome& outcome) const { return kernix::name(outcome.origin()) == wanted; }

  /// Starts one C++ kernel; `check` calls it, and says whether the result is right.
  template <class Signature, class Check>
  void load(cxx_cache& kernels, const std::string& name, Check check) const {
    auto done = [self = *this, name, check](error_code code, kernix::kernel<Signature> kernel) {
      if (code) return print_failure(name, kernel.diagnostics());
      bool right = check(kernel);
      bool expected = self.from_there(kernel.outcome());
      print(name, self.cxx_compiler, kernel.outcome(), right && expected,
            !right ? "WRONG RESULT" : expected ? "called, result right" : "NOT FROM WHERE IT SHOULD COME");
    };
    kernels.async_load<Signature>(request(name + ".cpp"), name, std::move(done));
  }

  /// Starts one CUDA kernel, for two architectures in one shared object.
  void compile(nvcc_cache& kernels, const std::string& name) const {
    kernix::compile_request wanted_kernel = request(name + ".cu");
    wanted_kernel.architectures = {"sm_80", "sm_90"};
    kernels.async_compile(wanted_kernel, [self = *this, name](error_code code, kernix::compile_outcome outcome) {
      if (code) return print_failure(name, outcome.diagnostics());
      bool expected = self.from_there(outcome);
      print(name, self.nvcc_compiler, outcome, expected,
            expected ? "built for sm_80 and sm_90, not called" : "NOT FROM WHERE IT SHOULD COME");
    });
  }

  void start(cxx_cache& cpu, nvcc_cache& gpu) const {
    load<void(float, float const*, float*, std::size_t)>(cpu, "axpy", [](auto& axpy) {
      std::vector<float> x(1000, 2.0f), y(1000, 1.0f);
      axpy(3.0f, x.data(), y.data(), x.size());
      return y == std::vector<float>(1000, 7.0f);
    });
    load<void(float const*, float const*, float*, std::size_t)>(cpu, "matmul", [](auto& matmul) {
      constexpr std::size_t n = 50;  // rows of i times columns of j: c[i][j] = n i j
      std::vector<float> a(n * n), b(n * n), c(n * n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) a[i * n + j] = static_cast<float>(i), b[i * n + j] = static_cast<float>(j);
      }
      matmul(a.data(), b.data(), c.data(), n);
      return c[0] == 0.0f && c[3 * n + 4] == 600.0f && c[n * n - 1] == 49.0f * 49.0f * 50.0f;
    });
    load<void(double*, std::size_t)>(cpu, "softmax", [](auto& softmax) {
      std::vector<double> x{1000.0, 1000.0, 1000.0 + std::log(2.0)};
      softmax(x.data(), x.size());
      return std::abs(x[0] - 0.25) < 1e-9 && std::abs(x[2] - 0.5) < 1e-9;
    });
    load<void(unsigned char const*, std::size_t, unsigned*) noexcept>(cpu, "histogram", [](auto& histogram) {
      std::vector<unsigned> counts(256);
      unsigned char const text[] = "abracadabra";
      histogram(text, 11, counts.data());
      return counts['a'] == 5 && counts['b'] == 2 && counts['z'] == 0;
    });
    load<long(long*, std::size_t)>(cpu, "prefix_sum", [](auto& prefix_sum) {
      std::vector<long> x(100, 2);
      return prefix_sum(x.data(), x.size()) == 200 && x[49] == 100;
    });
    if (nvcc_compiler.empty()) return;
    compile(gpu, "scale");
    compile(gpu, "block_sum");
  }
};

/// "g++ 12.2.0", or nothing where there is no such compiler.
std::string compiler_name(const kernix::toolchain_search& search) {
  return search.found ? search.found->program.filename().string() + ' ' + search.found->version : std::string();
}

void run(asio::io_context& context) {
  context.restart();
  context.run();
}

int run_all(const std::filesystem::path& directory, const std::string& origin) {
  asio::io_context context;
  cxx_cache cpu(context.get_executor(), kernix::cxx{});
  nvcc_cache gpu(context.get_executor(), kernix::nvcc{});

  pass work{.directory = directory, .wanted = origin, .cxx_compiler = {}, .nvcc_compiler = {}};
  cpu.async_find_toolchain([&](error_code code, kernix::toolchain_search search) {
    if (code) print_failure("g++", search.diagnostics());
    work.cxx_compiler = compiler_name(search);
  });
  gpu.async_find_toolchain([&](error_code, kernix::toolchain_search search) { work.nvcc_compiler = compiler_name(search); });
  run(context);
  if (work.nvcc_compiler.empty()) std::puts("  nvcc was not found: the CUDA kernels are left out.");

  work.start(cpu, gpu);
  run(context);
  std::puts("  -- the same again, in the same process");
  work.wanted = "memory";
  work.start(cpu, gpu);
  run(context);
  return everything_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: quickstart KERNELS ORIGIN\n", stderr);
    return 2;
  }
  try {
    return run_all(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quickstart: %s\n", error.what());
    return 1;
  }
}
