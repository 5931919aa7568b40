// SPDX-License-Identifier: Apache-2.0
#include <kernix/toolchain/find_toolchain.hpp>

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>

#include <kernix/process/subprocess_runner.hpp>

#include "support/await_search.hpp"
#include "support/candidate_backend.hpp"
#include "support/temporary_tree.hpp"

namespace {

using kernix::errc;
using kernix::error_code;
using kernix::settings;
using kernix::tool_candidate;
using kernix::toolchain_search;
using kernix::test::candidate_backend;
using kernix::test::fake_compiler;
using kernix::test::hosted_backend;
using kernix::test::temporary_tree;

/// Searches in a fresh runtime, which remembers nothing but what is in the cache directory.
template <class B>
std::pair<error_code, toolchain_search> search(B backend, settings from = {}) {
  boost::asio::io_context context;
  return kernix::test::await_search(context, [backend, from](auto shared) {
    return kernix::detail::find_toolchain(shared, backend, kernix::subprocess_runner{}, from);
  });
}

candidate_backend at(const std::filesystem::path& program, std::string origin = "PATH", bool decisive = false) {
  return {{{{program.string()}, std::move(origin), decisive}}};
}

settings with_cache(const temporary_tree& tree) {
  settings made;
  made.cache_directory = tree / "cache";
  return made;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t lines_of(const std::filesystem::path& path) {
  const std::string text = read(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(toolchain_find_toolchain)

BOOST_AUTO_TEST_CASE(the_first_candidate_that_answers_is_taken_with_all_that_it_consists_of) {
  temporary_tree tree;
  auto part = tree.file("lib/backend-part", "machine code");
  auto program = tree.script("bin/fakec", fake_compiler("1.2", part.string()));
  candidate_backend backend{{{{"/nowhere/fakec"}, "FAKE_HOME", false}, {{program.string()}, "PATH", false}}};
  auto [code, found] = search(backend);
  BOOST_TEST_REQUIRE(!code);
  BOOST_TEST_REQUIRE(found.found != nullptr);
  const kernix::toolchain& tool = *found.found;
  BOOST_TEST((tool.program == program));
  BOOST_TEST(tool.backend == "fake");
  BOOST_TEST(tool.version == "1.2");
  BOOST_TEST(tool.origin == "PATH");
  BOOST_TEST_REQUIRE(tool.parts.size() == 2u);
  BOOST_TEST((tool.parts[0].content == kernix::sha256(read(program))));
  BOOST_TEST((tool.parts[1].path == part));
  BOOST_TEST((tool.parts[1].content == kernix::sha256("machine code")));
  BOOST_TEST((tool.parts[1].signature == kernix::detail::signature_of(part)));
  BOOST_TEST((tool.fingerprint != kernix::digest{}));
  BOOST_TEST(!tool.cpu.empty());
  BOOST_TEST(kernix::unchanged(tool));
  BOOST_TEST_REQUIRE(found.tried.size() == 2u);
  BOOST_TEST(found.tried[0].verdict == "does not exist");
  BOOST_TEST(found.tried[1].verdict == "ok");
}

BOOST_AUTO_TEST_CASE(the_report_lists_every_candidate_its_origin_and_what_is_wrong_with_it) {
  temporary_tree tree;
  tree.file("only-ptxas/bin/ptxas", "");
  std::filesystem::create_directories(tree / "dir/fakec");
  auto failing = tree.script("failing/fakec", "echo 'cannot find libfoo' >&2; exit 3");
  auto other = tree.script("other/fakec", "echo something else");
  candidate_backend backend{{{{(tree / "only-ptxas/bin/fakec").string()}, "pip", false},
                             {{(tree / "dir/fakec").string()}, "FAKE_HOME", false},
                             {{failing.string()}, "FAKE_PATH", false},
                             {{other.string()}, "PATH", false}}};
  auto [code, found] = search(backend);
  BOOST_TEST((code == errc::toolchain_not_found));
  BOOST_TEST(!found.found);
  BOOST_TEST(found.report.stage == "discovery");
  const std::string text = found.report.to_string();
  for (std::string part : {"only-ptxas/bin/fakec (pip): does not exist, though its directory does",
                           "dir/fakec (FAKE_HOME): is a directory, not a program", "failing/fakec (FAKE_PATH): `",
                           "ended with exit status 3: cannot find libfoo",
                           "other/fakec (PATH): is not the fake compiler: it says \"something else\"", "  1. ", "KERNIX_FAKE"}) {
    BOOST_TEST(contains(text, part), part << " in " << text);
  }
}

BOOST_AUTO_TEST_CASE(what_the_user_set_is_never_silently_replaced) {
  temporary_tree tree;
  auto good = tree.script("bin/fakec", fake_compiler("1"));
  auto plain = tree.file("plain/fakec", "text");
  auto wrong = tree.script("wrong/fakec", "echo nonsense");
  for (auto [bad, expected] : {std::pair<std::filesystem::path, errc>{"/nowhere/fakec", errc::toolchain_not_found},
                               {plain, errc::not_executable},
                               {tree / "bin", errc::toolchain_not_found},
                               {wrong, errc::toolchain_not_found}}) {
    candidate_backend backend{{{{bad.string()}, "KERNIX_FAKE", true}, {{good.string()}, "PATH", false}}};
    auto [code, found] = search(backend);
    BOOST_TEST((code == expected), bad.string());
    BOOST_TEST(!found.found);
    BOOST_TEST(contains(found.report.reason, "KERNIX_FAKE"), found.report.reason);
    BOOST_TEST(contains(found.report.reason, bad.string()), found.report.reason);
    BOOST_TEST(!found.report.advice.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_missing_execute_bit_is_said_with_what_to_do) {
  temporary_tree tree;
  auto plain = tree.file("plain/fakec", "text");
  auto [code, found] = search(at(plain, "CXX", true));
  BOOST_TEST((code == errc::not_executable));
  BOOST_TEST((code == kernix::failure::toolchain));
  BOOST_TEST(contains(found.report.to_string(), "1. make it executable: `chmod +x " + plain.string() + "`"));
}

BOOST_AUTO_TEST_CASE(a_script_whose_interpreter_is_missing_is_no_compiler) {
  temporary_tree tree;
  auto broken = tree.file("bin/fakec", "#!/nowhere/interpreter\n");
  ::chmod(broken.c_str(), 0755);
  auto [code, found] = search(at(broken));
  BOOST_TEST((code == errc::toolchain_not_found));
  BOOST_TEST(contains(found.tried.at(0).verdict, "can't be started"), found.tried.at(0).verdict);
}

BOOST_AUTO_TEST_CASE(a_misspelt_variable_is_warned_about_even_if_another_compiler_is_found) {
  temporary_tree tree;
  auto good = tree.script("bin/fakec", fake_compiler("1"));
  settings from;
  from.variables["FAKE_HOME"] = ":/opt/fake";
  auto warnings = std::make_shared<std::vector<std::string>>();
  from.log = [warnings](kernix::log_level, std::string_view text) { warnings->emplace_back(text); };
  candidate_backend backend{{{{":/opt/fake/bin/fakec"}, "FAKE_HOME", false}, {{good.string()}, "PATH", false}}};
  auto [code, found] = search(backend, from);
  BOOST_TEST(!code);
  BOOST_TEST_REQUIRE(warnings->size() == 1u);
  BOOST_TEST(contains(warnings->front(), "FAKE_HOME=\":/opt/fake\""));
}

BOOST_AUTO_TEST_CASE(children_get_a_clean_environment_and_a_path_that_begins_with_the_tools_directory) {
  temporary_tree tree;
  ::setenv("KERNIX_TEST_LEAK", "leaked", 1);
  auto program = tree.script("bin/fakec", "env > " + (tree / "env").string() + "; pwd >> " + (tree / "env").string() +
                                              "; " + fake_compiler("1"));
  auto [code, found] = search(at(program));
  BOOST_TEST_REQUIRE(!code);
  const std::string environment = read(tree / "env");
  BOOST_TEST(contains(environment, "PATH=" + (tree / "bin").string() + ":/usr/local/bin:/usr/bin:/bin\n"));
  BOOST_TEST(contains(environment, "LC_ALL=C\n"));
  BOOST_TEST(!contains(environment, "KERNIX_TEST_LEAK"));
  BOOST_TEST(environment.ends_with("\n/\n"));
  ::unsetenv("KERNIX_TEST_LEAK");
}

BOOST_AUTO_TEST_CASE(bare_part_names_are_resolved_as_a_child_would_and_absent_parts_are_noticed_when_they_appear) {
  temporary_tree tree;
  auto beside = tree.file("bin/fake-as", "assembler");
  auto program = tree.script("bin/fakec", fake_compiler("1", "fake-as sh fake-ld"));
  auto [code, found] = search(at(program));
  BOOST_TEST_REQUIRE(!code);
  const auto& parts = found.found->parts;
  BOOST_TEST_REQUIRE(parts.size() == 4u);
  BOOST_TEST((parts[1].path == beside));
  BOOST_TEST((parts[2].path.filename() == "sh"));
  BOOST_TEST(parts[2].path.is_absolute());
  BOOST_TEST((parts[2].content != kernix::digest{}));
  BOOST_TEST((parts[3].content == kernix::digest{}));
  BOOST_TEST(kernix::unchanged(*found.found));
  tree.file("bin/fake-ld", "linker");
  BOOST_TEST(!kernix::unchanged(*found.found));
}

BOOST_AUTO_TEST_CASE(the_fingerprint_is_content_not_place) {
  temporary_tree tree;
  tree.file("a/bin/part", "p");
  tree.file("b/bin/part", "p");
  auto one = search(at(tree.script("a/bin/fakec", fake_compiler("1", "part")))).second.found;
  auto two = search(at(tree.script("b/bin/fakec", fake_compiler("1", "part")))).second.found;
  BOOST_TEST_REQUIRE((one && two));
  BOOST_TEST((one->program != two->program));
  BOOST_TEST((one->fingerprint == two->fingerprint));
  tree.file("b/bin/part", "q");
  auto three = search(at(tree / "b/bin/fakec")).second.found;
  BOOST_TEST_REQUIRE(three != nullptr);
  BOOST_TEST((three->fingerprint != one->fingerprint));
}

BOOST_AUTO_TEST_CASE(a_compiler_replaced_in_place_with_equal_size_and_time_gets_another_fingerprint) {
  temporary_tree tree;
  auto program = tree.script("bin/fakec", fake_compiler("1.0"));
  kernix::test::wait_for_file_clock_tick();
  const settings from = with_cache(tree);
  auto before = search(at(program), from).second.found;
  BOOST_TEST_REQUIRE(before != nullptr);
  const auto then = kernix::detail::signature_of(program).value();
  // Same version text, another behaviour behind it.
  tree.script("bin/fakec", fake_compiler("1.0").replace(fake_compiler("1.0").find("exit 1"), 6, "exit 2"));
  kernix::test::set_mtime(program, then.mtime_ns);
  const auto now = kernix::detail::signature_of(program).value();
  BOOST_TEST((now.size == then.size && now.mtime_ns == then.mtime_ns && now.inode == then.inode));
  BOOST_TEST(!kernix::unchanged(*before));
  auto after = search(at(program), from).second.found;
  BOOST_TEST_REQUIRE(after != nullptr);
  BOOST_TEST((after->fingerprint != before->fingerprint));
}

BOOST_AUTO_TEST_CASE(a_link_that_is_swapped_to_another_compiler_gets_another_fingerprint) {
  temporary_tree tree;
  auto gcc = tree.script("real/one-12", fake_compiler("12"));
  auto clang = tree.script("real/two-19", fake_compiler("19"));
  kernix::test::set_mtime(gcc, 1'000'000'000);
  kernix::test::set_mtime(clang, 1'000'000'000);
  auto link = tree.link("bin/fakec", gcc);
  const settings from = with_cache(tree);
  auto before = search(at(link), from).second.found;
  BOOST_TEST_REQUIRE(before != nullptr);
  BOOST_TEST((before->program == link));
  tree.link("bin/fakec", clang);
  BOOST_TEST(!kernix::unchanged(*before));
  auto after = search(at(link), from).second.found;
  BOOST_TEST_REQUIRE(after != nullptr);
  BOOST_TEST(after->version == "19");
  BOOST_TEST((after->fingerprint != before->fingerprint));
}

BOOST_AUTO_TEST_CASE(a_touched_compiler_is_looked_at_again_and_stays_the_same) {
  temporary_tree tree;
  auto program = tree.script("bin/fakec", fake_compiler("1"));
  auto before = search(at(program), with_cache(tree)).second.found;
  BOOST_TEST_REQUIRE(before != nullptr);
  kernix::test::set_mtime(program, 1'000'000'000);
  kernix::detail::digest_memo digests;
  BOOST_TEST(!kernix::unchanged(*before));
  BOOST_TEST(kernix::unchanged(*before, digests));
  auto after = search(at(program), with_cache(tree)).second.found;
  BOOST_TEST_REQUIRE(after != nullptr);
  BOOST_TEST((after->fingerprint == before->fingerprint));
}

BOOST_AUTO_TEST_CASE(a_wrapper_is_part_of_the_identity_unless_it_is_known_to_be_transparent) {
  temporary_tree tree;
  auto program = tree.script("bin/fakec", fake_compiler("1"));
  auto wrapped = [&](std::string wrapper) {
    candidate_backend backend{{{{(tree / ("bin/" + wrapper)).string(), program.string()}, "CXX", true}}};
    auto found = search(backend).second.found;
    BOOST_TEST_REQUIRE(found != nullptr);
    return found;
  };
  tree.script("bin/ccache", "exec \"$@\"");
  tree.script("bin/mywrap", "exec \"$@\"");
  auto ccache = wrapped("ccache");
  auto mine = wrapped("mywrap");
  BOOST_TEST(ccache->wrapper == std::vector<std::string>{(tree / "bin/ccache").string()}, boost::test_tools::per_element());
  BOOST_TEST((ccache->fingerprint != mine->fingerprint));
  tree.script("bin/ccache", "exec \"$@\" # newer");
  tree.script("bin/mywrap", "exec \"$@\" -DNEWER");
  BOOST_TEST(kernix::unchanged(*ccache));
  BOOST_TEST(!kernix::unchanged(*mine));
  BOOST_TEST((wrapped("ccache")->fingerprint == ccache->fingerprint));
  BOOST_TEST((wrapped("mywrap")->fingerprint != mine->fingerprint));
}

BOOST_AUTO_TEST_CASE(what_was_found_is_remembered_for_other_processes) {
  temporary_tree tree;
  auto program = tree.script(
      "bin/fakec", "echo x >> " + (tree / "asked").string() + "; " + fake_compiler("1", (tree.file("part", "p")).string()));
  kernix::test::wait_for_file_clock_tick();
  auto first = search(at(program), with_cache(tree)).second.found;
  BOOST_TEST_REQUIRE(first != nullptr);
  const std::size_t asked = lines_of(tree / "asked");
  BOOST_TEST(asked == 2u);
  auto second = search(at(program), with_cache(tree));
  BOOST_TEST_REQUIRE(second.second.found != nullptr);
  BOOST_TEST(lines_of(tree / "asked") == asked);
  const kernix::toolchain& tool = *second.second.found;
  BOOST_TEST((tool.fingerprint == first->fingerprint));
  BOOST_TEST(tool.version_text == first->version_text);
  BOOST_TEST(tool.parts.size() == first->parts.size());
  BOOST_TEST(tool.cpu == first->cpu);
  BOOST_TEST(!tool.cpu.empty());
  BOOST_TEST(second.second.tried.at(0).verdict == "ok");
  // One file, for this user alone; no temporary file is left.
  std::vector<std::filesystem::path> files;
  for (const auto& each : std::filesystem::directory_iterator(tree / "cache/toolchains")) files.push_back(each.path());
  BOOST_TEST_REQUIRE(files.size() == 1u);
  struct stat status;
  BOOST_TEST_REQUIRE(::stat(files[0].c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 0777) == 0600u);
  BOOST_TEST_REQUIRE(::stat((tree / "cache").c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 0777) == 0700u);
}

BOOST_AUTO_TEST_CASE(a_damaged_or_foreign_memo_is_no_answer_and_no_error) {
  temporary_tree tree;
  auto program = tree.script("bin/fakec", "echo x >> " + (tree / "asked").string() + "; " + fake_compiler("1"));
  kernix::test::wait_for_file_clock_tick();
  auto first = search(at(program), with_cache(tree)).second.found;
  BOOST_TEST_REQUIRE(first != nullptr);
  const auto memo = std::filesystem::directory_iterator(tree / "cache/toolchains")->path();
  const std::string good = read(memo);
  std::size_t asked = lines_of(tree / "asked");
  std::vector<std::string> damages{"", "x", good.substr(0, good.size() / 2), good + "x", good};
  damages.back()[good.size() / 3] ^= 1;
  for (const std::string& damage : damages) {
    std::ofstream(memo, std::ios::binary | std::ios::trunc) << damage;
    auto again = search(at(program), with_cache(tree)).second.found;
    BOOST_TEST_REQUIRE(again != nullptr);
    BOOST_TEST((again->fingerprint == first->fingerprint));
    BOOST_TEST(lines_of(tree / "asked") == asked + 2);
    asked += 2;
    BOOST_TEST(read(memo) == good);
  }
  ::chmod(memo.c_str(), 0666);  // anybody may have written it
  BOOST_TEST((search(at(program), with_cache(tree)).second.found != nullptr));
  BOOST_TEST(lines_of(tree / "asked") == asked + 2);
}

BOOST_AUTO_TEST_CASE(a_better_candidate_that_appears_is_noticed_in_spite_of_the_memo) {
  temporary_tree tree;
  auto second = tree.script("second/fakec", fake_compiler("1"));
  std::filesystem::create_directories(tree / "first");
  settings from = with_cache(tree);
  from.variables["PATH"] = (tree / "first").string() + ":" + (tree / "second").string();
  candidate_backend backend{{{{"fakec"}, "PATH", false}}};
  kernix::test::wait_for_file_clock_tick();
  BOOST_TEST((search(backend, from).second.found->program == second));
  auto first = tree.script("first/fakec", fake_compiler("2"));
  BOOST_TEST((search(backend, from).second.found->program == first));
  std::filesystem::remove(first);
  BOOST_TEST((search(backend, from).second.found->program == second));
}

BOOST_AUTO_TEST_CASE(a_candidate_that_was_broken_and_got_repaired_is_noticed) {
  temporary_tree tree;
  auto broken = tree.script("a/fakec", "exit 1");
  auto good = tree.script("b/fakec", fake_compiler("1"));
  candidate_backend backend{{{{broken.string()}, "A", false}, {{good.string()}, "B", false}}};
  kernix::test::wait_for_file_clock_tick();
  BOOST_TEST((search(backend, with_cache(tree)).second.found->program == good));
  tree.script("a/fakec", fake_compiler("2"));
  BOOST_TEST((search(backend, with_cache(tree)).second.found->program == broken));
}

BOOST_AUTO_TEST_CASE(a_cache_directory_that_cant_be_used_costs_nothing_but_the_memo) {
  temporary_tree tree;
  auto program = tree.script("bin/fakec", fake_compiler("1"));
  settings from;
  from.cache_directory = tree.file("file", "") / "cache";
  BOOST_TEST((search(at(program), from).second.found != nullptr));
}

BOOST_AUTO_TEST_CASE(a_host_compiler_is_found_first_and_its_identity_is_part_of_the_tools) {
  temporary_tree tree;
  auto tool = tree.script("bin/fakec", fake_compiler("1"));
  auto host = tree.script("host/hostc", fake_compiler("7"));
  hosted_backend backend{at(tool), {{{host.string()}, "HOST", true}}};
  kernix::test::wait_for_file_clock_tick();
  auto first = search(backend, with_cache(tree)).second;
  BOOST_TEST_REQUIRE(first.found != nullptr);
  BOOST_TEST_REQUIRE(first.found->host != nullptr);
  BOOST_TEST((first.found->host->program == host));
  BOOST_TEST(first.tried.size() == 2u);
  auto recalled = search(backend, with_cache(tree)).second;
  BOOST_TEST_REQUIRE((recalled.found && recalled.found->host));
  BOOST_TEST((recalled.found->host->fingerprint == first.found->host->fingerprint));
  BOOST_TEST(recalled.found->host->cpu == first.found->host->cpu);
  tree.script("host/hostc", fake_compiler("8"));
  BOOST_TEST(!kernix::unchanged(*first.found));
  auto second = search(backend, with_cache(tree)).second;
  BOOST_TEST_REQUIRE(second.found != nullptr);
  BOOST_TEST((second.found->fingerprint != first.found->fingerprint));
}

BOOST_AUTO_TEST_CASE(a_missing_host_compiler_is_an_error_of_its_own) {
  temporary_tree tree;
  auto tool = tree.script("bin/fakec", fake_compiler("1"));
  hosted_backend set{at(tool), {{{"/nowhere/hostc"}, "KERNIX_CUDA_HOST_CXX", true}}};
  auto [code, found] = search(set);
  BOOST_TEST((code == errc::tool_not_found));
  BOOST_TEST(contains(found.report.reason, "/nowhere/hostc (KERNIX_CUDA_HOST_CXX)"), found.report.reason);
  BOOST_TEST_REQUIRE(found.tried.size() == 2u);
  BOOST_TEST(found.tried[1].origin == "host compiler: KERNIX_CUDA_HOST_CXX");
  hosted_backend none{at(tool), {{{"no-such-hostc"}, "PATH", false}}};
  auto [none_code, none_found] = search(none);
  BOOST_TEST((none_code == errc::tool_not_found));
  BOOST_TEST(none_found.report.reason == "no usable host compiler for fake was found");
  // Without the tool itself, the tool is what is missing.
  hosted_backend neither{at("/nowhere/fakec"), {{{"no-such-hostc"}, "PATH", false}}};
  auto [neither_code, neither_found] = search(neither);
  BOOST_TEST((neither_code == errc::toolchain_not_found));
  BOOST_TEST(neither_found.report.reason == "no usable fake was found");
}

BOOST_AUTO_TEST_CASE(pip_and_conda_layouts_are_told_apart_by_what_they_hold) {
  temporary_tree tree;
  tree.file("site/nvidia/cu13/bin/ptxas", "");
  auto split = tree.script("site/nvidia/cuda_nvcc/bin/fakec", fake_compiler("13"));
  tree.script("conda/bin/fakec", fake_compiler("12"));
  candidate_backend backend{{{{(tree / "site/nvidia/cu[0-9]*/bin/fakec").string()}, "pip", false},
                             {{(tree / "site/nvidia/cuda_nvcc/bin/fakec").string()}, "pip", false},
                             {{(tree / "conda/bin/fakec").string()}, "CONDA_PREFIX", false}}};
  auto found = search(backend).second;
  BOOST_TEST_REQUIRE(found.found != nullptr);
  BOOST_TEST((found.found->program == split));
  BOOST_TEST_REQUIRE(found.tried.size() == 2u);
  BOOST_TEST(contains(found.tried[0].command, "cu13/bin/fakec"));
  BOOST_TEST(found.tried[0].verdict == "does not exist, though its directory does");
  // The newest consolidated package wins once it holds the compiler.
  auto consolidated = tree.script("site/nvidia/cu13/bin/fakec", fake_compiler("13"));
  tree.script("site/nvidia/cu9/bin/fakec", fake_compiler("9"));
  BOOST_TEST((search(backend).second.found->program == consolidated));
}

BOOST_AUTO_TEST_SUITE_END()
