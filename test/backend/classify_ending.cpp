// SPDX-License-Identifier: Apache-2.0
// What kernix knows before it reads a line of the compiler's.
#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <chrono>
#include <string>

#include <boost/system/error_code.hpp>

#include <kernix/backend/detail/classify_cxx.hpp>
#include <kernix/backend/detail/classify_nvcc.hpp>

BOOST_AUTO_TEST_SUITE(backend_classify_ending)

namespace {

using namespace std::chrono_literals;
using ending = kernix::process_result::ending;

constexpr std::string_view last_words =
    "g++: fatal error: Killed signal terminated program cc1plus\n/usr/bin/ld: final link failed: No space left on "
    "device\n";

kernix::diagnosis diagnose(const kernix::process_result& result) {
  return kernix::detail::classify_cxx({.name = "compile", .program = "/usr/bin/g++", .arguments = {}}, result);
}

kernix::diagnosis diagnose_nvcc(const kernix::process_result& result) {
  return kernix::detail::classify_nvcc({.name = "compile", .program = "/opt/cuda/bin/nvcc", .arguments = {}}, result);
}

std::string class_of(const kernix::diagnosis& found) { return std::string(kernix::error_name(found.code)); }

}  // namespace

BOOST_AUTO_TEST_CASE(kernix_own_reason_stands_before_the_compilers_dying_words) {
  kernix::process_result result{.how = ending::timed_out, .signal = 9, .ran = 5003ms};
  result.err.head = last_words;
  kernix::diagnosis found = diagnose(result);
  BOOST_TEST(class_of(found) == "timed_out");
  BOOST_TEST(found.reason == "timed out after 5 s");
  BOOST_TEST(!found.advice.empty());
  BOOST_TEST(found.messages.size() == 2u);  // and those are kept
  result.how = ending::cancelled;
  found = diagnose(result);
  BOOST_TEST(class_of(found) == "cancelled");
  BOOST_TEST(found.reason == "cancelled");
  BOOST_TEST(found.messages.size() == 2u);
}

