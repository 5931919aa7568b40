// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/error.hpp>

/// How Boost.Test shows the library's enumerations when a check fails.
namespace kernix {

inline std::ostream& boost_test_print_type(std::ostream& to, errc value) { return to << name(value); }
inline std::ostream& boost_test_print_type(std::ostream& to, origin value) { return to << name(value); }

}  // namespace kernix
