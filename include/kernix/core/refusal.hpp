// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <boost/system/result.hpp>

#include <kernix/core/error.hpp>

namespace kernix {

/// Why something was refused before anything was started: a code, and a sentence that names the culprit and says
/// what to do.
struct refusal {
  error_code code;
  std::string reason;
};

/// `boost::system::result::value()` on a refusal throws a `boost::system::system_error` with the reason as text.
[[noreturn]] inline void throw_exception_from_error(const refusal& what, const boost::source_location&) {
  throw boost::system::system_error(what.code, what.reason);
}

/// A value, or the refusal that stands in its place.
template <class T>
using result = boost::system::result<T, refusal>;

/// Shorthand for a refusal: `return refuse(errc::invalid_name, "the name is empty")`.
inline refusal refuse(errc code, std::string reason) { return {make_error_code(code), std::move(reason)}; }

}  // namespace kernix
