// SPDX-License-Identifier: Apache-2.0
// expect: kernix: the layers are stacked in the wrong order
#include <kernix/cache/disk_cache.hpp>
#include <kernix/cache/memory_cache.hpp>
#include <kernix/compile/compiler.hpp>

#include "parts.hpp"

using engine = kernix::compiler<parts::backend, parts::runner>;
kernix::disk_cache<kernix::memory_cache<engine>>* wrong;
static_assert(sizeof(*wrong) > 0);
