// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <boost/system/error_code.hpp>
#include <boost/system/system_category.hpp>

namespace kernix {

using error_code = boost::system::error_code;

/// What went wrong, one value a cause. Callers usually branch on a condition (`failure`) instead.
///
/// `cancelled` stands for `boost::asio::error::operation_aborted`: `make_error_code` gives that very code.
/// `timed_out` also compares equal to `std::errc::timed_out`.
enum class errc {
  // fix the call
  invalid_name = 1,
  invalid_request,
  invalid_option,
  unsupported_arch,
  command_line_too_long,
  // fix the kernel
  compile_failed,
  link_failed,
  symbol_not_found,
  // fix the installation
  toolchain_not_found,
  tool_not_found,
  not_executable,
  host_compiler_incompatible,
  compiler_crashed,
  output_missing,
  load_failed,
  // the machine
  out_of_memory,
  disk_full,
  spawn_failed,
  status_lost,
  lock_timeout,
  forked,
  // the operation
  timed_out,
  cancelled,
  not_cached,
  shut_down,
};

/// The conditions to branch on: who has to do something about the error.
enum class failure {
  source = 1,   ///< Fix the kernel's text.
  toolchain,    ///< Fix the installation of the compiler.
  request,      ///< Fix the call: a name, an option, an architecture.
  environment,  ///< Disk, memory, permissions, limits of this machine.
  transient,    ///< Trying again may succeed.
};

/// The name of the enumerator, as in `errc::compile_failed`: for logs and for machines.
constexpr std::string_view name(errc value) noexcept {
  switch (value) {
    case errc::invalid_name: return "invalid_name";
    case errc::invalid_request: return "invalid_request";
    case errc::invalid_option: return "invalid_option";
    case errc::unsupported_arch: return "unsupported_arch";
    case errc::command_line_too_long: return "command_line_too_long";
    case errc::compile_failed: return "compile_failed";
    case errc::link_failed: return "link_failed";
    case errc::symbol_not_found: return "symbol_not_found";
    case errc::toolchain_not_found: return "toolchain_not_found";
    case errc::tool_not_found: return "tool_not_found";
    case errc::not_executable: return "not_executable";
    case errc::host_compiler_incompatible: return "host_compiler_incompatible";
    case errc::compiler_crashed: return "compiler_crashed";
    case errc::output_missing: return "output_missing";
    case errc::load_failed: return "load_failed";
    case errc::out_of_memory: return "out_of_memory";
    case errc::disk_full: return "disk_full";
    case errc::spawn_failed: return "spawn_failed";
    case errc::status_lost: return "status_lost";
    case errc::lock_timeout: return "lock_timeout";
    case errc::forked: return "forked";
    case errc::timed_out: return "timed_out";
    case errc::cancelled: return "cancelled";
    case errc::not_cached: return "not_cached";
    case errc::shut_down: return "shut_down";
  }
  return "unknown";
}

/// One sentence a value.
constexpr std::string_view describe(errc value) noexcept {
  switch (value) {
    case errc::invalid_name: return "the kernel's name is empty, too long, or holds a character that a name can't have";
    case errc::invalid_request: return "the request can't be compiled as it stands";
    case errc::invalid_option: return "an option is unknown to the compiler or malformed";
    case errc::unsupported_arch: return "the target architecture is not supported by this compiler";
    case errc::command_line_too_long: return "the compiler's command line is longer than the system allows";
    case errc::compile_failed: return "the compiler rejected the source";
    case errc::link_failed: return "the linker failed";
    case errc::symbol_not_found: return "the shared object does not export this symbol";
    case errc::toolchain_not_found: return "no usable compiler was found";
    case errc::tool_not_found: return "a program, library or component that the compiler needs is missing";
    case errc::not_executable: return "the compiler can't be executed";
    case errc::host_compiler_incompatible: return "the host compiler does not fit the toolkit";
    case errc::compiler_crashed: return "the compiler crashed";
    case errc::output_missing: return "the compiler reported success but left no usable output";
    case errc::load_failed: return "the compiled kernel could not be loaded";
    case errc::out_of_memory: return "the compiler ran out of memory";
    case errc::disk_full: return "the disk is full, or can't be written to";
    case errc::spawn_failed: return "the compiler could not be started";
    case errc::status_lost: return "the compiler's exit status was taken by other code of this process";
    case errc::lock_timeout: return "another process held the build lock for too long";
    case errc::forked: return "this cache was made before a fork and can't be used in the child";
    case errc::timed_out: return "the time limit was reached";
    case errc::cancelled: return "the operation was cancelled";
    case errc::not_cached: return "no valid entry is in the cache, and compiling was not asked for or is not possible";
    case errc::shut_down: return "the cache is shutting down";
  }
  return "unknown kernix error";
}

/// Whether an error of kind `value` answers the condition `condition`. An error may answer several.
constexpr bool answers(errc value, failure condition) noexcept {
  switch (condition) {
    case failure::source:
      return value == errc::compile_failed || value == errc::link_failed || value == errc::symbol_not_found;
    case failure::toolchain:
      return value == errc::toolchain_not_found || value == errc::tool_not_found || value == errc::not_executable ||
             value == errc::host_compiler_incompatible || value == errc::compiler_crashed ||
             value == errc::output_missing;
    case failure::request:
      return value == errc::invalid_name || value == errc::invalid_request || value == errc::invalid_option ||
             value == errc::unsupported_arch || value == errc::command_line_too_long ||
             value == errc::symbol_not_found;
    case failure::environment:
      return value == errc::out_of_memory || value == errc::disk_full || value == errc::spawn_failed ||
             value == errc::status_lost || value == errc::lock_timeout || value == errc::load_failed ||
             value == errc::forked;
    case failure::transient:
      return value == errc::out_of_memory || value == errc::disk_full || value == errc::spawn_failed ||
             value == errc::status_lost || value == errc::lock_timeout || value == errc::timed_out;
  }
  return false;
}

namespace detail {

class kernix_category final : public boost::system::error_category {
 public:
  constexpr kernix_category() noexcept : error_category(0x6b65726e69780001ULL) {}
  const char* name() const noexcept override { return "kernix"; }
  std::string message(int value) const override { return std::string(describe(static_cast<errc>(value))); }
  boost::system::error_condition default_error_condition(int value) const noexcept override {
    if (static_cast<errc>(value) == errc::timed_out) {
      return {ETIMEDOUT, boost::system::generic_category()};
    }
    return {value, *this};
  }
};

class failure_category final : public boost::system::error_category {
 public:
  constexpr failure_category() noexcept : error_category(0x6b65726e69780002ULL) {}
  const char* name() const noexcept override { return "kernix.failure"; }
  std::string message(int value) const override {
    switch (static_cast<failure>(value)) {
      case failure::source: return "fix the kernel's source";
      case failure::toolchain: return "fix the compiler's installation";
      case failure::request: return "fix the request";
      case failure::environment: return "the machine's disk, memory, permissions or limits";
      case failure::transient: return "may succeed when tried again";
    }
    return "unknown";
  }
  bool equivalent(const boost::system::error_code& code, int condition) const noexcept override;
};

inline constexpr kernix_category kernix_category_instance{};
inline constexpr failure_category failure_category_instance{};

inline bool failure_category::equivalent(const boost::system::error_code& code, int condition) const noexcept {
  return code.category() == kernix_category_instance &&
         answers(static_cast<errc>(code.value()), static_cast<failure>(condition));
}

}  // namespace detail

/// The category of `errc`.
inline const boost::system::error_category& error_category() noexcept { return detail::kernix_category_instance; }

inline error_code make_error_code(errc value) noexcept {
  if (value == errc::cancelled) {
    return {ECANCELED, boost::system::system_category()};  // is boost::asio::error::operation_aborted
  }
  return {static_cast<int>(value), error_category()};
}

inline boost::system::error_condition make_error_condition(failure value) noexcept {
  return {static_cast<int>(value), detail::failure_category_instance};
}

/// The enumerator's name for any code that kernix reports: "cancelled" for `operation_aborted`, the empty view for
/// success, "system" for a code of another category.
inline std::string_view error_name(const error_code& code) noexcept {
  if (!code) return {};
  if (code == make_error_code(errc::cancelled)) return name(errc::cancelled);
  if (code.category() == error_category()) return name(static_cast<errc>(code.value()));
  return "system";
}

}  // namespace kernix

template <>
struct boost::system::is_error_code_enum<kernix::errc> : std::true_type {};
template <>
struct boost::system::is_error_condition_enum<kernix::failure> : std::true_type {};
