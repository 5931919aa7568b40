// SPDX-License-Identifier: Apache-2.0
#include <kernix/load/exported_symbols.hpp>

#include <boost/test/unit_test.hpp>

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

struct symbol {
  std::string name;
  unsigned char type = STT_FUNC;
  unsigned char bind = STB_GLOBAL;
  unsigned char visibility = STV_DEFAULT;
  Elf64_Section section = 1;
};

template <class T>
void put(std::string& bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// A shared object that consists of a header, a table of dynamic symbols and its names.
std::string object_with(const std::vector<symbol>& symbols) {
  std::string names(1, '\0');
  std::string table(sizeof(Elf64_Sym), '\0');
  for (const symbol& each : symbols) {
    Elf64_Sym entry{};
    entry.st_name = static_cast<Elf64_Word>(names.size());
    entry.st_info = static_cast<unsigned char>(ELF64_ST_INFO(each.bind, each.type));
    entry.st_other = each.visibility;
    entry.st_shndx = each.section;
    table.append(reinterpret_cast<const char*>(&entry), sizeof entry);
    names += each.name + '\0';
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shoff = sizeof header;
  std::size_t data = sizeof header + 3 * sizeof(Elf64_Shdr);
  Elf64_Shdr dynsym{};
  dynsym.sh_type = SHT_DYNSYM;
  dynsym.sh_link = 2;
  dynsym.sh_offset = data;
  dynsym.sh_size = table.size();
  Elf64_Shdr strtab{};
  strtab.sh_type = SHT_STRTAB;
  strtab.sh_offset = data + table.size();
  strtab.sh_size = names.size();
  std::string bytes(data, '\0');
  put(bytes, 0, header);
  put(bytes, sizeof header + sizeof(Elf64_Shdr), dynsym);
  put(bytes, sizeof header + 2 * sizeof(Elf64_Shdr), strtab);
  return bytes + table + names;
}

using names = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(load_exported_symbols)

BOOST_AUTO_TEST_CASE(functions_are_listed_sorted_and_once) {
  BOOST_TEST(kernix::exported_symbols(object_with({{"scale"}, {"axpy"}, {"scale"}})) == (names{"axpy", "scale"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(weak_and_indirect_functions_count) {
  names found = kernix::exported_symbols(object_with({{"weak", STT_FUNC, STB_WEAK}, {"fast", STT_GNU_IFUNC}}));
  BOOST_TEST(found == (names{"fast", "weak"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_called_from_outside_is_left_out) {
  names found = kernix::exported_symbols(object_with({{"table", STT_OBJECT},
                                                      {"undefined", STT_FUNC, STB_GLOBAL, STV_DEFAULT, SHN_UNDEF},
                                                      {"local", STT_FUNC, STB_LOCAL},
                                                      {"hidden", STT_FUNC, STB_GLOBAL, STV_HIDDEN},
                                                      {"", STT_FUNC}}));
  BOOST_TEST(found.empty());
}

BOOST_AUTO_TEST_CASE(other_files_export_nothing) {
  BOOST_TEST(kernix::exported_symbols("").empty());
  BOOST_TEST(kernix::exported_symbols("#!/bin/sh\n").empty());
  std::string narrow = object_with({{"axpy"}});
  narrow[EI_CLASS] = ELFCLASS32;
  BOOST_TEST(kernix::exported_symbols(narrow).empty());
}

BOOST_AUTO_TEST_CASE(every_cut_gives_only_names_that_are_there) {
  std::string whole = object_with({{"axpy"}, {"scale"}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // a copy of its own, so that a sanitizer sees a read beyond the cut
    std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    for (const std::string& name : kernix::exported_symbols({cut.data(), cut.size()})) {
      BOOST_TEST((name == "axpy" || name == "scale"));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_overwritten_word_is_survived) {
  std::string whole = object_with({{"axpy"}, {"scale"}});
  for (std::size_t at = 0; at + 8 <= whole.size(); ++at) {
    for (std::uint64_t evil : {std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0} - 63, std::uint64_t{1} << 63,
                               static_cast<std::uint64_t>(whole.size())}) {
      std::vector<char> damaged(whole.begin(), whole.end());
      std::memcpy(damaged.data() + at, &evil, sizeof evil);
      for (const std::string& name : kernix::exported_symbols({damaged.data(), damaged.size()})) {
        BOOST_TEST(name.size() < whole.size());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_name_without_an_end_is_left_out) {
  std::string bytes = object_with({{"axpy"}});
  bytes.back() = 'x';
  BOOST_TEST(kernix::exported_symbols(bytes).empty());
}

BOOST_AUTO_TEST_SUITE_END()
