// SPDX-License-Identifier: Apache-2.0
// The control: what the other files do with one mistake compiles without it.
#include <kernix/cache/disk_cache.hpp>
#include <kernix/cache/memory_cache.hpp>
#include <kernix/compile/compiler.hpp>

#include "parts.hpp"

using engine = kernix::compiler<parts::backend, parts::runner>;
kernix::memory_cache<kernix::disk_cache<engine>>* right;
static_assert(sizeof(*right) > 0);
static_assert(sizeof(kernix::memory_cache<engine>) > 0 && sizeof(kernix::disk_cache<engine>) > 0);
