// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kernix/core/diagnostics.hpp>
#include <kernix/core/error.hpp>

namespace kernix {

/// What can be done about an error of this kind, whatever the compiler, most promising first. Each sentence names the
/// option, variable or resource to change. Empty where only the compiler's own message can help.
inline std::vector<std::string> general_advice(errc value) {
  switch (value) {
    case errc::invalid_name:
      return {"give the kernel a name of 1 to 200 bytes without '/' and control characters, neither \".\" nor \"..\""};
    case errc::invalid_option:
      return {
          "look at compile_flags, link_flags, standard and defines of the request: each element is one whole argument"};
    case errc::unsupported_arch:
      return {
          "ask for an architecture that this compiler knows (compile_request::architectures, or -march= in "
          "compile_flags)",
          "install a newer compiler if the architecture is newer than this one"};
    case errc::command_line_too_long:
      return {"shorten compile_flags, defines and include_directories, or put defines into an in-memory header",
              "shrink this process' environment, which shares the limit (see getconf ARG_MAX)"};
    case errc::link_failed:
      return {
          "name the missing library in link_flags (-lNAME, and -LDIRECTORY where it lies), or define the missing "
          "symbol"};
    case errc::toolchain_not_found:
      return {"install a compiler, or name it in the settings (KERNIX_CXX, KERNIX_NVCC, KERNIX_HIPCC, TEENYC_PATH)"};
    case errc::tool_not_found:
      return {"install the missing program or package again: the compiler's driver is there, a part of it is not"};
    case errc::not_executable:
      return {
          "make the program executable (chmod +x), and see that its file system isn't mounted noexec and that it was "
          "built for this machine"};
    case errc::host_compiler_incompatible:
      return {"choose a host compiler that the toolkit supports, or a toolkit that supports the host compiler"};
    case errc::compiler_crashed:
      return {
          "compile again; if it crashes again, try a lower optimization or another version of the compiler",
          "set keep_scratch in the request to have the source and the command for a report to the compiler's makers"};
    case errc::output_missing:
      return {
          "look at compile_flags for an option that stops the compiler early (-E, -fsyntax-only, -M) or moves its "
          "output"};
    case errc::out_of_memory:
      return {"run fewer compilers at once (settings::jobs, KERNIX_JOBS)",
              "raise the memory limit of this process or container (ulimit -v, the memory control group)",
              "lower the optimization level, or split the kernel"};
    case errc::disk_full:
      return {"free space, and see the permissions and quotas, in the cache directory (KERNIX_CACHE_DIR) and in TMPDIR",
              "choose another cache directory (KERNIX_CACHE_DIR), or lower its limit (KERNIX_CACHE_MAX_SIZE)"};
    case errc::spawn_failed:
      return {
          "raise the limits on processes and open files of this process (ulimit -u, ulimit -n, the pids control group)",
          "run fewer compilers at once (settings::jobs, KERNIX_JOBS)"};
    case errc::status_lost:
      return {"don't wait for children of others in this process (waitpid(-1)) and don't ignore SIGCHLD"};
    case errc::lock_timeout:
      return {"see whether the process that is named still builds; raise settings::lock_wait if its builds are slow"};
    case errc::timed_out:
      return {"raise compile_request::timeout or KERNIX_COMPILE_TIMEOUT (seconds)",
              "lower the optimization level, or ask for fewer architectures"};
    case errc::not_cached:
      return {"allow compiling (KERNIX_OFFLINE, settings::offline), or build the cache ahead of time"};
    case errc::forked: return {"make a new cache in the child"};
    case errc::invalid_request:
    case errc::compile_failed:
    case errc::symbol_not_found:
    case errc::load_failed:
    case errc::cancelled:
    case errc::shut_down: return {};
  }
  return {};
}

/// Whether a compiler's message says that it didn't find an included file.
inline bool names_missing_header(const message& what) noexcept {
  std::string_view text = what.text;
  return what.severity == message::level::fatal && what.line > 0 &&
         (text.ends_with(": No such file or directory") || text.ends_with("' file not found"));
}

/// The advice for a failure that came without any: what its messages call for, then the general advice.
inline std::vector<std::string> advice_for(const diagnostics& what) {
  if (what.code == errc::compile_failed) {
    for (const message& each : what.messages) {
      if (!names_missing_header(each)) continue;
      return {
          "add the directory of the missing header to include_directories, or give its text in "
          "compile_request::headers"};
    }
  }
  if (what.code.category() != error_category()) return {};
  return general_advice(static_cast<errc>(what.code.value()));
}

}  // namespace kernix
