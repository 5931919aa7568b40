// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/backend/detail/cxx_flags.hpp>
#include <kernix/backend/detail/flag_words.hpp>
#include <kernix/core/refusal.hpp>

namespace kernix::detail {

/// Characters that reach nvcc's tools unchanged. nvcc builds shell command lines of what it is given: some options are
/// quoted on the way, some are not, backticks and `$(...)` in defines are executed (measured with CUDA 13.0).
inline bool is_shell_safe(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_@%+=:./,-").find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0x80;
  });
}

/// A path for nvcc's own path options: those are put between double quotes for the shell, and split at commas.
inline bool is_path_safe(std::string_view text) noexcept {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), ' ', '_');
  return text.find(',') == std::string_view::npos && is_shell_safe(plain);
}

/// `-Xlinker` and `-Xcompiler` split at commas and pass blanks to the shell, unless double quotes stand around the
/// value; nothing helps against these: they are refused. A dollar sign is escaped by nvcc where it links, so
/// `$ORIGIN` works.
inline result<std::string> quoted_for_linker(const std::string& token) {
  if (token.find_first_of("\"'`\\") != std::string::npos) {
    return refuse_token(token,
                        "holds a quote, a backtick or a backslash, which nvcc's shell would take apart; remove it");
  }
  if (is_shell_safe(token) && token.find(',') == std::string::npos) return token;
  return '"' + token + '"';
}

/// What nvcc hands on to its tools: the parts of `-Xcompiler=a,b` and of the other lists, any other token as it is.
inline std::vector<std::string> handed_on(const std::vector<std::string>& tokens) {
  std::vector<std::string> parts;
  for (std::string_view token : tokens) {
    if (begins_with_one_of(token, {"-X", "--compiler-options=", "--linker-options=", "--ptxas-options=", "--nvlink-options="})) {
      token.remove_prefix(std::min(token.find('='), token.size() - 1) + 1);
    }
    while (true) {
      const std::size_t comma = std::min(token.find(','), token.size());
      parts.emplace_back(token.substr(0, comma));
      if (comma == token.size()) break;
      token.remove_prefix(comma + 1);
    }
  }
  return parts;
}

/// What is wrong with the user's tokens for nvcc; nothing if they may be passed on.
inline std::optional<refusal> refuse_nvcc_flags(const std::vector<std::string>& tokens) {
  std::string_view before;
  for (const std::string& token : tokens) {
    std::string_view option = std::string_view(token).substr(0, token.find('='));
    auto is = [&](std::initializer_list<std::string_view> words) { return is_one_of(option, words); };
    if (is({"-o", "--output-file", "-odir", "--output-directory", "--objdir-as-tempdir", "-objtemp"}) ||
        (token.starts_with("-o") && !is({"-optf", "-ofast-compile"}))) {
      return refuse_token(token, "names an output; kernix names it, and the outcome says where it is");
    }
    if (is({"-c",         "-E",         "-dc",           "-dw",    "-dlink",    "-lib",    "-link",     "-run",
            "-ptx",       "-cubin",     "-fatbin",       "-ltoir", "-optix-ir", "-shared", "--compile", "--preprocess",
            "--device-c", "--device-w", "--device-link", "--lib",  "--link",    "--run",   "--ptx",     "--cubin",
            "--fatbin",   "--ltoir",    "--optix-ir",    "--cuda", "-cuda",     "--shared"})) {
      return refuse_token(token, "changes the kind of output; ask for it with the request's output kind");
    }
    if (is({"-arch", "-gencode", "-code", "-gpu-architecture", "--gpu-architecture", "--generate-code",
            "--gpu-code"}) ||
        token.starts_with("-arch") || token.starts_with("-gencode")) {
      return refuse_token(token,
                          "names architectures; name them in the request's architectures, which are part of the key");
    }
    if (is({"-ccbin", "--compiler-bindir", "-allow-unsupported-compiler", "--allow-unsupported-compiler"})) {
      return refuse_token(
          token, "is set by kernix; use host_compiler and allow_unsupported_compiler, or the variables for them");
    }
    if (is({"-std", "--std"}) || token.starts_with("-std")) {
      return refuse_token(
          token, "names the language standard a second time, which nvcc warns about; use the request's standard");
    }
    if (token.starts_with("-M") ||
        begins_with_one_of(token, {"--generate-dependenc", "--generate-nonsystem-dependenc", "--dependency-"})) {
      return refuse_token(token, "is about dependency files; kernix has the compiler write one of its own");
    }
    if (is({"-keep",
            "--keep",
            "-keep-dir",
            "--keep-dir",
            "-save-temps",
            "--save-temps",
            "-dryrun",
            "--dryrun",
            "-clean",
            "--clean-targets",
            "-x",
            "--x",
            "-optf",
            "--options-file",
            "-V",
            "--version",
            "-h",
            "--help",
            "-time",
            "--time",
            "-fdc",
            "--fdevice-time-trace",
            "--run-args",
            "-idp",
            "-ddp",
            "-dp",
            "-lto",
            "-dlto",
            "--dlink-time-opt"}) ||
        token.starts_with("-x")) {
      return refuse_token(token, "doesn't go together with how kernix runs nvcc; remove it");
    }
    for (const std::string& part : handed_on({token})) {
      if (part.starts_with('@')) return refuse_token(token, "names a response file; give its tokens themselves");
    }
    const bool is_path =
        begins_with_one_of(token,
                           {"-I", "-isystem", "-include", "--include-path", "--system-include", "--pre-include"}) ||
        is_one_of(before, {"-I", "-isystem", "-include", "--include-path", "--system-include", "--pre-include"});
    const bool is_define = begins_with_one_of(token, {"-D", "-U"}) || is_one_of(before, {"-D", "-U"});
    if (is_path && !is_path_safe(token)) {
      return refuse_token(token,
                          "holds a comma or a character that nvcc's shell would interpret; use include_directories, "
                          "which may have any name");
    }
    if (!is_path && !is_define && !is_shell_safe(token)) {
      return refuse_token(token,
                          "holds a blank, a quote or another character that nvcc's shell would interpret; remove it");
    }
    if (token.find("-ffast-math") != std::string::npos || token.find("-Ofast") != std::string::npos ||
        token.find("-funsafe-math-optimizations") != std::string::npos) {
      return refuse_token(
          token,
          "would link code that changes how the loading thread treats denormal numbers; use the request's fast_math");
    }
    before = token;
  }
  return std::nullopt;
}

