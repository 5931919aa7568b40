// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/refusal.hpp>

#include "report.hpp"

namespace tool {

/// Where the user finds an outcome's files after this process has ended: in `output` as NAME and the kind's suffix; without
/// an output directory in the cache; where the cache couldn't keep them, in a new directory for temporary files.
kernix::result<std::vector<built_file>> deliver(const kernix::compile_outcome& outcome, const std::string& name,
                                                const std::filesystem::path& output, const std::filesystem::path& cache);

}  // namespace tool
