// SPDX-License-Identifier: Apache-2.0
// Plans of the backend cxx, run by the real g++ and clang++.
#include <dlfcn.h>

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <kernix/backend/cxx.hpp>

#include "support/plan_runner.hpp"
#include "support/temporary_tree.hpp"

namespace {

using kernix::test::ask;
using kernix::test::on_path;
using kernix::test::run_plan;
using kernix::test::temporary_tree;
using kernix::test::text_of;

/// The compilers of this machine.
std::vector<kernix::toolchain> compilers() {
  std::vector<kernix::toolchain> found;
  for (const char* name : {"g++", "clang++", "clang++-19"}) {
    if (std::string program = on_path(name); !program.empty()) {
      auto tools = ask(kernix::cxx{}, program);
      BOOST_REQUIRE_MESSAGE(tools, program << " is not understood");
      tools->cpu = "a processor";
      found.push_back(*tools);
    } else {
      BOOST_TEST_MESSAGE("skipped: there is no " << name);
    }
  }
  return found;
}

kernix::command_plan planned(const kernix::compile_request& request, const kernix::toolchain& tools) {
  auto plan = kernix::cxx{}.plan(request, tools);
  if (plan.has_error()) BOOST_FAIL(plan.error().reason);
  return *plan;
}

template <class F>
F* loaded(const std::filesystem::path& object, const char* symbol) {
  void* handle = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  BOOST_REQUIRE_MESSAGE(handle, ::dlerror());
  return reinterpret_cast<F*>(::dlsym(handle, symbol));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_cxx_real)

BOOST_AUTO_TEST_CASE(compilers_say_what_they_are) {
  for (const kernix::toolchain& each : compilers()) {
    BOOST_TEST_CONTEXT(each.program) {
      BOOST_TEST((each.family == "gcc" || each.family == "clang"));
      BOOST_TEST((!each.version.empty() && each.version.find_first_not_of("0123456789.") == std::string::npos),
                 each.version);
      BOOST_TEST(each.target.find("linux") != std::string::npos, each.target);
      BOOST_TEST(!each.system_includes.empty());
      BOOST_TEST(each.property("linker").find("ld") != std::string::npos, each.property("linker"));
      BOOST_TEST(!each.parts.empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(another_program_is_no_compiler) {
  BOOST_TEST(!ask(kernix::cxx{}, "/bin/cat"));
  BOOST_TEST(!ask(kernix::cxx{}, "/bin/true"));
}

BOOST_AUTO_TEST_CASE(a_plan_with_everything_builds_what_was_asked_for) {
  for (const kernix::toolchain& tools : compilers()) {
    BOOST_TEST_CONTEXT(tools.program) {
      temporary_tree tree;
      tree.file("src dir/sibling.h", "#define SIBLING 1\n");
      tree.file("inc,dir/first.h", "#define FIRST 10\n");
      kernix::compile_request request{.name = "all", .source = R"cc(
#include "sibling.h"
#include "memory/m.h"
#include <memory/m.h>
#include <first.h>
#include <cmath>
                                        extern "C" int number() {
                                          return SIBLING + FIRST + MEMORY + VALUE + (sizeof(TEXT) == 15 ? 10000 : 0);
                                        }
                                        extern "C" const char* file() { return __FILE__; }
                                        extern "C" double root(double x) { return std::sqrt(x); }
                                      )cc"};
      request.source_file = tree / "src dir/all.cpp";
      request.include_directories = {tree / "inc,dir", "/usr/include"};
      request.headers = {{"memory/m.h", "#define MEMORY 100\n"}};
      request.defines = {"VALUE=1000", "TEXT=\"$(false) `x`,;\""};
      request.recorded_path = "/home/me/all.cpp";
      request.debug_info = true;
      request.compile_flags = {"-march=native"};
      request.link_flags = {"-lm", "-Wl,-rpath,$ORIGIN/lib"};
      const auto plan = planned(request, tools);
      const auto ended = run_plan(plan, tree / "ws");
      BOOST_TEST(ended.succeeded(), ended.err.head);
      BOOST_TEST(loaded<int()>(tree / "ws/kernel.so", "number")() == 11111);
      BOOST_TEST(loaded<const char*()>(tree / "ws/kernel.so", "file")() == std::string("/home/me/all.cpp"));
      const std::string read = text_of(tree / "ws/kernel.d");
      for (const char* each : {"source0/sibling.h", "headers0/memory/m.h", "include0/first.h"}) {
        BOOST_TEST(read.find(each) != std::string::npos, each);
      }
      BOOST_TEST(text_of(tree / "ws/link.d").find("libm") != std::string::npos);
      BOOST_TEST(std::filesystem::is_empty(tree / "ws/tmp"));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_scratch_directory_leaves_no_trace_in_the_output) {
  for (const kernix::toolchain& tools : compilers()) {
    BOOST_TEST_CONTEXT(tools.program) {
      temporary_tree tree;
      kernix::compile_request request{.name = "k",
                                      .source = "extern \"C\" int f(int x) { static int s; return s += x; }"};
      request.debug_info = true;
      const auto plan = planned(request, tools);
      BOOST_TEST(run_plan(plan, tree / "one").succeeded());
      BOOST_TEST(run_plan(plan, tree / "another one").succeeded());
      const std::string object = text_of(tree / "one/kernel.so");
      BOOST_TEST((object == text_of(tree / "another one/kernel.so")));
      BOOST_TEST(object.find(tree.root().string()) == std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(fast_math_links_nothing_that_changes_the_hosts_arithmetic) {
  for (const kernix::toolchain& tools : compilers()) {
    BOOST_TEST_CONTEXT(tools.program) {
      for (int how = 0; how < 2; ++how) {
        temporary_tree tree;
        kernix::compile_request request{
            .name = "k",
            .source = "#ifndef __FAST_MATH__\n#error slow\n#endif\nextern \"C\" double f(double x) { return x / 3; }"};
        if (how == 0) request.fast_math = true;
        if (how == 1) request.compile_flags = {"-Ofast"};
        const auto ended = run_plan(planned(request, tools), tree / "ws");
        BOOST_TEST(ended.succeeded(), ended.err.head);
        volatile double tiny = 1e-310;
        BOOST_TEST(loaded<double(double)>(tree / "ws/kernel.so", "f")(6) == 2);
        BOOST_TEST(tiny / 2 != 0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(only_gcc_is_told_not_to_make_unique_symbols) {
  for (const kernix::toolchain& tools : compilers()) {
    temporary_tree tree;
    kernix::compile_request request{
        .name = "k", .source = "inline int& s() { static int v; return v; } extern \"C\" int f() { return ++s(); }"};
    const auto plan = planned(request, tools);
    BOOST_TEST(run_plan(plan, tree / "one").succeeded());
    BOOST_TEST(run_plan(plan, tree / "two").succeeded());
    if (tools.family != "gcc") continue;
    BOOST_TEST(loaded<int()>(tree / "one/kernel.so", "f")() == 1);
    BOOST_TEST(loaded<int()>(tree / "two/kernel.so", "f")() == 1);
  }
}

BOOST_AUTO_TEST_CASE(an_object_is_not_linked) {
  for (const kernix::toolchain& tools : compilers()) {
    temporary_tree tree;
    kernix::compile_request request{
        .name = "k", .source = "int g(); int f() { return g(); }", .kind = kernix::output_kind::object};
    request.fast_math = true;
    BOOST_TEST(run_plan(planned(request, tools), tree / "ws").succeeded());
    BOOST_TEST(text_of(tree / "ws/kernel.o").starts_with("\177ELF"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
