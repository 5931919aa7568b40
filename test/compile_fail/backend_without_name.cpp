// SPDX-License-Identifier: Apache-2.0
// expect: kernix: this backend does not say its name
#include <kernix/compile/compiler.hpp>

#include "parts.hpp"

struct backend : parts::placed, parts::listing, parts::planning, parts::classifying {};

kernix::compiler<backend, parts::runner>* wrong;
static_assert(sizeof(*wrong) > 0);
