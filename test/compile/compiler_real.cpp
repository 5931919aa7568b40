// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <kernix/backend/cxx.hpp>
#include <kernix/backend/nvcc.hpp>
#include <kernix/compile/read_validation.hpp>
#include <kernix/process/subprocess_runner.hpp>

#include "support/engine_fixture.hpp"
#include "support/needs_program.hpp"

BOOST_AUTO_TEST_SUITE(compile_compiler_real)

namespace fs = std::filesystem;
using boost::unit_test::precondition;
using kernix::errc;
using kernix::test::compile_answer;
using kernix::test::entries_of;
using kernix::test::needs_program;
using cxx_engine = kernix::test::engine_under_test<kernix::cxx, kernix::subprocess_runner>;
using nvcc_engine = kernix::test::engine_under_test<kernix::nvcc, kernix::subprocess_runner>;

const needs_program gxx("g++");
const needs_program clangxx("clang++-19");
const needs_program nvcc("nvcc", "/usr/local/cuda/bin");

/// Keeps every compiler here busy for minutes: each instantiation asks for two more.
const std::string heavy =
    "template <int A, int B> struct f { static constexpr unsigned v = f<A - 1, B>::v + f<A - 1, B + 1>::v; };\n"
    "template <int B> struct f<0, B> { static constexpr unsigned v = B; };\n"
    "template <int N> struct g { static constexpr unsigned v = f<400, N * 1000>::v + g<N - 1>::v; };\n"
    "template <> struct g<0> { static constexpr unsigned v = 0; };\n"
    "extern \"C\" unsigned h() { return g<200>::v; }\n";

bool holds(const kernix::read_set& reads, const std::string& root, const std::string& path) {
  return std::any_of(reads.files.begin(), reads.files.end(),
                     [&](const kernix::read_file& each) { return each.root == root && each.path == path; });
}

/// Live processes that run in a workspace below `scratch`.
std::vector<std::string> processes_in(const fs::path& scratch) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& each : fs::directory_iterator("/proc", error)) {
    const std::string where = fs::read_symlink(each.path() / "cwd", error).string();
    if (!error && where.starts_with(scratch.string())) found.push_back(each.path().filename().string());
  }
  return found;
}

template <class Engine>
void expect_nothing_left(Engine& here) {
  BOOST_TEST(processes_in(here.scratch()).empty());
  BOOST_TEST(entries_of(here.scratch()).empty());
  BOOST_TEST(entries_of(here.tree.root() / "tmp").empty());
}

/// Compiles a request whose headers are written at this moment, so that they are older than the compile.
template <class Engine>
compile_answer compile_settled(Engine& here, const kernix::compile_request& request) {
  kernix::test::wait_for_file_clock_tick();
  compile_answer done = here.compile(request);
  BOOST_TEST(!done.first, done.second.diagnostics().to_string());
  BOOST_TEST(done.second.payload().cacheable);
  return done;
}

template <class Engine>
bool still_valid(Engine& here, const kernix::compile_request& request, const compile_answer& done) {
  auto keyed = here.key(request);
  return kernix::still_valid(done.second.payload().reads, keyed.data->roots,
                             kernix::detail::runtime::of(here.context->get_executor())->digests());
}

template <class Engine>
void builds_and_keeps_warnings(Engine& here, kernix::compile_request request) {
  request.name = "warned";
  request.warnings = true;
  request.source = "#include \"m.h\"\nextern \"C\" int f() { int unused; return M; }\n";
  request.headers = {{"m.h", "#define M 3\n"}};
  compile_answer done = compile_settled(here, request);
  BOOST_REQUIRE(done.second.artifacts().size() == 1U);
  BOOST_TEST(done.second.artifacts()[0].bytes > 1000U);
  BOOST_TEST(done.second.diagnostics().log.find("warned.c") != std::string::npos, done.second.diagnostics().log);
  BOOST_TEST(done.second.diagnostics().log.find("unused") != std::string::npos);
  BOOST_TEST(done.second.diagnostics().log.find("kernel.c") == std::string::npos);
  BOOST_TEST(!done.second.payload().reads.files.empty());
  for (const kernix::read_file& each : done.second.payload().reads.files) {
    BOOST_TEST(each.root == kernix::system_root);
    BOOST_TEST(each.path.find(here.tree.root().string()) == std::string::npos, each.path);
  }
}

