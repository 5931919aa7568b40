// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/backend/detail/nvcc_defines.hpp>
#include <kernix/backend/detail/nvcc_flags.hpp>
#include <kernix/backend/detail/nvcc_targets.hpp>
#include <kernix/backend/detail/plan_environment.hpp>
#include <kernix/backend/detail/plan_layout.hpp>
#include <kernix/core/command.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/core/cuda_architecture.hpp>
#include <kernix/core/refusal.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix::detail {

/// Makes the plan of an nvcc compile for architectures that have been resolved.
class nvcc_planner {
 public:
  nvcc_planner(const compile_request& request, const toolchain& tools, const std::vector<cuda_target>& targets,
               bool allow_unsupported)
      : request_(request), tools_(tools), targets_(targets), allow_unsupported_(allow_unsupported) {}

  result<command_plan> plan() const {
    if (auto wrong = refused()) return *wrong;
    const nvcc_defines defines = sort_defines(request_);
    auto searched = include_path_of(defines.others);
    if (searched.has_error()) return searched.error();
    auto links = nvcc_link_words(request_.link_flags);
    if (links.has_error()) return links.error();
    auto generated = nvcc_target_words(targets_, request_.kind);
    if (generated.has_error()) return generated.error();
    auto laid_out = lay_out(request_, tools_, ".cu");
    if (laid_out.has_error()) return laid_out.error();

    command_plan plan = std::move(*laid_out);
    plan.include_path.insert(plan.include_path.end(), searched->begin(), searched->end());
    plan.library_path = library_path_of(request_.link_flags);
    plan.environment = plan_environment(tools_);
    plan.outputs.push_back({request_.kind, "kernel" + std::string(suffix(request_.kind))});

    command_step step{"compile", tools_.program.string(), {}};
    auto& words = step.arguments;
    auto add = [&](std::initializer_list<std::string_view> literals) {
      for (std::string_view each : literals) words.emplace_back(each);
    };
    add({plan.source_path, kind_option(), "-o", plan.outputs.front().path});
    words.insert(words.end(), generated->begin(), generated->end());
    add({"--compiler-options", "-fPIC"});
    words.emplace_back("--std=" + request_.standard);
    words.emplace_back("-O" + std::to_string(request_.optimization));
    words.emplace_back("-ccbin");
    words.push_back(toolchain_path(tools_.host->program.string()));
    if (allow_unsupported_) add({"-allow-unsupported-compiler"});
    // As for g++ itself: two kernels must not share the statics of an inline function.
    if (tools_.host->family == "gcc" && links_host_code()) add({"-Xcompiler", "-fno-gnu-unique"});
    if (request_.debug_info) add({"-g", "-lineinfo"});
    if (request_.warnings) add({"-Xcompiler", "-Wall"});
    if (request_.fast_math) add({"--use_fast_math"});
    add_includes(words, plan);
    for (const std::string& each : defines.words) words.emplace_back(each);
    if (!defines.header.empty()) {
      plan.files.push_back({std::string(plan_names::defines), defines.header});
      add({"-include", plan_names::defines});
    }
    if (!request_.recorded_path.empty()) {
      add({"-Xcompiler"});
      words.emplace_back("-ffile-prefix-map=" + plan.source_path + '=' + request_.recorded_path);
    }
    for (const std::string& each : defines.others) words.emplace_back(each);
    if (targets_.size() > 1) words.push_back(no_effect("-t0"));
    for (std::string_view word : {std::string_view("-MD"), std::string_view("-MF"), plan_names::dependencies}) {
      words.push_back(no_effect(std::string(word)));
    }
    step.dependencies.push_back({std::string(plan_names::dependencies), dependency_file::dialect::nvcc});
    if (read_unlisted_files(handed_on(defines.others)) || read_unlisted_files(request_.link_flags))
      step.dependencies.push_back(never_written());
    if (request_.kind == output_kind::shared_object) add_link_words(step, *links);
    plan.steps.push_back(std::move(step));
    return plan;
  }

 private:
  bool links_host_code() const {
    return request_.kind == output_kind::shared_object || request_.kind == output_kind::object;
  }

  std::string_view kind_option() const {
    switch (request_.kind) {
      case output_kind::object: return "-c";
      case output_kind::cubin: return "-cubin";
      case output_kind::ptx: return "-ptx";
      case output_kind::fatbin: return "-fatbin";
      default: return "-shared";
    }
  }

