// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>

#include <array>

#include <kernix/detail/descriptor.hpp>

namespace kernix::detail {

/// Occupies those of 0, 1 and 2 that the host has closed, while code that takes the lowest free descriptors runs.
///
/// For event loops and libraries that can't be told where to put theirs: what took the number of stdout would get what the
/// host's own code prints.
class low_descriptors {
 public:
  low_descriptors() noexcept {
    for (descriptor& each : taken_) {
      int fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
      each = descriptor(fd);
      if (fd < 0 || fd > 2) break;
    }
  }
  low_descriptors(const low_descriptors&) = delete;
  low_descriptors& operator=(const low_descriptors&) = delete;

 private:
  std::array<descriptor, 4> taken_;
};

}  // namespace kernix::detail
