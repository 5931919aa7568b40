// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/backend/compiler_backend.hpp>
#include <kernix/backend/detail/classify_cxx.hpp>
#include <kernix/backend/detail/command_words.hpp>
#include <kernix/backend/detail/cxx_identity.hpp>
#include <kernix/backend/detail/cxx_plan.hpp>

namespace kernix {

/// g++ and clang++: `CXX source -shared -fPIC -o out -std=c++17 -O3 ...`. Output kinds: shared object, object.
///
/// Looked for at `compiler`, `KERNIX_CXX`, `CXX` (a path, a name, or words such as `ccache g++ -m64`),
/// `$CONDA_PREFIX/bin`, then `g++`, `c++` and `clang++` on PATH. A variable that is set and can't be used is an error.
///
/// Kernels built with fast math are compiled and linked in two steps, because g++ 12 and clang 14 link code into such
/// shared objects that changes how the loading thread treats denormal numbers.
class cxx {
 public:
  /// The driver: an absolute path, or a name to be looked up on PATH. Empty: found by the order above.
  std::filesystem::path compiler = {};
  /// Words that always follow the driver; `configured` takes them from the variable that names the driver.
  std::vector<std::string> driver_flags = {};
  /// What a compiler wrapper (ccache, sccache, distcc) finds in its environment; no part of the key.
  std::vector<std::pair<std::string, std::string>> wrapper_environment = {};

  std::string_view name() const noexcept { return "cxx"; }
  kernix::platform platform() const noexcept { return kernix::platform::cpu; }

  /// This backend with what the settings say: the driver's own flags, the wrapper's variables.
  cxx configured(const settings& from) const {
    cxx made = *this;
    if (made.wrapper_environment.empty()) made.wrapper_environment = detail::wrapper_variables(from);
    if (made.driver_flags.empty() && compiler.empty()) {
      made.driver_flags = detail::split_command(from.variable(deciding_variable(from))).flags;
    }
    return made;
  }

  std::vector<tool_candidate> candidates(const settings& from) const {
    if (!compiler.empty()) return {{{compiler.string()}, "cxx::compiler", true}};
    if (auto variable = deciding_variable(from); !variable.empty()) {
      return {{detail::split_command(from.variable(variable)).driver, std::string(variable), true}};
    }
    std::vector<tool_candidate> all;
    // Conda's own packages call it after the target.
    for (std::string_view name : {"g++", "c++", "clang++", "*-conda-linux-gnu-g++"}) {
      if (from.variable("CONDA_PREFIX").empty()) break;
      all.push_back({{(std::filesystem::path(from.variable("CONDA_PREFIX")) / "bin" / name).string()}, "CONDA_PREFIX"});
    }
    for (std::string_view name : {"g++", "c++", "clang++"}) all.push_back({{std::string(name)}, "PATH"});
    return all;
  }

  /// What to ask the driver to find out what it is.
  std::vector<std::vector<std::string>> questions() const {
    auto all = detail::cxx_questions();
    for (auto& words : all) words.insert(words.begin(), driver_flags.begin(), driver_flags.end());
    return all;
  }

  /// Reads the answers; a sentence if this is neither g++ nor clang++.
  std::optional<std::string> describe(toolchain& tools, const std::vector<process_result>& answers) const {
    return detail::describe_cxx(tools, answers);
  }

  result<command_plan> plan(const compile_request& request, const toolchain& tools) const {
    auto made = detail::cxx_planner(request, tools, driver_flags).plan();
    if (made && detail::is_wrapped(tools)) {
      for (const auto& [variable, value] : wrapper_environment)
        made->environment.push_back({variable, value, false, true});
    }
    return made;
  }

  diagnosis classify(const command_step& step, const process_result& ended) const {
    return detail::classify_cxx(step, ended);
  }

 private:
  static std::string_view deciding_variable(const settings& from) {
    for (std::string_view variable : {"KERNIX_CXX", "CXX"}) {
      if (from.variable(variable).find_first_not_of(" \t") != std::string_view::npos) return variable;
    }
    return {};
  }
};

static_assert(compiler_backend<cxx>);

}  // namespace kernix
