// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/core/diagnostics.hpp>

namespace kernix {
namespace detail {

/// A mangled name as C++ spells it; the name itself where it isn't mangled. (The demangler would take `f` for the type float.)
inline std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

/// Whether a demangled signature is of a function called `plain`: `axpy(float*)`, `math::axpy(int)`.
inline bool is_overload_of(std::string_view signature, std::string_view plain) noexcept {
  std::size_t parenthesis = signature.find('(');
  if (parenthesis == std::string_view::npos) return false;
  std::string_view qualified = signature.substr(0, parenthesis);
  return qualified == plain || (qualified.ends_with(plain) && qualified.size() >= plain.size() + 2 &&
                                qualified.substr(0, qualified.size() - plain.size()).ends_with("::"));
}

/// How many single letters must change to turn one word into the other (Levenshtein).
inline std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      std::size_t substituted = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace detail

/// What to tell somebody who asked a shared object for a function that it doesn't export: the diagnosis names what it
/// does export (`exports`, as of `exported_symbols`), the nearest of them, and `extern "C"` where C++ mangled the name.
inline diagnosis missing_symbol(std::string_view symbol, const std::vector<std::string>& exports) {
  constexpr std::size_t shown_at_most = 20;  // enough to find a typing error, short enough for a log line
  diagnosis what{.code = make_error_code(errc::symbol_not_found)};
  what.reason = "the shared object does not export \"" + to_utf8(symbol) + "\"; it exports ";
  if (exports.empty()) what.reason += "no function";
  for (std::size_t i = 0; i < std::min(exports.size(), shown_at_most); ++i) {
    std::string readable = detail::demangled(exports[i]);
    what.reason += (i ? ", " : "") + to_utf8(exports[i]);
    if (readable != exports[i]) what.reason += " [" + to_utf8(readable) + "]";
  }
  if (exports.size() > shown_at_most) {
    what.reason += " and " + std::to_string(exports.size() - shown_at_most) + " more";
  }

  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(symbol.size() / 3, 2) + 1;  // further away than that is another word
  for (const std::string& each : exports) {
    std::string readable = detail::demangled(each);
    if (readable != each && detail::is_overload_of(readable, symbol)) {
      what.advice.push_back("declare the function extern \"C\": C++ exported " + to_utf8(readable) + " as " + to_utf8(each));
      continue;
    }
    // a symbol of hostile bytes can be megabytes long, and the distance takes quadratic time
    if (each.size() > symbol.size() + least || symbol.size() > each.size() + least || symbol.size() > 1000) continue;
    std::size_t distance = detail::edit_distance(symbol, each);
    if (distance < least) {
      least = distance;
      nearest = &each;
    }
  }
  if (nearest) what.advice.push_back("did you mean \"" + to_utf8(*nearest) + "\"?");
  if (exports.empty()) {
    what.advice.push_back("define the function extern \"C\", not static, not inline, and with default visibility");
  }
  return what;
}

}  // namespace kernix
