// SPDX-License-Identifier: Apache-2.0
// Real compilers with real damage: each error class is provoked, not quoted.
#include <boost/test/unit_test.hpp>

#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include <kernix/backend/detail/classify_cxx.hpp>

#include "support/needs_program.hpp"
#include "support/real_output.hpp"

BOOST_AUTO_TEST_SUITE(backend_classify_cxx_real)

namespace {

using boost::unit_test::precondition;
using kernix::test::damaged_run;
using kernix::test::dies_of;
using kernix::test::needs_program;

const auto needs_gxx = precondition(needs_program("g++"));
const auto needs_clang14 = precondition(needs_program("clang++-14"));
const auto needs_clang19 = precondition(needs_program("clang++-19"));

constexpr const char* shared = " -shared -fPIC k.cpp -o k.so";
constexpr const char* object = " -c -fPIC k.cpp -o k.o";

kernix::diagnosis diagnose(const damaged_run& run, const std::string& command) {
  kernix::process_result result = run(command);
  kernix::diagnosis found = kernix::detail::classify_cxx(
      {.name = "compile", .program = "/usr/bin/" + command.substr(0, command.find(' ')), .arguments = {}}, result);
  BOOST_TEST_MESSAGE(command << "\n" << result.err.head << found.reason);
  BOOST_TEST_INFO(command << " said: " << result.err.head << found.reason);
  return found;
}

void expect(const damaged_run& run, const std::string& command, kernix::errc expected) {
  kernix::diagnosis found = diagnose(run, command);
  BOOST_TEST(kernix::error_name(found.code) == kernix::name(expected),
             command << ": " << found.code.message() << ": " << found.reason);
}

/// What fails the same way in every compiler.
void expect_common(const std::string& compiler) {
  using kernix::errc;
  damaged_run run;
  BOOST_TEST(!diagnose(run, compiler + shared).code);
  expect(run, compiler + " -std=c++98q" + shared, errc::invalid_option);
  expect(run, compiler + " -fno-such-flag" + shared, errc::invalid_option);
  expect(run, compiler + " -Wl,--no-such-option" + shared, errc::invalid_option);
  expect(run, compiler + " -march=z80" + shared, errc::unsupported_arch);
  expect(run, compiler + shared + " -lno_such_library", errc::link_failed);
  expect(run, compiler + " -shared -fPIC k.cpp -o /dev/full", errc::disk_full);
  expect(run, compiler + " -c k.cpp -o /dev/full", errc::disk_full);
  expect(run, compiler + " -c k.cpp -o /no/such/directory/k.o", errc::disk_full);
  run.tree().file("k.cpp", "#include \"no_such_header.hpp\"\n");
  expect(run, compiler + object, errc::compile_failed);
  run.tree().file("k.cpp", "#error virtual memory exhausted: Cannot allocate memory\n");
  expect(run, compiler + object, errc::compile_failed);
  run.tree().file("k.cpp", "int f() {\ng++: fatal error: Killed signal terminated program cc1plus\n}\n");
  expect(run, compiler + object, errc::compile_failed);
  run.tree().file("k.cpp", "void g(); void f() { g(); }\n");
  expect(run, compiler + shared + " -Wl,-z,defs", errc::link_failed);
}

/// A linker of ours, in the place of the real one.
void expect_linker_deaths(const std::string& compiler) {
  damaged_run run;
  run.tree().script("bin/ld", dies_of(9));
  expect(run, compiler + " -B" + run.path("bin") + shared, kernix::errc::out_of_memory);
  run.tree().script("bin/ld", dies_of(11));
  expect(run, compiler + " -B" + run.path("bin") + shared, kernix::errc::compiler_crashed);
}

void expect_full_disk(const std::string& compiler) {
  damaged_run run;
  std::string small = run.path("tmp");
  if (::geteuid() != 0 || ::mount("none", small.c_str(), "tmpfs", 0, "size=8k") != 0) {
    BOOST_TEST_MESSAGE("a file system can't be mounted here: left out");
    return;
  }
  run.tree().file("k.cpp",
                  "#include <map>\n#include <string>\nstd::map<std::string, int> m;\nint f() { return m[\"x\"]; }\n");
  expect(run, compiler + " -O0 -g -shared -fPIC k.cpp -o tmp/k.so", kernix::errc::disk_full);
  expect(run, compiler + " -O0 -g -c -fPIC k.cpp -o tmp/k.o", kernix::errc::disk_full);
  ::mount("none", small.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, "size=8k");
  expect(run, compiler + " -c -fPIC k.cpp -o tmp/k.o", kernix::errc::disk_full);
  ::umount(small.c_str());
}

}  // namespace

