// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <kernix/core/error.hpp>

namespace kernix::test {

/// Which classifier an entry is for.
enum class tool_chain { cxx, nvcc, both };

/// An output of a failed compile that says by itself what went wrong.
struct catalogue_entry {
  tool_chain from;
  errc expected;
  std::string_view output;  ///< One line or several.
};

/// What compilers say about everything but the source: quoted from real runs and from bug reports on other tools.
inline constexpr std::array message_catalogue{
    // architectures
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "nvcc fatal   : Unsupported gpu architecture 'compute_120a'"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch, "nvcc fatal   : Unsupported gpu architecture 'sm_'"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "nvcc fatal   : Value 'sm_999' is not defined for option 'gpu-architecture'"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "nvcc fatal   : Value 'sm_999' is not defined for option 'gpu-code'"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "nvcc fatal   : Incompatible code generation requested: arch='compute_90', code='sm_80'"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "ptxas-blackwell fatal   : Value 'sm_121a' is not defined for option 'gpu-name'"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "ptxas x.ptx, line 5; fatal   : Unsupported .version 8.6; current version is '8.5'\nptxas fatal   "
                    ": Ptx assembly aborted due to errors"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "ptxas /tmp/a b/x.ptx, line 10; fatal   : Unsupported .target 'sm_999'"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "ptxas fatal   : SM version specified by .target is higher than default SM version assumed"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "ptxas fatal   : Program with .target 'sm_90a' cannot be compiled to future architecture"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "ptxas fatal   : PTX with .target 'sm_90a' cannot be compiled for architecture 'sm_90'"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "ptxas x.ptx, line 21; error   : Instruction 'wgmma.fence' not supported on .target 'sm_90'\nptxas "
                    "fatal   : Ptx assembly aborted due to errors"},
    catalogue_entry{
        tool_chain::nvcc, errc::unsupported_arch,
        "ptxas x.ptx, line 21; error   : Instruction 'wgmma.fence' cannot be compiled for architecture 'sm_120'"},
    catalogue_entry{tool_chain::nvcc, errc::unsupported_arch,
                    "ptxas x.ptx, line 21; error   : Feature 'cp.async' requires .target sm_80 or higher"},
    catalogue_entry{tool_chain::cxx, errc::unsupported_arch, "clang: error: unsupported CUDA gpu architecture: sm_100"},
    catalogue_entry{tool_chain::cxx, errc::unsupported_arch,
                    "clang: error: GPU arch sm_35 is supported by CUDA versions between 7.0 and 11.8 (inclusive), but "
                    "installation at /usr/local/cuda is 13.0; use '--cuda-path' to specify a different CUDA install"},
    catalogue_entry{
        tool_chain::cxx, errc::unsupported_arch,
        "clang: error: cannot find libdevice for sm_52; provide path to different CUDA installation via '--cuda-path'"},
    catalogue_entry{tool_chain::both, errc::unsupported_arch, "error: unknown target CPU 'nosuchcpu'"},
    catalogue_entry{tool_chain::both, errc::unsupported_arch,
                    "cc1plus: error: bad value 'nosuchcpu' for '-march=' switch"},
    catalogue_entry{tool_chain::both, errc::unsupported_arch,
                    "error: unknown target triple 'foo', please use -triple or -arch"},
    // host compilers
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "In file included from /usr/local/cuda/include/cuda_runtime.h:83,\n                 from "
                    "<command-line>:\n/usr/local/cuda/include/crt/host_config.h:138:2: error: #error -- unsupported "
                    "GNU version! gcc versions later than 9 are not supported!\n  138 | #error -- unsupported GNU "
                    "version! gcc versions later than 9 are not supported!\n      |  ^~~~~"},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "/usr/local/cuda/include/crt/host_config.h:151:2: error: -- unsupported clang version! clang "
                    "version must be less than 16 and greater than 3.2 ."},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "/opt/cuda/include/crt/host_config.h:144:2: error: -- unsupported HOS clang version! The version "
                    "must be must be less than 21 and greater than 3.2 ."},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "/opt/cuda/include/crt/host_config.h:112:2: error: -- unsupported Grace clang version! The version "
                    "must be 16.x to 20.x."},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "C:\\CUDA\\include\\crt\\host_config.h(164): fatal error C1189: #error:  -- unsupported Microsoft "
                    "Visual Studio version! Only the versions between 2017 and 2022 (inclusive) are supported!"},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "/opt/cuda/include/crt/host_config.h:81:2: error: #error --- !!! UNSUPPORTED COMPILER !!! ---"},
    catalogue_entry{
        tool_chain::nvcc, errc::host_compiler_incompatible,
        "/opt/cuda/include/crt/host_config.h:103:2: error: #error -- ICC is not supported as a host compiler!"},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "/opt/cuda/include/crt/host_config.h:118:2: error: #error -- unsupported Intel ICX compiler!"},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "/opt/cuda/include/crt/host_config.h:126:2: error: #error -- unsupported xlC version! only xlC "
                    "13.1 and 16.1 are supported."},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "/opt/cuda/include/crt/host_config.h:88:2: error: #error -- unsupported pgc++ configuration! pgc++ "
                    "is supported only on Linux x86_64!"},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "/opt/cuda/include/crt/host_config.h:94:2: error: #error -- unsupported PPC platform! Only 64-bit "
                    "little endian PPC is supported!"},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "/opt/cuda/include/crt/host_config.h:99:2: error: #error -- clang and clang++ are the only "
                    "supported host compilers on Mac OS X!"},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "nvcc fatal   : The version ('90000') of the host compiler ('Apple clang') is not supported"},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "nvcc fatal   : Host compiler targets unsupported OS."},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "nvcc fatal   : nvcc cannot find a supported version of Microsoft Visual Studio."},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "nvcc fatal   : GNU C/C++ compiler is no longer supported as a host compiler on Mac OS X."},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "nvcc fatal   : Failed to preprocess host compiler properties."},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "nvcc fatal   : Failed to detect host compiler properties."},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "error: unknown flag `E'\nnvcc fatal   : Failed to preprocess host compiler properties."},
    catalogue_entry{tool_chain::nvcc, errc::host_compiler_incompatible,
                    "/usr/include/c++/11/bits/std_function.h:435:145: error: parameter packs not expanded with '...':"},
    catalogue_entry{
        tool_chain::nvcc, errc::host_compiler_incompatible,
        "/usr/include/x86_64-linux-gnu/bits/mathcalls.h(79): error: exception specification is incompatible with that "
        "of previous function \"cospi\" (declared at line 2601 of /usr/local/cuda/include/crt/math_functions.h)"},
    // programs and components
    catalogue_entry{tool_chain::nvcc, errc::tool_not_found,
                    "gcc: No such file or directory\nnvcc fatal   : Failed to preprocess host compiler properties."},
    catalogue_entry{
        tool_chain::nvcc, errc::tool_not_found,
        "/tmp/gcc: No such file or directory\nnvcc fatal   : Failed to preprocess host compiler properties."},
    catalogue_entry{tool_chain::nvcc, errc::tool_not_found,
                    "ccache g++: No such file or directory\nnvcc fatal   : Failed to detect host compiler properties."},
    catalogue_entry{tool_chain::nvcc, errc::not_executable,
                    "/etc/passwd: Permission denied\nnvcc fatal   : Failed to preprocess host compiler properties."},
    catalogue_entry{tool_chain::nvcc, errc::tool_not_found,
                    "gcc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\ncompilation "
                    "terminated.\nnvcc fatal   : Failed to preprocess host compiler properties."},
    catalogue_entry{
        tool_chain::both, errc::tool_not_found,
        "g++: fatal error: cannot execute 'cc1plus': posix_spawnp: No such file or directory\ncompilation terminated."},
    catalogue_entry{tool_chain::both, errc::tool_not_found,
                    "my-cxx: fatal error: cannot execute 'cc1plus': execvp: No such file or directory"},
    catalogue_entry{tool_chain::both, errc::tool_not_found,
                    "g++: error trying to exec 'cc1plus': execvp: No such file or directory"},
    catalogue_entry{tool_chain::both, errc::tool_not_found,
                    "x86_64-linux-gnu-g++-12: fatal error: cannot execute 'as': execv: No such file or directory"},
    catalogue_entry{tool_chain::both, errc::tool_not_found,
                    "collect2: fatal error: cannot find 'ld'\ncompilation terminated."},
    catalogue_entry{tool_chain::both, errc::tool_not_found,
                    "clang++-19: error: unable to execute command: Executable \"ld\" doesn't exist!\nclang++-19: "
                    "error: linker command failed with exit code 1 (use -v to see invocation)"},
    catalogue_entry{tool_chain::both, errc::tool_not_found, "sh: 1: ptxas: not found"},
    catalogue_entry{tool_chain::both, errc::tool_not_found, "sh: line 1: cicc: command not found"},
    catalogue_entry{tool_chain::both, errc::not_executable, "sh: 1: /opt/cuda/nvvm/bin/cicc: Permission denied"},
    catalogue_entry{tool_chain::cxx, errc::tool_not_found,
                    "clang: error: cannot find CUDA installation; provide its path via '--cuda-path', or pass "
                    "'-nocudainc' to build without CUDA includes"},
    catalogue_entry{tool_chain::both, errc::tool_not_found,
                    "/usr/bin/ld: error while loading shared libraries: libbfd.so: cannot open shared object file: No "
                    "such file or directory"},
    catalogue_entry{tool_chain::both, errc::tool_not_found,
                    "/opt/g/libexec/gcc/cc1plus: error while loading shared libraries: libisl.so.15: cannot open "
                    "shared object file: No such file or directory"},
    catalogue_entry{tool_chain::nvcc, errc::tool_not_found,
                    "<command-line>: fatal error: cuda_runtime.h: No such file or directory\ncompilation terminated."},
    // memory
    catalogue_entry{tool_chain::both, errc::out_of_memory,
                    "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated."},
    catalogue_entry{tool_chain::both, errc::out_of_memory, "cc: internal compiler error: Killed (program cc1)"},
    catalogue_entry{tool_chain::both, errc::out_of_memory, "g++: Internal error: Killed (program cc1plus)"},
    catalogue_entry{tool_chain::nvcc, errc::out_of_memory, "nvcc error   : 'cicc' died due to signal 9 (Kill signal)"},
    catalogue_entry{tool_chain::nvcc, errc::out_of_memory, "Killed"},
    catalogue_entry{tool_chain::both, errc::out_of_memory,
                    "clang: error: unable to execute command: Killed\nclang: error: clang frontend command failed due "
                    "to signal (use -v to see invocation)"},
    catalogue_entry{tool_chain::both, errc::out_of_memory, "virtual memory exhausted: Cannot allocate memory"},
    catalogue_entry{tool_chain::both, errc::out_of_memory,
                    "\ncc1plus: out of memory allocating 32768 bytes after a total of 1078943744 bytes"},
    catalogue_entry{tool_chain::both, errc::out_of_memory,
                    "cc1plus: fatal error: /usr/include/c++/12/vector: Cannot allocate memory"},
    catalogue_entry{tool_chain::both, errc::out_of_memory,
                    "collect2: fatal error: ld terminated with signal 9 [Killed]\ncompilation terminated."},
    catalogue_entry{tool_chain::both, errc::out_of_memory,
                    "/usr/bin/ld: final link failed: memory exhausted\ncollect2: error: ld returned 1 exit status"},
    catalogue_entry{tool_chain::both, errc::out_of_memory,
                    "/usr/bin/clang++-14: error while loading shared libraries: libLLVM-14.so.1: failed to map segment "
                    "from shared object"},
    catalogue_entry{tool_chain::both, errc::out_of_memory,
                    "LLVM ERROR: out of memory\nAllocation failed\nPLEASE submit a bug report to "
                    "https://github.com/llvm/llvm-project/issues/ and include the crash backtrace."},
    catalogue_entry{tool_chain::both, errc::out_of_memory,
                    "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc"},
    catalogue_entry{tool_chain::nvcc, errc::out_of_memory,
                    "/usr/include/c++/12/bits/stl_iterator_base_funcs.h(189): catastrophic error: out of memory\n      "
                    "  if (true)\n            ^\n\n1 catastrophic error detected in the compilation of \"k.cu\"."},
    // crashes
    catalogue_entry{tool_chain::nvcc, errc::compiler_crashed,
                    "nvcc error   : 'ptxas' died due to signal 11 (Invalid memory reference)"},
    catalogue_entry{tool_chain::nvcc, errc::compiler_crashed, "nvcc error   : 'ptxas' core dumped"},
    catalogue_entry{tool_chain::nvcc, errc::compiler_crashed,
                    "nvcc error   : 'cudafe++' died with status 0xC0000005 (ACCESS_VIOLATION)"},
    catalogue_entry{tool_chain::nvcc, errc::compiler_crashed, "Segmentation fault"},
    catalogue_entry{tool_chain::both, errc::compiler_crashed,
                    "k.cpp:3:1: internal compiler error: Segmentation fault\nPlease submit a full bug report, with "
                    "preprocessed source (by using -freport-bug)."},
    catalogue_entry{tool_chain::both, errc::compiler_crashed,
                    "g++: internal compiler error: Segmentation fault signal terminated program cc1plus"},
    catalogue_entry{tool_chain::both, errc::compiler_crashed,
                    "collect2: fatal error: ld terminated with signal 11 [Segmentation fault], core dumped"},
    catalogue_entry{tool_chain::both, errc::compiler_crashed,
                    "clang: error: clang frontend command failed due to signal (use -v to see invocation)"},
    catalogue_entry{tool_chain::both, errc::compiler_crashed,
                    "clang++-19: error: clang frontend command failed with exit code 139 (use -v to see invocation)"},
    catalogue_entry{tool_chain::both, errc::compiler_crashed, "PLEASE ATTACH THE FOLLOWING FILES TO THE BUG REPORT:"},
    catalogue_entry{tool_chain::nvcc, errc::compiler_crashed, "ptxas fatal   : (C7907) Internal compiler error"},
    // disk
    catalogue_entry{tool_chain::both, errc::disk_full,
                    "k.cpp:2:49: fatal error: error writing to /tmp/cc2mYx0T.s: No space left on device\n    2 | int "
                    "x;\n      |      ^\ncompilation terminated."},
    catalogue_entry{tool_chain::both, errc::disk_full,
                    "cc1plus: fatal error: error writing to /tmp/cc2mYx0T.s: No space left on device"},
    catalogue_entry{tool_chain::nvcc, errc::disk_full,
                    "k.cu(5): catastrophic error: error while writing generated C file: No space left on device"},
    catalogue_entry{tool_chain::nvcc, errc::disk_full,
                    "<built-in>: fatal error: when writing output to : No space left on device\ncompilation "
                    "terminated.\nnvcc fatal   : Failed to preprocess host compiler properties."},
    catalogue_entry{tool_chain::nvcc, errc::disk_full, "ptxas fatal   : Internal error: writing file"},
    catalogue_entry{tool_chain::nvcc, errc::disk_full, "fatbinary fatal   : Could not write file '/tmp/x.fatbin'"},
    catalogue_entry{tool_chain::nvcc, errc::disk_full,
                    "nvcc fatal   : Could not open output file '/nonexistent/tmpxft_00001c60_0000000a'"},
    catalogue_entry{tool_chain::both, errc::disk_full,
                    "/tmp/cc.s: Assembler messages:\n/tmp/cc.s: Fatal error: can't write 27 bytes to section .text of "
                    "x.o: 'No space left on device'"},
    catalogue_entry{tool_chain::both, errc::disk_full,
                    "Assembler messages:\nFatal error: can't create /nonexistent/x.o: No such file or directory"},
    catalogue_entry{
        tool_chain::both, errc::disk_full,
        "/usr/bin/ld: final link failed: No space left on device\ncollect2: error: ld returned 1 exit status"},
    catalogue_entry{tool_chain::both, errc::disk_full,
                    "cc1plus: fatal error: error writing to /tmp/cc.s: Disk quota exceeded"},
    catalogue_entry{
        tool_chain::both, errc::disk_full,
        "/usr/bin/ld: cannot open output file x.so: Read-only file system\ncollect2: error: ld returned 1 exit status"},
    catalogue_entry{tool_chain::both, errc::disk_full,
                    "clang++-19: error: unable to make temporary file: No such file or directory"},
    catalogue_entry{tool_chain::both, errc::disk_full,
                    "fatal error: error in backend: IO failure on output stream: No space left on device\nPLEASE "
                    "submit a bug report to https://github.com/llvm/llvm-project/issues/."},
    // other resources
    catalogue_entry{tool_chain::nvcc, errc::spawn_failed,
                    "<built-in>: fatal error: when writing output to : Bad file descriptor\ncompilation "
                    "terminated.\nnvcc fatal   : Failed to preprocess host compiler properties."},
    catalogue_entry{
        tool_chain::both, errc::spawn_failed,
        "g++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable\ncompilation terminated."},
    catalogue_entry{
        tool_chain::both, errc::spawn_failed,
        "cc1plus: fatal error: /usr/include/c++/12/tbb/tbb.h: Too many open files\ncompilation terminated."},
    // arguments
    catalogue_entry{tool_chain::nvcc, errc::invalid_option, "nvcc fatal   : Unknown option '-Wl,-rpath,/x'"},
    catalogue_entry{tool_chain::nvcc, errc::invalid_option,
                    "nvcc fatal   : Value 'c++77' is not defined for option 'std'"},
    catalogue_entry{
        tool_chain::nvcc, errc::invalid_option,
        "nvcc fatal   : A single input file is required for a non-link phase when an outputfile is specified"},
    catalogue_entry{tool_chain::nvcc, errc::invalid_option, "nvcc fatal   : Stray '\"' character"},
    catalogue_entry{tool_chain::nvcc, errc::invalid_option,
                    "nvcc fatal   : Option '--cubin' is not allowed when compiling for multiple GPU code instances"},
    catalogue_entry{tool_chain::nvcc, errc::invalid_option, "ptxas fatal   : Unknown option '-nosuch'"},
    catalogue_entry{tool_chain::both, errc::invalid_option, "g++: error: unrecognized command-line option '--no-such'"},
    catalogue_entry{tool_chain::both, errc::invalid_option, "clang++-19: error: unknown argument: '--no-such'"},
    catalogue_entry{tool_chain::both, errc::invalid_option, "error: invalid value 'c++77' in '-std=c++77'"},
    catalogue_entry{tool_chain::both, errc::invalid_option, "g++: error: with: No such file or directory"},
    catalogue_entry{tool_chain::both, errc::invalid_option,
                    "/usr/bin/ld: unrecognized option '--no-such-ld'\n/usr/bin/ld: use the --help option for usage "
                    "information\ncollect2: error: ld returned 1 exit status"},
    catalogue_entry{tool_chain::both, errc::command_line_too_long,
                    "g++: fatal error: cannot execute 'cc1plus': execv: Argument list too long"},
    // linking
    catalogue_entry{
        tool_chain::both, errc::link_failed,
        "/usr/bin/ld: cannot find -lcuda: No such file or directory\ncollect2: error: ld returned 1 exit status"},
    catalogue_entry{tool_chain::both, errc::link_failed,
                    "/usr/bin/ld: /tmp/cc.o: in function `k':\nk.cpp:(.text+0x14): undefined reference to "
                    "`missing'\ncollect2: error: ld returned 1 exit status"},
    catalogue_entry{tool_chain::both, errc::link_failed,
                    "ld.lld: error: undefined symbol: missing\n>>> referenced by k.cpp\nclang: error: linker command "
                    "failed with exit code 1 (use -v to see invocation)"},
    catalogue_entry{tool_chain::nvcc, errc::link_failed,
                    "nvlink error   : Undefined reference to '_Z1fv' in '/tmp/k.o'"},
    catalogue_entry{tool_chain::nvcc, errc::link_failed, "ptxas fatal   : Unresolved extern function '_Z6nosuchv'"},
    // the source, in words that other classes use
    catalogue_entry{tool_chain::both, errc::compile_failed,
                    "k.cpp:1:10: fatal error: x.h: No such file or directory\n    1 | #include \"x.h\"\n      |        "
                    "  ^~~~~\ncompilation terminated."},
    catalogue_entry{tool_chain::both, errc::compile_failed,
                    "/usr/include/c++/11/cstdlib:75:15: fatal error: stdlib.h: No such file or directory"},
    catalogue_entry{tool_chain::both, errc::compile_failed,
                    "k.cpp:3:145: error: parameter packs not expanded with '...'"},
    catalogue_entry{tool_chain::cxx, errc::compile_failed,
                    "/usr/include/c++/11/bits/std_function.h:435:145: error: parameter packs not expanded with '...'"},
    catalogue_entry{tool_chain::both, errc::compile_failed,
                    "k.cu(3): error: exception specification is incompatible with that of previous function \"cospi\" "
                    "(declared at line 2 of k.cu)"},
    catalogue_entry{tool_chain::both, errc::compile_failed,
                    "sh: 0: getcwd() failed: No such file or directory\nk.cpp:1:2: error: #error no"},
    catalogue_entry{tool_chain::both, errc::compile_failed,
                    "k.cpp:1:2: error: static assertion failed: this architecture is not supported"},
    catalogue_entry{tool_chain::nvcc, errc::compile_failed,
                    "ptxas error   : Entry function 'k' uses too much shared data (0x61a80 bytes, 0xc000 max)"},
};

}  // namespace kernix::test
