// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <boost/system/result.hpp>

#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/error.hpp>
#include <kernix/load/detail/checked_file.hpp>
#include <kernix/load/exported_symbols.hpp>
#include <kernix/load/kernel.hpp>
#include <kernix/load/shared_object.hpp>
#include <kernix/load/symbol_advice.hpp>

namespace kernix {
namespace detail {

using loaded_object = boost::system::result<std::shared_ptr<const shared_object>, diagnosis>;

/// The outcome's shared object, loaded by the first who asks and shared by all who hold the payload. A failure is not
/// remembered: the next one tries again.
inline loaded_object load_once(const compile_outcome& outcome, const artifact& file) {
  load_once_slot& slot = outcome.payload().loaded;
  std::lock_guard lock(slot.mutex);
  if (slot.value) return std::static_pointer_cast<const shared_object>(slot.value);
  if (auto wrong = check_artifact(file)) return *wrong;
  loaded_object made = shared_object::load(file.path);
  if (made) slot.value = std::const_pointer_cast<shared_object>(*made);
  return made;
}

struct loaded_symbol {
  std::shared_ptr<const shared_object> object;
  void* address = nullptr;
};

inline boost::system::result<loaded_symbol, diagnosis> load_symbol(const compile_outcome& outcome, const std::string& symbol) {
  if (symbol.empty() || symbol.find('\0') != std::string::npos) {
    return diagnosis{.code = make_error_code(errc::invalid_name),
                     .reason = symbol.empty() ? "the name of the function to load is empty"
                                              : "the name of the function to load holds a NUL byte"};
  }
  const artifact* file = outcome.find(output_kind::shared_object);
  if (!file) {
    return diagnosis{.code = make_error_code(errc::invalid_request),
                     .reason = "there is no shared object to load \"" + to_utf8(symbol) + "\" from",
                     .advice = {"ask for output_kind::shared_object; other kinds of output are for GPU drivers and linkers"}};
  }
  loaded_object object = load_once(outcome, *file);
  if (!object) return object.error();
  std::string why;
  if (void* address = (*object)->function(symbol, &why)) return loaded_symbol{*object, address};
  diagnosis missing = missing_symbol(symbol, exported_symbols(file_bytes(file->path)));
  if (!why.empty()) missing.reason += "; " + to_utf8(why);
  return missing;
}

/// The compile's diagnostics with the failure of the load in front: the compiler's log is not lost.
inline diagnostics load_diagnostics(const compile_outcome& outcome, const diagnosis& failure) {
  diagnostics merged = outcome.diagnostics();
  merged.code = failure.code;
  merged.reason = failure.reason;
  merged.advice = failure.advice;
  merged.stage = "load";
  return merged;
}

}  // namespace detail

/// Loads a function from a compile's outcome: checks the file's size and SHA-256, loads it, looks the symbol up. All
/// holders of one payload share one load. Blocks, and runs the object's constructors: call it where blocking is allowed.
///
/// Errors: `invalid_name` for a symbol that is empty or holds a NUL byte, `invalid_request` for an outcome without a shared
/// object, `load_failed`, and `symbol_not_found` with the list of what the object exports. The kernel then carries the
/// diagnostics. May be called from any thread at once.
template <class Signature>
std::pair<error_code, kernel<Signature>> load_function(compile_outcome outcome, const std::string& symbol) {
  auto found = detail::load_symbol(outcome, symbol);
  if (!found) {
    auto why = detail::load_diagnostics(outcome, found.error());
    error_code code = why.code;
    return {code, kernel<Signature>(std::move(outcome), std::move(why))};
  }
  auto function = reinterpret_cast<typename kernel<Signature>::pointer>(found->address);
  return {error_code{}, kernel<Signature>(function, std::move(found->object), std::move(outcome))};
}

}  // namespace kernix
