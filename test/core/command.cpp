// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/command.hpp>

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(core_command)

using kernix::argument;
using kernix::shell_quoted;

BOOST_AUTO_TEST_CASE(an_argument_is_part_of_the_key_unless_it_says_otherwise) {
  const std::vector<argument> words{"-O3", std::string("-g"), kernix::no_effect("-v"),
                                    kernix::toolchain_path("/usr/bin/g++")};
  BOOST_TEST((words[0].how == argument::kind::literal));
  BOOST_TEST((words[1].how == argument::kind::literal));
  BOOST_TEST((words[2].how == argument::kind::no_effect));
  BOOST_TEST((words[3].how == argument::kind::toolchain_path));
  BOOST_TEST(words[3].text == "/usr/bin/g++");
}

BOOST_AUTO_TEST_CASE(quoting_is_what_a_shell_undoes) {
  BOOST_TEST(shell_quoted("-O3") == "-O3");
  BOOST_TEST(shell_quoted("/a_b/c-d+e=f:g,h@i%j.k") == "/a_b/c-d+e=f:g,h@i%j.k");
  BOOST_TEST(shell_quoted("") == "''");
  BOOST_TEST(shell_quoted("a b") == "'a b'");
  BOOST_TEST(shell_quoted("it's") == "'it'\\''s'");
  BOOST_TEST(shell_quoted("$(x)`y`;\n") == "'$(x)`y`;\n'");
  for (char c : std::string(" \t\n!\"#$&'()*;<>?[\\]^`{|}~\xc3"))
    BOOST_TEST(shell_quoted(std::string(1, c)).front() == '\'', c);
}

BOOST_AUTO_TEST_SUITE_END()
