// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <boost/system/system_category.hpp>

#include <kernix/core/error.hpp>
#include <kernix/detail/descriptor.hpp>

namespace kernix::detail {

/// The same file under a descriptor of at least `least`, close-on-exec; empty after an error, with `errno` set.
///
/// A host may run with 0, 1 or 2 closed. A descriptor of ours that took such a number would get what the host's own
/// code writes to "stdout".
inline descriptor lifted(descriptor low, int least = 3) noexcept {
  if (!low || low.get() >= least) return low;
  return descriptor(::fcntl(low.get(), F_DUPFD_CLOEXEC, least));
}

/// A pipe whose read end doesn't block, and whose write end, which a child gets, does.
struct pipe_ends {
  descriptor read;
  descriptor write;
};

/// @param least_write the smallest descriptor that the write end may have.
inline pipe_ends make_pipe(error_code& ec, int least_write = 3) noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    ec.assign(errno, boost::system::system_category());
    return {};
  }
  pipe_ends made{descriptor(ends[0]), descriptor(ends[1])};
  made.read = lifted(std::move(made.read));
  if (made.read) made.write = lifted(std::move(made.write), least_write);
  if (!made.read || !made.write || ::fcntl(made.read.get(), F_SETFL, O_NONBLOCK) != 0) {
    ec.assign(errno, boost::system::system_category());
    return {};
  }
  return made;
}

}  // namespace kernix::detail
