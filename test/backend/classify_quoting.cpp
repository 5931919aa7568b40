// SPDX-License-Identifier: Apache-2.0
// Sources that quote what tools say. test/corpus/quoting holds real outputs of g++, clang++ 14 and 19 and nvcc, for every
// way to bring a text of one's own into a diagnostic; each line of the catalogue stands once in each of them.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <kernix/backend/detail/classify_cxx.hpp>
#include <kernix/backend/detail/classify_nvcc.hpp>

#include "support/message_catalogue.hpp"

BOOST_AUTO_TEST_SUITE(backend_classify_quoting)

namespace {

constexpr std::string_view placeholder = "QUOTED_SENTENCE";

std::string filled(std::string text, std::string_view sentence) {
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos; at += sentence.size()) {
    text.replace(at, placeholder.size(), sentence);
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_a_source_quotes_never_changes_the_class) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(KERNIX_TEST_SOURCE_DIR) + "/corpus/quoting")) {
    std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".txt") continue;
    ++files;
    std::ifstream stream(entry.path(), std::ios::binary);
    std::string output{std::istreambuf_iterator<char>(stream), {}};
    BOOST_REQUIRE(!output.empty());
    bool is_link = name.find("-symbol") != std::string::npos;
    bool with_nvcc = name.starts_with("nvcc-");
    kernix::command_step step{
        .name = "compile", .program = with_nvcc ? "/opt/cuda/bin/nvcc" : "/usr/bin/g++", .arguments = {}};
    for (const kernix::test::catalogue_entry& each : kernix::test::message_catalogue) {
      std::string_view rest = each.output;
      while (!rest.empty()) {
        std::string_view sentence = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), sentence.size() + 1));
        if (sentence.empty()) continue;
        kernix::process_result result{.how = kernix::process_result::ending::exited, .exit_code = 1};
        result.err.head = filled(output, sentence);
        kernix::diagnosis found =
            with_nvcc ? kernix::detail::classify_nvcc(step, result) : kernix::detail::classify_cxx(step, result);
        BOOST_TEST(kernix::error_name(found.code) == (is_link ? "link_failed" : "compile_failed"),
                   name << " quoting " << sentence << " became " << kernix::error_name(found.code));
      }
    }
  }
  BOOST_TEST(files >= 60);
}

BOOST_AUTO_TEST_CASE(a_real_failure_after_a_quoting_message_is_seen) {
  kernix::command_step step{.name = "compile", .program = "/usr/bin/g++", .arguments = {}};
  kernix::process_result result{.how = kernix::process_result::ending::exited, .exit_code = 1};
  result.err.head =
      "k.cpp:1:41: note: '#pragma message: first\nnvcc fatal   : Unsupported gpu architecture 'sm_1'\n"
      "    1 | #pragma message(\"first\\n...\")\n      |          ^\n"
      "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n";
  BOOST_TEST(kernix::error_name(kernix::detail::classify_cxx(step, result).code) == "out_of_memory");
}

BOOST_AUTO_TEST_CASE(fatal_errors_of_the_source_are_told_from_those_of_the_machine) {
  // clang++ -Wfatal-errors gives #error as "fatal error"
  kernix::command_step step{.name = "compile", .program = "/usr/bin/clang++", .arguments = {"-Wfatal-errors"}};
  kernix::process_result result{.how = kernix::process_result::ending::exited, .exit_code = 1};
  result.err.head =
      "k.cpp:1:2: fatal error: error writing to x: No space left on device\n    1 | #error error\n      |  ^\n";
  BOOST_TEST(kernix::error_name(kernix::detail::classify_cxx(step, result).code) == "compile_failed");
  step.arguments.clear();
  BOOST_TEST(kernix::error_name(kernix::detail::classify_cxx(step, result).code) == "disk_full");
}

BOOST_AUTO_TEST_SUITE_END()
