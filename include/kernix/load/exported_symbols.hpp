// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kernix {
namespace detail {

/// One structure at `offset` of `bytes`; false where it doesn't lie wholly inside. The bytes may be hostile and need not
/// be aligned.
template <class T>
bool read_at(std::string_view bytes, std::uint64_t offset, T& into) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&into, bytes.data() + offset, sizeof(T));
  return true;
}

/// The part of `bytes` that a section describes; empty where it reaches beyond the end.
inline std::string_view section_bytes(std::string_view bytes, const Elf64_Shdr& section) noexcept {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes.size() ||
      section.sh_size > bytes.size() - section.sh_offset) {
    return {};
  }
  return bytes.substr(static_cast<std::size_t>(section.sh_offset), static_cast<std::size_t>(section.sh_size));
}

/// Whether a dynamic symbol is a function that this object defines and shows.
inline bool is_exported_function(const Elf64_Sym& symbol) noexcept {
  unsigned type = ELF64_ST_TYPE(symbol.st_info);
  unsigned bind = ELF64_ST_BIND(symbol.st_info);
  unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC) &&
         (bind == STB_GLOBAL || bind == STB_WEAK || bind == STB_GNU_UNIQUE) &&
         (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

/// The text at `offset` of a string table; empty where it isn't ended inside of it.
inline std::string_view table_text(std::string_view table, std::uint64_t offset) noexcept {
  if (offset >= table.size()) return {};
  table.remove_prefix(static_cast<std::size_t>(offset));
  std::size_t end = table.find('\0');
  return end == std::string_view::npos ? std::string_view{} : table.substr(0, end);
}

}  // namespace detail

/// The names of the functions that an ELF64 shared object of this machine's byte order exports, sorted, each once; as
/// the linker knows them, mangled. Reads bytes only: nothing is loaded or run, and any bytes may be given. Empty where
/// they are no such object, have no section headers, or export nothing.
///
/// Source of the layout: the System V ABI, chapters 4 and 5; `<elf.h>`.
inline std::vector<std::string> exported_symbols(std::string_view bytes) {
  std::vector<std::string> names;
  Elf64_Ehdr header;
  if (!detail::read_at(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return names;
  }
  auto section_at = [&](std::uint64_t index, Elf64_Shdr& section) {
    return index < header.e_shnum && header.e_shoff <= bytes.size() &&
           detail::read_at(bytes, header.e_shoff + index * sizeof(Elf64_Shdr), section);
  };
  for (std::uint64_t index = 0; index < header.e_shnum; ++index) {
    Elf64_Shdr symbols;
    Elf64_Shdr strings;
    if (!section_at(index, symbols)) break;
    if (symbols.sh_type != SHT_DYNSYM || !section_at(symbols.sh_link, strings)) continue;
    std::string_view table = detail::section_bytes(bytes, symbols);
    std::string_view texts = detail::section_bytes(bytes, strings);
    Elf64_Sym symbol;
    for (std::uint64_t at = 0; detail::read_at(table, at, symbol); at += sizeof symbol) {
      if (!detail::is_exported_function(symbol)) continue;
      std::string_view text = detail::table_text(texts, symbol.st_name);
      if (!text.empty()) names.emplace_back(text);
    }
    break;  // the ABI allows one table of dynamic symbols
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace kernix
