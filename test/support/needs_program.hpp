// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

namespace kernix::test {

/// For cases that need a real program, which are skipped by name where there is none:
/// `BOOST_AUTO_TEST_CASE(builds_for_two_architectures, *boost::unit_test::precondition(needs_program("nvcc", "/usr/local/cuda/bin")))`
class needs_program {
 public:
  explicit needs_program(std::string name, std::string further_directory = {})
      : name_(std::move(name)), further_(std::move(further_directory)) {}

  boost::test_tools::assertion_result operator()(boost::unit_test::test_unit_id) const {
    boost::test_tools::assertion_result answer(!path().empty());
    if (!answer) answer.message() << "there is no " << name_;
    return answer;
  }

  /// Where it is; empty if it isn't.
  std::string path() const {
    const char* search = std::getenv("PATH");
    std::istringstream directories((search ? search : "") + (":" + further_));
    for (std::string directory; std::getline(directories, directory, ':');) {
      std::string candidate = directory + "/" + name_;
      if (!directory.empty() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
  }

 private:
  std::string name_, further_;
};

}  // namespace kernix::test
