// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kernix::detail {

/// The whole of a small file; empty if it can't be read.
inline std::string small_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  return std::move(text).str();
}

/// Cores that a quota stands for, rounded up; none for "max", -1 and whatever isn't a quota.
inline std::optional<unsigned> cores_of_quota(std::string_view quota, std::string_view period) {
  auto number = [](std::string_view text) {
    long long value = 0;
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  long long microseconds = number(quota);
  long long of = number(period);
  if (microseconds <= 0 || of <= 0) return std::nullopt;
  return static_cast<unsigned>(std::clamp(microseconds / of + (microseconds % of != 0), 1LL, 1LL << 20));
}

/// The smallest limit that the control groups of this process set, from its own group up to the root.
///
/// @param membership the text of `/proc/self/cgroup`: `ID:CONTROLLERS:PATH` lines, version 2 with an empty controller list.
/// @param root where control groups are mounted. A path that isn't visible there, as in a container without a
/// namespace of its own for them, is looked for at its parents.
inline std::optional<unsigned> cores_of_control_group(std::string_view membership, const std::filesystem::path& root) {
  std::optional<unsigned> least;
  auto lower = [&](std::optional<unsigned> cores) {
    if (cores) least = std::min(*cores, least.value_or(*cores));
  };
  auto climb = [&](const std::filesystem::path& mount, std::string_view path, bool version_2) {
    while (!path.empty() && path.front() == '/') path.remove_prefix(1);
    for (std::filesystem::path inner(path);; inner = inner.parent_path()) {
      std::filesystem::path group = mount / inner;
      if (version_2) {
        std::string limit = small_file(group / "cpu.max");
        if (auto blank = limit.find(' '); blank != std::string::npos) {
          lower(cores_of_quota(std::string_view(limit).substr(0, blank), std::string_view(limit).substr(blank + 1)));
        }
      } else {
        lower(cores_of_quota(small_file(group / "cpu.cfs_quota_us"), small_file(group / "cpu.cfs_period_us")));
      }
      if (inner.empty()) return;
    }
  };
  while (!membership.empty()) {
    auto end = std::min(membership.find('\n'), membership.size());
    std::string_view line = membership.substr(0, end);
    membership.remove_prefix(std::min(end + 1, membership.size()));
    auto first = line.find(':');
    auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string_view path = line.substr(second + 1);
    if (controllers.empty()) {
      climb(root, path, true);
      climb(root / "unified", path, true);
    } else if ((',' + std::string(controllers) + ',').find(",cpu,") != std::string::npos) {
      climb(root / controllers, path, false);
      if (controllers != "cpu") climb(root / "cpu", path, false);
    }
  }
  return least;
}

/// Cores that the affinity mask of this thread allows.
inline unsigned cores_of_affinity() {
  // The kernel refuses a mask that is shorter than its own; machines with more than 1024 processors exist.
  for (std::size_t processors = 1024; processors <= (std::size_t{1} << 20); processors *= 4) {
    std::vector<cpu_set_t> mask(CPU_ALLOC_SIZE(processors) / sizeof(cpu_set_t));
    if (::sched_getaffinity(0, mask.size() * sizeof(cpu_set_t), mask.data()) == 0) {
      return std::max(1U, static_cast<unsigned>(CPU_COUNT_S(mask.size() * sizeof(cpu_set_t), mask.data())));
    }
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

/// The cores that this process may use: its affinity, less where a control group's quota is less. At least 1.
///
/// Reads a few small files; the number of processors of the machine says nothing inside a container.
inline unsigned processor_count() {
  unsigned cores = cores_of_affinity();
  return std::min(cores, cores_of_control_group(small_file("/proc/self/cgroup"), "/sys/fs/cgroup").value_or(cores));
}

}  // namespace kernix::detail
