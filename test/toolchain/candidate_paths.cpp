// SPDX-License-Identifier: Apache-2.0
#include <kernix/toolchain/candidate_paths.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "support/temporary_tree.hpp"

namespace {

using kernix::errc;
using kernix::settings;
using kernix::tool_candidate;
using kernix::detail::located_candidate;
using kernix::detail::locate;
using kernix::test::temporary_tree;

settings with(std::map<std::string, std::string, std::less<>> variables) {
  settings made;
  made.variables = std::move(variables);
  return made;
}

std::vector<located_candidate> look(std::vector<std::string> words, const settings& from, std::string origin = "PATH",
                                    bool decisive = false) {
  return locate(tool_candidate{std::move(words), std::move(origin), decisive}, from, "nvcc");
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(toolchain_candidate_paths)

BOOST_AUTO_TEST_CASE(a_bare_name_is_found_on_the_settings_path_in_its_order) {
  temporary_tree tree;
  tree.script("b/tool", "");
  tree.script("a/tool", "");
  auto found = look({"tool"}, with({{"PATH", (tree / "a").string() + ":" + (tree / "b").string()}}));
  BOOST_TEST_REQUIRE(found.size() == 2u);
  BOOST_TEST((found[0].program == tree / "a/tool"));
  BOOST_TEST((found[1].program == tree / "b/tool"));
  BOOST_TEST(found[0].usable());
  BOOST_TEST(found[0].command == (tree / "a/tool").string());
}

BOOST_AUTO_TEST_CASE(without_a_path_the_usual_directories_are_searched) {
  auto found = look({"sh"}, settings{});
  BOOST_TEST_REQUIRE(!found.empty());
  BOOST_TEST(found[0].usable());
}

BOOST_AUTO_TEST_CASE(relative_and_empty_entries_of_path_are_ignored) {
  temporary_tree tree;
  tree.script("bin/tool", "");
  auto before = std::filesystem::current_path();
  std::filesystem::current_path(tree.root());
  auto found = look({"tool"}, with({{"PATH", "bin::./bin:."}}));
  std::filesystem::current_path(before);
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(!found[0].usable());
  BOOST_TEST(found[0].verdict == "is not on PATH");
}

BOOST_AUTO_TEST_CASE(a_file_that_cant_be_executed_is_passed_over_on_path_but_named_if_it_is_all_there_is) {
  temporary_tree tree;
  tree.file("a/tool", "text");
  auto alone = look({"tool"}, with({{"PATH", (tree / "a").string()}}));
  BOOST_TEST_REQUIRE(alone.size() == 1u);
  BOOST_TEST((alone[0].code == errc::not_executable));
  BOOST_TEST(contains(alone[0].command, "a/tool"));
  BOOST_TEST(contains(alone[0].verdict, "lacks the execute bit"));
  tree.script("b/tool", "");
  auto both = look({"tool"}, with({{"PATH", (tree / "a").string() + ":" + (tree / "b").string()}}));
  BOOST_TEST_REQUIRE(both.size() == 1u);
  BOOST_TEST((both[0].program == tree / "b/tool"));
}

BOOST_AUTO_TEST_CASE(each_kind_of_unusable_path_has_its_sentence) {
  temporary_tree tree;
  tree.file("bin/plain", "text");
  tree.file("bin/ptxas", "text");
  std::filesystem::create_directories(tree / "bin/dir");
  tree.link("bin/dangling", tree / "nowhere");
  auto verdict = [&](std::string_view name) {
    auto found = look({(tree / name).string()}, settings{});
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST(!found[0].usable());
    return found[0].verdict;
  };
  BOOST_TEST(verdict("bin/plain") == "is not executable: it lacks the execute bit");
  BOOST_TEST(verdict("bin/dir") == "is a directory, not a program");
  BOOST_TEST(verdict("bin/dangling") == "is a link that leads nowhere");
  BOOST_TEST(verdict("bin/nvcc") == "does not exist, though its directory does");
  BOOST_TEST(verdict("none/nvcc") == "does not exist");
  auto relative = look({"bin/nvcc"}, settings{});
  BOOST_TEST(contains(relative.at(0).verdict, "relative"));
  BOOST_TEST(contains(look({""}, settings{}).at(0).verdict, "empty"));
  BOOST_TEST(contains(look({}, settings{}).at(0).verdict, "empty"));
}

BOOST_AUTO_TEST_CASE(a_pattern_gives_its_matches_highest_version_first) {
  temporary_tree tree;
  tree.script("lib/python3.9/site-packages/nvidia/cu13/bin/nvcc", "");
  tree.script("lib/python3.11/site-packages/nvidia/cu9/bin/nvcc", "");
  tree.script("lib/python3.11/site-packages/nvidia/cu13/bin/nvcc", "");
  tree.file("lib/python3.11/site-packages/nvidia/cu12/bin/ptxas", "");
  auto found = look({(tree / "lib/python3*/site-packages/nvidia/cu*/bin/nvcc").string()}, settings{}, "pip");
  std::vector<std::string> programs;
  for (const auto& each : found) programs.push_back(each.program.lexically_relative(tree / "lib").string());
  const std::vector<std::string> expected{
      "python3.11/site-packages/nvidia/cu13/bin/nvcc", "python3.11/site-packages/nvidia/cu12/bin/nvcc",
      "python3.11/site-packages/nvidia/cu9/bin/nvcc", "python3.9/site-packages/nvidia/cu13/bin/nvcc"};
  BOOST_TEST(programs == expected, boost::test_tools::per_element());
  BOOST_TEST(found[1].verdict == "does not exist, though its directory does");
  BOOST_TEST(contains(found[1].command, "cu12/bin/nvcc"));
}

BOOST_AUTO_TEST_CASE(a_pattern_without_matches_is_reported_as_it_was_given) {
  temporary_tree tree;
  auto found = look({(tree / "nvidia/cu*/bin/nvcc").string()}, settings{}, "pip");
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found[0].verdict == "matches nothing");
  BOOST_TEST(contains(found[0].command, "cu*"));
}

BOOST_AUTO_TEST_CASE(every_word_of_a_wrapped_compiler_is_resolved) {
  temporary_tree tree;
  tree.script("bin/ccache", "");
  tree.script("bin/g++", "");
  const settings from = with({{"PATH", (tree / "bin").string()}, {"CXX", "ccache g++"}});
  auto found = look({"ccache", "g++"}, from, "CXX", true);
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found[0].usable());
  BOOST_TEST((found[0].program == tree / "bin/g++"));
  BOOST_TEST(found[0].wrapper == std::vector<std::string>{(tree / "bin/ccache").string()}, boost::test_tools::per_element());
  auto no_wrapper = look({"sccache", "g++"}, from, "CXX", true);
  BOOST_TEST(no_wrapper.at(0).verdict == "sccache is not on PATH");
  auto no_compiler = look({"ccache", "clang++"}, from, "CXX", true);
  BOOST_TEST(no_compiler.at(0).verdict == "clang++ is not on PATH");
  auto option = look({"g++", "-m32"}, from, "CXX", true);
  BOOST_TEST(contains(option.at(0).verdict, "-m32 is an option"));
}

