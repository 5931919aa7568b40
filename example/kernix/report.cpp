// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <boost/json/src.hpp>

namespace tool {
namespace {

namespace json = boost::json;

/// JSON knows only UTF-8; file names and compilers' words may be any bytes.
json::string text(std::string_view bytes) { return json::string(kernix::to_utf8(bytes)); }

std::string json_line(const build_report& report) {
  json::array artifacts;
  for (const built_file& each : report.artifacts) {
    artifacts.push_back({{"kind", kernix::name(each.kind)}, {"path", text(each.path.native())}, {"bytes", each.bytes}});
  }
  const kernix::diagnostics& what = report.diagnostics;
  json::object line{
      {"name", text(report.item.name)},
      {"backend", report.item.which->name},
      {"status", report.failed() ? "failed" : "ok"},
      {"error", nullptr},
      {"origin", nullptr},
      {"artifacts", std::move(artifacts)},
      {"command", text(what.command)},
      {"log", text(what.log)},
  };
  if (report.origin) line["origin"] = kernix::name(*report.origin);
  if (report.failed()) {
    line["error"] = kernix::error_name(what.code);
    line["reason"] = text(what.reason);
    json::array advice;
    for (const std::string& each : what.advice) advice.emplace_back(text(each));
    line["advice"] = std::move(advice);
  }
  // Boost.JSON would write 4.5E-1, which not every shell reads
  std::string written = json::serialize(line);
  written.back() = ',';
  return written + "\"seconds\":" + std::to_string(std::chrono::duration<double>(report.elapsed).count()) + "}\n";
}

std::string human_line(const build_report& report) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.3f s", std::chrono::duration<double>(report.elapsed).count());
  std::string line = kernix::to_utf8(report.item.name) + "  " + std::string(report.item.which->name) + "  ";
  if (report.failed()) return line + "failed: " + std::string(kernix::error_name(report.diagnostics.code)) + "  " + seconds + '\n';
  line += "ok  " + std::string(report.origin ? kernix::name(*report.origin) : "") + "  " + seconds;
  for (const built_file& each : report.artifacts) line += "  " + kernix::to_utf8(each.path.native());
  return line + '\n';
}

std::string indented(std::string_view words) {
  std::string text;
  while (!words.empty()) {
    std::size_t length = words.find('\n');
    std::string_view line = words.substr(0, length);
    if (!line.empty()) text.append("  ").append(line);
    text += '\n';
    words.remove_prefix(length == std::string_view::npos ? words.size() : length + 1);
  }
  return text;
}

bool write(const std::string& bytes, std::FILE* stream) {
  return std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size() && std::fflush(stream) == 0;
}

}  // namespace

bool print(const build_report& report, bool json) {
  if (json) return write(json_line(report), stdout);
  std::string words = report.failed() ? report.diagnostics.to_string() : report.diagnostics.log_utf8();
  return write(human_line(report) + indented(words), stdout);
}

}  // namespace tool
