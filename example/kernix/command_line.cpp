// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <kernix/version.hpp>

#include "backends.hpp"

namespace tool {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw CLI::ValidationError(sentence, wrong_use); }

/// The number that a text is, all of it. (CLI11 takes an empty text for a zero.)
template <class Number>
std::optional<Number> number(const std::string& text) {
  Number value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void read_jobs(build_options& options, const std::string& text) {
  options.jobs = number<unsigned>(text);
  if (!options.jobs || *options.jobs == 0) refuse("--jobs must be a whole number above zero, not \"" + text + "\"");
}

void read_timeout(build_options& options, const std::string& text) {
  constexpr double longest = 3.15e9;  // a hundred years: more doesn't fit into nanoseconds
  double seconds = number<double>(text).value_or(0);
  if (!(seconds > 0 && seconds <= longest)) {
    refuse("--timeout must be a number of seconds above zero, not \"" + text + "\"");
  }
  auto exact = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  options.timeout = std::max(exact, std::chrono::nanoseconds(1));
}

void read_level(build_options& options, const std::string& text) {
  options.optimization = number<int>(text);
  if (!options.optimization || *options.optimization < 0 || *options.optimization > 3) {
    refuse("-O must be 0, 1, 2 or 3, not \"" + text + "\"");
  }
}

void read_architectures(build_options& options, const std::vector<std::string>& lists) {
  for (const std::string& list : lists) {
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = list.find(',', begin);
      options.architectures.push_back(list.substr(begin, end - begin));
      if (options.architectures.back().empty()) refuse("an architecture in --arch \"" + list + "\" is empty");
    }
  }
}

void read_kind(build_options& options, const std::string& kind) {
  if (kind.empty()) return;
  auto known = kernix::parse_output_kind(kind);
  if (!known || *known == kernix::output_kind::mlir) {
    refuse("--kind must be shared_object, cubin, ptx, fatbin, code_object or object, not \"" + kind + "\"");
  }
  options.kind = *known;
}

/// Every file must have a backend that is built in, before anything is started.
void check_backends(const build_options& options) {
  for (const std::string& file : options.files) {
    if (file.empty()) refuse("a file name is empty");
    const backend* which = find_backend(options, file);
    if (!which) {
      if (!options.backend.empty())
        refuse("--backend must be cxx, nvcc, hipcc or teenyc, not \"" + options.backend + "\"");
      bool may_be_architecture = !options.architectures.empty() && !std::filesystem::path(file).has_extension();
      refuse(file + ": no backend compiles files with this suffix (say --backend cxx, nvcc, hipcc or teenyc" +
             (may_be_architecture
                  ? "; --arch takes one value: --arch " + options.architectures.back() + ',' + file + ')'
                  : ")"));
    }
    if (!which->open) refuse(file + ": the backend " + std::string(which->name) + " is not built in yet");
  }
}

/// CLI11 would say of a misspelled command only that there is none.
void check_first_word(int argc, const char* const* argv) {
  if (argc < 2) return;
  std::string_view word = argv[1];
  for (std::string_view known : {"build", "-h", "--help", "--version"}) {
    if (word == known) return;
  }
  refuse('"' + std::string(word) + "\" is no command: the only one is build (kernix build FILE...)");
}

void refuse_empty(const CLI::Option& option, const std::string& text) {
  if (option && text.empty()) refuse(option.get_name() + " must not be empty");
}

}  // namespace

command_line parse_command_line(int argc, const char* const* argv) {
  build_options options;
  std::string cache;
  std::string output;
  std::string kind;
  std::vector<std::string> architectures;
  std::string jobs;
  std::string timeout;
  std::string level;

  CLI::App app("Compiles kernels, and keeps what it compiled.", "kernix");
  app.set_version_flag("--version", "kernix " KERNIX_VERSION_STRING);
  app.require_subcommand(1);
  CLI::App& build = *app.add_subcommand("build", "Compile files in parallel; one line is printed as each one ends.");
  auto add = [&build](const char* flag, auto& into, const char* type, const char* what) -> CLI::Option& {
    return *build.add_option(flag, into, what)->type_name(type);
  };
  // may be given several times, each time with one value, which may begin with a dash
  auto add_list = [&add](const char* flag, std::vector<std::string>& into, const char* type, const char* what) {
    add(flag, into, type, what).allow_extra_args(false);
  };
  auto& backend_flag =
      add("--backend", options.backend, "NAME", "cxx, nvcc, hipcc or teenyc; by suffix where not given");
  auto& cache_flag =
      add("--cache", cache, "DIR", "The cache directory (default: KERNIX_CACHE_DIR, or the user's cache)");
  auto& output_flag = add("--output", output, "DIR", "Copy what was built to this directory, as NAME.so and the like");
  auto& jobs_flag = add("--jobs", jobs, "N", "Compilers at once (default: KERNIX_JOBS, or the cores of this process)");
  auto& timeout_flag = add("--timeout", timeout, "SECONDS",
                           "Limit on the time that one compiler runs (default: KERNIX_COMPILE_TIMEOUT, or 600)");
  build.add_flag("--force", options.force, "Compile even what is in the cache, and replace it there");
  add_list("--arch", architectures, "A[,A...]", "Target architectures of all files, in one value: sm_80,sm_90");
  auto& std_flag = add("--std", options.standard, "c++NN", "Language standard (default: c++17)");
  auto& level_flag = add("-O", level, "N", "Optimisation level, 0 to 3 (default: 3)");
  add_list("-I", options.include_directories, "DIR", "A directory to search for headers");
  add_list("-D", options.defines, "NAME[=VALUE]", "A macro to define");
  add_list("--flag", options.flags, "TOKEN", "One more argument for the compiler");
  add_list("--link-flag", options.link_flags, "TOKEN", "One more argument for the linker's driver");
  auto& kind_flag = add("--kind", kind, "KIND", "What to make (default: shared_object)");
  build.add_flag("--json", options.json, "Print one JSON object a line");
  build.add_option("FILE", options.files, "Source files")->required()->type_name("");

  try {
    check_first_word(argc, argv);
    app.parse(argc, argv);
    if (jobs_flag) read_jobs(options, jobs);
    if (timeout_flag) read_timeout(options, timeout);
    if (level_flag) read_level(options, level);
    refuse_empty(backend_flag, options.backend);
    refuse_empty(cache_flag, cache);
    refuse_empty(output_flag, output);
    refuse_empty(std_flag, options.standard);
    refuse_empty(kind_flag, kind);
    read_architectures(options, architectures);
    read_kind(options, kind);
    check_backends(options);
  } catch (const CLI::Success& wanted) {  // --help, --version
    app.exit(wanted, std::cout, std::cerr);
    return {std::nullopt, all_built};
  } catch (const CLI::Error& wrong) {
    std::cerr << "kernix: " << wrong.what() << "\nTry 'kernix build --help'.\n";
    return {std::nullopt, wrong_use};
  }
  options.cache = cache;
  options.output = output;
  return {std::move(options), all_built};
}

}  // namespace tool
