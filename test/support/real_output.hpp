// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <kernix/core/process_result.hpp>

#include "support/temporary_tree.hpp"

namespace kernix::test {

/// A directory in which a compiler is run with some damage done to it, by a shell, without any help from kernix.
class damaged_run {
 public:
  damaged_run() {
    std::filesystem::create_directory(tree_ / "tmp");
    tree_.file("k.cpp", "#include <cmath>\nextern \"C\" void k(float* p) { p[0] = std::sqrt(p[1]); }\n");
    tree_.file("k.cu", "__global__ void k(float* p) { p[threadIdx.x] = 1; }\n");
  }

  const temporary_tree& tree() const noexcept { return tree_; }
  std::string path(std::string_view name) const { return (tree_ / name).string(); }

  /// Environment of the commands, besides a plain PATH, the C locale and a TMPDIR of its own.
  std::string variables;
  /// What the shell does first, in the same process: `ulimit -v 60000;`.
  std::string first;
  /// Redirections after the usual ones: `<&-`.
  std::string redirections;

  kernix::process_result operator()(const std::string& command) const {
    std::string line = "cd '" + tree_.root().string() + "' && { " + first +
                       " exec env -i PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C TMPDIR='" + path("tmp") + "' " +
                       variables + ' ' + command + "; } >out.txt 2>err.txt </dev/null " + redirections;
    int status = std::system(line.c_str());
    kernix::process_result result;
    if (WIFSIGNALED(status)) {
      result.how = process_result::ending::signalled;
      result.signal = WTERMSIG(status);
    } else {
      result.how = process_result::ending::exited;
      result.exit_code = WEXITSTATUS(status);
    }
    result.out.head = read("out.txt");
    result.err.head = read("err.txt");
    return result;
  }

 private:
  std::string read(std::string_view name) const {
    std::ifstream file(tree_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  temporary_tree tree_;
};

/// A script that ends itself by a signal, in the place of a tool.
inline std::string dies_of(int signal) { return "kill -" + std::to_string(signal) + " $$"; }

}  // namespace kernix::test
