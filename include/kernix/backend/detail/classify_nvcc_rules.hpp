// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <kernix/backend/detail/classify_rule.hpp>

namespace kernix::detail {

/// nvcc says this and goes on: the code is for another architecture than was asked for.
inline constexpr std::array nvcc_success_rules{
    rule{errc::unsupported_arch, speaker::nvcc,
         "warning: Cannot find valid GPU for '-arch=native', default arch is used",
         "name the architectures, since no GPU can be asked here"},
};

/// What nvcc and its tools say, before what GCC and Clang say. Texts from CUDA 13.0, provoked by damage, and from older
/// versions' bug reports.
///
/// Two decisions: PTX for a newer `.version` than ptxas knows is `unsupported_arch`, since the toolkit's parts (or the
/// given PTX and the toolkit) are of different ages; and so is an instruction that the target lacks, since the usual
/// cause is plain `9.0` where `9.0a` is needed.
inline constexpr std::array nvcc_rules{
    // Disk
    rule{errc::disk_full, speaker::nvcc, "fatal: Could not open output file '*'"},
    rule{errc::disk_full, speaker::cuda_tool, "fatal: Internal error: writing file*"},
    rule{errc::disk_full, speaker::cuda_tool, "*: Could not write file '*"},
    rule{errc::disk_full, speaker::cuda_tool, "fatal: Could not open output file*"},
    rule{errc::disk_full, speaker::cuda_tool | speaker::nvcc, "*No space left on device"},
    rule{errc::disk_full, speaker::source | speaker::system_header | speaker::host_config | speaker::nobody,
         "catastrophic error: *: No space left on device"},
    rule{errc::disk_full, speaker::source | speaker::system_header | speaker::host_config | speaker::nobody,
         "catastrophic error: error while writing *"},

    // Memory
    rule{errc::out_of_memory, speaker::nvcc, "error: '*' died due to signal 9*"},
    rule{errc::out_of_memory, speaker::source | speaker::system_header | speaker::host_config | speaker::nobody,
         "catastrophic error: out of memory"},
    rule{errc::out_of_memory, speaker::nvcc | speaker::cuda_tool, "fatal: Memory allocation failure*"},
    rule{errc::out_of_memory, speaker::nvcc | speaker::cuda_tool, "*out of memory*"},
    // the shell under nvcc; with -t the exit code is 255
    rule{errc::out_of_memory, speaker::unknown, "Killed"},

    // Crashes
    rule{errc::compiler_crashed, speaker::nvcc, "error: '*' died due to signal *"},
    rule{errc::compiler_crashed, speaker::nvcc, "error: '*' died with status *"},
    rule{errc::compiler_crashed, speaker::nvcc, "error: '*' core dumped*"},
    rule{errc::compiler_crashed, speaker::unknown, "Segmentation fault"},
    rule{errc::compiler_crashed, speaker::unknown, "Segmentation fault (core dumped)"},
    rule{errc::compiler_crashed, speaker::unknown, "Aborted"},
    rule{errc::compiler_crashed, speaker::unknown, "Aborted (core dumped)"},
    rule{errc::compiler_crashed, speaker::unknown, "Illegal instruction"},
    rule{errc::compiler_crashed, speaker::unknown, "Bus error"},
    rule{errc::compiler_crashed, speaker::cuda_tool, "*nternal *error*"},
    rule{errc::compiler_crashed, speaker::source | speaker::system_header | speaker::nobody, "internal error: *"},

    // Architectures
    rule{errc::unsupported_arch, speaker::nvcc, "fatal: Unsupported gpu architecture '*'"},
    rule{errc::unsupported_arch, speaker::nvcc, "fatal: Value '*' is not defined for option 'gpu-architecture'"},
    rule{errc::unsupported_arch, speaker::nvcc, "fatal: Value '*' is not defined for option 'gpu-code'"},
    rule{errc::unsupported_arch, speaker::cuda_tool, "fatal: Value '*' is not defined for option 'gpu-name'"},
    rule{errc::unsupported_arch, speaker::cuda_tool, "fatal: Value '*' is not defined for option 'arch'"},
    rule{errc::unsupported_arch, speaker::nvcc, "fatal: Incompatible code generation requested: *"},
    rule{errc::unsupported_arch, speaker::cuda_tool, "*: Unsupported .target '*'"},
    rule{errc::unsupported_arch, speaker::cuda_tool, "*: Unsupported .version *; current version is '*'",
         "use parts of one toolkit: this PTX was written by, or for, a newer one than this ptxas belongs to"},
    rule{errc::unsupported_arch, speaker::cuda_tool,
         "*: SM version specified by .target is higher than default SM version assumed"},
    rule{errc::unsupported_arch, speaker::cuda_tool, "*.target '*' cannot be compiled *"},
    rule{errc::unsupported_arch, speaker::cuda_tool, "error: * cannot be compiled for architecture '*'"},
    rule{errc::unsupported_arch, speaker::cuda_tool, "error: * not supported on .target '*'",
         "ask for the architecture that has this instruction: some exist only with the suffix a or f, as in 9.0a"},
    rule{errc::unsupported_arch, speaker::cuda_tool, "error: * requires .target *",
         "ask for the architecture that has this instruction: some exist only with the suffix a or f, as in 9.0a"},

    // Host compiler
    rule{errc::host_compiler_incompatible, speaker::host_config, "*error: *unsupported *"},
    rule{errc::host_compiler_incompatible, speaker::host_config, "*error: *supported *host compiler*"},
    rule{errc::host_compiler_incompatible, speaker::host_config, "*error: *UNSUPPORTED COMPILER*"},
    rule{errc::host_compiler_incompatible, speaker::nobody, "*error: *-- unsupported *version!*"},
    rule{errc::host_compiler_incompatible, speaker::nobody, "*error: *-- unsupported * compiler!*"},
    rule{errc::host_compiler_incompatible, speaker::unknown, "#error*-- unsupported *!*"},
    rule{errc::host_compiler_incompatible, speaker::nvcc,
         "fatal: The version ('*') of the host compiler ('*') is not supported"},
    rule{errc::host_compiler_incompatible, speaker::nvcc, "fatal: Host compiler targets unsupported OS*"},
    rule{errc::host_compiler_incompatible, speaker::nvcc,
         "fatal: nvcc cannot find a supported version of Microsoft Visual Studio*"},
    rule{errc::host_compiler_incompatible, speaker::nvcc, "fatal: Unsupported *host compiler*"},
    rule{errc::host_compiler_incompatible, speaker::nvcc,
         "fatal: GNU C/C++ compiler is no longer supported as a host compiler*"},
    rule{errc::host_compiler_incompatible, speaker::unknown,
         "GNU C/C++ compiler is no longer supported as a host compiler*"},
    // newer library headers than nvcc's front end can read
    rule{errc::host_compiler_incompatible, speaker::system_header, "error: parameter packs not expanded with '...'"},
    rule{errc::host_compiler_incompatible, speaker::system_header, "error: parameter packs not expanded with '...':"},
    rule{errc::host_compiler_incompatible, speaker::system_header,
         "error: exception specification is incompatible with that of previous function * (declared at line "
         "*math_functions.h)"},
    rule{errc::host_compiler_incompatible, speaker::system_header, "error: identifier \"__builtin_*\" is undefined"},
    rule{errc::host_compiler_incompatible, speaker::system_header, "error: identifier \"_Float*\" is undefined"},
    rule{errc::host_compiler_incompatible, speaker::system_header, "error: identifier \"__float128\" is undefined"},
    rule{errc::host_compiler_incompatible, speaker::system_header, "error: identifier \"__bf16\" is undefined"},
    rule{errc::host_compiler_incompatible, speaker::nvcc, "fatal: Failed to * host compiler properties.", "", "", true},

    // A program or a component is missing. What stands right before "Failed to preprocess" is the host compiler.
    rule{errc::tool_not_found, speaker::driver, "No such file or directory", "",
         "nvcc fatal*host compiler properties."},
    rule{errc::tool_not_found, speaker::unknown, "*: No such file or directory", "",
         "nvcc fatal*host compiler properties."},
    rule{errc::not_executable, speaker::driver, "Permission denied", "", "nvcc fatal*host compiler properties."},
    rule{errc::not_executable, speaker::unknown, "*: Permission denied", "", "nvcc fatal*host compiler properties."},
    rule{errc::not_executable, speaker::driver, "Exec format error", "", "nvcc fatal*host compiler properties."},
    rule{errc::not_executable, speaker::unknown, "*: Exec format error", "", "nvcc fatal*host compiler properties."},
    rule{errc::tool_not_found, speaker::nvcc, "fatal: Cannot find compiler '*"},
    rule{errc::tool_not_found, speaker::nvcc, "fatal: * not found*"},
    rule{errc::tool_not_found, speaker::nvcc, "fatal: Path to libdevice library not specified"},
    rule{errc::tool_not_found, speaker::nvcc, "command not found"},
    rule{errc::tool_not_found, speaker::built_in, "fatal error: cuda_runtime.h: No such file or directory",
         "start nvcc by its real path: through a link in another directory it doesn't find its headers"},
    rule{errc::tool_not_found, speaker::built_in, "fatal error: 'cuda_runtime.h' file not found",
         "start nvcc by its real path: through a link in another directory it doesn't find its headers"},

    // Options. Whatever else nvcc itself can't do is due to its arguments.
    rule{errc::command_line_too_long, speaker::nvcc, "*Argument list too long*"},
    rule{errc::invalid_option, speaker::cuda_tool, "fatal: Unknown option '*"},
    rule{errc::invalid_option, speaker::cuda_tool, "fatal: Value '*' is not defined for option '*'"},
    rule{errc::invalid_option, speaker::cuda_tool, "fatal: *expected a number*"},
    rule{errc::invalid_option, speaker::cuda_tool, "fatal: *rgument *option*"},
    rule{errc::link_failed, speaker::cuda_tool, "fatal: Unresolved extern *"},
    rule{errc::link_failed, speaker::cuda_tool, "error: Undefined reference to '*"},
    rule{errc::link_failed, speaker::cuda_tool, "error: Multiple definition of '*"},
    rule{errc::link_failed, speaker::cuda_tool, "error: Unresolved extern *"},
    rule{errc::invalid_option, speaker::nvcc, "fatal: *"},
};

}  // namespace kernix::detail
