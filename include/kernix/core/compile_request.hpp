// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <kernix/core/output_kind.hpp>

namespace kernix {

/// A header that exists only in memory: `#include "name"` and `#include <name>` find it.
struct memory_header {
  std::string name;  ///< A relative path without `..`, as the source names it.
  std::string text;
};

/// What to compile. A plain value: build it with designated initialisers, pass it by value.
///
/// With g++ 12, give the request a name before the `co_await` expression: that compiler makes wrong code of a braced list or
/// a temporary aggregate inside one (`co_await kernels.async_compile({.name = "k", ...})` ends in `free(): invalid pointer`).
///
/// Every list of flags is a list of whole argv tokens: a token with blanks, quotes or commas reaches the compiler as one
/// argument, or is refused before anything is started. Relative paths are resolved against `base_directory`.
struct compile_request {
  /// How logs, errors and `clear` call the kernel. Never reaches the compiler, no part of the key. Not empty, at most
  /// 200 bytes, no `/`, no control character, neither `.` nor `..`.
  std::string name;
  /// The translation unit's text, compiled byte for byte as given. Not empty.
  std::string source;
  /// Where the text came from, if it came from a file: `#include "sibling.h"` is looked up beside it, and diagnostics
  /// name it. The file itself is not read: `source` is what counts (see `read_source`).
  std::filesystem::path source_file = {};

  output_kind kind = output_kind::shared_object;
  /// Target architectures, in the vendor's spelling; empty: the backend's default source (see its documentation).
  std::vector<std::string> architectures = {};

  std::string standard = "c++17";  ///< `c++NN` or `gnu++NN`.
  int optimization = 3;            ///< 0 to 3, as in `-O3`.
  bool debug_info = false;         ///< `-g`.
  bool fast_math = false;          ///< `-ffast-math`, `--use_fast_math`.
  bool warnings = false;           ///< `-Wall`; warnings are in the outcome's diagnostics, whether wanted or default.
  std::vector<std::string> defines = {};    ///< `NAME` or `NAME=VALUE`.
  std::vector<std::string> undefines = {};  ///< `NAME`.
  std::vector<std::filesystem::path> include_directories = {};
  std::vector<memory_header> headers = {};
  std::vector<std::string> compile_flags = {};  ///< Extra tokens for the compiler.
  std::vector<std::string> link_flags = {};     ///< Extra tokens for the linking driver: `-lm`, `-L/opt/lib`.
  /// The path that `__FILE__` and debug information show in place of the scratch file's constant name. In the key.
  std::string recorded_path = {};

  /// Compile even if an entry exists, and replace it. No part of the key.
  bool force = false;
  /// Leave the scratch directory for inspection; the diagnostics name it. No part of the key.
  bool keep_scratch = false;
  /// Limit on the time that the compiler runs (the time in the queue is not counted); more than zero. Default: the
  /// settings' (600 s). No part of the key.
  std::optional<std::chrono::nanoseconds> timeout = {};
  /// What relative paths are relative to. Default: the process' current directory at the time of the call.
  std::filesystem::path base_directory = {};
};

}  // namespace kernix
