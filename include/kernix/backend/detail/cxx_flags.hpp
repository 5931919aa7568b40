// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/backend/detail/flag_words.hpp>
#include <kernix/backend/detail/link_dependencies.hpp>
#include <kernix/core/command.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/core/toolchain.hpp>

namespace kernix::detail {

/// What is wrong with the user's tokens for g++ or clang++; nothing if they may be passed on. Tokens that would take the
/// outputs or the dependency files away from kernix are refused; unknown ones are for the compiler to judge.
inline std::optional<refusal> refuse_cxx_flags(const std::vector<std::string>& tokens) {
  for (const std::string& token : tokens) {
    if (token.starts_with("-o") && !token.starts_with("-objc")) {
      return refuse_token(token, "names an output; kernix names it, and the outcome says where it is");
    }
    if (is_one_of(token,
                  {"-c", "-S", "-E", "-r", "-fsyntax-only", "-emit-llvm", "--compile", "--assemble", "--preprocess"})) {
      return refuse_token(token, "changes the kind of output; ask for it with the request's output kind");
    }
    if (token.starts_with("-M") || begins_with_one_of(token, {"--dependencies", "--user-dependencies",
                                                              "--write-dependencies", "--write-user-dependencies"})) {
      return refuse_token(token, "is about dependency files; kernix has the compiler write one of its own");
    }
    if (begins_with_one_of(token,
                           {"-save-temps", "--save-temps", "-###", "-x", "--language", "-wrapper", "--output"})) {
      return refuse_token(token, "doesn't go together with how kernix runs the compiler; remove it");
    }
    if (begins_with_one_of(token, {"-Wl,", "-Wa,", "-Wp,"}) && token.find(",@") != std::string::npos) {
      return refuse_token(token, "names a response file; give its tokens themselves");
    }
    if (begins_with_one_of(token, {"-Wl,--dependency-file", "-Wp,-M", "-Wl,-o"})) {
      return refuse_token(token, "takes a file that kernix needs away from it; remove it");
    }
  }
  return std::nullopt;
}

/// The same for the tokens of the linking driver.
inline std::optional<refusal> refuse_cxx_link_flags(const std::vector<std::string>& tokens) {
  if (auto wrong = refuse_cxx_flags(tokens)) return wrong;
  bool after_option = false;
  for (const std::string& token : tokens) {
    if (token.starts_with('@')) return refuse_token(token, "names a response file; give its tokens themselves");
    const bool is_option = token.starts_with('-');
    const bool relative_input = !is_option && !after_option && !token.starts_with('/');
    const bool relative_search = token.size() > 2 && token.starts_with("-L") && token[2] != '/' && token[2] != '=';
    if (relative_input || relative_search) {
      return refuse_token(token, "is relative to the scratch directory that the linker runs in; give an absolute path");
    }
    after_option =
        is_option && is_one_of(token, {"-L", "-l", "-u", "-z", "-T", "-e", "-Xlinker", "-target", "-mllvm", "-rpath"});
  }
  return std::nullopt;
}

/// Whether the compiler reads files by these tokens that no dependency file lists: plug-ins, profiles, specs, other
/// sub-programs. Their results are used, not cached.
inline bool read_unlisted_files(const std::vector<std::string>& tokens) noexcept {
  return std::any_of(tokens.begin(), tokens.end(), [](const std::string& each) {
    return begins_with_one_of(
        each, {"-fplugin", "-fpass-plugin", "-specs", "--specs", "-fprofile-use", "-fprofile-instr-use",
               "-fprofile-sample-use", "-fauto-profile", "-fbranch-probabilities", "-fsanitize-ignorelist",
               "-fsanitize-blacklist", "-fprofile-list", "-fxray-attr-list", "-B", "--config", "-load", "-fmodule"});
  });
}

/// Whether these tokens make the driver link start-up code that changes how the loading thread treats denormal numbers
/// (measured: g++ 12, clang 14, with `-shared`). A kernel must not do that to its host.
inline bool is_fast_math(std::string_view token) noexcept {
  return is_one_of(token, {"-ffast-math", "-Ofast", "-funsafe-math-optimizations"});
}

inline bool ask_for_fast_math(const std::vector<std::string>& tokens) noexcept {
  return std::any_of(tokens.begin(), tokens.end(), [](const std::string& each) { return is_fast_math(each); });
}

/// Whether the tokens make the linker read files of the user's.
inline bool name_link_inputs(const std::vector<std::string>& tokens) noexcept {
  return std::any_of(tokens.begin(), tokens.end(), [](const std::string& each) {
    return begins_with_one_of(each, {"-l", "-L", "-T", "-Wl,", "-Xlinker", "/"});
  });
}

/// How the files that the linker reads become known.
enum class link_listing { none_needed, by_linker, impossible };

inline link_listing link_listing_of(const toolchain& linking, const std::vector<std::string>& all_flags,
                                    const std::vector<std::string>& link_flags) {
  bool listed = lists_dependencies(linking.property("linker"));
  if (choose_linker(all_flags)) {
    listed = std::any_of(all_flags.begin(), all_flags.end(), [](const std::string& each) {
      return begins_with_one_of(each, {"-fuse-ld=lld", "-fuse-ld=mold"});
    });
  }
  if (listed) return link_listing::by_linker;
  return name_link_inputs(link_flags) ? link_listing::impossible : link_listing::none_needed;
}

/// A dependency file that nothing writes: the result can be used, and can't be cached.
inline dependency_file never_written() { return {"unlisted.d", dependency_file::dialect::make, true}; }

}  // namespace kernix::detail
