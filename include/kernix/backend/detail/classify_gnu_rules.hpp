// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <kernix/backend/detail/classify_rule.hpp>

namespace kernix::detail {

/// Where an absolute path to any program may stand at the start of a line.
inline constexpr speaker any_tool = speaker::driver | speaker::compiler | speaker::nvcc | speaker::cuda_tool |
                                    speaker::linker | speaker::assembler | speaker::shell | speaker::unknown;

/// What GCC, Clang, their assemblers and linkers, the dynamic loader and shells say: for every backend that runs them.
///
/// Texts from g++ 12, clang 14 and 19 and binutils 2.40, provoked by damage, and from older versions' bug reports.
inline constexpr std::array gnu_rules{
    // First of all what linkers say about symbols, whose names may be any text.
    rule{errc::link_failed, speaker::linker, "*undefined reference to *"},
    rule{errc::link_failed, speaker::linker, "*multiple definition of *"},
    rule{errc::link_failed, speaker::linker, "*undefined symbol: *"},
    rule{errc::link_failed, speaker::linker, "*relocation * against *"},

    // Disk. GCC places a failed write of its output at a line of the source.
    rule{errc::disk_full, speaker::source | speaker::system_header | speaker::built_in,
         "fatal error: *: No space left on device"},
    rule{errc::disk_full, speaker::source | speaker::system_header | speaker::built_in,
         "fatal error: *: Disk quota exceeded"},
    rule{errc::disk_full, speaker::source | speaker::system_header | speaker::built_in,
         "fatal error: *: File too large"},
    rule{errc::disk_full, speaker::driver | speaker::compiler | speaker::linker | speaker::assembler | speaker::nobody,
         "*: No space left on device"},
    rule{errc::disk_full, speaker::assembler | speaker::nobody, "*: 'No space left on device'"},
    rule{errc::disk_full, speaker::driver | speaker::compiler | speaker::linker | speaker::assembler | speaker::nobody,
         "*: Disk quota exceeded"},
    rule{errc::disk_full, speaker::driver | speaker::compiler | speaker::linker | speaker::assembler | speaker::nobody,
         "*: File too large", "raise the limit on file sizes of this process (ulimit -f)"},
    rule{errc::disk_full, speaker::driver | speaker::compiler | speaker::linker | speaker::assembler | speaker::nobody,
         "*: Read-only file system"},
    rule{errc::disk_full, speaker::driver | speaker::compiler | speaker::linker | speaker::assembler | speaker::nobody,
         "*: Input/output error"},
    rule{errc::disk_full, speaker::assembler | speaker::nobody, "Fatal error: can't create *"},
    rule{errc::disk_full, speaker::assembler | speaker::nobody, "Fatal error: can't write *"},
    rule{errc::disk_full, speaker::nobody | speaker::driver, "error: unable to open output file *"},
    rule{errc::disk_full, speaker::nobody | speaker::driver, "error: unable to make temporary file: *"},
    rule{errc::disk_full, speaker::driver, "*error: File size limit exceeded signal terminated program *",
         "raise the limit on file sizes of this process (ulimit -f)"},
    rule{errc::disk_full, speaker::linker, "cannot open output file *: Permission denied"},
    rule{errc::disk_full, speaker::driver | speaker::compiler, "*annot create temporary file in *"},

    // Memory. SIGKILL from outside is the kernel's or the container's, on account of memory.
    rule{errc::out_of_memory, speaker::driver, "*error: Killed signal terminated program *"},
    rule{errc::out_of_memory, speaker::driver | speaker::compiler, "*nternal *error: Killed (program *)"},
    rule{errc::out_of_memory, speaker::linker, "fatal error: ld terminated with signal 9*"},
    rule{errc::out_of_memory, speaker::linker, "ld terminated with signal 9*"},
    rule{errc::out_of_memory, speaker::driver, "error: unable to execute command: Killed*"},
    rule{errc::out_of_memory, speaker::unknown, "virtual memory exhausted: Cannot allocate memory"},
    rule{errc::out_of_memory, speaker::compiler | speaker::driver, "*out of memory allocating * bytes*"},
    rule{errc::out_of_memory, speaker::unknown, "LLVM ERROR: out of memory*"},
    rule{errc::out_of_memory, speaker::source | speaker::system_header | speaker::built_in,
         "fatal error: cannot open file '*': Cannot allocate memory"},
    rule{errc::out_of_memory,
         speaker::driver | speaker::compiler | speaker::linker | speaker::assembler | speaker::shell,
         "*Cannot allocate memory"},
    rule{errc::out_of_memory, speaker::linker | speaker::assembler | speaker::nobody, "*memory exhausted"},
    rule{errc::out_of_memory, speaker::unknown, "terminate called after throwing an instance of 'std::bad_alloc'"},
    rule{errc::out_of_memory, any_tool,
         "error while loading shared libraries: *: failed to map segment from shared object*"},
    rule{errc::out_of_memory, speaker::unknown,
         "*: error while loading shared libraries: *: failed to map segment from shared object*"},
    rule{errc::out_of_memory, any_tool, "error while loading shared libraries: *: cannot allocate memory*"},
    rule{errc::out_of_memory, speaker::unknown, "*: error while loading shared libraries: *: cannot allocate memory*"},

    // Other resources of the machine.
    rule{errc::spawn_failed, speaker::driver | speaker::shell, "*: Resource temporarily unavailable"},
    rule{errc::spawn_failed, speaker::shell, "*Cannot fork"},
    rule{errc::spawn_failed,
         speaker::driver | speaker::compiler | speaker::linker | speaker::assembler | speaker::built_in,
         "*: Too many open files", "raise the limit on open files of this process (ulimit -n)"},
    rule{errc::spawn_failed, speaker::source | speaker::system_header,
         "fatal error: cannot open file '*': Too many open files",
         "raise the limit on open files of this process (ulimit -n)"},
    rule{errc::spawn_failed, speaker::built_in | speaker::driver | speaker::compiler,
         "fatal error: *: Bad file descriptor", "give the compiler an open stdin, as kernix's own runner does"},
    rule{errc::spawn_failed, speaker::driver, "*: No child processes",
         "start the compiler without SIGCHLD ignored, as kernix's own runner does"},

    // Arguments that are too long: before "cannot execute".
    rule{errc::command_line_too_long, speaker::driver | speaker::shell | speaker::linker, "*: Argument list too long"},

    // Crashes.
    rule{errc::compiler_crashed, speaker::source | speaker::system_header | speaker::driver | speaker::compiler,
         "internal compiler error: *"},
    rule{errc::compiler_crashed, speaker::driver, "fatal error: * signal terminated program *"},
    rule{errc::compiler_crashed, speaker::driver | speaker::compiler, "*nternal error: * (program *)"},
    rule{errc::compiler_crashed, speaker::linker, "fatal error: ld terminated with signal *"},
    rule{errc::compiler_crashed, speaker::linker, "ld terminated with signal *"},
    rule{errc::compiler_crashed, speaker::driver, "error: unable to execute command: Segmentation fault*"},
    rule{errc::compiler_crashed, speaker::driver, "error: unable to execute command: Aborted*"},
    rule{errc::compiler_crashed, speaker::driver, "error: unable to execute command: Illegal instruction*"},
    rule{errc::compiler_crashed, speaker::driver, "error: unable to execute command: Bus error*"},
    rule{errc::compiler_crashed, speaker::driver, "error: * frontend command failed due to signal*"},
    rule{errc::compiler_crashed, speaker::driver, "error: * frontend command failed with exit code *"},
    rule{errc::compiler_crashed, speaker::nobody, "fatal error: error in backend: *"},
    rule{errc::compiler_crashed, speaker::unknown, "PLEASE submit a bug report to *", "", "", true},
    rule{errc::compiler_crashed, speaker::unknown, "PLEASE ATTACH THE FOLLOWING FILES TO THE BUG REPORT*", "", "",
         true},
    rule{errc::compiler_crashed, speaker::driver, "note: diagnostic msg: PLEASE ATTACH THE FOLLOWING FILES*", "", "",
         true},
    rule{errc::compiler_crashed, speaker::unknown, "LLVM ERROR: *"},
    rule{errc::compiler_crashed, speaker::linker, "internal error *"},

    // Architectures: -march= and the like, and Clang as a compiler for GPUs.
    rule{errc::unsupported_arch, speaker::compiler | speaker::driver, "error: bad value '*' for '-march=' switch"},
    rule{errc::unsupported_arch, speaker::compiler | speaker::driver, "error: bad value '*' for '-mcpu=' switch"},
    rule{errc::unsupported_arch, speaker::compiler | speaker::driver, "error: bad value '*' for '-mtune=' switch"},
    rule{errc::unsupported_arch, speaker::compiler | speaker::driver, "error: unknown value '*' for '-march*"},
    rule{errc::unsupported_arch, speaker::compiler | speaker::driver, "error: unknown value '*' for '-mcpu*"},
    rule{errc::unsupported_arch, speaker::nobody | speaker::driver, "error: unknown target CPU '*'*"},
    rule{errc::unsupported_arch, speaker::nobody | speaker::driver, "error: unknown target triple '*"},
    rule{errc::unsupported_arch, speaker::driver, "error: unsupported argument '*' to option '-m*=*"},
    rule{errc::unsupported_arch, speaker::driver, "error: the clang compiler does not support '-m*=*'*"},
    rule{errc::unsupported_arch, speaker::driver, "error: version '*' in target triple '*' is invalid"},
    rule{errc::unsupported_arch, speaker::nobody | speaker::driver, "error: unsupported CUDA gpu architecture: *"},
    rule{errc::unsupported_arch, speaker::nobody | speaker::driver,
         "error: GPU arch * is supported by CUDA versions between *"},
    rule{errc::unsupported_arch, speaker::nobody | speaker::driver, "error: cannot find libdevice for *"},

    // A program or a component is missing.
    rule{errc::tool_not_found, speaker::driver | speaker::linker, "*cannot execute '*': *: No such file or directory"},
    rule{errc::tool_not_found, speaker::driver | speaker::linker,
         "error trying to exec '*': *: No such file or directory"},
    rule{errc::tool_not_found, speaker::driver | speaker::linker,
         "*error: error trying to exec '*': *: No such file or directory"},
    rule{errc::not_executable, speaker::driver | speaker::linker, "*cannot execute '*': *: Permission denied"},
    rule{errc::not_executable, speaker::driver | speaker::linker, "*cannot execute '*': *: Exec format error"},
    rule{errc::not_executable, speaker::driver, "error trying to exec '*': *: *"},
    rule{errc::tool_not_found, speaker::driver | speaker::linker, "fatal error: cannot find '*'"},
    rule{errc::tool_not_found, speaker::driver, "error: unable to execute command: Executable \"*\" doesn't exist!"},
    rule{errc::not_executable, speaker::driver, "error: unable to execute command: *Permission denied*"},
    rule{errc::not_executable, speaker::driver, "error: unable to execute command: *Exec format error*"},
    rule{errc::tool_not_found, speaker::driver, "error: unable to execute command: *No such file or directory*"},
    rule{errc::tool_not_found, speaker::driver, "error: invalid linker name in argument '-fuse-ld=lld'"},
    rule{errc::tool_not_found, speaker::driver, "error: invalid linker name in argument '-fuse-ld=mold'"},
    rule{errc::tool_not_found, speaker::driver, "error: invalid linker name in argument '-fuse-ld=gold'"},
    rule{errc::tool_not_found, speaker::driver, "error: invalid linker name in argument '-fuse-ld=bfd'"},
    rule{errc::tool_not_found, speaker::driver | speaker::nobody, "error: cannot find CUDA installation*"},
    rule{errc::tool_not_found, speaker::driver | speaker::nobody, "error: Cannot find CUDA installation*"},
    rule{errc::tool_not_found, any_tool, "error while loading shared libraries: *: cannot open shared object file*"},
    rule{errc::tool_not_found, speaker::unknown,
         "*: error while loading shared libraries: *: cannot open shared object file*"},
    rule{errc{}, speaker::shell, "*getcwd() failed*"},
    rule{errc::tool_not_found, speaker::shell, "*: *not found"},
    rule{errc::tool_not_found, speaker::shell, "*: No such file or directory"},
    rule{errc::not_executable, speaker::shell, "*: Permission denied"},
    rule{errc::not_executable, speaker::shell, "*: Exec format error"},

    // Options. GCC's driver and cc1plus speak of nothing else without a place, and neither does Clang's driver.
    rule{errc{}, speaker::compiler, "error: *: No such file or directory*"},
    rule{errc::link_failed, speaker::driver, "error: linker command failed*"},
    rule{errc{}, speaker::driver, "error: assembler command failed*"},
    rule{errc::invalid_option, speaker::nobody, "error: invalid value '*' in '*'"},
    rule{errc::invalid_option, speaker::nobody, "error: invalid integral value '*' in '*'"},
    rule{errc::invalid_option, speaker::nobody, "error: unknown argument*"},
    rule{errc::invalid_option, speaker::nobody, "error: unsupported option '*"},
    rule{errc::invalid_option, speaker::nobody, "error: unsupported argument '*"},
    rule{errc::invalid_option, speaker::nobody, "error: invalid argument '*' *"},
    rule{errc::invalid_option, speaker::nobody, "error: unknown warning option '*"},
    rule{errc::invalid_option, speaker::nobody, "error: unknown sanitizer *"},
    rule{errc::invalid_option, speaker::driver | speaker::compiler, "error: *"},
    rule{errc::invalid_option, speaker::driver, "fatal error: no input files"},
    rule{errc::invalid_option, speaker::driver, "fatal error: cannot specify *"},
    rule{errc::invalid_option, speaker::linker, "error: unrecognized command-line option *"},
    rule{errc::invalid_option, speaker::driver, "fatal error: *linker plugin*"},
    rule{errc::invalid_option, speaker::linker, "unrecognized option '*'"},
    rule{errc::invalid_option, speaker::linker, "unrecogni*ed emulation mode: *"},
    rule{errc::invalid_option, speaker::linker, "error: unknown argument '*'*"},
    rule{errc::invalid_option, speaker::linker, "fatal error: unknown option '*'*"},
    rule{errc::invalid_option, speaker::linker, "*: unknown option*"},

    // Whatever else a linker says. Warnings and the lines that name the function aren't the reason.
    rule{errc{}, speaker::linker, "warning: *"},
    rule{errc{}, speaker::linker, "*: warning: *"},
    rule{errc{}, speaker::linker, "*:"},
    rule{errc{}, speaker::linker, "use the --help option for usage information"},
    rule{errc::link_failed, speaker::linker, "*"},
};

}  // namespace kernix::detail
