// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <kernix/detail/descriptor.hpp>

namespace kernix::detail {

/// Model and features in the text of `/proc/cpuinfo`: those lines of the first processor that a compiler's "native" goes
/// by, on x86 and on Arm. Not its clock, which changes by the moment, nor its microcode.
inline std::string cpu_identity_of(std::string_view cpuinfo) {
  constexpr std::string_view wanted[] = {"vendor_id", "cpu family", "model",  "model name", "stepping",
                                         "cache size", "flags",     "Features", "isa",      "cpu",
                                         "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision"};
  std::string identity;
  while (!cpuinfo.empty()) {
    std::string_view line = cpuinfo.substr(0, cpuinfo.find('\n'));
    cpuinfo.remove_prefix(std::min(cpuinfo.size(), line.size() + 1));
    if (line.empty() && !identity.empty()) break;  // the next processor's part begins
    std::string_view name = line.substr(0, line.find(':'));
    name = name.substr(0, name.find_last_not_of(" \t") + 1);
    if (std::find(std::begin(wanted), std::end(wanted), name) == std::end(wanted)) continue;
    identity += line;
    identity += '\n';
  }
  return identity;
}

/// This machine's. The kernel writes that file one processor at a time: a look at its beginning is cheap.
inline std::string cpu_identity() {
  descriptor file = open_file("/proc/cpuinfo", O_RDONLY);
  std::string text;
  char block[4096];
  for (ssize_t count = 1; file && count > 0 && text.find("\n\n") == std::string::npos && text.size() < 65536;) {
    count = read_some(file, block, sizeof block);
    if (count > 0) text.append(block, static_cast<std::size_t>(count));
  }
  return cpu_identity_of(text);
}

}  // namespace kernix::detail