BOOST_AUTO_TEST_CASE(a_path_with_blanks_is_one_program) {
  temporary_tree tree;
  tree.script("my tools/g++", "");
  auto found = look({(tree / "my").string(), "tools/g++"}, settings{}, "CXX", true);
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found[0].usable());
  BOOST_TEST((found[0].program == tree / "my tools/g++"));
  BOOST_TEST(found[0].wrapper.empty());
}

BOOST_AUTO_TEST_CASE(a_variable_that_cant_mean_one_directory_is_named) {
  temporary_tree tree;
  const std::string cuda = (tree / "cuda").string();
  tree.script("cuda/bin/nvcc", "");
  auto look_in = [&](std::string value) {
    return look({value + "/bin/nvcc"}, with({{"CUDA_HOME", value}}), "CUDA_HOME").at(0);
  };
  for (std::string value : {":" + cuda, cuda + ":/opt/cuda", std::string("cuda"), std::string("./cuda"), " " + cuda,
                            cuda + "/bin/nvcc"}) {
    auto bad = look_in(value);
    BOOST_TEST(!bad.usable(), value);
    BOOST_TEST(bad.misconfigured, value);
    BOOST_TEST(bad.verdict.starts_with("CUDA_HOME=\"" + value + "\""), bad.verdict);
  }
  auto absent = look_in("/nowhere/cuda");
  BOOST_TEST(absent.verdict == "does not exist");
  auto slash = look_in(cuda + "/");
  BOOST_TEST(slash.usable());
  BOOST_TEST((slash.program == tree / "cuda/bin/nvcc"));
}

BOOST_AUTO_TEST_CASE(a_link_to_the_tool_is_resolved_and_a_multi_call_link_is_not) {
  temporary_tree tree;
  tree.script("cuda-13/bin/nvcc", "");
  tree.script("bin/ccache", "");
  tree.script("llvm/bin/clang", "");
  tree.link("bin/nvcc", tree / "cuda-13/bin/nvcc");
  tree.link("bin/nvcc-13", tree / "cuda-13/bin/nvcc");
  tree.link("lib/g++", tree / "bin/ccache");
  tree.link("bin/clang++", tree / "llvm/bin/clang");
  tree.link("cuda", tree / "cuda-13");
  auto program = [&](std::string_view path) { return look({(tree / path).string()}, settings{}).at(0).program; };
  BOOST_TEST((program("bin/nvcc") == tree / "cuda-13/bin/nvcc"));
  BOOST_TEST((program("bin/nvcc-13") == tree / "cuda-13/bin/nvcc"));
  BOOST_TEST((program("cuda/bin/nvcc") == tree / "cuda-13/bin/nvcc"));
  BOOST_TEST((program("lib/g++") == tree / "lib/g++"));
  BOOST_TEST((program("bin/clang++") == tree / "bin/clang++"));
}

BOOST_AUTO_TEST_CASE(nothing_is_looked_at_behind_a_candidate_that_decides) {
  temporary_tree tree;
  tree.script("bin/g++", "");
  const settings from = with({{"PATH", (tree / "bin").string()}});
  const std::vector<tool_candidate> candidates{{{"/nowhere/g++"}, "CXX", true}, {{"g++"}, "PATH", false}};
  auto found = locate(candidates, from, "cxx");
  BOOST_TEST_REQUIRE(found.size() == 1u);
  BOOST_TEST(!found[0].usable());
}

BOOST_AUTO_TEST_CASE(numbers_in_names_compare_as_numbers) {
  using kernix::detail::version_less;
  BOOST_TEST(version_less("cu9", "cu13"));
  BOOST_TEST(!version_less("cu13", "cu9"));
  BOOST_TEST(version_less("python3.9", "python3.11"));
  BOOST_TEST(!version_less("cu13", "cu13"));
  BOOST_TEST(version_less("cu", "cu1"));
  BOOST_TEST(version_less("cu12", "cu12.1"));
  BOOST_TEST(!version_less("cu012", "cu12"));
  BOOST_TEST(!version_less("cu12", "cu012"));
  BOOST_TEST(version_less("cuda_nvcc", "cu9"));
  BOOST_TEST(!version_less("cu9", "cuda_nvcc"));
  BOOST_TEST(version_less("v99999999999999999999998", "v99999999999999999999999"));
}

BOOST_AUTO_TEST_SUITE_END()
