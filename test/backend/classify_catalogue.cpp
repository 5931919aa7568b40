// SPDX-License-Identifier: Apache-2.0
// Every message that is known, in every dress that a terminal, a locale or a limit on output gives it.
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

#include <kernix/backend/detail/classify_cxx.hpp>
#include <kernix/backend/detail/classify_nvcc.hpp>

#include "support/message_catalogue.hpp"

BOOST_AUTO_TEST_SUITE(backend_classify_catalogue)

namespace {

using kernix::test::tool_chain;

kernix::process_result failed(std::string_view output, int exit_code = 1) {
  kernix::process_result result{.how = kernix::process_result::ending::exited, .exit_code = exit_code};
  result.err.head = output;
  return result;
}

kernix::diagnosis diagnose(bool with_nvcc, const kernix::process_result& result) {
  kernix::command_step step{
      .name = "compile", .program = with_nvcc ? "/opt/cuda/bin/nvcc" : "/usr/bin/g++", .arguments = {}};
  return with_nvcc ? kernix::detail::classify_nvcc(step, result) : kernix::detail::classify_cxx(step, result);
}

template <class Dress>
void check_all(Dress dress) {
  for (const kernix::test::catalogue_entry& each : kernix::test::message_catalogue) {
    for (bool with_nvcc : {false, true}) {
      if (each.from == (with_nvcc ? tool_chain::cxx : tool_chain::nvcc)) continue;
      BOOST_TEST_CONTEXT(each.output << (with_nvcc ? " (nvcc)" : " (cxx)")) {
        kernix::diagnosis found = diagnose(with_nvcc, dress(std::string(each.output)));
        BOOST_TEST(kernix::error_name(found.code) == kernix::name(each.expected));
        BOOST_TEST(!found.reason.empty());
        BOOST_TEST((each.expected == kernix::errc::compile_failed || !found.advice.empty()));
      }
    }
  }
}

std::string replace_all(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(as_it_stands) {
  check_all([](std::string text) { return failed(text); });
}

BOOST_AUTO_TEST_CASE(with_a_line_feed_at_its_end) {
  check_all([](std::string text) { return failed(text + '\n'); });
}

BOOST_AUTO_TEST_CASE(with_typographic_quotes) {
  check_all([](std::string text) {
    std::string quoted;
    bool open = false;
    for (char c : text) {
      if (c == '\'') {
        quoted += open ? "\xe2\x80\x99" : "\xe2\x80\x98";
        open = !open;
      } else {
        quoted += c;
      }
    }
    return failed(quoted);
  });
}

BOOST_AUTO_TEST_CASE(with_windows_line_ends) {
  check_all([](std::string text) { return failed(replace_all(text, "\n", "\r\n") + "\r\n"); });
}

BOOST_AUTO_TEST_CASE(in_colour_and_with_links) {
  check_all([](std::string text) {
    text = replace_all(text, "error:", "\x1b[01;31m\x1b[Kerror:\x1b[m\x1b[K");
    text = replace_all(text, "\n", "\x1b[m\n\x1b]8;;http://example.org/x\x1b\\");
    return failed("\x1b[01m\x1b[K\x1b]8;;file:///x\a" + text + "\x1b]8;;\a\x1b[m");
  });
}

BOOST_AUTO_TEST_CASE(after_bytes_that_are_no_text) {
  check_all([](std::string text) {
    constexpr char noise[] = "k.cpp:1:2: warning: caf\xe9 \xff\xfe\0 \xf0\x9f\n    1 | // \xe9\xff\0\n      | ^\n";
    return failed(std::string(noise, sizeof noise - 1) + text);
  });
}

BOOST_AUTO_TEST_CASE(in_the_tail_of_a_long_output) {
  check_all([](std::string text) {
    kernix::process_result result = failed("k.cpp:1:2: warning: unused\n    1 | int x;\n      | ^\nk.cpp:2:2: war");
    result.err.dropped = 123456;
    result.err.tail = "int y;\nk.cpp:9:9: warning: unused\n    9 | int y;\n      | ^\n" + text + '\n';
    return result;
  });
}

BOOST_AUTO_TEST_CASE(in_the_head_of_a_long_output) {
  check_all([](std::string text) {
    kernix::process_result result = failed(text + "\nIn file incl");
    result.err.dropped = 123456;
    result.err.tail = "x\n";
    return result;
  });
}

BOOST_AUTO_TEST_CASE(on_stdout_where_stderr_is_empty) {
  check_all([](std::string text) {
    kernix::process_result result = failed("");
    result.out.head = text;
    return result;
  });
}

BOOST_AUTO_TEST_CASE(a_success_is_a_success_whatever_was_written) {
  for (const kernix::test::catalogue_entry& each : kernix::test::message_catalogue) {
    for (bool with_nvcc : {false, true}) {
      kernix::diagnosis found = diagnose(with_nvcc, failed(each.output, 0));
      BOOST_TEST(!found.code, each.output << ": " << found.code.message());
      BOOST_TEST(found.reason.empty());
      BOOST_TEST(found.advice.empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_success_for_another_architecture_is_none) {
  std::string_view said = "nvcc warning : Cannot find valid GPU for '-arch=native', default arch is used\n";
  kernix::diagnosis found = diagnose(true, failed(said, 0));
  BOOST_TEST(kernix::error_name(found.code) == "unsupported_arch");
  BOOST_TEST(found.reason.find("-arch=native") != std::string::npos);
  // the same words in the source
  kernix::process_result quoted =
      failed("k.cu:1:2: warning: #warning x\n" + std::string(said) + "    1 | #warning x\n      | ^\n", 0);
  BOOST_TEST(!diagnose(true, quoted).code);
  kernix::process_result echoed = failed("k.cu(1): warning #177-D: unused\n  " + std::string(said) + "  ^\n", 0);
  BOOST_TEST(!diagnose(true, echoed).code);
}

BOOST_AUTO_TEST_CASE(the_tail_of_a_line_that_was_cut_says_nothing) {
  kernix::process_result result = failed("k.cu(1): error: #error directive: this is about ");
  result.err.dropped = 10;
  result.err.tail = "nvcc fatal   : Unsupported gpu architecture 'sm_1'\n  #error x\n  ^\n\n";
  BOOST_TEST(kernix::error_name(diagnose(true, result).code) == "compile_failed");
  result.err.head = "k.cu(1): warning: the name of a long symbol is ";
  result.err.tail =
      "nvcc fatal   : Unsupported gpu architecture 'sm_1'\n/usr/bin/ld: cannot find -lx: No such file or directory\n";
  BOOST_TEST(kernix::error_name(diagnose(true, result).code) == "link_failed");
}

BOOST_AUTO_TEST_CASE(a_message_whose_end_was_dropped_is_still_a_message) {
  kernix::process_result result = failed(
      "k.cu(1): error: static assertion failed with \"first\nnvcc fatal   : Unsupported gpu architecture 'sm_1'");
  result.err.dropped = 10;
  result.err.tail = "x\n1 error detected in the compilation of \"k.cu\".\n";
  BOOST_TEST(kernix::error_name(diagnose(true, result).code) == "compile_failed");
}

BOOST_AUTO_TEST_CASE(a_message_whose_start_was_dropped_is_still_a_message) {
  kernix::process_result result = failed("k.cu(1): error: static assertion failed with \"first\n");
  result.err.dropped = 10;
  result.err.tail =
      "x\nnvcc fatal   : Unsupported gpu architecture 'sm_1'\nlast\"\n  static_assert(false, x);\n  ^\n\n";
  BOOST_TEST(kernix::error_name(diagnose(true, result).code) == "compile_failed");
}

BOOST_AUTO_TEST_CASE(the_strongest_reading_of_several_lines_wins) {
  std::string_view disk = "/usr/bin/ld: final link failed: No space left on device\n";
  std::string_view memory = "g++: fatal error: Killed signal terminated program cc1plus\n";
  std::string_view crash = "g++: internal compiler error: Segmentation fault signal terminated program cc1plus\n";
  std::string_view arch = "nvcc fatal   : Unsupported gpu architecture 'sm_1'\n";
  std::string_view host = "nvcc fatal   : Host compiler targets unsupported OS.\n";
  std::string_view missing = "sh: 1: ptxas: not found\n";
  std::string_view option = "nvcc fatal   : Unknown option '-x'\n";
  std::string_view link = "/usr/bin/ld: cannot find -lx: No such file or directory\n";
  std::string_view source = "k.cu(1): error: expected a \";\"\n  x\n  ^\n";
  std::string all;
  for (auto [text, expected] :
       {std::pair{source, kernix::errc::compile_failed}, std::pair{link, kernix::errc::link_failed},
        std::pair{option, kernix::errc::invalid_option}, std::pair{missing, kernix::errc::tool_not_found},
        std::pair{host, kernix::errc::host_compiler_incompatible}, std::pair{arch, kernix::errc::unsupported_arch},
        std::pair{crash, kernix::errc::compiler_crashed}, std::pair{memory, kernix::errc::out_of_memory},
        std::pair{disk, kernix::errc::disk_full}}) {
    all += text;
    BOOST_TEST(kernix::error_name(diagnose(true, failed(all)).code) == kernix::name(expected));
  }
}

BOOST_AUTO_TEST_SUITE_END()
