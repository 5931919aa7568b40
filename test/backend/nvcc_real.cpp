// SPDX-License-Identifier: Apache-2.0
// Plans of the backend nvcc, run by the real one. No GPU is needed: nothing is launched.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <kernix/backend/cxx.hpp>
#include <kernix/backend/nvcc.hpp>

#include "support/needs_program.hpp"
#include "support/plan_runner.hpp"
#include "support/temporary_tree.hpp"

namespace {

using kernix::test::ask;
using kernix::test::needs_program;
using kernix::test::run_plan;
using kernix::test::temporary_tree;
using kernix::test::text_of;

const auto needs_nvcc = boost::unit_test::precondition(needs_program("nvcc", "/usr/local/cuda/bin"));

const kernix::toolchain& tools() {
  static const kernix::toolchain found = [] {
    const auto program = std::filesystem::canonical(needs_program("nvcc", "/usr/local/cuda/bin").path());
    auto made = ask(kernix::nvcc{}, program.string());
    auto host = ask(kernix::cxx{}, needs_program("g++").path());
    BOOST_REQUIRE(made);
    BOOST_REQUIRE(host);
    made->host = std::make_shared<kernix::toolchain>(*host);
    std::erase_if(made->library_directories, [](const auto& each) { return !std::filesystem::exists(each); });
    return *made;
  }();
  return found;
}

kernix::command_plan planned(const kernix::compile_request& request) {
  auto plan = kernix::nvcc{}.plan(request, tools());
  if (plan.has_error()) BOOST_FAIL(plan.error().reason);
  return *plan;
}

/// The images of the last fatbin in some bytes that holds any, sorted: "elf 80", "ptx 80".
std::vector<std::string> images_of(const std::string& bytes) {
  auto number = [&](std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    if (at + size <= bytes.size()) std::memcpy(&value, bytes.data() + at, size);
    return value;
  };
  std::vector<std::string> images;
  const std::string magic = "\x50\xed\x55\xba";
  for (std::size_t at = bytes.find(magic); at != std::string::npos; at = bytes.find(magic, at + 1)) {
    const std::size_t end = at + number(at + 6, 2) + number(at + 8, 8);
    for (std::size_t entry = at + number(at + 6, 2); entry + 32 <= end && end <= bytes.size();) {
      const std::uint64_t kind = number(entry, 2);
      images.push_back((kind == 1 ? "ptx " : "elf ") + std::to_string(number(entry + 28, 4)));
      entry += number(entry + 4, 4) + number(entry + 8, 8);
    }
  }
  std::sort(images.begin(), images.end());
  images.erase(std::unique(images.begin(), images.end()), images.end());
  return images;
}

constexpr const char* doubling = R"cc(
  __global__ void twice(float* x) { x[threadIdx.x] *= 2; }
  extern "C" void launch(float* x) { twice<<<1, 32>>>(x); }
)cc";

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_nvcc_real)

BOOST_AUTO_TEST_CASE(nvcc_says_what_it_is, *needs_nvcc) {
  BOOST_TEST(tools().version.find('.') != std::string::npos, tools().version);
  BOOST_TEST(!tools().architectures.empty());
  BOOST_TEST(std::filesystem::exists(tools().root / "bin"), tools().root);
  for (const kernix::toolchain_part& each : tools().parts) BOOST_TEST(std::filesystem::exists(each.path), each.path);
  BOOST_TEST(!kernix::test::ask(kernix::nvcc{}, needs_program("g++").path()));
}

