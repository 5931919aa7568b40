// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <kernix/core/compile_request.hpp>
#include <kernix/core/refusal.hpp>

#include "backends.hpp"
#include "build_options.hpp"

namespace tool {

/// One file of the command line.
struct build_item {
  std::string name;
  std::string file;
  const backend* which = nullptr;
};

/// The files with their kernels' names: a file's stem, or its whole name where another file has the same stem.
std::vector<build_item> build_items(const build_options& options);

/// What is wrong with the options themselves, whatever the files hold: nothing is started then.
std::optional<std::string> wrong_options(const build_options& options, const std::vector<build_item>& items);

/// The request for one file, which is read now; or why it can't be.
kernix::result<kernix::compile_request> make_request(const build_options& options, const build_item& item);

}  // namespace tool
