// SPDX-License-Identifier: Apache-2.0
#include <kernix/load/shared_object.hpp>

#include <boost/test/unit_test.hpp>

#include <cfenv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include <dlfcn.h>

#include <support/real_object.hpp>
#include <support/temporary_tree.hpp>

using kernix::test::build_object;
using kernix::test::temporary_tree;

namespace {

int call(const kernix::shared_object& object, const std::string& symbol) {
  void* address = object.function(symbol);
  BOOST_REQUIRE(address);
  return reinterpret_cast<int (*)()>(address)();
}

std::shared_ptr<const kernix::shared_object> must_load(const std::filesystem::path& file) {
  auto made = kernix::shared_object::load(file);
  BOOST_REQUIRE_MESSAGE(made, made.error().reason);
  return *made;
}

bool is_mapped(const std::string& part) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

bool advises(const kernix::diagnosis& what, const std::string& words) {
  for (const std::string& each : what.advice) {
    if (each.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(load_shared_object, *boost::unit_test::precondition(kernix::test::has_gxx))

BOOST_AUTO_TEST_CASE(a_function_is_found_and_called) {
  temporary_tree here;
  build_object(here / "k.so", "extern \"C\" int answer() { return 42; }");
  BOOST_TEST(call(*must_load(here / "k.so"), "answer") == 42);
}

BOOST_AUTO_TEST_CASE(the_last_owner_unloads) {
  temporary_tree here;
  std::filesystem::path file = here / "k.so";
  build_object(file, "extern \"C\" int answer() { return 42; }", "-fno-gnu-unique");
  auto first = must_load(file);
  auto second = must_load(file);
  first.reset();
  BOOST_TEST(is_mapped(file.native()));
  BOOST_TEST(call(*second, "answer") == 42);
  second.reset();
  BOOST_TEST(!is_mapped(file.native()));
}

BOOST_AUTO_TEST_CASE(a_new_file_under_an_old_name_is_new_code) {
  temporary_tree here;
  std::filesystem::path file = here / "k.so";
  std::vector<std::shared_ptr<const kernix::shared_object>> generations;
  for (int i = 0; i < 4; ++i) {
    build_object(file, "extern \"C\" int answer() { return " + std::to_string(i) + "; }");
    generations.push_back(must_load(file));
  }
  for (int i = 0; i < 4; ++i) BOOST_TEST(call(*generations[static_cast<std::size_t>(i)], "answer") == i);
}

BOOST_AUTO_TEST_CASE(two_links_of_one_file_are_one_object) {
  temporary_tree here;
  build_object(here / "k.so", "static int calls; extern \"C\" int count() { return ++calls; }");
  std::filesystem::create_hard_link(here / "k.so", here / "link.so");
  auto first = must_load(here / "k.so");
  auto second = must_load(here / "link.so");
  BOOST_TEST(call(*first, "count") == 1);
  BOOST_TEST(call(*second, "count") == 2);
}

BOOST_AUTO_TEST_CASE(objects_with_equal_names_stay_apart) {
  temporary_tree here;
  build_object(here / "a.so", "int inner() { return 1; } extern \"C\" int answer() { return inner(); }");
  build_object(here / "b.so", "int inner() { return 2; } extern \"C\" int answer() { return inner(); }");
  auto a = must_load(here / "a.so");
  auto b = must_load(here / "b.so");
  BOOST_TEST(call(*a, "answer") == 1);
  BOOST_TEST(call(*b, "answer") == 2);
}

BOOST_AUTO_TEST_CASE(fast_math_objects_leave_the_threads_arithmetic_alone) {
  temporary_tree here;
  std::filesystem::path file = here / "k.so";
  build_object(file, "extern \"C\" int answer() { return 42; }", "-Ofast");
  volatile double smallest = std::numeric_limits<double>::denorm_min();
  std::fesetround(FE_UPWARD);
  auto object = must_load(file);
  int rounding = std::fegetround();
  bool kept = smallest * 1.0 > 0.0;
  object.reset();
  bool kept_after = smallest * 1.0 > 0.0;
  std::fesetround(FE_TONEAREST);
  BOOST_TEST(rounding == FE_UPWARD);
  BOOST_TEST(kept);
  BOOST_TEST(kept_after);
}

BOOST_AUTO_TEST_CASE(without_the_guard_fast_math_would_flush_denormals) {
  temporary_tree here;
  build_object(here / "k.so", "extern \"C\" int answer() { return 42; }", "-Ofast");
  volatile double smallest = std::numeric_limits<double>::denorm_min();
  kernix::detail::floating_point_guard guard;
  void* handle = ::dlopen((here / "k.so").c_str(), RTLD_NOW);
  BOOST_REQUIRE(handle);
  bool kept = smallest * 1.0 > 0.0;
  ::dlclose(handle);
  if (kept) BOOST_TEST_MESSAGE("this g++'s -Ofast leaves denormals alone: the case above proves nothing here");
  BOOST_TEST(true);
}

BOOST_AUTO_TEST_CASE(a_thread_with_thread_locals_may_outlive_the_handle) {
  temporary_tree here;
  build_object(here / "k.so",
               "struct local { int value = 1; ~local() { value = 0; } };\n"
               "extern \"C\" int touch() { thread_local local it; return it.value; }");
  int touched = 0;
  std::thread([&] {
    auto object = must_load(here / "k.so");
    touched = call(*object, "touch");
    object.reset();  // the destructor of `it` runs after this, at the end of the thread
  }).join();
  BOOST_TEST(touched == 1);
}

BOOST_AUTO_TEST_CASE(libraries_with_threads_of_their_own_stay) {
  temporary_tree here;
  for (int round = 0; round < 3; ++round) {
    std::filesystem::path file = here / ("k" + std::to_string(round) + ".so");
    build_object(file,
                 "extern \"C\" int sum() { int s = 0;\n#pragma omp parallel for reduction(+:s) num_threads(4)\n"
                 "for (int i = 0; i < 1000; ++i) s += i;\nreturn s; }",
                 "-fopenmp -fno-gnu-unique");
    auto object = must_load(file);
    BOOST_TEST(call(*object, "sum") == 499500);
    object.reset();
    BOOST_TEST(!is_mapped(file.native()));
    BOOST_TEST(is_mapped("libgomp"));
  }
}

BOOST_AUTO_TEST_CASE(a_function_of_a_needed_library_is_not_the_objects_own) {
  temporary_tree here;
  build_object(here / "k.so", "#include <cmath>\nextern \"C\" double twice(double x) { return 2 * std::exp(x); }", "-lm");
  auto object = must_load(here / "k.so");
  std::string why;
  BOOST_TEST(object->function("exp", &why) == nullptr);
  BOOST_TEST(why.find("libm") != std::string::npos, why);
  BOOST_TEST(object->function("twice") != nullptr);
}

BOOST_AUTO_TEST_CASE(a_variable_is_no_function) {
  temporary_tree here;
  build_object(here / "k.so", "extern \"C\" { int table[4] = {1}; thread_local int each = 3; }");
  auto object = must_load(here / "k.so");
  std::string why;
  BOOST_TEST(object->function("table", &why) == nullptr);
  BOOST_TEST(why.find("variable") != std::string::npos, why);
  BOOST_TEST(object->function("each") == nullptr);
}

BOOST_AUTO_TEST_CASE(an_undefined_symbol_shows_at_load) {
  temporary_tree here;
  build_object(here / "k.so", "extern \"C\" int nowhere(); extern \"C\" int answer() { return nowhere(); }");
  auto made = kernix::shared_object::load(here / "k.so");
  BOOST_REQUIRE(!made);
  BOOST_TEST(made.error().code == make_error_code(kernix::errc::load_failed));
  BOOST_TEST(made.error().reason.find("undefined symbol: nowhere") != std::string::npos, made.error().reason);
  BOOST_TEST(advises(made.error(), "link_flags"));
}

BOOST_AUTO_TEST_CASE(a_missing_library_is_named) {
  temporary_tree here;
  build_object(here / "libgone.so", "extern \"C\" int inner() { return 1; }");
  build_object(here / "k.so", "extern \"C\" int inner(); extern \"C\" int answer() { return inner(); }",
               "-L'" + here.root().native() + "' -Wl,--no-as-needed -lgone");
  std::filesystem::remove(here / "libgone.so");
  auto made = kernix::shared_object::load(here / "k.so");
  BOOST_REQUIRE(!made);
  BOOST_TEST(made.error().reason.find("libgone.so") != std::string::npos, made.error().reason);
  BOOST_TEST(advises(made.error(), "rpath"));
}

BOOST_AUTO_TEST_CASE(other_files_are_refused_with_the_loaders_words) {
  temporary_tree here;
  here.file("text.so", std::string(4096, 'x'));
  auto text = kernix::shared_object::load(here / "text.so");
  BOOST_REQUIRE(!text);
  BOOST_TEST(text.error().reason.find("invalid ELF header") != std::string::npos, text.error().reason);
  BOOST_TEST(!kernix::shared_object::load(here.root()));
  BOOST_TEST(!kernix::shared_object::load(here / "absent.so"));
}

BOOST_AUTO_TEST_CASE(a_bare_name_is_a_file_here_not_a_library_of_the_system) {
  auto made = kernix::shared_object::load("libm.so.6");
  BOOST_REQUIRE(!made);
  BOOST_TEST(made.error().reason.find("./libm.so.6") != std::string::npos, made.error().reason);
}

BOOST_AUTO_TEST_CASE(a_noexec_mount_is_named_as_a_cause) {
  std::vector<std::string> advice = kernix::detail::load_advice("k.so: failed to map segment from shared object");
  BOOST_REQUIRE(!advice.empty());
  BOOST_TEST(advice.front().find("noexec") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
