// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include <kernix/compile/read_recorder.hpp>
#include <kernix/compile/read_validation.hpp>

#include <support/temporary_tree.hpp>

BOOST_AUTO_TEST_SUITE(compile_read_recorder)

namespace fs = std::filesystem;
using kernix::test::wait_for_file_clock_tick;

static void write_text(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// A workspace whose compile has ended, with two include directories, a source directory and a system directory.
struct finished_compile {
  kernix::test::temporary_tree tree;
  fs::path workspace = tree.root() / "workspace";
  fs::path include0 = tree.root() / "first";
  fs::path include1 = tree.root() / "second";
  fs::path source = tree.root() / "source";
  fs::path system = tree.root() / "system";
  kernix::command_plan plan;
  kernix::compile_request request{.name = "k", .source = "int x;"};
  kernix::toolchain tools;
  kernix::detail::digest_memo digests;
  kernix::detail::include_scan_memo scans;
  std::vector<kernix::root> roots{{"include0", include0}, {"include1", include1}, {"source", source}};
  std::int64_t began = kernix::detail::file_clock_ns() + 1'000'000'000'000;  // long after the files were written

  finished_compile() {
    for (const fs::path& each : {workspace, include0, include1, source, system}) fs::create_directories(each);
    for (const kernix::root& each : roots) plan.links.push_back({each.name, each.directory});
    plan.include_path = {"headers", "source", "include0", "include1"};
    plan.source_path = "kernel.cpp";
    plan.files = {{"kernel.cpp", "int x;\n"}};
    plan.steps = {{.name = "compile", .program = "/bin/cc", .arguments = {}, .dependencies = {{.path = "kernel.d"}}}};
    tools.system_includes = {system};
  }

  void source_text(const std::string& text) { plan.files[0].text = text; }
  void listed(const std::string& names) { write_text(workspace / "kernel.d", "kernel.so: kernel.cpp " + names + '\n'); }

  kernix::recorded_reads record() { return kernix::record_reads(plan, request, tools, workspace, began, digests, scans); }
  bool valid(const kernix::recorded_reads& recorded) { return kernix::still_valid(recorded.reads, roots, digests); }
};

bool holds(const kernix::recorded_reads& recorded, const std::string& root, const std::string& path) {
  return std::any_of(recorded.reads.files.begin(), recorded.reads.files.end(),
                     [&](const kernix::read_file& each) { return each.root == root && each.path == path; });
}

bool lacks(const kernix::recorded_reads& recorded, const std::string& root, const std::string& path) {
  return std::any_of(recorded.reads.absent.begin(), recorded.reads.absent.end(),
                     [&](const kernix::absent_file& each) { return each.root == root && each.path == path; });
}

BOOST_FIXTURE_TEST_CASE(listed_files_are_recorded_against_their_roots, finished_compile) {
  write_text(include0 / "a.h", "1");
  write_text(source / "b.h", "2");
  write_text(tree.root() / "up.h", "3");
  write_text(system / "s.h", "4");
  plan.files.push_back({"headers/m.h", "memory"});
  listed("include0/a.h ./source/b.h source/../up.h headers/m.h tmp/cc1.s " + (system / "s.h").native() + " " +
         (workspace / "include0/a.h").native());
  auto recorded = record();
  BOOST_TEST(recorded.complete, recorded.why_not);
  BOOST_TEST(recorded.reads.files.size() == 4U);
  BOOST_TEST(holds(recorded, "include0", "a.h"));
  BOOST_TEST(holds(recorded, "source", "b.h"));
  BOOST_TEST(holds(recorded, "source", "../up.h"));
  BOOST_TEST(holds(recorded, kernix::system_root, (system / "s.h").native()));
  BOOST_TEST(valid(recorded));
}

BOOST_FIXTURE_TEST_CASE(an_edit_of_a_read_file_is_noticed_and_named, finished_compile) {
  write_text(include0 / "a.h", "1");
  listed("include0/a.h");
  auto recorded = record();
  BOOST_TEST(valid(recorded));
  write_text(include0 / "a.h", "2");
  BOOST_TEST(!valid(recorded));
  BOOST_TEST(kernix::first_difference(recorded.reads, roots, digests).value() == (include0 / "a.h").native() + " has changed");
  fs::remove(include0 / "a.h");
  BOOST_TEST(!valid(recorded));
  write_text(include0 / "a.h", "1");
  BOOST_TEST(valid(recorded));
  BOOST_TEST(!kernix::first_difference(recorded.reads, roots, digests).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_record_answers_for_other_places_with_the_same_content, finished_compile) {
  write_text(include0 / "a.h", "1");
  listed("include0/a.h");
  auto recorded = record();
  write_text(tree.root() / "elsewhere" / "a.h", "1");
  roots[0].directory = tree.root() / "elsewhere";
  BOOST_TEST(valid(recorded));
  write_text(tree.root() / "elsewhere" / "a.h", "2");
  BOOST_TEST(!valid(recorded));
  roots.clear();
  BOOST_TEST(!valid(recorded));
}

BOOST_FIXTURE_TEST_CASE(a_header_that_would_be_found_first_is_noticed, finished_compile) {
  source_text("#include <a/b.h>\n");
  write_text(include1 / "a" / "b.h", "1");
  listed("include1/a/b.h");
  auto recorded = record();
  BOOST_TEST(lacks(recorded, "include0", "a"));
  BOOST_TEST(lacks(recorded, "source", "a"));
  BOOST_TEST(!lacks(recorded, "include1", "a/b.h"));
  BOOST_TEST(valid(recorded));
  write_text(include0 / "a" / "b.h", "1");
  BOOST_TEST(!valid(recorded));
  BOOST_TEST(kernix::first_difference(recorded.reads, roots, digests).value().find("comes first") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_new_sibling_of_a_quoting_header_is_noticed, finished_compile) {
  source_text("#include <sub/a.h>\n");
  write_text(include0 / "sub" / "a.h", "#include \"c.h\"\n");
  write_text(include1 / "c.h", "1");
  listed("include0/sub/a.h include1/c.h");
  auto recorded = record();
  BOOST_TEST(lacks(recorded, "include0", "sub/c.h"));
  BOOST_TEST(lacks(recorded, "include0", "c.h"));
  write_text(include0 / "sub" / "c.h", "1");
  BOOST_TEST(!valid(recorded));
}

BOOST_FIXTURE_TEST_CASE(a_system_header_can_be_shadowed_by_the_requests_directories, finished_compile) {
  source_text("#include <vector>\n");
  write_text(system / "vector", "#include <bits/v.h>\n");
  write_text(system / "bits" / "v.h", "");
  listed((system / "vector").native() + " " + (system / ".." / "system" / "bits" / "v.h").native());
  auto recorded = record();
  BOOST_TEST(lacks(recorded, "include0", "vector"));
  BOOST_TEST(lacks(recorded, "include1", "bits"));
  tools.system_includes.clear();  // also where the system's directories are not known
  BOOST_TEST(lacks(record(), "include0", "vector"));
}

BOOST_FIXTURE_TEST_CASE(an_in_memory_header_ends_the_search, finished_compile) {
  source_text("#include \"m.h\"\n");
  plan.files.push_back({"headers/m.h", "#include \"n.h\"\n"});
  write_text(include0 / "n.h", "");
  listed("headers/m.h include0/n.h");
  auto recorded = record();
  BOOST_TEST(!lacks(recorded, "include0", "m.h"));
  BOOST_TEST(lacks(recorded, "source", "n.h"));
}

BOOST_FIXTURE_TEST_CASE(what_has_include_missed_and_what_it_found_is_recorded, finished_compile) {
  source_text("#if __has_include(\"later.h\")\n#endif\n#if __has_include(<there.h>)\n#endif\n");
  write_text(include1 / "there.h", "");
  listed("");
  auto recorded = record();
  for (const char* each : {"source", "include0", "include1"}) BOOST_TEST(lacks(recorded, each, "later.h"), each);
  BOOST_TEST(lacks(recorded, kernix::system_root, (system / "later.h").native()));
  BOOST_TEST(holds(recorded, "include1", "there.h"));
  BOOST_TEST(valid(recorded));
  write_text(include1 / "later.h", "");
  BOOST_TEST(!valid(recorded));
  fs::remove(include1 / "later.h");
  fs::remove(include1 / "there.h");
  BOOST_TEST(!valid(recorded));
}

BOOST_FIXTURE_TEST_CASE(a_probe_of_a_macro_is_followed_or_makes_the_record_incomplete, finished_compile) {
  source_text("#if __has_include(CONFIG)\n#endif\n");
  listed("");
  BOOST_TEST(!record().complete);
  request.defines = {"CONFIG=<config.h>"};
  auto recorded = record();
  BOOST_TEST(recorded.complete);
  BOOST_TEST(lacks(recorded, "include0", "config.h"));
}

BOOST_FIXTURE_TEST_CASE(a_header_named_by_a_macro_can_be_shadowed_too, finished_compile) {
  source_text("#define H <a.h>\n#include H\n");
  write_text(include1 / "a.h", "1");
  listed("include1/a.h");
  BOOST_TEST(lacks(record(), "include0", "a.h"));
}

BOOST_FIXTURE_TEST_CASE(a_header_that_was_not_found_anywhere_is_of_no_interest, finished_compile) {
  source_text("#ifdef _WIN32\n#include <windows.h>\n#endif\n");
  listed("");
  BOOST_TEST(record().reads.absent.empty());
}

BOOST_FIXTURE_TEST_CASE(a_file_as_young_as_the_compile_makes_the_record_incomplete, finished_compile) {
  write_text(include0 / "a.h", "1");
  listed("include0/a.h");
  struct stat status;
  BOOST_REQUIRE(::stat((include0 / "a.h").c_str(), &status) == 0);
  const std::int64_t written = kernix::detail::nanoseconds_of(status.st_ctim);
  began = written;  // the same tick
  BOOST_TEST(!record().complete);
  began = written + 1;
  BOOST_TEST(record().complete);
}

BOOST_FIXTURE_TEST_CASE(a_link_that_was_turned_while_the_compiler_ran_makes_the_record_incomplete, finished_compile) {
  write_text(include0 / "v1" / "a.h", "1");
  write_text(include0 / "real.h", "1");
  wait_for_file_clock_tick();
  began = kernix::detail::file_clock_ns();
  fs::create_directory_symlink("v1", include0 / "current");
  listed("include0/current/a.h");
  BOOST_TEST(!record().complete);
  fs::create_symlink("real.h", include0 / "link.h");
  listed("include0/link.h");
  BOOST_TEST(!record().complete);
  listed("include0/real.h");
  BOOST_TEST(record().complete);
}

BOOST_FIXTURE_TEST_CASE(a_header_that_appeared_in_front_while_the_compiler_ran_makes_the_record_incomplete, finished_compile) {
  source_text("#include <a.h>\n");
  write_text(include1 / "a.h", "1");
  listed("include1/a.h");
  wait_for_file_clock_tick();
  began = kernix::detail::file_clock_ns();
  BOOST_TEST(record().complete);
  write_text(include0 / "a.h", "1");
  BOOST_TEST(!record().complete);
}

BOOST_FIXTURE_TEST_CASE(a_list_that_names_a_missing_file_or_is_missing_makes_the_record_incomplete, finished_compile) {
  BOOST_TEST(!record().complete);
  listed("include0/none.h");
  BOOST_TEST(!record().complete);
  BOOST_TEST(record().why_not.find("none.h") != std::string::npos);
  plan.steps[0].dependencies[0] = {.path = "other.d", .required = false};
  BOOST_TEST(record().complete);
}

BOOST_FIXTURE_TEST_CASE(has_include_next_is_followed_behind_the_file_that_asks, finished_compile) {
  write_text(include0 / "a.h", "#if __has_include_next(<a.h>)\n#endif\n");
  source_text("#include <a.h>\n");
  listed("include0/a.h");
  auto recorded = record();
  BOOST_TEST(valid(recorded));
  write_text(include1 / "a.h", "");
  BOOST_TEST(!valid(recorded));
  recorded = record();
  BOOST_TEST(valid(recorded));
  fs::remove(include1 / "a.h");
  BOOST_TEST(!valid(recorded));
}

BOOST_FIXTURE_TEST_CASE(a_library_that_would_be_found_first_is_noticed, finished_compile) {
  const fs::path first = tree / "lib1";
  const fs::path second = tree / "lib2";
  for (const char* name : {"liba.a", "libb.so"}) write_text(second / name, name);
  write_text(system / "libm.so", "m");
  fs::create_directories(first);
  plan.library_path = {first.native(), second.native() + '/'};
  listed((second / "liba.a").native() + ' ' + (second / "libb.so").native() + ' ' + (system / "libm.so").native());
  const auto recorded = record();
  BOOST_TEST(recorded.complete, recorded.why_not);
  BOOST_TEST(valid(recorded));
  for (const fs::path& harmless : {second / "libb.a", first / "libc.so", first / "a.o"}) {
    write_text(harmless, "");
    BOOST_TEST(valid(recorded), harmless);
  }
  for (const fs::path& shadow : {first / "liba.a", first / "liba.so", second / "liba.so", first / "libb.a", first / "libm.so", second / "libm.a"}) {
    write_text(shadow, "");
    BOOST_TEST(!valid(recorded), shadow);
    fs::remove(shadow);
  }
  wait_for_file_clock_tick();
  began = kernix::detail::file_clock_ns();
  write_text(first / "liba.so", "");
  BOOST_TEST(!record().complete);
}

BOOST_FIXTURE_TEST_CASE(files_beside_the_workspace_and_incbin_make_the_record_incomplete, finished_compile) {
  listed("../outside.h");
  BOOST_TEST(!record().complete);
  listed("");
  BOOST_TEST(record().complete);
  source_text("asm(\".incbin \\\"/etc/hostname\\\"\");\n");
  BOOST_TEST(!record().complete);
  source_text("const char* built = __TIME__;\n");
  BOOST_TEST(!record().complete);
}

BOOST_FIXTURE_TEST_CASE(recording_five_hundred_headers_asks_little_of_the_disk, finished_compile) {
  std::string names;
  std::string text;
  for (int i = 0; i < 500; ++i) {
    const std::string name = "bits/h" + std::to_string(i) + ".h";
    write_text(system / name, "#include <bits/h" + std::to_string(i / 2) + ".h>\n#include <stddef.h>\n");
    names += ' ' + (system / name).native();
    text += "#include <" + name + ">\n";
  }
  source_text(text);
  listed(names);
  auto recorded = record();
  BOOST_TEST(recorded.reads.files.size() == 500U);
  // One missing directory stands for the 500 headers that aren't below it.
  BOOST_TEST(recorded.reads.absent.size() == 3U);
  using milliseconds = std::chrono::duration<double, std::milli>;
  auto begin = std::chrono::steady_clock::now();
  record();
  auto middle = std::chrono::steady_clock::now();
  BOOST_TEST(valid(recorded));
  const double validated = milliseconds(std::chrono::steady_clock::now() - middle).count();
  BOOST_TEST_MESSAGE("record " << milliseconds(middle - begin).count() << " ms, validate " << validated << " ms");
}

BOOST_AUTO_TEST_SUITE_END()