BOOST_AUTO_TEST_CASE(gcc_common_failures, *needs_gxx) { expect_common("g++"); }
BOOST_AUTO_TEST_CASE(clang14_common_failures, *needs_clang14) { expect_common("clang++-14"); }
BOOST_AUTO_TEST_CASE(clang19_common_failures, *needs_clang19) { expect_common("clang++-19"); }

BOOST_AUTO_TEST_CASE(gcc_linker_is_killed, *needs_gxx) { expect_linker_deaths("g++"); }
BOOST_AUTO_TEST_CASE(clang14_linker_is_killed, *needs_clang14) { expect_linker_deaths("clang++-14"); }
BOOST_AUTO_TEST_CASE(clang19_linker_is_killed, *needs_clang19) { expect_linker_deaths("clang++-19"); }

BOOST_AUTO_TEST_CASE(gcc_on_a_full_disk, *needs_gxx) { expect_full_disk("g++"); }
BOOST_AUTO_TEST_CASE(clang14_on_a_full_disk, *needs_clang14) { expect_full_disk("clang++-14"); }
BOOST_AUTO_TEST_CASE(clang19_on_a_full_disk, *needs_clang19) { expect_full_disk("clang++-19"); }

BOOST_AUTO_TEST_CASE(gcc_parts_are_killed_or_crash, *needs_gxx) {
  for (const char* part : {"cc1plus", "as"}) {
    damaged_run run;
    std::string command = "g++ -B" + run.path("bin") + shared;
    run.tree().script(std::string("bin/") + part, dies_of(9));
    expect(run, command, kernix::errc::out_of_memory);
    run.tree().script(std::string("bin/") + part, dies_of(11));
    expect(run, command, kernix::errc::compiler_crashed);
    run.tree().script(std::string("bin/") + part, dies_of(6));
    expect(run, command, kernix::errc::compiler_crashed);
  }
}

BOOST_AUTO_TEST_CASE(the_driver_itself_is_killed, *needs_gxx) {
  damaged_run run;
  run.tree().script("driver", dies_of(9));
  expect(run, run.path("driver"), kernix::errc::out_of_memory);
  run.tree().script("driver", dies_of(11));
  expect(run, run.path("driver"), kernix::errc::compiler_crashed);
}

BOOST_AUTO_TEST_CASE(gcc_memory_is_limited, *needs_gxx) {
  damaged_run run;
  run.first = "ulimit -v 60000;";
  expect(run, std::string("g++") + shared, kernix::errc::out_of_memory);
}

BOOST_AUTO_TEST_CASE(clang_memory_is_limited, *needs_clang19) {
  damaged_run run;
  run.first = "ulimit -v 150000;";  // its libraries alone take more
  expect(run, std::string("clang++-19") + shared, kernix::errc::out_of_memory);
}

BOOST_AUTO_TEST_CASE(linker_memory_is_limited, *needs_gxx) {
  damaged_run run;
  kernix::process_result compiled = run(std::string("g++") + object);
  BOOST_TEST_REQUIRE(compiled.succeeded());
  run.first = "ulimit -v 9000;";
  expect(run, "g++ -shared -fPIC k.o -o k.so", kernix::errc::out_of_memory);
}

BOOST_AUTO_TEST_CASE(clang_crashes, *needs_clang19) {
  damaged_run run;
  run.tree().file("k.cpp", "#pragma clang __debug crash\n");
  expect(run, std::string("clang++-19 -fno-crash-diagnostics") + object, kernix::errc::compiler_crashed);
  run.tree().file("k.cpp", "#pragma clang __debug llvm_fatal_error\n");
  expect(run, std::string("clang++-19 -fno-crash-diagnostics") + object, kernix::errc::compiler_crashed);
}

