// SPDX-License-Identifier: Apache-2.0
// expect: kernix: this backend does not say its platform
#include <kernix/compile/compiler.hpp>

#include "parts.hpp"

struct backend : parts::named, parts::listing, parts::planning, parts::classifying {};

kernix::compiler<backend, parts::runner>* wrong;
static_assert(sizeof(*wrong) > 0);