template <class Engine>
void notices_edits(Engine& here, kernix::compile_request request) {
  const fs::path first = here.tree.root() / "first", second = here.tree.root() / "second dir";
  fs::create_directories(first);
  here.tree.file("second dir/a b.h", "#include \"sub/c.h\"\n");
  here.tree.file("second dir/sub/c.h", "#define C 1\n");
  here.tree.file("src/sibling.h", "#define S 1\n");
  request.name = "edited";
  request.source_file = here.tree.root() / "src/edited.cpp";
  request.include_directories = {first, second};
  request.source = "#include <a b.h>\n#include \"sibling.h\"\n#if __has_include(<maybe.h>)\n#endif\nextern \"C\" int f() { return C + S; }\n";
  compile_answer done = compile_settled(here, request);
  const kernix::read_set& reads = done.second.payload().reads;
  BOOST_TEST(holds(reads, "include1", "a b.h"));
  BOOST_TEST(holds(reads, "include1", "sub/c.h"));
  BOOST_TEST(holds(reads, "source0", "sibling.h"));
  BOOST_TEST(still_valid(here, request, done));

  here.tree.file("src/sibling.h", "#define S 2\n");
  BOOST_TEST(!still_valid(here, request, done));
  here.tree.file("src/sibling.h", "#define S 1\n");
  BOOST_TEST(still_valid(here, request, done));

  const std::vector<std::string> shadows{"first/a b.h", "first/maybe.h", "second dir/maybe.h", "src/a b.h", "first/sub/c.h"};
  for (const std::string& each : shadows) {
    // `src` is only searched for quoted names, and `sub/c.h` is found beside the header that names it.
    const bool matters = each != "src/a b.h" && each != "first/sub/c.h";
    here.tree.file(each, "");
    if (matters) BOOST_TEST(!still_valid(here, request, done), each);
    fs::remove(here.tree.root() / each);
    if (each == "first/sub/c.h") fs::remove(here.tree.root() / "first/sub");
    BOOST_TEST(still_valid(here, request, done), each);
  }
}

template <class Engine>
void ends_a_heavy_compile(Engine& here, kernix::compile_request request) {
  request.name = "heavy";
  request.source = heavy;
  request.compile_flags.push_back("-ftemplate-depth=5000");
  request.timeout = std::chrono::milliseconds(1500);
  compile_answer late = here.compile(request);
  BOOST_TEST(late.first == make_error_code(errc::timed_out), late.second.diagnostics().to_string());
  BOOST_TEST(late.second.diagnostics().reason == "timed out after 1.5 s");
  expect_nothing_left(here);

  request.timeout = std::chrono::minutes(5);
  auto keyed = here.key(request);
  std::promise<void> started;
  std::promise<compile_answer> done;
  keyed.on_start = [&] { started.set_value(); };
  boost::asio::cancellation_signal signal;
  here.engine->async_compile(keyed, boost::asio::bind_cancellation_slot(signal.slot(), [&](kernix::error_code code, kernix::compile_outcome outcome) {
    done.set_value({code, std::move(outcome)});
  }));
  started.get_future().get();
  BOOST_TEST(kernix::test::eventually([&] { return processes_in(here.scratch()).size() > 1; }));
  boost::asio::post(here.context->get_executor(), [&] { signal.emit(boost::asio::cancellation_type::partial); });
  compile_answer ended = done.get_future().get();
  BOOST_TEST(ended.first == make_error_code(errc::cancelled));
  expect_nothing_left(here);
}

kernix::compile_request for_sm_80() {
  kernix::compile_request request;
  request.architectures = {"sm_80"};
  return request;
}
kernix::cxx clang() { return {.compiler = clangxx.path()}; }

BOOST_AUTO_TEST_CASE(gxx_builds_and_keeps_warnings, *precondition(gxx)) {
  cxx_engine here(kernix::cxx{}, {});
  builds_and_keeps_warnings(here, {});
}
BOOST_AUTO_TEST_CASE(gxx_edits_are_noticed, *precondition(gxx)) {
  cxx_engine here(kernix::cxx{}, {});
  notices_edits(here, {});
}
BOOST_AUTO_TEST_CASE(gxx_leaves_nothing_when_it_is_ended, *precondition(gxx)) {
  cxx_engine here(kernix::cxx{}, {});
  ends_a_heavy_compile(here, {});
}

