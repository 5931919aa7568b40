// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <kernix/core/output_kind.hpp>

namespace tool {

/// Exit statuses of the program; a signal adds 128 and its number, as a shell would.
enum exit_status : int { all_built = 0, some_failed = 1, wrong_use = 2 };

/// What the command line of `kernix build` says.
struct build_options {
  std::string backend;  ///< Empty: by each file's suffix.
  std::filesystem::path cache;
  std::filesystem::path output;
  std::optional<unsigned> jobs;
  std::optional<std::chrono::nanoseconds> timeout;
  bool force = false;
  std::vector<std::string> architectures;
  std::string standard;
  std::optional<int> optimization;
  std::vector<std::string> include_directories;
  std::vector<std::string> defines;
  std::vector<std::string> flags;
  std::vector<std::string> link_flags;
  kernix::output_kind kind = kernix::output_kind::shared_object;
  bool json = false;
  std::vector<std::string> files;
};

}  // namespace tool
