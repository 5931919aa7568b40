// SPDX-License-Identifier: Apache-2.0
#include "advise.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/core/advice.hpp>

namespace tool {
namespace {

/// What the library says, and how to say it here.
constexpr std::pair<std::string_view, std::string_view> words[] = {
    {"add the directory of the missing header to include_directories", "name the directory of the missing header with -I"},
    {", or give its text in compile_request::headers", ", or put it beside the source"},
    {"compile_request::timeout", "--timeout"},
    {"compile_request::architectures", "--arch"},
    {"settings::jobs", "--jobs"},
    {"compile_flags", "--flag"},
    {"link_flags", "--link-flag"},
    {"include_directories", "-I"},
};

std::string in_own_words(std::string text) {
  for (auto [theirs, ours] : words) {
    for (std::size_t at = text.find(theirs); at != std::string::npos; at = text.find(theirs, at + ours.size())) {
      text.replace(at, theirs.size(), ours);
    }
  }
  return text;
}

}  // namespace

void advise(kernix::diagnostics& what) {
  if (what.advice.empty()) what.advice = kernix::advice_for(what);
  for (std::string& each : what.advice) each = in_own_words(std::move(each));
}

}  // namespace tool
