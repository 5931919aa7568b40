// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <boost/system/system_error.hpp>

#include <kernix/core/diagnostics.hpp>

namespace kernix {

/// Thrown by operations whose token is adapted by `with_diagnostics`: an error code together with the compiler's log.
class compile_error : public boost::system::system_error {
 public:
  compile_error(const error_code& code, kernix::diagnostics what)
      : system_error(code, what.to_string()), diagnostics_(std::make_shared<const kernix::diagnostics>(std::move(what))) {}

  const kernix::diagnostics& diagnostics() const noexcept { return *diagnostics_; }

 private:
  std::shared_ptr<const kernix::diagnostics> diagnostics_;  // shared: copying an exception must not throw
};

}  // namespace kernix