BOOST_AUTO_TEST_CASE(a_plan_with_everything_builds_what_was_asked_for, *needs_nvcc) {
  temporary_tree tree;
  tree.file("src dir/sibling.h", "#define SIBLING 1\n");
  tree.file("inc,$(touch pwned) dir/first.h", "#define FIRST 10\n");
  tree.file("flag dir/flagged.h", "#define FLAGGED 100000\n");
  kernix::compile_request request{.name = "all", .source = R"cc(
#include "sibling.h"
#include "memory/m.h"
#include <memory/m.h>
#include <first.h>
#include <flagged.h>
                                    __global__ void twice(float* x) { x[threadIdx.x] *= 2; }
                                    extern "C" int number() {
                                      return SIBLING + FIRST + MEMORY + VALUE + FLAGGED + (sizeof(TEXT) == 21 ? 10000 : 0) + ADD(1000000, PLUS);
                                    }
                                    extern "C" const char* file() { return __FILE__; }
                                  )cc"};
  request.source_file = tree / "src dir/all.cu";
  request.include_directories = {tree / "inc,$(touch pwned) dir", "/usr/include", tools().system_includes.front()};
  request.headers = {{"memory/m.h", "#define MEMORY 100\n"}};
  request.defines = {"VALUE=1000", "TEXT=\"$(touch pwned) `x`,;\"", "ADD(a,b)=a+b"};
  request.architectures = {"8.0", "9.0"};
  request.recorded_path = "/home/me/all.cu";
  request.compile_flags = {"-I", (tree / "flag dir").string(), "-DPLUS=2000000", "-Xptxas=-v"};
  request.link_flags = {"-lm", "-Wl,-rpath,$ORIGIN/lib", "-L" + (tree / "a,b c").string()};
  const auto plan = planned(request);
  const auto ended = run_plan(plan, tree / "ws");
  BOOST_TEST(ended.succeeded(), ended.err.head);
  BOOST_TEST(!std::filesystem::exists(tree / "ws/pwned"));
  const std::string object = text_of(tree / "ws/kernel.so");
  BOOST_TEST(object.find("$ORIGIN/lib") != std::string::npos);
  void* handle = ::dlopen((tree / "ws/kernel.so").c_str(), RTLD_NOW);
  BOOST_REQUIRE_MESSAGE(handle, ::dlerror());
  BOOST_TEST(reinterpret_cast<int (*)()>(::dlsym(handle, "number"))() == 3111111);
  BOOST_TEST(reinterpret_cast<const char* (*)()>(::dlsym(handle, "file"))() == std::string("/home/me/all.cu"));
  const std::string read = text_of(tree / "ws/kernel.d");
  for (const char* each : {"source0/sibling.h", "headers0/memory/m.h", "include0/first.h", "flagged.h"}) {
    BOOST_TEST(read.find(each) != std::string::npos, each);
  }
  BOOST_TEST(text_of(tree / "ws/link.d").find("libm") != std::string::npos);
  BOOST_TEST(std::filesystem::is_empty(tree / "ws/tmp"));
}

BOOST_AUTO_TEST_CASE(every_output_kind_is_made, *needs_nvcc) {
  using kernix::output_kind;
  for (output_kind kind : {output_kind::object, output_kind::cubin, output_kind::ptx, output_kind::fatbin}) {
    BOOST_TEST_CONTEXT(name(kind)) {
      temporary_tree tree;
      kernix::compile_request request{.name = "k", .source = doubling, .kind = kind, .architectures = {"9.0a"}};
      if (kind == output_kind::fatbin) request.architectures.push_back("80");
      const auto plan = planned(request);
      const auto ended = run_plan(plan, tree / "ws");
      BOOST_TEST(ended.succeeded(), ended.err.head);
      const std::string made = text_of(tree / "ws" / plan.outputs.front().path);
      BOOST_TEST(!made.empty());
      if (kind == output_kind::ptx) BOOST_TEST(made.find(".target sm_90a") != std::string::npos);
      BOOST_TEST(!text_of(tree / "ws/kernel.d").empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(several_architectures_are_embedded_with_portable_ptx, *needs_nvcc) {
  for (kernix::output_kind kind : {kernix::output_kind::fatbin, kernix::output_kind::shared_object}) {
    temporary_tree tree;
    kernix::compile_request request{.name = "k", .source = doubling, .kind = kind, .architectures = {"90a", "sm_80"}};
    const auto plan = planned(request);
    const auto ended = run_plan(plan, tree / "ws");
    BOOST_TEST(ended.succeeded(), ended.err.head);
    BOOST_TEST(ended.err.head.empty(), ended.err.head);
    const auto images = images_of(text_of(tree / "ws" / plan.outputs.front().path));
    const std::vector<std::string> wanted{"elf 80", "elf 90", "ptx 80"};
    BOOST_TEST(images == wanted, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(link_tokens_reach_the_linker_as_they_are, *needs_nvcc) {
  for (const char* name : {"/x/a,b", "/x/a b", "/x/$(touch pwned)", "/x/a;b&c|d", "/x/(a)*?<b>"}) {
    BOOST_TEST_CONTEXT(name) {
      temporary_tree tree;
      kernix::compile_request request{.name = "k", .source = "int f() { return 0; }", .architectures = {"90"}};
      request.link_flags = {name};
      const auto ended = run_plan(planned(request), tree / "ws");
      BOOST_TEST(!ended.succeeded());
      BOOST_TEST(ended.err.head.find("cannot find " + std::string(name) + ':') != std::string::npos, ended.err.head);
      BOOST_TEST(!std::filesystem::exists(tree / "ws/pwned"));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
