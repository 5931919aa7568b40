// SPDX-License-Identifier: Apache-2.0
// The real nvcc with real damage: each error class is provoked, not quoted.
#include <boost/test/unit_test.hpp>

#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include <kernix/backend/detail/classify_nvcc.hpp>

#include "support/needs_program.hpp"
#include "support/real_output.hpp"

namespace {

using kernix::test::damaged_run;
using kernix::test::dies_of;
using kernix::test::needs_program;

const needs_program the_nvcc("nvcc", "/usr/local/cuda/bin");

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_classify_nvcc_real, *boost::unit_test::precondition(the_nvcc))

namespace {

constexpr const char* shared = " -shared -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 k.cu -o k.so";
constexpr const char* cubin = " -cubin -arch=sm_90 k.cu -o k.cubin";

/// The toolkit's root. The nvcc on PATH may be a script that runs the real one.
std::filesystem::path toolkit() {
  for (std::filesystem::path candidate :
       {std::filesystem::path("/usr/local/cuda/bin/nvcc"), std::filesystem::path(the_nvcc.path())}) {
    std::error_code error;
    candidate = std::filesystem::canonical(candidate, error);
    if (!error && std::filesystem::exists(candidate.parent_path() / "nvcc.profile"))
      return candidate.parent_path().parent_path();
  }
  return {};
}

std::string real_nvcc() { return (toolkit() / "bin/nvcc").string(); }

/// A toolkit of links to the real one; nvcc and its profile are copies, so that it finds its tools here.
std::string linked_toolkit(const damaged_run& run) {
  namespace fs = std::filesystem;
  fs::path root = run.tree() / "toolkit";
  auto link_all = [](const fs::path& from, const fs::path& to) {
    fs::create_directories(to);
    for (const auto& each : fs::directory_iterator(from)) fs::create_symlink(each.path(), to / each.path().filename());
  };
  link_all(toolkit(), root);
  for (const char* part : {"bin", "nvvm"}) {
    fs::remove(root / part);
    link_all(toolkit() / part, root / part);
  }
  fs::remove(root / "nvvm/bin");
  link_all(toolkit() / "nvvm/bin", root / "nvvm/bin");
  for (const char* part : {"bin/nvcc", "bin/nvcc.profile"}) {
    fs::remove(root / part);
    fs::copy_file(toolkit() / part, root / part);
  }
  return (root / "bin/nvcc").string();
}

kernix::diagnosis diagnose(const damaged_run& run, const std::string& command) {
  kernix::process_result result = run(command);
  std::string program = command.substr(0, command.find(' '));
  kernix::diagnosis found =
      kernix::detail::classify_nvcc({.name = "compile", .program = program, .arguments = {}}, result);
  BOOST_TEST_MESSAGE(command << "\n" << result.err.head << found.reason);
  return found;
}

void expect(const damaged_run& run, const std::string& command, kernix::errc expected, const std::string& named = "") {
  kernix::diagnosis found = diagnose(run, command);
  BOOST_TEST(kernix::error_name(found.code) == kernix::name(expected),
             command << ": " << found.code.message() << ": " << found.reason);
  BOOST_TEST(found.reason.find(named) != std::string::npos, found.reason << " should name " << named);
}

}  // namespace

BOOST_AUTO_TEST_CASE(architectures) {
  damaged_run run;
  for (const char* arch : {"sm_70", "compute_120q", "gfx90a", "sm_", "sm_90,sm_80,sm_1"}) {
    expect(run, real_nvcc() + " -cubin k.cu -arch=" + arch, kernix::errc::unsupported_arch);
  }
  expect(run, real_nvcc() + " -shared k.cu -gencode arch=compute_90,code=sm_80", kernix::errc::unsupported_arch,
         "sm_80");
}

BOOST_AUTO_TEST_CASE(instructions_that_the_architecture_lacks) {
  damaged_run run;
  run.tree().file("k.cu", "__global__ void k() { asm volatile(\"wgmma.fence.sync.aligned;\"); }\n");
  expect(run, real_nvcc() + cubin, kernix::errc::unsupported_arch, "wgmma.fence");
  BOOST_TEST(!diagnose(run, real_nvcc() + " -cubin -arch=sm_90a k.cu -o k.cubin").code);
}

