// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/compile/detail/workspace.hpp>
#include <kernix/core/artifact.hpp>
#include <kernix/core/command.hpp>
#include <kernix/core/hasher.hpp>
#include <kernix/core/refusal.hpp>
#include <kernix/detail/descriptor.hpp>

namespace kernix::detail {

/// Whether content that starts so can be of this kind at all. Kinds that compilers fill differently may be anything.
inline bool looks_like(output_kind kind, std::string_view head) noexcept {
  if (kind == output_kind::shared_object || kind == output_kind::cubin) return head.starts_with("\x7f" "ELF");
  return true;
}

/// One output of a plan that has succeeded, measured and hashed; a sentence if it can't be used. Blocks on the disk.
inline result<artifact> read_output(const std::filesystem::path& workspace, const planned_output& planned) {
  const std::filesystem::path path = workspace / planned.path;
  auto missing = [&](const std::string& what) {
    return refuse(errc::output_missing, "the compiler reported success, but its output " + planned.path + ' ' + what);
  };
  descriptor file = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
      return refuse(errc_of_system_error(errno), "can't read " + path.string() + ": " + system_message(errno));
    }
    return missing(errno == ENOENT ? "is missing" : errno == ELOOP ? "is a symbolic link" : "can't be read: " + system_message(errno));
  }
  struct stat status;
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return missing("is not a regular file");

  artifact made{planned.kind, path, 0, {}};
  hasher sum;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = read_some(file, buffer.data(), buffer.size());
    if (count < 0) return missing("can't be read: " + system_message(errno));
    if (count == 0) break;
    const std::string_view part(buffer.data(), static_cast<std::size_t>(count));
    if (made.bytes == 0 && !looks_like(planned.kind, part)) return missing("is not a " + std::string(name(planned.kind)));
    made.bytes += part.size();
    sum.bytes(part);
  }
  if (made.bytes == 0) return missing("is empty");
  made.content = sum.finish();
  return made;
}

/// All outputs of a plan; optional ones that aren't there, or aren't usable, are left out.
inline result<std::vector<artifact>> read_outputs(const std::filesystem::path& workspace, const command_plan& plan) {
  std::vector<artifact> all;
  for (const planned_output& each : plan.outputs) {
    auto made = read_output(workspace, each);
    if (made) {
      all.push_back(std::move(*made));
    } else if (each.required) {
      return made.error();
    }
  }
  return all;
}

}  // namespace kernix::detail
