// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "build_options.hpp"

namespace tool {

/// Does what `kernix build` was asked for, and gives the program's exit status.
int build(const build_options& options);

}  // namespace tool
