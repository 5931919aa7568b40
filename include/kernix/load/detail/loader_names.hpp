// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kernix::detail {

/// A name by which glibc can't confuse this file with one that it has loaded before.
///
/// glibc finds loaded objects by their *names* first: after a rename over the path, `dlopen(path)` gives the old code.
/// Where the path is known to it already, the file's inode and times are written into the name as redundant components
/// (`/./` or `//` for each bit). Then it goes on to compare device and inode: the same file is shared, another is loaded.
inline std::string unconfused_name(const std::filesystem::path& file) {
  std::string plain = file.native();
  void* known = ::dlopen(plain.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (!known) {
    ::dlerror();
    return plain;
  }
  ::dlclose(known);
  struct ::stat status{};
  if (::stat(plain.c_str(), &status) != 0) return plain;
  std::string marks;
  for (std::uint64_t value : {static_cast<std::uint64_t>(status.st_ino), static_cast<std::uint64_t>(status.st_ctim.tv_sec),
                              static_cast<std::uint64_t>(status.st_ctim.tv_nsec)}) {
    for (int bit = 0; bit < 40; ++bit) marks += value >> bit & 1 ? "./" : "/";
  }
  return (file.parent_path() / "").native() + marks + file.filename().native();
}

/// The libraries that a loaded object names as needed.
inline std::vector<std::string> needed_libraries(const link_map& object) {
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_STRTAB) continue;
    // glibc turns it into an address, except in a dynamic section that can't be written to (lld's -z rodynamic)
    ElfW(Addr) address = entry->d_un.d_ptr;
    strings = reinterpret_cast<const char*>(address < object.l_addr ? address + object.l_addr : address);
  }
  std::vector<std::string> names;
  if (!strings) return names;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED) names.emplace_back(strings + entry->d_un.d_val);
  }
  return names;
}

/// Keeps the libraries that a kernel brought along for the rest of the process.
///
/// libgomp and its like leave threads behind that go on running the library's code: unloading it together with the last
/// OpenMP kernel ended the process with SIGSEGV in 5 of 6 runs (g++ 12, glibc 2.36), and in none of them with the library
/// kept. A kernel's own code has no such threads unless its author starts them.
inline void keep_needed_libraries(void* handle) {
  link_map* object = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &object) != 0 || !object) return;
  for (const std::string& name : needed_libraries(*object)) {
    ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE);  // its handle is dropped on purpose
  }
  ::dlerror();
}

}  // namespace kernix::detail
