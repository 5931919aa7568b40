// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <kernix/core/command.hpp>
#include <kernix/detail/descriptor.hpp>

namespace kernix::detail {

/// The program that the kernel starts in place of a script (`#! /bin/sh`) or of a dynamic ELF program (its loader).
/// Empty if there is none, or the file can't be read.
inline std::string interpreter_of(const std::filesystem::path& program) {
  descriptor file = open_file(program, O_RDONLY | O_NONBLOCK);
  char start[4096] = {};
  ssize_t length = file ? ::pread(file.get(), start, sizeof start - 1, 0) : -1;
  if (length < 4) return {};
  std::string_view text(start, static_cast<std::size_t>(length));
  if (text.starts_with("#!")) {
    text = text.substr(2, text.find('\n') - 2);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return std::string(text.substr(0, text.find_first_of(" \t\r")));
  }
  Elf64_Ehdr header;
  if (!text.starts_with(std::string_view(ELFMAG, SELFMAG)) || text.size() < sizeof header) return {};
  std::memcpy(&header, start, sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) return {};
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    std::size_t at = header.e_phoff + i * sizeof part;
    if (at > text.size() || text.size() - at < sizeof part) break;
    std::memcpy(&part, start + at, sizeof part);
    if (part.p_type != PT_INTERP || part.p_offset >= text.size()) continue;
    return std::string(text.data() + part.p_offset, ::strnlen(text.data() + part.p_offset, text.size() - part.p_offset));
  }
  return {};
}

/// Whether the file starts as a program must: an ELF header or a `#!` line.
inline bool looks_executable(const std::filesystem::path& program) {
  descriptor file = open_file(program, O_RDONLY | O_NONBLOCK);
  if (!file) return true;  // may be executable without being readable
  char start[4] = {};
  ssize_t length = ::pread(file.get(), start, sizeof start, 0);
  std::string_view text(start, length > 0 ? static_cast<std::size_t>(length) : 0);
  return text.starts_with("#!") || text == std::string_view(ELFMAG, SELFMAG);
}

/// The error that starting `program` in `directory` would give, as far as their files tell; 0 if none.
inline int foreseeable_spawn_error(const std::filesystem::path& program, const std::filesystem::path& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) return errno;
  if (!S_ISDIR(status.st_mode)) return ENOTDIR;
  if (::access(directory.c_str(), X_OK) != 0) return errno;
  if (::stat(program.c_str(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return EACCES;
  if (::access(program.c_str(), X_OK) != 0) return errno;
  if (std::string by = interpreter_of(program); !by.empty() && ::access(by.c_str(), X_OK) != 0) return errno;
  return looks_executable(program) ? 0 : ENOEXEC;
}

/// One sentence on why `program` could not be started in `directory`: it names the file that is to blame.
inline std::string explain_spawn_error(int error, const std::filesystem::path& program,
                                       const std::filesystem::path& directory) {
  std::string tool = shell_quoted(program.native());
  std::string where = shell_quoted(directory.native());
  std::string why = std::generic_category().message(error);
  struct stat status {};
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case EACCES:
      if (::stat(directory.c_str(), &status) != 0) {
        return "the working directory " + where + " can't be entered: " + std::generic_category().message(errno);
      }
      if (!S_ISDIR(status.st_mode)) return "the working directory " + where + " is not a directory";
      if (::access(directory.c_str(), X_OK) != 0) return "the working directory " + where + " can't be entered: " + why;
      if (::stat(program.c_str(), &status) != 0) {
        if (errno == ENOENT) return "the program " + tool + " does not exist";
        return "the program " + tool + " can't be reached: " + std::generic_category().message(errno);
      }
      if (S_ISDIR(status.st_mode)) return "the program " + tool + " is a directory";
      if (!S_ISREG(status.st_mode)) return "the program " + tool + " is not a file that can be executed";
      if (::access(program.c_str(), X_OK) != 0) return "the program " + tool + " may not be executed by this user";
      if (std::string by = interpreter_of(program); !by.empty() && ::access(by.c_str(), X_OK) != 0) {
        return "the program " + tool + " needs the interpreter " + shell_quoted(by) +
               (errno == ENOENT ? ", which does not exist" : ", which can't be executed: " + why);
      }
      if (::access("/dev/null", R_OK) != 0) return "the program " + tool + " can't be started: /dev/null is missing";
      return "the program " + tool + " can't be executed: " + why + " (is its file system mounted noexec?)";
    case ENOEXEC:
      return "the program " + tool + " has no format that this machine can execute: neither a program for it nor a script with a #! line";
    case E2BIG:
      return "the command line of " + tool + " and its environment are longer than this system allows";
    case ETXTBSY:
      return "the program " + tool + " is being written by another process";
    case EMFILE:
      return "the program " + tool + " can't be started: this process has no file descriptor left (see ulimit -n)";
    case ENFILE:
      return "the program " + tool + " can't be started: this system has no file descriptor left";
    case EAGAIN:
      return "the program " + tool + " can't be started: the limit on processes is reached (see ulimit -u and the pids control group)";
    case ENOMEM:
      return "the program " + tool + " can't be started: not enough memory";
    default:
      return "the program " + tool + " can't be started: " + why;
  }
}

}  // namespace kernix::detail
