// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include <kernix/core/settings.hpp>

namespace kernix {
namespace detail {

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

/// 1, true, yes, on; 0, false, no, off; nothing for anything else.
inline std::optional<bool> parse_switch(std::string_view text) {
  std::string word = lower_case(trimmed(text));
  if (word == "1" || word == "true" || word == "yes" || word == "on") return true;
  if (word == "0" || word == "false" || word == "no" || word == "off" || word.empty()) return false;
  return std::nullopt;
}

/// A positive, finite number of seconds, at most a hundred years.
inline std::optional<std::chrono::nanoseconds> parse_seconds(std::string_view text) {
  text = trimmed(text);
  double seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!(seconds > 0) || seconds > 3.2e9) return std::nullopt;
  auto whole = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  return std::max(whole, std::chrono::nanoseconds(1));
}

/// A positive whole number.
inline std::optional<unsigned> parse_count(std::string_view text) {
  text = trimmed(text);
  unsigned count = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count == 0) return std::nullopt;
  return count;
}

/// A number of bytes: digits, then nothing or K, M, G, T (powers of 1024), then nothing or B or iB.
inline std::optional<std::uint64_t> parse_size(std::string_view text) {
  text = trimmed(text);
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  std::string unit = lower_case(trimmed(text.substr(static_cast<std::size_t>(end - text.data()))));
  if (unit.ends_with("ib")) {
    unit.resize(unit.size() - 2);
  } else if (unit.ends_with('b')) {
    unit.pop_back();
  }
  constexpr std::string_view prefixes = "kmgt";
  unsigned shift = 0;
  if (unit.size() == 1 && prefixes.find(unit[0]) != std::string_view::npos) {
    shift = 10 * static_cast<unsigned>(prefixes.find(unit[0]) + 1);
  } else if (!unit.empty()) {
    return std::nullopt;
  }
  if (number == 0 || number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

/// The variables that reach discovery and the compilers; all others of the host stay with the host.
inline bool is_read_variable(std::string_view name) {
  constexpr std::string_view names[] = {
      "PATH",       "HOME",        "TMPDIR",        "XDG_CACHE_HOME", "CXX",         "CONDA_PREFIX", "CUDA_HOME",
      "CUDA_PATH",  "HIP_PATH",    "ROCM_PATH",     "TEENYC_PATH",    "RUSTUP_HOME", "CARGO_HOME",   "VIRTUAL_ENV",
      "PYTHONPATH", "RUSTUP_TOOLCHAIN", "TEENYC_PTX_VERSION", "TEENYC_LOG_LEVEL", "TEENYC_CACHE_DIR",
      "BRAINEVENT_ALLOW_UNSUPPORTED_COMPILER", "BRAINEVENT_COMPILE_TIMEOUT"};
  constexpr std::string_view prefixes[] = {"KERNIX_", "CCACHE_", "SCCACHE_", "DISTCC_"};
  return std::any_of(std::begin(names), std::end(names), [&](std::string_view each) { return each == name; }) ||
         std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view each) { return name.starts_with(each); });
}

}  // namespace detail

inline settings settings::from(const char* const* environment) {
  settings made;
  for (; environment && *environment; ++environment) {
    std::string_view entry = *environment;
    std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    if (detail::is_read_variable(entry.substr(0, equals))) {
      made.variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }

  auto complain = [&](std::string_view variable, std::string_view wanted) {
    made.problems.push_back(std::string(variable) + "=\"" + std::string(made.variable(variable)) + "\" is ignored: " +
                            std::string(wanted));
  };
  auto read = [&](std::string_view variable, auto parse, auto& member, std::string_view wanted) {
    if (made.variable(variable).empty()) return;
    if (auto value = parse(made.variable(variable))) {
      member = *value;
    } else {
      complain(variable, wanted);
    }
  };

  std::string_view timeout = made.variable("KERNIX_COMPILE_TIMEOUT").empty() ? "BRAINEVENT_COMPILE_TIMEOUT" : "KERNIX_COMPILE_TIMEOUT";
  read(timeout, detail::parse_seconds, made.compile_timeout, "it must be a number of seconds above zero");
  read("KERNIX_JOBS", detail::parse_count, made.jobs, "it must be a whole number above zero");
  read("KERNIX_CACHE_MAX_SIZE", detail::parse_size, made.cache_max_size, "it must be a number of bytes, such as 500M or 5G");
  read("KERNIX_OFFLINE", detail::parse_switch, made.offline, "it must be 1, true, yes or on; or 0, false, no or off");
  if (!made.variable("KERNIX_LOG").empty()) {
    std::string word = detail::lower_case(detail::trimmed(made.variable("KERNIX_LOG")));
    bool known = false;
    for (log_level level : {log_level::error, log_level::warning, log_level::info, log_level::debug}) {
      if (word != name(level)) continue;
      made.log = default_log(level);
      known = true;
    }
    if (!known) complain("KERNIX_LOG", "it must be error, warning, info or debug");
  }

  auto absolute = [&](std::string_view variable) -> std::filesystem::path {
    std::filesystem::path path(made.variable(variable));
    return path.is_absolute() ? path : std::filesystem::path{};  // the XDG specification: relative ones are ignored
  };
  if (!made.variable("KERNIX_CACHE_DIR").empty()) {
    std::error_code error;
    made.cache_directory = std::filesystem::absolute(made.variable("KERNIX_CACHE_DIR"), error);
    if (error) complain("KERNIX_CACHE_DIR", "the current directory that it is relative to can't be found");
  }
  if (made.cache_directory.empty()) {
    if (auto cache = absolute("XDG_CACHE_HOME"); !cache.empty()) {
      made.cache_directory = cache / "kernix";
    } else if (auto home = absolute("HOME"); !home.empty()) {
      made.cache_directory = home / ".cache" / "kernix";
    } else {
      auto temporary = absolute("TMPDIR");
      made.cache_directory = (temporary.empty() ? std::filesystem::path("/tmp") : temporary) / ("kernix-" + std::to_string(::geteuid()));
    }
  }
  return made;
}

}  // namespace kernix