BOOST_AUTO_TEST_CASE(ptx_that_does_not_fit) {
  damaged_run run;
  std::string begin = ".version 8.0\n.target ", end = "\n.address_size 64\n.visible .entry k() { ret; }\n";
  std::string ptxas = (toolkit() / "bin/ptxas").string();
  run.tree().file("k.ptx", begin + "sm_999" + end);
  expect(run, ptxas + " -arch=sm_90 k.ptx -o k.cubin", kernix::errc::unsupported_arch, "sm_999");
  run.tree().file("k.ptx", begin + "sm_90a" + end);
  expect(run, ptxas + " -arch=sm_100 k.ptx -o k.cubin", kernix::errc::unsupported_arch, "sm_90a");
  expect(run, ptxas + " -arch=sm_80 k.ptx -o k.cubin", kernix::errc::unsupported_arch);
  expect(run, ptxas + " -arch=sm_999 k.ptx -o k.cubin", kernix::errc::unsupported_arch, "sm_999");
  run.tree().file("k.ptx", ".version 99.9\n.target sm_90" + end);
  expect(run, ptxas + " -arch=sm_90 k.ptx -o k.cubin", kernix::errc::unsupported_arch, "99.9");
  run.tree().file("k.ptx", begin + "sm_90\n.address_size 64\n.visible .entry k() { nosuch; }\n");
  expect(run, ptxas + " -arch=sm_90 k.ptx -o k.cubin", kernix::errc::compile_failed, "nosuch");
}

BOOST_AUTO_TEST_CASE(another_architecture_than_asked_for) {
  damaged_run run;
  kernix::process_result result = run(real_nvcc() + " -ptx -arch=native k.cu -o k.ptx");
  if (result.err.head.find("native") == std::string::npos) {
    BOOST_TEST_MESSAGE("there is a GPU here: left out");
    return;
  }
  BOOST_TEST(result.succeeded());
  kernix::diagnosis found =
      kernix::detail::classify_nvcc({.name = "compile", .program = real_nvcc(), .arguments = {}}, result);
  BOOST_TEST(kernix::error_name(found.code) == "unsupported_arch");
}

BOOST_AUTO_TEST_CASE(options) {
  damaged_run run;
  for (const char* option : {"-std=c++99", "-Wl,-rpath,/x", "-Xcompiler --no-such", "-Xptxas --no-such",
                             "-Xlinker --no-such", "-x foo", "-DX='\"'", "k.cu -c"}) {
    expect(run, real_nvcc() + ' ' + option + shared, kernix::errc::invalid_option);
  }
  expect(
      run,
      real_nvcc() + " -cubin -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 k.cu -o k.cubin",
      kernix::errc::invalid_option, "--cubin");
}

BOOST_AUTO_TEST_CASE(host_compilers_of_unsupported_versions) {
  damaged_run run;
  run.tree().script("host/g++", "exec /usr/bin/g++ -U__GNUC__ -D__GNUC__=99 \"$@\"");
  expect(run, real_nvcc() + " -ccbin host/g++" + cubin, kernix::errc::host_compiler_incompatible,
         "gcc versions later than");
  if (std::filesystem::exists("/usr/bin/clang++-14")) {
    run.tree().script("host/clang++", "exec /usr/bin/clang++-14 -U__clang_major__ -D__clang_major__=99 \"$@\"");
    expect(run, real_nvcc() + " -ccbin host/clang++" + cubin, kernix::errc::host_compiler_incompatible,
           "clang version");
  }
}

BOOST_AUTO_TEST_CASE(host_compilers_that_are_something_else) {
  damaged_run run;
  run.tree().script("other/gcc", "echo \"error: unknown flag \\`E'\" >&2; exit 1");
  expect(run, real_nvcc() + " -ccbin other" + cubin, kernix::errc::host_compiler_incompatible);
  run.tree().script("mute/g++", "exit 1");
  expect(run, real_nvcc() + " -ccbin mute/g++" + cubin, kernix::errc::host_compiler_incompatible);
}

