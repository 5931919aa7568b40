// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/diagnostics.hpp>
#include <kernix/core/digest.hpp>
#include <kernix/core/read_set.hpp>

namespace kernix {

/// A file of a toolchain whose content is part of its identity: the driver, `cc1plus`, `ptxas`, `nvcc.profile`, ...
struct toolchain_part {
  std::filesystem::path path;  ///< Absolute; may be a link, so that one that is led elsewhere is noticed.
  digest content;
  /// At the time when `content` was computed; empty if it proved nothing, as of a file written that very moment.
  stat_signature signature;
};

/// A compiler as it was found: where it is, what it is, and what it consists of.
struct toolchain {
  std::string backend;            ///< The backend's name.
  std::filesystem::path program;  ///< The driver, absolute.
  /// Words before the driver, the first an absolute path: `/usr/bin/ccache`. Empty without a wrapper.
  std::vector<std::string> wrapper = {};
  std::string origin = {};        ///< Where it was found: "CXX", "PATH", "the request".
  std::string family = {};        ///< "gcc", "clang", "nvcc", "hipcc", "rustc".
  std::string version = {};       ///< "12.2.0", "13.0.88".
  std::string version_text = {};  ///< The first line that names the version.
  std::string target = {};        ///< "x86_64-linux-gnu"; empty if unknown.
  std::filesystem::path root = {};  ///< Of the toolkit: `/usr/local/cuda-13.0`; empty if it has none.
  std::vector<std::filesystem::path> system_includes = {};   ///< Searched by default, in order.
  std::vector<std::filesystem::path> library_directories = {};  ///< To be searched at link and at run time.
  std::vector<std::string> architectures = {};  ///< Those it says it knows; empty if it doesn't say.
  /// Those of this machine's devices: what is built for where neither request nor settings name any. Not part of the
  /// fingerprint; the resolved list is in the key.
  std::vector<std::string> device_architectures = {};
  /// What backends want to remember beyond this: sorted by name, part of the fingerprint.
  std::vector<std::pair<std::string, std::string>> properties = {};
  std::vector<toolchain_part> parts = {};
  /// The host compiler of nvcc and hipcc.
  std::shared_ptr<const toolchain> host = {};
  /// Identity: backend, family, version, target, properties and the content of the parts, host's included. Not the
  /// place.
  digest fingerprint = {};
  /// The model and features of this machine's CPU: in the key of requests that ask for "native".
  std::string cpu = {};

  std::string_view property(std::string_view name) const noexcept {
    for (const auto& [key, value] : properties) {
      if (key == name) return value;
    }
    return {};
  }
};

/// A place where a compiler may be.
struct tool_candidate {
  /// An absolute path, or a bare name to be looked up on the search path; the words of `CXX="ccache g++"` are several.
  std::vector<std::string> words;
  std::string origin;     ///< "KERNIX_CXX", "PATH": for the error text.
  bool decisive = false;  ///< Set by the user: if it can't be used, that is an error, not a reason to look further.
};

/// A candidate that was looked at, and what was wrong with it.
struct tried_candidate {
  std::string command;
  std::string origin;
  std::string verdict;  ///< "ok", or what is wrong with it.
};

/// What a search for a toolchain found.
struct toolchain_search {
  std::shared_ptr<const toolchain> found;  ///< Null where none was found.
  std::vector<tried_candidate> tried;
  kernix::diagnostics report;

  const kernix::diagnostics& diagnostics() const noexcept { return report; }
};

}  // namespace kernix
