// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernix::detail {

/// What to do about a `dlopen` that failed, by the words of glibc's `dlerror` (measured with 2.36).
inline std::vector<std::string> load_advice(std::string_view said) {
  auto holds = [&](std::string_view words) { return said.find(words) != std::string_view::npos; };
  if (holds("failed to map segment")) {
    return {"if the cache directory lies on a file system that is mounted noexec, set KERNIX_CACHE_DIR to one that isn't",
            "the same words stand for a lack of memory: look at the limits of this process (ulimit -v)"};
  }
  if (holds("cannot open shared object file")) {
    return {"the library that is named first is missing or not on the loader's search path: install it, or link with "
            "-Wl,-rpath,DIRECTORY"};
  }
  if (holds("undefined symbol")) {
    return {"define the symbol in the kernel, or add the library that defines it to the request's link_flags (-lNAME)",
            "a symbol of the program itself is visible to kernels only if the program is linked with -rdynamic"};
  }
  if (holds("cannot allocate memory in static TLS block")) {
    return {"a library that the kernel needs wants static thread-local storage: link it into the program, or raise "
            "GLIBC_TUNABLES=glibc.rtld.optional_static_tls"};
  }
  if (holds("wrong ELF class") || holds("invalid ELF header") || holds("file too short") || holds("cannot read file data") ||
      holds("ELF file OS ABI invalid") || holds("only ET_DYN and ET_EXEC can be loaded")) {
    return {"the file is no shared object of this machine: see that the kernel was built for it, with -shared"};
  }
  if (holds("version `")) {
    return {"the kernel was linked against a newer library than the one that is loaded: build it on this machine"};
  }
  return {};
}

}  // namespace kernix::detail
