// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "build_options.hpp"

namespace tool {

/// What the command line says; or the exit status, after it has been said on stderr what is wrong with it (or on stdout
/// what was asked for: help, the version).
struct command_line {
  std::optional<build_options> build;
  int status = all_built;
};

command_line parse_command_line(int argc, const char* const* argv);

}  // namespace tool
