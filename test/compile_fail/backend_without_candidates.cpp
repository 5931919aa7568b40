// SPDX-License-Identifier: Apache-2.0
// expect: kernix: this backend does not list where its compiler may be
#include <kernix/compile/compiler.hpp>

#include "parts.hpp"

struct backend : parts::named, parts::placed, parts::planning, parts::classifying {};

kernix::compiler<backend, parts::runner>* wrong;
static_assert(sizeof(*wrong) > 0);