BOOST_AUTO_TEST_CASE(host_compilers_that_are_missing) {
  damaged_run run;
  expect(run, real_nvcc() + " -ccbin /no/such/g++" + cubin, kernix::errc::tool_not_found, "/no/such/g++");
  expect(run, real_nvcc() + " -ccbin tmp" + cubin, kernix::errc::tool_not_found, "gcc");  // a directory without one
  expect(run, real_nvcc() + " -ccbin 'ccache g++'" + cubin, kernix::errc::tool_not_found, "ccache g++");
  expect(run, real_nvcc() + " -ccbin /etc/passwd" + cubin, kernix::errc::not_executable, "/etc/passwd");
  run.variables = "PATH=/nonexistent";
  expect(run, real_nvcc() + cubin, kernix::errc::tool_not_found, "gcc");
}

BOOST_AUTO_TEST_CASE(host_compilers_without_cc1plus) {
  damaged_run run;
  std::filesystem::copy_file(std::filesystem::canonical("/usr/bin/g++"), run.tree() / "g++");
  run.variables = "GCC_EXEC_PREFIX=/nonexistent/";
  expect(run, real_nvcc() + " -ccbin ./g++" + cubin, kernix::errc::tool_not_found, "cc1plus");
}

BOOST_AUTO_TEST_CASE(host_compilers_whose_cc1plus_is_killed) {
  damaged_run run;
  run.tree().script("bin/cc1plus", dies_of(9));
  expect(run, real_nvcc() + " -Xcompiler -B" + run.path("bin") + cubin, kernix::errc::out_of_memory);
  run.tree().script("bin/cc1plus", dies_of(11));
  expect(run, real_nvcc() + " -Xcompiler -B" + run.path("bin") + cubin, kernix::errc::compiler_crashed);
}

BOOST_AUTO_TEST_CASE(parts_of_the_toolkit_are_missing_killed_or_crash) {
  damaged_run run;
  std::string nvcc = linked_toolkit(run);
  run.variables = "PATH=/usr/bin:/bin";  // an installation may have put links to the tools into /usr/local/bin
  BOOST_TEST(!diagnose(run, nvcc + shared).code);
  std::string parallel = nvcc +
                         " -t2 -shared -Xcompiler -fPIC -gencode arch=compute_80,code=sm_80 -gencode "
                         "arch=compute_90,code=sm_90 k.cu -o k.so";
  for (const char* part : {"bin/ptxas", "bin/cudafe++", "bin/fatbinary", "nvvm/bin/cicc"}) {
    std::string tool = std::filesystem::path(part).filename().string();
    std::string place = "toolkit/" + std::string(part);
    std::filesystem::path real = std::filesystem::read_symlink(run.tree() / place);
    std::filesystem::remove(run.tree() / place);
    expect(run, nvcc + shared, kernix::errc::tool_not_found, tool);
    run.tree().script(place, dies_of(9));
    expect(run, nvcc + shared, kernix::errc::out_of_memory);
    if (tool == "ptxas") expect(run, parallel, kernix::errc::out_of_memory);  // nvcc's exit code is another with -t
    std::filesystem::remove(run.tree() / place);
    run.tree().script(place, dies_of(11));
    expect(run, nvcc + shared, kernix::errc::compiler_crashed);
    if (tool == "ptxas") expect(run, parallel, kernix::errc::compiler_crashed);
    std::filesystem::remove(run.tree() / place);
    run.tree().file(place, "nothing to execute\n");
    expect(run, nvcc + shared, kernix::errc::not_executable, tool);
    run.tree().link(place, real);
  }
}

BOOST_AUTO_TEST_CASE(nvcc_through_a_link_in_another_directory) {
  damaged_run run;
  run.tree().link("elsewhere/nvcc", real_nvcc());
  expect(run, "elsewhere/nvcc" + std::string(cubin), kernix::errc::tool_not_found);
}

