// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernix::detail {

/// The words of a variable such as `CXX`, as a shell would split them: at blanks, but not inside quotes, a backslash
/// taking the next character as it is. Nothing is expanded.
inline std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else if (c == '\\' && quote == '"' && i + 1 < text.size()) {
        word += text[++i];
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

/// A compiler command: the words of a wrapper and the driver, and the options that always follow them.
struct compiler_words {
  std::vector<std::string> driver;  ///< `ccache`, `g++`: the driver is the last.
  std::vector<std::string> flags;   ///< `-m32`, `--sysroot=/opt/s`
};

/// Options at the end belong to the driver; those before the last plain word belong to the wrapper.
inline compiler_words split_command(std::string_view text) {
  compiler_words made{split_words(text), {}};
  std::size_t plain = made.driver.size();
  while (plain > 0 && made.driver[plain - 1].starts_with('-')) --plain;
  if (plain == 0) return made;
  made.flags.assign(made.driver.begin() + static_cast<std::ptrdiff_t>(plain), made.driver.end());
  made.driver.resize(plain);
  return made;
}

}  // namespace kernix::detail
