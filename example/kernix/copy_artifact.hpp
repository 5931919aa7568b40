// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <kernix/core/refusal.hpp>

namespace tool {

/// Copies a file so that `to` is, at any time, its old content or the whole new one. Its mode is that of any new file: 0644
/// less the umask.
kernix::result<std::filesystem::path> copy_whole(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace tool