  std::optional<refusal> refused() const {
    if (request_.kind == output_kind::code_object || request_.kind == output_kind::mlir) {
      return refuse(errc::invalid_request, "nvcc makes a shared_object, an object, a cubin, ptx or a fatbin, not a " +
                                               std::string(name(request_.kind)));
    }
    if (!request_.standard.starts_with("c++")) {
      return refuse(errc::invalid_option, "nvcc has no standard " + request_.standard + "; use c++ and the number");
    }
    if (auto wrong = refuse_unknown(targets_, tools_)) return wrong;
    if (!tools_.host) {
      return refuse(errc::tool_not_found,
                    "nvcc needs a host compiler, and none was found; install g++, or name one in KERNIX_CUDA_HOST_CXX");
    }
    for (const std::filesystem::path& each : {tools_.program, tools_.host->program}) {
      if (!is_path_safe(each.string())) {
        return refuse(errc::invalid_option,
                      "the path \"" + each.string() +
                          "\" holds a character that nvcc's shell would interpret; reach the program by another path");
      }
    }
    if (!is_shell_safe(request_.recorded_path) || request_.recorded_path.find_first_of(",=") != std::string::npos) {
      return refuse(errc::invalid_option, "the recorded path \"" + request_.recorded_path +
                                              "\" holds a character that nvcc's shell would interpret; choose another");
    }
    if (auto wrong = refuse_nvcc_flags(request_.compile_flags)) return wrong;
    if (auto wrong = refuse_inputs(request_.compile_flags, "is no option; files to be linked belong into link_flags"))
      return wrong;
    if (auto wrong = refuse_cxx_link_flags(request_.link_flags)) return wrong;
    if (ask_for_native(request_.compile_flags) && tools_.cpu.empty()) {
      return refuse(errc::invalid_option,
                    "\"native\" was asked for, and this machine's processor is not known; name a processor instead");
    }
    return std::nullopt;
  }

  /// kernix's own directories, then the toolkit's (so that no directory of the request hides `cuda_runtime.h`), then
  /// the request's. `-iquote` is the preprocessor's, which is the host compiler in every pass.
  void add_includes(std::vector<argument>& words, const command_plan& plan) const {
    auto quote = [](std::string directory) {
      return std::vector<std::string>{"-Xcompiler", "-iquote", "-Xcompiler", std::move(directory)};
    };
    std::vector<argument> own = include_words(request_, plan, quote);
    auto first_of_request = std::find_if(
        own.begin(), own.end(), [](const argument& each) { return each.text.starts_with(plan_names::include_root); });
    auto at = first_of_request == own.end() ? own.end() : first_of_request - 1;
    words.insert(words.end(), own.begin(), at);
    for (const std::filesystem::path& each : tools_.system_includes) {
      if (each.filename() != "include" || !is_path_safe(each.string())) continue;
      words.emplace_back("-I");
      words.push_back(toolchain_path(each.string()));
    }
    words.insert(words.end(), at, own.end());
  }

  void add_link_words(command_step& step, const std::vector<std::string>& links) const {
    for (const std::string& each : links) step.arguments.emplace_back(each);
    for (const std::filesystem::path& each : tools_.library_directories) {
      if (!is_path_safe(each.string())) continue;
      step.arguments.emplace_back("-L");
      step.arguments.push_back(toolchain_path(each.string()));
      // The run path is written into the output.
      for (const std::string& word :
           {std::string("-Xlinker"), std::string("-rpath"), std::string("-Xlinker"), '"' + each.string() + '"'}) {
        step.arguments.emplace_back(word);
      }
    }
    switch (link_listing_of(*tools_.host, request_.link_flags, request_.link_flags)) {
      case link_listing::by_linker:
        step.arguments.push_back(no_effect("-Xlinker"));
        step.arguments.push_back(no_effect("--dependency-file=" + std::string(plan_names::link_dependencies)));
        step.dependencies.push_back({std::string(plan_names::link_dependencies)});
        break;
      case link_listing::impossible: step.dependencies.push_back(never_written()); break;
      case link_listing::none_needed: break;
    }
  }

  const compile_request& request_;
  const toolchain& tools_;
  const std::vector<cuda_target>& targets_;
  bool allow_unsupported_;
};

}  // namespace kernix::detail
