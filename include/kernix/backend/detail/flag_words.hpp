// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/refusal.hpp>

namespace kernix::detail {

/// A refusal about one token of the user's.
inline refusal refuse_token(std::string_view token, std::string_view why) {
  return refuse(errc::invalid_option, "the token \"" + std::string(token) + "\" " + std::string(why));
}

/// Whether `token` is one of these words.
inline bool is_one_of(std::string_view token, std::initializer_list<std::string_view> words) noexcept {
  return std::find(words.begin(), words.end(), token) != words.end();
}

/// Whether `token` begins with one of these.
inline bool begins_with_one_of(std::string_view token, std::initializer_list<std::string_view> beginnings) noexcept {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view each) { return token.starts_with(each); });
}

/// The value of an option that is written `-Ivalue`, `-I=value` (where `equals`) or `-I value`; `next` is the token that follows.
/// Empty where `token` is another option.
inline std::optional<std::string_view> option_value(std::string_view token, std::string_view next,
                                                    std::string_view option) noexcept {
  if (token == option) return next;
  if (!token.starts_with(option)) return std::nullopt;
  token.remove_prefix(option.size());
  if (token.starts_with('=')) token.remove_prefix(1);
  return token;
}

/// A token that asks for what this machine has: its CPU is part of the key then.
inline bool asks_for_native(std::string_view token) noexcept { return token.ends_with("=native"); }

inline bool ask_for_native(const std::vector<std::string>& tokens) noexcept {
  return std::any_of(tokens.begin(), tokens.end(), [](const std::string& each) { return asks_for_native(each); });
}

/// Directories that the user's own tokens put on the include path, for the search of headers that would shadow others.
/// A relative one is refused: the compiler runs in a scratch directory.
inline result<std::vector<std::string>> include_path_of(const std::vector<std::string>& tokens) {
  std::vector<std::string> directories;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    const std::string_view next = i + 1 < tokens.size() ? std::string_view(tokens[i + 1]) : std::string_view();
    for (std::string_view option : {"-iquote", "-isystem", "-idirafter", "-I"}) {
      auto value = option_value(token, next, option);
      if (!value) continue;
      if (value->empty()) return refuse_token(token, "names no directory");
      if (!value->starts_with('/')) {
        return refuse_token(token,
                            "names a relative directory, which the compiler would look for in its scratch directory; "
                            "use include_directories, or an absolute path");
      }
      directories.emplace_back(*value);
      if (token == option) ++i;
      break;
    }
  }
  return directories;
}

/// Directories that the user's own tokens have searched for libraries, in every spelling of `-L`.
inline std::vector<std::string> library_path_of(const std::vector<std::string>& tokens) {
  std::vector<std::string> directories;
  bool value_follows = false;
  auto take = [&](std::string_view word) {
    if (value_follows) {
      directories.emplace_back(word);
      value_follows = false;
      return;
    }
    for (std::string_view option : {"--library-path", "-L"}) {
      if (!word.starts_with(option)) continue;
      word.remove_prefix(option.size());
      if (word.starts_with('=')) word.remove_prefix(1);
      if (word.empty()) {
        value_follows = true;
      } else {
        directories.emplace_back(word);
      }
      return;
    }
  };
  for (std::string_view token : tokens) {
    if (token == "-Xlinker") continue;
    if (!token.starts_with("-Wl,")) {
      take(token);
      continue;
    }
    for (token.remove_prefix(4);;) {
      const std::size_t comma = std::min(token.find(','), token.size());
      take(token.substr(0, comma));
      if (comma == token.size()) break;
      token.remove_prefix(comma + 1);
    }
  }
  std::erase_if(directories, [](const std::string& each) { return !each.starts_with('/'); });
  return directories;
}

/// Refuses a bare file name among flags: what follows an option may be its value, anything else is an input file.
inline std::optional<refusal> refuse_inputs(const std::vector<std::string>& tokens, std::string_view advice) {
  bool after_option = false;
  for (const std::string& token : tokens) {
    if (token.starts_with('@')) return refuse_token(token, "names a response file; give its tokens themselves");
    const bool is_option = token.starts_with('-');
    if (token == "-") return refuse_token(token, "asks the compiler to read its standard input, which is empty");
    if (!is_option && !after_option) return refuse_token(token, advice);
    after_option = is_option;
  }
  return std::nullopt;
}

}  // namespace kernix::detail
