// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <boost/system/result.hpp>

#include <kernix/core/diagnostics.hpp>
#include <kernix/core/error.hpp>
#include <kernix/load/detail/floating_point_guard.hpp>
#include <kernix/load/detail/load_advice.hpp>
#include <kernix/load/detail/loader_names.hpp>

namespace kernix {

/// A shared object in this process. It is closed when the last owner lets go; the libraries that it needs stay.
///
/// Closing is safe where a kernel has thread-local objects (glibc keeps the code until their destructors have run) and
/// where it has unique symbols (`STB_GNU_UNIQUE`: glibc then never unloads it; kernix compiles with `-fno-gnu-unique`).
/// It isn't safe while anything else still points into the object: a thread that it started, a string literal or function
/// that it returned, an exception of a type of its own. Whoever keeps such a thing keeps a handle as well.
///
/// All members may be called from any thread at once.
class shared_object {
 public:
  /// Loads a file: `RTLD_NOW`, so that what is undefined shows here and not in a call, and `RTLD_LOCAL`, so that
  /// two kernels with equal names stay apart. Blocks; runs the object's constructors. The thread's floating-point state is
  /// the same afterwards. The caller has made sure that the bytes are whole: loading a damaged object can end the process.
  static boost::system::result<std::shared_ptr<const shared_object>, diagnosis> load(const std::filesystem::path& file) {
    detail::floating_point_guard guard;
    ::dlerror();
    // without a slash dlopen would search the library path
    std::string name = detail::unconfused_name(file.has_parent_path() ? file : "." / file);
    void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char* text = ::dlerror();
      std::string said = text ? text : "the system's loader gave no reason";
      return diagnosis{.code = make_error_code(errc::load_failed),
                       .reason = "can't load " + to_utf8(file.native()) + ": " + to_utf8(said),
                       .advice = detail::load_advice(said)};
    }
    std::shared_ptr<const shared_object> object(new shared_object(handle));
    detail::keep_needed_libraries(handle);
    return object;
  }

  shared_object(const shared_object&) = delete;
  shared_object& operator=(const shared_object&) = delete;
  ~shared_object() {
    detail::floating_point_guard guard;
    ::dlclose(handle_);
  }

  /// The address of a function that this very object exports; null if there is none. `why` then says what the loader found
  /// instead, if it found anything: a variable, or a function of a library that the object needs.
  void* function(const std::string& symbol, std::string* why = nullptr) const {
    void* address = ::dlsym(handle_, symbol.c_str());
    if (!address) {
      ::dlerror();
      return nullptr;
    }
    auto reject = [&](std::string reason) -> void* {
      if (why) *why = std::move(reason);
      return nullptr;
    };
    // dlsym looks through the needed libraries too: "exp", misspelled or forgotten, would be libm's
    link_map* self = nullptr;
    link_map* owner = nullptr;
    Dl_info place{};
    if (::dlinfo(handle_, RTLD_DI_LINKMAP, &self) != 0 ||
        ::dladdr1(address, &place, reinterpret_cast<void**>(&owner), RTLD_DL_LINKMAP) == 0 || owner != self) {
      return reject(place.dli_fname ? "the name stands for a function of " + std::string(place.dli_fname) + " instead"
                                    : "the name stands for no function");
    }
    const ElfW(Sym)* entry = nullptr;
    if (::dladdr1(address, &place, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&entry)), RTLD_DL_SYMENT) != 0 && entry &&
        ELF64_ST_TYPE(entry->st_info) == STT_OBJECT && place.dli_saddr == address) {
      return reject("the name stands for a variable, not for a function");
    }
    return address;
  }

 private:
  explicit shared_object(void* handle) noexcept : handle_(handle) {}

  void* handle_;
};

}  // namespace kernix
