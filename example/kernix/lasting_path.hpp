// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <kernix/core/artifact.hpp>
#include <kernix/core/digest.hpp>

namespace tool {

/// Where the cache directory keeps an artifact until it is evicted; empty where it doesn't keep it. (An outcome's own path
/// is a link that goes with this process.)
std::filesystem::path lasting_path(const std::filesystem::path& cache, const kernix::digest& key, const kernix::artifact& file);

}  // namespace tool