BOOST_AUTO_TEST_CASE(limits_are_told_as_a_person_gave_them) {
  BOOST_TEST(kernix::detail::seconds_text(5003ms) == "5 s");
  BOOST_TEST(kernix::detail::seconds_text(600'004ms) == "600 s");
  BOOST_TEST(kernix::detail::seconds_text(1502ms) == "1.5 s");
  BOOST_TEST(kernix::detail::seconds_text(252ms) == "0.25 s");
  BOOST_TEST(kernix::detail::seconds_text(0ms) == "0 s");
}

BOOST_AUTO_TEST_CASE(each_error_of_starting_a_process_has_its_class) {
  for (auto [error, expected] :
       {std::pair{ENOENT, "tool_not_found"}, std::pair{ENOTDIR, "tool_not_found"}, std::pair{ELOOP, "tool_not_found"},
        std::pair{EACCES, "not_executable"}, std::pair{ENOEXEC, "not_executable"}, std::pair{EPERM, "not_executable"},
        std::pair{E2BIG, "command_line_too_long"}, std::pair{EAGAIN, "spawn_failed"}, std::pair{ENOMEM, "spawn_failed"},
        std::pair{EMFILE, "spawn_failed"}, std::pair{ENFILE, "spawn_failed"}, std::pair{ETXTBSY, "spawn_failed"},
        std::pair{ENOSPC, "disk_full"}}) {
    kernix::process_result result{.how = ending::not_started};
    result.spawn_error = {error, boost::system::system_category()};
    kernix::diagnosis found = diagnose(result);
    BOOST_TEST(class_of(found) == expected);
    BOOST_TEST(found.reason.find("/usr/bin/g++") != std::string::npos);
    BOOST_TEST(!found.advice.empty());
    result.spawn_message = "the program /opt/x needs the interpreter /no/sh";
    BOOST_TEST(diagnose(result).reason.find("/no/sh") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(an_absent_working_directory_is_no_absent_compiler) {
  kernix::process_result result{.how = ending::not_started};
  result.spawn_error = {ENOENT, boost::system::system_category()};
  result.spawn_message = "the working directory /tmp/gone can't be entered: No such file or directory";
  BOOST_TEST(class_of(diagnose(result)) == "spawn_failed");
}

BOOST_AUTO_TEST_CASE(a_lost_status_is_told) {
  BOOST_TEST(class_of(diagnose({.how = ending::status_lost})) == "status_lost");
}

BOOST_AUTO_TEST_CASE(signals_from_others) {
  for (auto [signal, expected] :
       {std::pair{9, "out_of_memory"}, std::pair{11, "compiler_crashed"}, std::pair{6, "compiler_crashed"},
        std::pair{7, "compiler_crashed"}, std::pair{4, "compiler_crashed"}, std::pair{15, "compiler_crashed"},
        std::pair{25, "disk_full"}}) {
    kernix::process_result result{.how = ending::signalled, .signal = signal};
    kernix::diagnosis found = diagnose(result);
    BOOST_TEST(class_of(found) == expected);
    BOOST_TEST(found.reason.find("signal " + std::to_string(signal)) != std::string::npos);
    result.err.head = "k.cpp:1:2: error: no\n";  // the source is not to blame for a signal
    BOOST_TEST(class_of(diagnose(result)) == expected);
  }
  kernix::process_result aborted{.how = ending::signalled, .signal = 6};
  aborted.err.head = "LLVM ERROR: out of memory\nAllocation failed\n";
  BOOST_TEST(class_of(diagnose(aborted)) == "out_of_memory");
}

BOOST_AUTO_TEST_CASE(exit_codes_that_stand_for_signals) {
  auto exited = [](int code, std::string_view said) {
    kernix::process_result result{.how = ending::exited, .exit_code = code};
    result.err.head = said;
    return result;
  };
  BOOST_TEST(class_of(diagnose_nvcc(exited(137, "Killed\n"))) == "out_of_memory");
  BOOST_TEST(class_of(diagnose_nvcc(exited(139, "Segmentation fault\n"))) == "compiler_crashed");
  BOOST_TEST(class_of(diagnose_nvcc(exited(134, "Aborted\n"))) == "compiler_crashed");
  BOOST_TEST(class_of(diagnose_nvcc(exited(137, ""))) == "out_of_memory");
  BOOST_TEST(class_of(diagnose_nvcc(exited(255, "Killed\nKilled\n"))) == "out_of_memory");  // with -t
  BOOST_TEST(class_of(diagnose_nvcc(exited(127, "sh: 1: ptxas: not found\n"))) == "tool_not_found");
  BOOST_TEST(class_of(diagnose_nvcc(exited(127, ""))) == "command_line_too_long");
  BOOST_TEST(class_of(diagnose(exited(127, ""))) == "tool_not_found");
  BOOST_TEST(class_of(diagnose(exited(127, "/tmp/wrapper: 2: exec: /no/g++: not found\n"))) == "tool_not_found");
  BOOST_TEST(class_of(diagnose(exited(126, "/tmp/wrapper: 2: exec: /etc/passwd: Permission denied\n"))) ==
             "not_executable");
}

BOOST_AUTO_TEST_CASE(a_silent_failure_says_so) {
  kernix::diagnosis found = diagnose({.how = ending::exited, .exit_code = 1});
  BOOST_TEST(class_of(found) == "compile_failed");
  BOOST_TEST(found.reason == "g++ ended with exit status 1 and said nothing");
}

BOOST_AUTO_TEST_CASE(the_reason_names_the_first_relevant_line) {
  kernix::process_result result{.how = ending::exited, .exit_code = 1};
  result.err.head =
      "k.cpp: In function 'int f()':\nk.cpp:1:1: warning: w\n    1 | x\n      | ^\nk.cpp:2:10: error: "
      "\xe2\x80\x98x\xe2\x80\x99 was not declared in this scope\n    2 | x\n      | ^\n";
  BOOST_TEST(diagnose(result).reason ==
             "the compiler rejected the source: k.cpp:2:10: 'x' was not declared in this scope");
  result.err.head =
      "/usr/bin/ld: /tmp/x.o: in function `k':\nk.cpp:(.text+0x14): undefined reference to `missing'\ncollect2: error: "
      "ld returned 1 exit status\n";
  kernix::diagnosis found = diagnose(result);
  BOOST_TEST(found.reason == "the linker failed: k.cpp:(.text+0x14): undefined reference to 'missing'");
  BOOST_TEST(found.advice.at(0).find("link_flags") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(advice_names_what_to_change) {
  kernix::process_result result{.how = ending::exited, .exit_code = 1};
  result.err.head =
      "/opt/cuda/include/crt/host_config.h:138:2: error: #error -- unsupported GNU version! gcc versions later than 13 "
      "are not supported!\n";
  kernix::diagnosis found = diagnose_nvcc(result);
  BOOST_TEST(found.advice.at(0).find("KERNIX_CUDA_HOST_CXX") != std::string::npos);
  BOOST_TEST(found.advice.at(0).find("13") != std::string::npos);
  BOOST_TEST(found.advice.at(1).find("KERNIX_ALLOW_UNSUPPORTED_COMPILER=1") != std::string::npos);
  result.err.head = "nvcc fatal   : Unsupported gpu architecture 'compute_999'\n";
  BOOST_TEST(diagnose_nvcc(result).advice.at(0).find("KERNIX_CUDA_ARCHITECTURES") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(success_keeps_its_warnings) {
  kernix::process_result result{.how = ending::exited, .exit_code = 0};
  result.err.head = "k.cpp:1:1: warning: unused\n    1 | x\n      | ^\n";
  kernix::diagnosis found = diagnose(result);
  BOOST_TEST(!found.code);
  BOOST_TEST(found.reason.empty());
  BOOST_TEST_REQUIRE(found.messages.size() == 1u);
  BOOST_TEST(found.messages[0].text == "unused");
}

BOOST_AUTO_TEST_CASE(the_conditions_follow_the_class) {
  kernix::process_result result{.how = ending::exited, .exit_code = 1};
  result.err.head = last_words;
  BOOST_TEST((diagnose(result).code == kernix::failure::environment));
  BOOST_TEST((diagnose(result).code == kernix::failure::transient));
}

BOOST_AUTO_TEST_SUITE_END()