BOOST_AUTO_TEST_CASE(memory_is_limited) {
  damaged_run run;
  run.first = "ulimit -v 30000;";
  expect(run, real_nvcc() + cubin, kernix::errc::out_of_memory);
  run.first = "ulimit -v 120000;";
  expect(run, real_nvcc() + shared, kernix::errc::out_of_memory);
}

BOOST_AUTO_TEST_CASE(files_cannot_be_written) {
  damaged_run run;
  expect(run, real_nvcc() + " -shared -Xcompiler -fPIC -arch=sm_90 k.cu -o /dev/full", kernix::errc::disk_full);
  run.variables = "TMPDIR=/nonexistent";
  expect(run, real_nvcc() + cubin, kernix::errc::disk_full, "/nonexistent");
  run.variables.clear();
  std::string small = run.path("tmp");
  if (::geteuid() != 0 || ::mount("none", small.c_str(), "tmpfs", 0, "size=64k") != 0) {
    BOOST_TEST_MESSAGE("a file system can't be mounted here: left out");
    return;
  }
  expect(run, real_nvcc() + cubin, kernix::errc::disk_full);
  ::mount("none", small.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, "size=64k");
  expect(run, real_nvcc() + cubin, kernix::errc::disk_full);
  ::umount(small.c_str());
}

BOOST_AUTO_TEST_CASE(stdin_is_closed) {
  damaged_run run;
  run.redirections = "<&-";
  expect(run, real_nvcc() + cubin, kernix::errc::spawn_failed, "Bad file descriptor");
}

BOOST_AUTO_TEST_CASE(linking) {
  damaged_run run;
  expect(run, real_nvcc() + " -lno_such_library" + shared, kernix::errc::link_failed, "no_such_library");
  run.tree().file("k.cu", "__device__ void missing(); __global__ void k() { missing(); }\n");
  expect(run, real_nvcc() + shared, kernix::errc::link_failed, "missing");
  run.tree().file("k.cu", "void missing(); void k() { missing(); }\n");
  expect(run, real_nvcc() + " -Xlinker -z -Xlinker defs" + shared, kernix::errc::link_failed, "missing");
}

BOOST_AUTO_TEST_CASE(sources_in_words_of_other_classes) {
  damaged_run run;
  run.tree().file("k.cu",
                  "__global__ void k() { static_assert(sizeof(int) == 5, \"first\\nnvcc fatal   : Unsupported gpu "
                  "architecture 'sm_1'\\nKilled\"); }\n");
  expect(run, real_nvcc() + cubin, kernix::errc::compile_failed, "k.cu:1");
  run.tree().file("k.cu", "#error gcc versions later than 9 are not supported\n");
  expect(run, real_nvcc() + cubin, kernix::errc::compile_failed);
  run.tree().file("k.cu", "__global__ void k() { asm volatile(\"nvcc.fatal %0;\" :: \"r\"(1)); }\n");
  expect(run, real_nvcc() + cubin, kernix::errc::compile_failed);
  run.tree().file("k.cu", "__global__ void k() {\nnvcc fatal   : Unsupported gpu architecture 'sm_1'\n}\n");
  expect(run, real_nvcc() + cubin, kernix::errc::compile_failed, "k.cu:2");
}

BOOST_AUTO_TEST_CASE(a_deleted_working_directory_is_noise) {
  damaged_run run;
  run.first = "mkdir gone; cd gone; rmdir ../gone;";
  std::string command = real_nvcc() + " -cubin -arch=sm_90 " + run.path("k.cu") + " -o " + run.path("k.cubin");
  BOOST_TEST(run(command).err.head.find("getcwd() failed: No such file or directory") != std::string::npos);
  BOOST_TEST(!diagnose(run, command).code);
  run.tree().file("k.cu", "int f() { return undeclared; }\n");
  expect(run, command, kernix::errc::compile_failed, "undeclared");
}

BOOST_AUTO_TEST_SUITE_END()
