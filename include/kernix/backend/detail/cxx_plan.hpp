// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/backend/detail/cxx_flags.hpp>
#include <kernix/backend/detail/plan_environment.hpp>
#include <kernix/backend/detail/plan_layout.hpp>
#include <kernix/core/command.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/core/refusal.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix::detail {

/// Makes the plan of a g++ or clang++ compile.
class cxx_planner {
 public:
  cxx_planner(const compile_request& request, const toolchain& tools, const std::vector<std::string>& driver_flags)
      : request_(request), tools_(tools), driver_flags_(driver_flags) {}

  result<command_plan> plan() const {
    if (auto wrong = refused()) return *wrong;
    auto searched = include_path_of(request_.compile_flags);
    if (searched.has_error()) return searched.error();
    auto laid_out = lay_out(request_, tools_, ".cpp");
    if (laid_out.has_error()) return laid_out.error();
    command_plan plan = std::move(*laid_out);
    plan.include_path.insert(plan.include_path.end(), searched->begin(), searched->end());
    plan.library_path = library_path_of(request_.link_flags);
    for (std::string& each : library_path_of(request_.compile_flags)) plan.library_path.push_back(std::move(each));
    plan.environment = plan_environment(tools_);
    plan.outputs.push_back({request_.kind, output()});

    const bool shared = request_.kind == output_kind::shared_object;
    const bool apart =
        shared && (request_.fast_math || ask_for_fast_math(request_.compile_flags) || ask_for_fast_math(driver_flags_));
    command_step compile = step("compile");
    add(compile, driver_flags_);
    compile.arguments.emplace_back(plan.source_path);
    if (!shared || apart) compile.arguments.emplace_back("-c");
    if (shared && !apart) compile.arguments.emplace_back("-shared");
    compile.arguments.emplace_back("-fPIC");
    compile.arguments.emplace_back("-o");
    compile.arguments.emplace_back(apart ? std::string("kernel.o") : output());
    add_compile_options(compile, plan);
    if (read_unlisted_files(request_.compile_flags) || read_unlisted_files(request_.link_flags) ||
        read_unlisted_files(driver_flags_)) {
      compile.dependencies.push_back(never_written());
    }
    if (shared && !apart) add_link_options(compile);
    plan.steps.push_back(std::move(compile));
    if (apart) plan.steps.push_back(link_apart());
    return plan;
  }

 private:
  std::string output() const { return "kernel" + std::string(suffix(request_.kind)); }

  std::optional<refusal> refused() const {
    if (request_.kind != output_kind::shared_object && request_.kind != output_kind::object) {
      return refuse(errc::invalid_request,
                    "g++ and clang++ make a shared_object or an object, not a " + std::string(name(request_.kind)));
    }
    if (!request_.architectures.empty()) {
      return refuse(errc::invalid_option, "the architecture \"" + request_.architectures.front() +
                                              "\" means nothing to g++ and clang++; "
                                              "choose the processor with -march=... in compile_flags");
    }
    if (auto wrong = refuse_cxx_flags(request_.compile_flags)) return wrong;
    if (auto wrong = refuse_inputs(request_.compile_flags, "is no option; files to be linked belong into link_flags"))
      return wrong;
    if (auto wrong = refuse_cxx_link_flags(request_.link_flags)) return wrong;
    if (auto wrong = refuse_cxx_flags(driver_flags_)) return wrong;
    const bool native =
        ask_for_native(request_.compile_flags) || ask_for_native(driver_flags_) || ask_for_native(request_.link_flags);
    if (native && tools_.cpu.empty()) {
      return refuse(errc::invalid_option,
                    "\"native\" was asked for, and this machine's processor is not known; name a processor instead");
    }
    if (tools_.family == "gcc" && request_.recorded_path.find('=') != std::string::npos) {
      return refuse(errc::invalid_option, "the recorded path \"" + request_.recorded_path +
                                              "\" holds a =, which g++ takes for its own; choose another");
    }
    return std::nullopt;
  }

  /// A step that starts the driver, through its wrapper if it has one.
  command_step step(std::string stage) const {
    command_step made{std::move(stage), tools_.program.string(), {}};
    if (tools_.wrapper.empty()) return made;
    made.program = tools_.wrapper.front();
    for (std::size_t i = 1; i < tools_.wrapper.size(); ++i) made.arguments.emplace_back(tools_.wrapper[i]);
    made.arguments.push_back(toolchain_path(tools_.program.string()));
    return made;
  }

  static void add(command_step& step, const std::vector<std::string>& tokens) {
    for (const std::string& each : tokens) step.arguments.emplace_back(each);
  }

  void add_compile_options(command_step& compile, const command_plan& plan) const {
    auto& words = compile.arguments;
    words.emplace_back("-std=" + request_.standard);
    words.emplace_back("-O" + std::to_string(request_.optimization));
    if (request_.debug_info) words.emplace_back("-g");
    if (request_.warnings) words.emplace_back("-Wall");
    if (request_.fast_math) words.emplace_back("-ffast-math");
    // Two kernels that define the same static of an inline function must not share it, and dlclose has to unload it.
    if (tools_.family == "gcc") words.emplace_back("-fno-gnu-unique");
    auto quote = [](std::string directory) { return std::vector<std::string>{"-iquote", std::move(directory)}; };
    for (argument& word : include_words(request_, plan, quote)) words.push_back(std::move(word));
    for (const std::string& each : request_.defines) words.emplace_back("-D" + each);
    for (const std::string& each : request_.undefines) words.emplace_back("-U" + each);
    if (!request_.recorded_path.empty())
      words.emplace_back("-ffile-prefix-map=" + plan.source_path + '=' + request_.recorded_path);
    add(compile, request_.compile_flags);
    for (std::string_view word : {std::string_view("-MD"), std::string_view("-MF"), plan_names::dependencies}) {
      words.push_back(no_effect(std::string(word)));
    }
    compile.dependencies.push_back({std::string(plan_names::dependencies)});
  }

  void add_link_options(command_step& link) const {
    add(link, request_.link_flags);
    std::vector<std::string> all = driver_flags_;
    all.insert(all.end(), request_.compile_flags.begin(), request_.compile_flags.end());
    all.insert(all.end(), request_.link_flags.begin(), request_.link_flags.end());
    switch (link_listing_of(tools_, all, request_.link_flags)) {
      case link_listing::by_linker:
        link.arguments.push_back(no_effect("-Wl,--dependency-file=" + std::string(plan_names::link_dependencies)));
        link.dependencies.push_back({std::string(plan_names::link_dependencies)});
        break;
      case link_listing::impossible: link.dependencies.push_back(never_written()); break;
      case link_listing::none_needed: break;
    }
  }

  /// The link without the fast-math words: the driver would add start-up code that changes the host's arithmetic.
  command_step link_apart() const {
    command_step link = step("link");
    auto add_plain = [&](const std::vector<std::string>& tokens) {
      for (const std::string& each : tokens) {
        if (!is_fast_math(each)) link.arguments.emplace_back(each);
      }
    };
    add_plain(driver_flags_);
    for (std::string_view word : {"kernel.o", "-shared", "-fPIC", "-o"}) link.arguments.emplace_back(word);
    link.arguments.emplace_back(output());
    link.arguments.emplace_back("-O" + std::to_string(request_.optimization));
    if (request_.debug_info) link.arguments.emplace_back("-g");
    add_plain(request_.compile_flags);
    add_link_options(link);
    return link;
  }

  const compile_request& request_;
  const toolchain& tools_;
  const std::vector<std::string>& driver_flags_;
};

}  // namespace kernix::detail
