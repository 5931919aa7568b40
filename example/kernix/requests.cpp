// SPDX-License-Identifier: Apache-2.0
#include "requests.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include <kernix/core/check_request.hpp>

namespace tool {
namespace {

namespace fs = std::filesystem;

kernix::compile_request request_from(const build_options& options) {
  kernix::compile_request request;
  request.kind = options.kind;
  request.architectures = options.architectures;
  if (!options.standard.empty()) request.standard = options.standard;
  if (options.optimization) request.optimization = *options.optimization;
  request.include_directories.assign(options.include_directories.begin(), options.include_directories.end());
  request.defines = options.defines;
  request.compile_flags = options.flags;
  request.link_flags = options.link_flags;
  request.force = options.force;
  request.timeout = options.timeout;
  return request;
}

kernix::result<std::string> read_text(const std::string& file) {
  auto unreadable = [&](const std::string& why) { return kernix::refuse(kernix::errc::invalid_request, file + ": " + why); };
  std::error_code error;
  fs::file_status status = fs::status(file, error);
  if (error) return unreadable(error.message());
  if (fs::is_directory(status)) return unreadable("is a directory, not a source file");
  if (!fs::is_regular_file(status)) return unreadable("is not a regular file");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return unreadable(std::generic_category().message(errno ? errno : EIO));
  std::ostringstream text_of;
  text_of << stream.rdbuf();  // unlike the buffer's iterators, it doesn't throw where a read fails
  if (stream.bad() || text_of.bad()) return unreadable("can't be read");
  std::string text = std::move(text_of).str();
  if (text.empty()) return unreadable("the file is empty");
  return text;
}

}  // namespace

std::vector<build_item> build_items(const build_options& options) {
  std::map<std::string, int> seen;
  for (const std::string& file : options.files) ++seen[fs::path(file).stem().native()];
  std::vector<build_item> items;
  for (const std::string& file : options.files) {
    fs::path path(file);
    std::string stem = path.stem().native();
    items.push_back({seen[stem] > 1 ? path.filename().native() : stem, file, find_backend(options, file)});
  }
  return items;
}

std::optional<std::string> wrong_options(const build_options& options, const std::vector<build_item>& items) {
  kernix::compile_request probe = request_from(options);
  probe.name = std::string("probe");  // assigned as a literal, it would have g++ 12 warn of an overlap, where it optimises
  probe.source = std::string("\n");
  if (auto why = kernix::check(probe)) return why->reason;
  if (options.output.empty()) return std::nullopt;
  std::map<std::string, std::string> files;
  for (const build_item& item : items) {
    auto [other, is_new] = files.emplace(item.name, item.file);
    if (!is_new && other->second != item.file) {
      return other->second + " and " + item.file + " would both be written to " + options.output.native() + " as " + item.name +
             std::string(kernix::suffix(options.kind));
    }
  }
  return std::nullopt;
}

kernix::result<kernix::compile_request> make_request(const build_options& options, const build_item& item) {
  kernix::result<std::string> text = read_text(item.file);
  if (!text) return text.error();
  kernix::compile_request request = request_from(options);
  request.name = item.name;
  request.source = std::move(*text);
  request.source_file = item.file;
  return request;
}

}  // namespace tool