BOOST_AUTO_TEST_CASE(clangxx_builds_and_keeps_warnings, *precondition(clangxx)) {
  cxx_engine here(clang(), {});
  builds_and_keeps_warnings(here, {});
}
BOOST_AUTO_TEST_CASE(clangxx_edits_are_noticed, *precondition(clangxx)) {
  cxx_engine here(clang(), {});
  notices_edits(here, {});
}
BOOST_AUTO_TEST_CASE(clangxx_leaves_nothing_when_it_is_ended, *precondition(clangxx)) {
  cxx_engine here(clang(), {});
  ends_a_heavy_compile(here, {});
}

BOOST_AUTO_TEST_CASE(nvcc_builds_and_keeps_warnings, *precondition(nvcc)) {
  nvcc_engine here(kernix::nvcc{}, {});
  builds_and_keeps_warnings(here, for_sm_80());
}
BOOST_AUTO_TEST_CASE(nvcc_edits_are_noticed, *precondition(nvcc)) {
  nvcc_engine here(kernix::nvcc{}, {});
  notices_edits(here, for_sm_80());
}
BOOST_AUTO_TEST_CASE(nvcc_leaves_nothing_when_it_is_ended, *precondition(nvcc)) {
  nvcc_engine here(kernix::nvcc{}, {});
  ends_a_heavy_compile(here, for_sm_80());
}

BOOST_AUTO_TEST_CASE(headers_with_difficult_names_are_recorded, *precondition(gxx)) {
  cxx_engine here(kernix::cxx{}, {});
  kernix::compile_request request{.name = "odd", .source = ""};
  const std::vector<std::string> names{"a b.h", "a#b.h", "a$b.h", "a:b.h", "a\\b.h", "a\\ b.h", "a\\#b.h", "a'b.h", "a*b.h", "\xc3\xa4.h"};
  for (const std::string& each : names) {
    here.tree.file("inc/" + each, "");
    request.source += "#include \"" + each + "\"\n";
  }
  request.source += "int x;\n";
  request.include_directories = {here.tree.root() / "inc"};
  compile_answer done = compile_settled(here, request);
  for (const std::string& each : names) BOOST_TEST(holds(done.second.payload().reads, "include0", each), each);
}

BOOST_AUTO_TEST_CASE(a_header_edited_while_the_compiler_runs_is_not_blessed, *precondition(gxx)) {
  cxx_engine here(kernix::cxx{}, {});
  here.tree.file("inc/a.h", "#define A 1\n");
  kernix::compile_request request{.name = "edited", .source = "#include <a.h>\nextern \"C\" int f() { return A; }\n"};
  request.include_directories = {here.tree.root() / "inc"};
  kernix::test::wait_for_file_clock_tick();
  auto keyed = here.key(request);
  keyed.on_start = [&] { here.tree.file("inc/a.h", "#define A 2\n"); };
  compile_answer done = here.compile(keyed);
  BOOST_TEST(!done.first);
  BOOST_TEST(!done.second.payload().cacheable);
}

BOOST_AUTO_TEST_CASE(a_rejected_source_is_told_in_the_users_names_and_leaves_nothing, *precondition(gxx)) {
  cxx_engine here(kernix::cxx{}, {});
  here.tree.file("inc/bad.h", "int f( {\n");
  kernix::compile_request request{.name = "bad", .source = "#include <bad.h>\n#error \"kernel.cpp:1\"\n"};
  request.include_directories = {here.tree.root() / "inc"};
  compile_answer done = here.compile(request);
  BOOST_TEST(done.first == make_error_code(errc::compile_failed));
  const std::string& log = done.second.diagnostics().log;
  BOOST_TEST(log.find((here.tree.root() / "inc/bad.h").string() + ":1:") != std::string::npos, log);
  BOOST_TEST(log.find("bad.cpp:2:2: error") != std::string::npos, log);
  BOOST_TEST(log.find("#error \"kernel.cpp:1\"") != std::string::npos, log);
  expect_nothing_left(here);
}

BOOST_AUTO_TEST_SUITE_END()
