// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/core/error.hpp>
#include <kernix/core/settings.hpp>

#include "build_options.hpp"

namespace tool {

using compile_handler = std::function<void(kernix::error_code, kernix::compile_outcome)>;

/// A cache over one backend, with its type erased.
struct open_cache {
  std::function<void(kernix::compile_request, compile_handler)> compile;
  std::function<void()> cancel_all;
};

/// A backend that the tool has heard of. One that isn't built in has no function to open it.
struct backend {
  std::string_view name;
  std::vector<std::string_view> suffixes;
  open_cache (*open)(boost::asio::any_io_executor, kernix::settings);
};

/// All of them: adding one is a line there.
const std::vector<backend>& known_backends();

/// The backend for a file: the one that the options name, else by the file's suffix; null if there is none.
const backend* find_backend(const build_options& options, const std::string& file);

}  // namespace tool
