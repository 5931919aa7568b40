// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/command.hpp>
#include <kernix/core/compile_request.hpp>
#include <kernix/core/refusal.hpp>

namespace kernix {

namespace detail::request_text {

constexpr bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Letters, digits, underscores; bytes of UTF-8 are left to the compiler.
constexpr bool is_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

inline bool has_control(std::string_view text) noexcept { return std::any_of(text.begin(), text.end(), is_control); }

/// `text` for a sentence: between quotes, control characters shown as `?`, cut after 80 bytes.
inline std::string shown(std::string_view full) {
  std::string text = "\"";
  for (char c : full.substr(0, 80)) text += is_control(c) ? '?' : c;
  return text += full.size() > 80 ? "...\"" : "\"";
}

inline bool is_macro_name(std::string_view name) noexcept {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), is_word);
}

/// `NAME`, `NAME=VALUE` or `NAME(a,b)=VALUE`.
inline bool is_define(std::string_view text) noexcept {
  std::string_view head = text.substr(0, text.find('='));
  if (std::size_t open = head.find('('); open != std::string_view::npos) {
    if (head.back() != ')') return false;
    head = head.substr(0, open);
  }
  return is_macro_name(head);
}

/// `c++17`, `gnu++2b`: what remains is for the compiler to judge.
inline bool is_standard(std::string_view text) noexcept {
  if (text.starts_with("gnu")) {
    text.remove_prefix(3);
  } else if (text.starts_with("c")) {
    text.remove_prefix(1);
  } else {
    return false;
  }
  return text.size() == 4 && text.starts_with("++") && text[2] >= '0' && text[2] <= '9' && text[3] != '_' &&
         is_word(text[3]) && !(text[3] >= 'A' && text[3] <= 'Z');
}

/// Names that a plan gives to its own files and links: a header of such a name would not be found, or would be found
/// in place of another file.
inline bool is_plan_name(std::string_view first) noexcept {
  for (std::string_view own : {"kernel.cpp", "kernel.cu", "kernel.hip", "kernel.rs", "kernel.d", "link.d"}) {
    if (first == own) return true;
  }
  for (std::string_view stem : {"include", "source", "headers", "defines"}) {
    if (!first.starts_with(stem)) continue;
    std::string_view digits = first.substr(stem.size());
    if (stem == "defines" && digits.ends_with(".h")) digits.remove_suffix(2);
    if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos) return true;
  }
  return false;
}

inline std::optional<refusal> check_name(std::string_view name) {
  auto refused = [](std::string reason) { return refuse(errc::invalid_name, std::move(reason)); };
  if (name.empty()) return refused("the request has no name; give the kernel one");
  if (name.size() > 200)
    return refused("the name " + shown(name) + " has " + std::to_string(name.size()) +
                   " bytes; at most 200 are allowed");
  if (name == "." || name == "..") return refused("the name " + shown(name) + " is a directory's; choose another");
  if (name.find('/') != std::string_view::npos)
    return refused("the name " + shown(name) + " holds a slash; names are no paths");
  if (has_control(name)) return refused("the name " + shown(name) + " holds a control character; use printable ones");
  return std::nullopt;
}

inline std::optional<refusal> check_headers(const std::vector<memory_header>& headers) {
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::string& name = headers[i].name;
    auto refused = [&](const char* what) {
      return refuse(errc::invalid_request, "the in-memory header " + shown(name) + ' ' + what);
    };
    if (name.empty()) return refused("has no name; name it as the source includes it");
    if (name.front() == '/') return refused("has an absolute name; name it relative to the source");
    if (has_control(name)) return refused("has a control character in its name");
    std::string_view rest = name;
    bool first = true;
    while (true) {
      std::string_view part = rest.substr(0, rest.find('/'));
      if (part.empty() || part == "." || part == "..")
        return refused("has a name with an empty part, `.` or `..`; write the plain path");
      if (part.size() > 255) return refused("has a name that is longer than a file's can be");
      if (first && is_plan_name(part)) return refused("has a name that kernix gives to a file of its own; rename it");
      first = false;
      if (part.size() == rest.size()) break;
      rest.remove_prefix(part.size() + 1);
    }
    for (std::size_t j = 0; j < i; ++j) {
      const std::string& other = headers[j].name;
      if (other == name) return refused("is given twice");
      if (other.starts_with(name + '/') || name.starts_with(other + '/'))
        return refused("is a directory of another one; rename one of them");
    }
  }
  return std::nullopt;
}

inline std::optional<refusal> check_tokens(const std::vector<std::string>& tokens, const char* list) {
  for (const std::string& token : tokens) {
    if (token.empty()) return refuse(errc::invalid_option, std::string("an empty token is in ") + list + "; remove it");
    if (token.find('\0') != std::string::npos || token.find('\n') != std::string::npos ||
        token.find('\r') != std::string::npos) {
      return refuse(errc::invalid_option,
                    "the token " + shown(token) + " of " + list + " holds a line break or a NUL; a token is one line");
    }
  }
  return std::nullopt;
}

}  // namespace detail::request_text

/// What is wrong with a request, whatever the backend; nothing if it may be planned. Pure.
inline std::optional<refusal> check(const compile_request& request) {
  namespace text = detail::request_text;
  using text::shown;
  auto refused = [](std::string reason) { return refuse(errc::invalid_request, std::move(reason)); };
  if (auto wrong = text::check_name(request.name)) return wrong;
  if (request.source.empty())
    return refused("the source of " + shown(request.name) + " is empty; there is nothing to compile");
  if (request.timeout && *request.timeout <= request.timeout->zero()) {
    return refused("the timeout of " + shown(request.name) + " is not above zero; leave it out for the default");
  }
  if (request.kind == output_kind::mlir || name(request.kind) == "unknown") {
    return refused("the output kind " + shown(name(request.kind)) + " can't be asked for; it comes along with others");
  }
  if (!text::is_standard(request.standard)) {
    return refuse(errc::invalid_option,
                  "the standard " + shown(request.standard) + " is none; write c++17, c++20 or gnu++20");
  }
  if (request.optimization < 0 || request.optimization > 3) {
    return refuse(errc::invalid_option,
                  "the optimisation level " + std::to_string(request.optimization) + " is not 0, 1, 2 or 3");
  }
  if (auto wrong = text::check_tokens(request.defines, "defines")) return wrong;
  if (auto wrong = text::check_tokens(request.undefines, "undefines")) return wrong;
  if (auto wrong = text::check_tokens(request.compile_flags, "compile_flags")) return wrong;
  if (auto wrong = text::check_tokens(request.link_flags, "link_flags")) return wrong;
  for (const std::string& each : request.defines) {
    if (!text::is_define(each))
      return refuse(errc::invalid_option,
                    "the define " + shown(each) + " does not begin with a macro's name; write NAME or NAME=VALUE");
  }
  for (const std::string& each : request.undefines) {
    if (!text::is_macro_name(each))
      return refuse(errc::invalid_option, "the undefine " + shown(each) + " is no macro's name");
  }
  for (const auto& each : request.include_directories) {
    if (each.empty()) return refused("an include directory is empty; remove it, or write . for the base directory");
    if (each.native().find('\0') != std::string::npos)
      return refused("the include directory " + shown(each.native()) + " holds a NUL");
  }
  if (text::has_control(request.recorded_path))
    return refused("the recorded path " + shown(request.recorded_path) + " holds a control character");
  return text::check_headers(request.headers);
}

}  // namespace kernix
