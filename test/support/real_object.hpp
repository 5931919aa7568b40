// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <kernix/core/artifact.hpp>
#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/hasher.hpp>

namespace kernix::test {

/// Whether `g++` can be run; cases that need it are skipped by name where it can't.
inline boost::test_tools::assertion_result has_gxx(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result found(std::system("g++ --version >/dev/null 2>&1") == 0);
  if (!found) found.message() << "g++ is not installed";
  return found;
}

inline void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Compiles `source` to the shared object `out` with the system's own g++, without any help from kernix.
inline void build_object(const std::filesystem::path& out, const std::string& source, const std::string& flags = "") {
  std::filesystem::path text = out.native() + ".cpp";
  write_file(text, source);
  std::string command = "g++ -shared -fPIC " + flags + " -o '" + out.native() + ".new' '" + text.native() + "' 2>&1";
  BOOST_REQUIRE_MESSAGE(std::system(command.c_str()) == 0, command);
  std::filesystem::rename(out.native() + ".new", out);  // as every publisher does: never in place
}

/// The outcome that a compile to this file would have.
inline compile_outcome outcome_of(const std::filesystem::path& object,
                                          output_kind kind = output_kind::shared_object) {
  std::string bytes = read_file(object);
  auto payload = std::make_shared<outcome_payload>();
  payload->artifacts.push_back({kind, object, bytes.size(), sha256(bytes)});
  return compile_outcome(std::move(payload), origin::compiler);
}

}  // namespace kernix::test
