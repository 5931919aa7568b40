// SPDX-License-Identifier: Apache-2.0
// expect: kernix: this backend does not plan its commands
#include <kernix/kernel_cache.hpp>

#include "parts.hpp"

struct backend : parts::named, parts::placed, parts::listing, parts::classifying {};

void wrong(boost::asio::any_io_executor executor) { kernix::kernel_cache kernels{executor, backend{}}; }
