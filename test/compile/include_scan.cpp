// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <kernix/compile/detail/include_scan.hpp>

namespace kernix::detail {
static std::ostream& operator<<(std::ostream& to, const header_name& name) {
  return to << (name.quoted ? '"' : '<') << name.name;
}
}  // namespace kernix::detail

BOOST_AUTO_TEST_SUITE(compile_include_scan)

using kernix::detail::header_name;
using kernix::detail::scan_includes;
using names = std::vector<header_name>;

void expect(const names& found, const names& wanted) {
  BOOST_TEST(found == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(includes_are_found_in_every_spelling) {
  expect(scan_includes("#include \"a.h\"\n  #  include <b/c.h> // x\n#include/**/\"d.h\"\n#include \\\n <e.h>\r\n"
                       "#include_next <f.h>\n/* licence */ #import \"g.h\"\nint x; // # include \"no.h\"\n")
             .includes,
         {{"a.h", true}, {"b/c.h", false}, {"d.h", true}, {"e.h", false}, {"f.h", false}, {"g.h", true}});
}

BOOST_AUTO_TEST_CASE(has_include_is_found_in_conditions) {
  expect(scan_includes("#if defined(X) && __has_include(<a.h>) || !__has_include ( \"b.h\" )\n#elif __has_include(\\\n<c.h>)\n#endif\n").probes,
         {{"a.h", false}, {"b.h", true}, {"c.h", false}});
}

BOOST_AUTO_TEST_CASE(has_include_behind_a_macro_is_found_where_the_macro_is_used) {
  auto found = scan_includes("#define HAS(x) __has_include(x)\n#if HAS(<a.h>)\n#endif\n#define HAS_B __has_include(<b.h>)\n");
  expect(found.probes, {{"a.h", false}, {"b.h", false}});
  BOOST_TEST(found.computed_probes.empty());
}

BOOST_AUTO_TEST_CASE(a_probe_of_a_macro_and_the_macros_meaning_are_found) {
  auto found = scan_includes("#define CONFIG \"config.h\"\n#if __has_include(CONFIG)\n#endif\n");
  BOOST_REQUIRE(found.computed_probes.size() == 1U);
  BOOST_TEST(found.computed_probes[0] == "CONFIG");
  BOOST_REQUIRE(found.definitions.size() == 1U);
  BOOST_TEST(found.definitions[0].first == "CONFIG");
  BOOST_TEST(found.definitions[0].second == (header_name{"config.h", true}));
}

BOOST_AUTO_TEST_CASE(arithmetic_in_parentheses_is_no_probe) {
  expect(scan_includes("#if (A) < (B) && (C > 3)\n#if F(1) <x> 2\n#define S(x) f(\"text\")\n").probes, {});
}

BOOST_AUTO_TEST_CASE(directives_may_begin_with_a_digraph_or_a_trigraph) {
  auto found = scan_includes("%:include <a.h>\n?\?=include \"b.h\"\n %: if __has_include(<c.h>)\nint x = 5 %:2;\n");
  expect(found.includes, {{"a.h", false}, {"b.h", true}});
  expect(found.probes, {{"c.h", false}});
}

BOOST_AUTO_TEST_CASE(has_include_next_is_told_from_has_include) {
  expect(scan_includes("#if __has_include_next(<a.h>) || __has_include(<a.h>)\n").probes, {{"a.h", false, true}, {"a.h", false}});
}

BOOST_AUTO_TEST_CASE(assembly_that_includes_assembly_is_noticed) {
  for (const char* text : {"asm(\".include \\\"a.s\\\"\");", "asm(\".include\\\"a.s\\\"\");", "asm(R\"(.include  \"a.s\")\");"}) {
    BOOST_TEST(scan_includes(text).embeds_files, text);
  }
  for (const char* text : {"x.include(\"a\");", "s = \"see.include\";", "x.include"}) BOOST_TEST(!scan_includes(text).embeds_files, text);
}

BOOST_AUTO_TEST_CASE(macros_that_tell_the_time_are_noticed) {
  for (const char* word : {"__DATE__", "__TIME__", "__TIMESTAMP__"}) {
    BOOST_TEST(scan_includes("const char* when = " + std::string(word) + ";").tells_time, word);
  }
  BOOST_TEST(!scan_includes("const char* when = __FILE__;").tells_time);
}

BOOST_AUTO_TEST_CASE(incbin_is_noticed) {
  BOOST_TEST(scan_includes("asm(\".incbin \\\"blob\\\"\");").embeds_files);
  BOOST_TEST(!scan_includes("int x;").embeds_files);
}

BOOST_AUTO_TEST_CASE(unfinished_texts_end_the_scan) {
  for (const char* text : {"#", "#include", "#include \"", "#include <", "#if __has_include(", "#define", "#include /*", "#if (\\"}) {
    expect(scan_includes(text).includes, {});
    expect(scan_includes(text).probes, {});
  }
}

BOOST_AUTO_TEST_SUITE_END()
