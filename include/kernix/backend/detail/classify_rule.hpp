// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <kernix/backend/detail/message_line.hpp>
#include <kernix/core/error.hpp>

namespace kernix::detail {

/// Who speaks in a line; rules name one or several.
enum class speaker : std::uint16_t {
  driver = 1,      ///< g++, clang++-19, x86_64-linux-gnu-gcc-12, and the program that was started.
  compiler = 2,    ///< cc1plus, cc1, lto1, f951: what GCC's driver runs.
  nvcc = 4,        ///< nvcc's driver.
  cuda_tool = 8,   ///< ptxas, cicc, cudafe++, fatbinary, nvlink.
  linker = 16,     ///< ld, ld.lld, collect2, or a place in a section: `k.cpp:(.text+0x14)`.
  assembler = 32,  ///< as, or one of its inputs.
  shell = 64,
  nobody = 128,          ///< A line that starts with its level: `error: unknown target CPU 'x'`.
  built_in = 256,        ///< `<built-in>`, `<command-line>`: what drivers include before any source.
  unknown = 512,         ///< Any other line; rules see it as a whole.
  source = 1024,         ///< A message about a place in a file of the user's.
  system_header = 2048,  ///< A message about a place in the C or C++ library's headers.
  host_config = 4096,    ///< A message about a place in the CUDA toolkit's `crt/host_config.h`.
};

constexpr speaker operator|(speaker a, speaker b) noexcept {
  return static_cast<speaker>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool includes(speaker set, speaker one) noexcept {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0;
}

/// What a line of a known shape means. A table is read from its start, and the first rule that fits a line counts.
struct rule {
  errc code{};  ///< `errc{}`: the line says nothing.
  speaker from{};
  std::string_view shape;  ///< Of the whole of "level: text", without the speaker's name; `*` stands for anything.
  std::string_view advice = {};  ///< What helps in this case, before the general advice.
  std::string_view next = {};    ///< Shape that the next line must have, if not empty.
  bool is_last_resort = false;   ///< Counts only where no other rule explains the failure.
};

/// The strongest reading of several lines wins: a full disk makes all kinds of noise, a plain error none.
constexpr int rank(errc code) noexcept {
  constexpr std::array order{errc::disk_full,        errc::out_of_memory,    errc::spawn_failed,
                             errc::compiler_crashed, errc::unsupported_arch, errc::host_compiler_incompatible,
                             errc::tool_not_found,   errc::not_executable,   errc::command_line_too_long,
                             errc::invalid_option,   errc::link_failed,      errc::compile_failed};
  return static_cast<int>(std::find(order.begin(), order.end(), code) - order.begin());
}

/// `g++` of `/usr/bin/x86_64-linux-gnu-g++-12`.
constexpr std::string_view plain_tool_name(std::string_view path) noexcept {
  std::string_view name = base_name(path);
  if (std::size_t dash = name.rfind('-'); dash != std::string_view::npos && dash + 1 < name.size()) {
    if (name.find_first_not_of("0123456789.", dash + 1) == std::string_view::npos) name = name.substr(0, dash);
  }
  if (std::size_t dash = name.rfind('-'); dash != std::string_view::npos) {
    std::string_view last = name.substr(dash + 1);
    for (std::string_view tool : {"gcc", "g++", "cc", "c++", "cpp", "clang", "clang++", "ld", "as"}) {
      if (last == tool) return last;
    }
  }
  return name;
}

/// Who a tool's line is from; `program` is what was started.
constexpr speaker speaker_of_tool(std::string_view name, std::string_view program) noexcept {
  if (name == "<built-in>" || name == "<command-line>") return speaker::built_in;
  if (name.find(":(") != std::string_view::npos) return speaker::linker;
  if (name.ends_with(".s") || name == "Assembler messages") return speaker::assembler;
  std::string_view tool = plain_tool_name(name);
  auto is_one_of = [&](auto... names) { return ((tool == names) || ...); };
  if (is_one_of("gcc", "g++", "cc", "c++", "cpp", "clang", "clang++", "clang-cpp")) return speaker::driver;
  if (is_one_of("cc1plus", "cc1", "lto1", "f951", "lto-wrapper")) return speaker::compiler;
  if (tool == "nvcc") return speaker::nvcc;
  if (is_one_of("ptxas", "cicc", "cudafe++", "fatbinary", "nvlink", "bin2c") || tool.starts_with("ptxas-")) {
    return speaker::cuda_tool;
  }
  if (is_one_of("ld", "collect2", "gold", "lld", "mold") || tool.starts_with("ld.")) return speaker::linker;
  if (tool == "as") return speaker::assembler;
  if (is_one_of("sh", "bash", "dash")) return speaker::shell;
  if (!program.empty() && base_name(name) == base_name(program)) return speaker::driver;
  return speaker::unknown;
}

/// Whose file a message is about. kernix names all files of a request relative to the workspace, and toolkits, absolutely.
constexpr speaker speaker_of_file(std::string_view path) noexcept {
  bool is_absolute = path.starts_with("/") || (path.size() > 2 && path[1] == ':');
  if (path.starts_with("<built-in>") || path.starts_with("<command")) return speaker::built_in;
  if (!is_absolute) return speaker::source;
  if (path.ends_with("/crt/host_config.h") || path.ends_with("\\crt\\host_config.h")) return speaker::host_config;
  bool is_system = path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") ||
                   path.find("/include/c++/") != std::string_view::npos ||
                   path.find("/lib/gcc/") != std::string_view::npos;
  return is_system ? speaker::system_header : speaker::source;
}

}  // namespace kernix::detail
