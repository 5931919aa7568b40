// SPDX-License-Identifier: Apache-2.0
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/backend/detail/message_parser.hpp>

BOOST_AUTO_TEST_SUITE(backend_message_parser)

namespace {

using kernix::message;
using level = kernix::message::level;

/// "E file|line|column|text"
std::string shown(const message& each) {
  constexpr std::string_view letters = "NWEF";
  return std::string(1, letters[static_cast<std::size_t>(each.severity)]) + ' ' + each.file + '|' +
         std::to_string(each.line) + '|' + std::to_string(each.column) + '|' + each.text;
}

void check(std::string_view log, std::vector<std::string> expected) {
  std::vector<std::string> found;
  for (const message& each : kernix::detail::parse_messages(log)) found.push_back(shown(each));
  BOOST_TEST(found == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_CASE(gcc_and_clang) {
  check(
      "In file included from a.h:3,\n                 from k.cpp:1:\nk.cpp: In function 'int f()':\n"
      "k.cpp:2:10: error: 'x' was not declared in this scope\n    2 |   x:3:4: error: y\n      |   ^\n"
      "k.cpp:5:1: warning: no return [-Wreturn-type]\nk.cpp:7: note: no column\n"
      "k.cpp:8:1: fatal error: no.h: No such file or directory\ncompilation terminated.\n2 errors generated.\n",
      {"E k.cpp|2|10|'x' was not declared in this scope", "W k.cpp|5|1|no return [-Wreturn-type]",
       "N k.cpp|7|0|no column", "F k.cpp|8|1|no.h: No such file or directory"});
}

BOOST_AUTO_TEST_CASE(names_with_blanks_drives_and_colons) {
  check(
      "my dir/k 1.cpp:2:3: error: a\nC:\\src\\k.cpp:2:3: error: b\na:b:2:3: error: c\nC:\\src\\k.cu(7): error: "
      "d\nk(1).cu(7): error: e\n"
      "C:\\k.cpp(7,9): error C2065: 'x': undeclared identifier\n",
      {"E my dir/k 1.cpp|2|3|a", "E C:\\src\\k.cpp|2|3|b", "E a:b|2|3|c", "E C:\\src\\k.cu|7|0|d", "E k(1).cu|7|0|e",
       "E C:\\k.cpp|7|9|'x': undeclared identifier"});
}

BOOST_AUTO_TEST_CASE(the_place_is_the_leftmost) {
  check("k.cpp:1:2: error: #error see j.cpp:3:4: error: z\n", {"E k.cpp|1|2|#error see j.cpp:3:4: error: z"});
}

BOOST_AUTO_TEST_CASE(nvcc_front_end) {
  check(
      "k.cu(2): error: identifier \"x\" is undefined\n    x;\n    ^\n\nk.cu(3): error #20: identifier \"y\" is "
      "undefined\n"
      "k.cu(4): warning #177-D: variable \"z\" was declared but never referenced\n  int z;\n      ^\n\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
      "k.cu(4): warning #177-D: variable \"z\" was declared but never referenced\n  int z;\n      ^\n\n"
      "k.cu(9): catastrophic error: out of memory\n1 error detected in the compilation of \"k.cu\".\n",
      {"E k.cu|2|0|identifier \"x\" is undefined", "E k.cu|3|0|identifier \"y\" is undefined",
       "W k.cu|4|0|variable \"z\" was declared but never referenced",
       "N |0|0|The warnings can be suppressed with \"-diag-suppress <warning-number>\"", "F k.cu|9|0|out of memory"});
}

BOOST_AUTO_TEST_CASE(nvcc_and_ptxas_themselves) {
  check(
      "nvcc fatal   : Unknown option '-x'\nnvcc warning : incompatible redefinition for option 'gpu-architecture'\n"
      "ptxas /tmp/a b.ptx, line 21; error   : Instruction 'wgmma.fence' not supported on .target 'sm_90'\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\nptxas info    : 0 bytes gmem\nsh: 1: ptxas: not found\n",
      {"F |0|0|Unknown option '-x'", "W |0|0|incompatible redefinition for option 'gpu-architecture'",
       "E /tmp/a b.ptx|21|0|Instruction 'wgmma.fence' not supported on .target 'sm_90'",
       "F |0|0|Ptx assembly aborted due to errors", "N |0|0|0 bytes gmem", "E |0|0|1: ptxas: not found"});
}

BOOST_AUTO_TEST_CASE(linkers_and_drivers) {
  check(
      "/usr/bin/ld: /tmp/cc.o: in function `k()':\nk.cpp:(.text+0x14): undefined reference to `missing'\n"
      "/usr/bin/ld: /tmp/x/k.cpp:3: undefined reference to `other'\n/usr/bin/ld: /tmp/cc.o:k.cpp:(.bss+0x0): multiple "
      "definition of `g'; /tmp/d.o:d.cpp:(.bss+0x0): first defined here\n"
      "/usr/bin/ld: cannot find -lx: No such file or directory\n/usr/bin/ld: warning: -z nosuch ignored\n"
      "collect2: error: ld returned 1 exit status\n"
      "clang++-19: error: linker command failed with exit code 1 (use -v to see invocation)\n",
      {"E k.cpp|0|0|undefined reference to 'missing'", "E /tmp/x/k.cpp|3|0|undefined reference to 'other'",
       "E k.cpp|0|0|multiple definition of 'g'; /tmp/d.o:d.cpp:(.bss+0x0): first defined here",
       "E |0|0|cannot find -lx: No such file or directory", "W |0|0|-z nosuch ignored",
       "E |0|0|ld returned 1 exit status", "E |0|0|linker command failed with exit code 1 (use -v to see invocation)"});
}

BOOST_AUTO_TEST_CASE(assembler) {
  check("/tmp/cc.s: Assembler messages:\n/tmp/cc.s:5: Error: no such instruction: `foo'\n",
        {"E /tmp/cc.s|5|0|no such instruction: 'foo'"});
}

BOOST_AUTO_TEST_CASE(colour_links_and_line_ends) {
  check(
      "\x1b[01m\x1b[Kk.cpp:2:3:\x1b[m\x1b[K \x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kbad "
      "[\x1b]8;;https://gcc.gnu.org/x\a-Wx\x1b]8;;\a]\r\n"
      "\x1b[1mk.cpp:3:1: \x1b[0m\x1b[0;1;35mwarning: \x1b[0m\x1b[1m\xe2\x80\x98x\xe2\x80\x99\x1b[0m\r\n",
      {"E k.cpp|2|3|bad [-Wx]", "W k.cpp|3|1|'x'"});
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_text) {
  std::vector<message> found =
      kernix::detail::parse_messages(std::string_view("k\xe9.cpp:1:2: error: caf\xe9\0!\n", 26));
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found[0].file == "k\xe9.cpp");         // a name keeps its bytes
  BOOST_TEST(found[0].text == "caf\xef\xbf\xbd!");  // a text can be shown
}

BOOST_AUTO_TEST_CASE(nothing_and_nonsense) {
  check("", {});
  check("\n\n   \n:::\n(((\n1:2:3\nx:99999999999999999999:1: error: y\n\x1b[\n\x1b]8;;\n\x1b",
        {"E x:99999999999999999999|1|0|y"});
  check("k.cpp:1:2: error:\n", {"E k.cpp|1|2|"});
}

BOOST_AUTO_TEST_CASE(long_lines_cost_no_more_than_their_length) {
  // two of these in a quadratic reading would take minutes: the case's own limit is the test's
  std::string colons, names;
  for (int i = 0; i < 200'000; ++i) colons += ":1(";
  for (int i = 0; i < 30'000; ++i) names += "k.cpp:" + std::to_string(i) + ":1: error: x\n";
  BOOST_TEST(kernix::detail::parse_messages(colons + ": error: x").size() <= 1u);
  BOOST_TEST(kernix::detail::parse_messages(names).size() == 30'000u);
}

BOOST_AUTO_TEST_SUITE_END()
