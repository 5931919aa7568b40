// SPDX-License-Identifier: Apache-2.0
// Real outputs of real tools, each with the class that it must get (test/corpus/diagnostics/expected.tsv).
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <kernix/backend/detail/classify_cxx.hpp>
#include <kernix/backend/detail/classify_nvcc.hpp>

BOOST_AUTO_TEST_SUITE(backend_classify_corpus)

namespace {

const std::string corpus = std::string(KERNIX_TEST_SOURCE_DIR) + "/corpus/diagnostics/";

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string class_of(const std::string& backend, const kernix::process_result& result) {
  kernix::command_step step{
      .name = "compile", .program = backend == "nvcc" ? "/usr/local/cuda/bin/nvcc" : "/usr/bin/g++", .arguments = {}};
  kernix::diagnosis found =
      backend == "nvcc" ? kernix::detail::classify_nvcc(step, result) : kernix::detail::classify_cxx(step, result);
  return found.code ? std::string(kernix::error_name(found.code)) : "success";
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_output_of_the_corpus_gets_its_class) {
  std::istringstream table(read(corpus + "expected.tsv"));
  std::string line;
  BOOST_REQUIRE(std::getline(table, line));
  int checked = 0;
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string file, backend, expected;
    int exit_code = 0;
    BOOST_REQUIRE(fields >> file >> backend >> exit_code >> expected);
    if (backend != "cxx" && backend != "nvcc") continue;
    std::string output = read(corpus + file);
    BOOST_REQUIRE(!output.empty());
    kernix::process_result result{.how = kernix::process_result::ending::exited, .exit_code = exit_code};
    result.err.head = output;
    BOOST_TEST_CONTEXT(file) {
      BOOST_TEST(class_of(backend, result) == expected);
      result.err.head.clear();
      result.out.head = output;  // a wrapper may have sent all to stdout
      BOOST_TEST(class_of(backend, result) == expected);
    }
    ++checked;
  }
  BOOST_TEST(checked == 27);
}

BOOST_AUTO_TEST_SUITE_END()
