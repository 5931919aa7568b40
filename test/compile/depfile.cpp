// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <kernix/compile/detail/depfile.hpp>

BOOST_AUTO_TEST_SUITE(compile_depfile)

using kernix::detail::parse_depfile;
using dialect = kernix::dependency_file::dialect;
using names = std::vector<std::string>;

void expect(const names& found, const names& wanted) {
  BOOST_TEST(found == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_names_that_gcc_writes_come_back_as_they_are_on_disk) {
  expect(parse_depfile("out.so: kernel.cpp /usr/include/stdc-predef.h inc/a\\ b.h inc/a\\#b.h \\\n"
                       " inc/a$$b.h inc/a\\b.h inc/a:b.h inc/a\\\\\\ b.h inc/a\\\\#b.h \\\n"
                       " /usr/include/c++/12/cstddef\n",
                       dialect::make),
         {"kernel.cpp", "/usr/include/stdc-predef.h", "inc/a b.h", "inc/a#b.h", "inc/a$b.h", "inc/a\\b.h", "inc/a:b.h",
          "inc/a\\ b.h", "inc/a\\#b.h", "/usr/include/c++/12/cstddef"});
}

BOOST_AUTO_TEST_CASE(nvcc_escapes_blanks_only) {
  expect(parse_depfile("out.so : kernel.cu \\\n    inc/a\\ b.h \\\n    inc/a#b.h \\\n    inc/a$$b.h \\\n    inc/a:b.h\n", dialect::nvcc),
         {"kernel.cu", "inc/a b.h", "inc/a#b.h", "inc/a$$b.h", "inc/a:b.h"});
}

BOOST_AUTO_TEST_CASE(a_backslash_at_the_end_of_a_name_is_doubled) {
  expect(parse_depfile("o: a\\\\ b\n", dialect::make), {"a\\", "b"});
}

BOOST_AUTO_TEST_CASE(several_targets_and_rules_give_one_list) {
  expect(parse_depfile("a.o b.o: x.h\nc.o: y.h x.h\n", dialect::make), {"x.h", "y.h", "x.h"});
}

BOOST_AUTO_TEST_CASE(phony_targets_add_nothing) {
  expect(parse_depfile("a.o: x.h \\\n y.h\nx.h:\ny.h:\n", dialect::make), {"x.h", "y.h"});
}

BOOST_AUTO_TEST_CASE(the_linkers_unescaped_names_are_told_apart_by_its_bare_targets) {
  expect(parse_depfile("k.so: \\\n  /usr/lib/crti.o \\\n  l b/g$o#.o \\\n  tmp/cc1.o\n\n/usr/lib/crti.o:\n\nl b/g$o#.o:\n\ntmp/cc1.o:\n",
                       dialect::make),
         {"/usr/lib/crti.o", "l b/g$o#.o", "tmp/cc1.o"});
}

BOOST_AUTO_TEST_CASE(carriage_returns_belong_to_the_line_ends) {
  expect(parse_depfile("a.o: x.h \\\r\n y.h\r\n", dialect::make), {"x.h", "y.h"});
}

BOOST_AUTO_TEST_CASE(a_colon_in_a_target_does_not_end_the_targets) {
  expect(parse_depfile("c:/out.o: c:/x.h y: z\n", dialect::make), {"c:/x.h", "y:", "z"});
}

BOOST_AUTO_TEST_CASE(rustc_writes_variables_as_comments) {
  expect(parse_depfile("out.o: kernel.rs\n\nkernel.rs:\n\n# env-dep:HOME=/a: b\n", dialect::make), {"kernel.rs"});
}

BOOST_AUTO_TEST_CASE(a_file_cut_anywhere_never_throws) {
  const std::string whole = "out.so: kernel.cpp inc/a\\ b.h inc/a\\#b.h \\\r\n inc/a$$b.h \\\n x\\\\\ny:\n\nl b:\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    for (dialect how : {dialect::make, dialect::nvcc}) {
      BOOST_TEST(parse_depfile(whole.substr(0, length), how).size() <= 5U);
    }
  }
}

BOOST_AUTO_TEST_CASE(garbage_gives_no_names) {
  expect(parse_depfile(std::string(1 << 16, '\\'), dialect::make), {});
  expect(parse_depfile(std::string("\0\1\2\xff no rule at all\n", 20), dialect::make), {});
  expect(parse_depfile("", dialect::nvcc), {});
  expect(parse_depfile(":::\n:\n", dialect::make), {});
}

BOOST_AUTO_TEST_SUITE_END()