BOOST_AUTO_TEST_CASE(clang14_crashes, *needs_clang14) {
  damaged_run run;
  run.tree().file("k.cpp", "#pragma clang __debug crash\n");
  expect(run, std::string("clang++-14 -fno-crash-diagnostics") + object, kernix::errc::compiler_crashed);
}

BOOST_AUTO_TEST_CASE(gcc_without_cc1plus, *needs_gxx) {
  damaged_run run;
  std::filesystem::copy_file(std::filesystem::canonical("/usr/bin/g++"), run.tree() / "my-gxx");
  run.variables = "GCC_EXEC_PREFIX=/nonexistent/";
  kernix::diagnosis found = diagnose(run, run.path("my-gxx") + " -B/nonexistent" + shared);
  BOOST_TEST(kernix::error_name(found.code) == "tool_not_found");
  BOOST_TEST(found.reason.find("cc1plus") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(compilers_without_their_assembler_or_linker, *needs_gxx) {
  damaged_run run;
  run.variables = "PATH=/nonexistent";
  kernix::diagnosis found = diagnose(run, std::string("/usr/bin/g++") + shared);
  BOOST_TEST(kernix::error_name(found.code) == "tool_not_found");
  BOOST_TEST(found.reason.find("'as'") != std::string::npos);
  if (std::filesystem::exists("/usr/bin/clang++-19"))
    expect(run, std::string("/usr/bin/clang++-19") + shared, kernix::errc::tool_not_found);
}

BOOST_AUTO_TEST_CASE(wrappers_without_a_compiler) {
  damaged_run run;
  run.tree().script("wrapper", "exec /no/such/g++ \"$@\"");
  expect(run, run.path("wrapper") + shared, kernix::errc::tool_not_found);
  run.tree().script("wrapper", "exec /etc/passwd \"$@\"");
  expect(run, run.path("wrapper") + shared, kernix::errc::not_executable);
}

BOOST_AUTO_TEST_CASE(clang_without_a_place_for_temporary_files, *needs_clang19) {
  damaged_run run;
  run.variables = "TMPDIR=/nonexistent";
  expect(run, std::string("clang++-19") + shared, kernix::errc::disk_full);
}

BOOST_AUTO_TEST_CASE(gcc_files_are_limited, *needs_gxx) {
  damaged_run run;
  run.first = "ulimit -f 1;";
  expect(run, std::string("g++") + shared, kernix::errc::disk_full);
  run.first = "trap '' XFSZ; ulimit -f 1;";
  expect(run, std::string("g++") + shared, kernix::errc::disk_full);
}

BOOST_AUTO_TEST_CASE(gcc_descriptors_are_limited, *needs_gxx) {
  damaged_run run;
  run.first = "ulimit -n 5;";
  run.tree().file("k.cpp", "#include <algorithm>\n#include <execution>\n");
  expect(run, std::string("g++ -std=c++17") + object, kernix::errc::spawn_failed);
}

BOOST_AUTO_TEST_CASE(clang_fatal_errors_of_the_source, *needs_clang19) {
  damaged_run run;
  run.tree().file("k.cpp", "#error error writing to x: No space left on device\n");
  kernix::process_result result = run(std::string("clang++-19 -Wfatal-errors") + object);
  kernix::command_step step{.name = "compile", .program = "/usr/bin/clang++-19", .arguments = {"-Wfatal-errors"}};
  BOOST_TEST(kernix::error_name(kernix::detail::classify_cxx(step, result).code) == "compile_failed");
}

BOOST_AUTO_TEST_CASE(warnings_of_a_success_are_messages, *needs_gxx) {
  damaged_run run;
  run.tree().file("k.cpp", "int f() { int unused; return 1; }\n");
  kernix::diagnosis found = diagnose(run, std::string("g++ -Wall") + shared);
  BOOST_TEST(!found.code);
  BOOST_TEST_REQUIRE(found.messages.size() == 1u);
  BOOST_TEST(found.messages[0].file == "k.cpp");
  BOOST_TEST(found.messages[0].line == 1);
}

BOOST_AUTO_TEST_SUITE_END()