/// A linking driver's tokens as nvcc takes them: what is meant for the linker as `-Xlinker` pairs, `-Wl,` lists taken
/// apart, what is meant for the driver as `-Xcompiler` pairs.
inline result<std::vector<std::string>> nvcc_link_words(const std::vector<std::string>& tokens) {
  std::vector<std::string> words;
  auto pass = [&](const char* option, std::string value) {
    words.emplace_back(option);
    words.push_back(std::move(value));
  };
  bool take_next = false;
  bool directory_next = false;
  for (const std::string& token : tokens) {
    // As an option of nvcc's own where that can hold it: behind `-Xlinker`, the system's directories would come first.
    if (directory_next || (!take_next && token.starts_with("-L"))) {
      const std::string directory = directory_next ? token : token.substr(2);
      directory_next = token == "-L" && !directory_next;
      if (directory_next) continue;
      if (is_path_safe(directory)) {
        pass("-L", directory);
        continue;
      }
      auto quoted = quoted_for_linker("-L" + directory);
      if (quoted.has_error()) return quoted.error();
      pass("-Xlinker", std::move(*quoted));
      continue;
    }
    if (token == "-Xlinker" && !take_next) {
      take_next = true;
      continue;
    }
    if (!take_next && token.starts_with("-Wl,")) {
      std::string_view rest = std::string_view(token).substr(4);
      while (true) {
        const std::size_t comma = rest.find(',');
        auto quoted = quoted_for_linker(std::string(rest.substr(0, comma)));
        if (quoted.has_error()) return quoted.error();
        pass("-Xlinker", std::move(*quoted));
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
      }
      continue;
    }
    // `-fopenmp` and its like are the driver's: the linker would read them as something else.
    const bool for_driver = !take_next && (begins_with_one_of(token, {"-f", "-pthread", "-static", "-nostdlib",
                                                                      "-nodefaultlibs", "-m", "-B", "--sysroot"}));
    take_next = false;
    if (for_driver) {
      if (!is_shell_safe(token) || token.find(',') != std::string::npos || is_fast_math(token)) {
        return refuse_token(token, "can't be handed to the host compiler through nvcc; remove it");
      }
      pass("-Xcompiler", token);
      continue;
    }
    auto quoted = quoted_for_linker(token);
    if (quoted.has_error()) return quoted.error();
    pass("-Xlinker", std::move(*quoted));
  }
  if (take_next) return refuse_token("-Xlinker", "is not followed by what it is to hand on");
  if (directory_next) return refuse_token("-L", "is not followed by a directory");
  return words;
}

}  // namespace kernix::detail
