// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kernix/core/diagnostics.hpp>

namespace tool {

/// Gives a failure the advice that it lacks, and has all its advice name the tool's options in place of the library's members.
void advise(kernix::diagnostics& what);

}  // namespace tool
