// SPDX-License-Identifier: Apache-2.0
#include <kernix/load/load_function.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <support/real_object.hpp>
#include <support/temporary_tree.hpp>

using kernix::errc;
using kernix::load_function;
using kernix::test::build_object;
using kernix::test::outcome_of;
using kernix::test::temporary_tree;

BOOST_AUTO_TEST_SUITE(load_load_function, *boost::unit_test::precondition(kernix::test::has_gxx))

BOOST_AUTO_TEST_CASE(a_compiled_function_gives_the_right_numbers) {
  temporary_tree here;
  build_object(here / "k.so",
               "extern \"C\" void axpy(float a, float const* x, float* y, unsigned long n) {"
               " for (unsigned long i = 0; i < n; ++i) y[i] += a * x[i]; }");
  auto [code, axpy] = load_function<void(float, float const*, float*, unsigned long)>(outcome_of(here / "k.so"), "axpy");
  BOOST_REQUIRE_MESSAGE(!code, axpy.diagnostics().to_string());
  float x[] = {1, 2, 3};
  float y[] = {10, 20, 30};
  axpy(2.0f, x, y, 3);
  BOOST_TEST(y[0] == 12.0f);
  BOOST_TEST(y[2] == 36.0f);
}

BOOST_AUTO_TEST_CASE(the_kernel_keeps_the_object_after_everything_else_is_gone) {
  temporary_tree here;
  build_object(here / "k.so", "extern \"C\" int answer() { return 42; }");
  kernix::kernel<int()> kept;
  {
    auto [code, made] = load_function<int()>(outcome_of(here / "k.so"), "answer");
    BOOST_REQUIRE(!code);
    kept = made;
  }
  std::filesystem::remove(here / "k.so");
  BOOST_TEST(kept() == 42);
}

BOOST_AUTO_TEST_CASE(waiters_of_one_outcome_share_one_load) {
  temporary_tree here;
  build_object(here / "k.so", "static int calls; extern \"C\" int count() { return ++calls; }");
  kernix::compile_outcome shared = outcome_of(here / "k.so");
  std::vector<kernix::kernel<int()>> kernels(8);
  std::vector<std::thread> threads;
  for (auto& each : kernels) {
    threads.emplace_back([&each, shared] { each = load_function<int()>(shared, "count").second; });
  }
  for (std::thread& each : threads) each.join();
  int last = 0;
  for (auto& each : kernels) {
    BOOST_REQUIRE(each);
    last = each();
  }
  BOOST_TEST(last == 8);
  // the file may go: whoever holds the payload doesn't need it again
  std::filesystem::remove(here / "k.so");
  BOOST_TEST(!load_function<int()>(shared, "count").first);
}

BOOST_AUTO_TEST_CASE(a_missing_symbol_lists_what_there_is) {
  temporary_tree here;
  build_object(here / "k.so", "void axpy(float*) {} extern \"C\" void scale(float*) {}");
  auto [code, none] = load_function<void(float*)>(outcome_of(here / "k.so"), "axpy");
  BOOST_TEST(code == make_error_code(errc::symbol_not_found));
  BOOST_TEST((code == kernix::make_error_condition(kernix::failure::source)));
  BOOST_TEST(!none);
  std::string text = none.diagnostics().to_string();
  BOOST_TEST(text.find("_Z4axpyPf [axpy(float*)], scale") != std::string::npos, text);
  BOOST_TEST(text.find("extern \"C\"") != std::string::npos, text);
  BOOST_TEST(none.diagnostics().stage == "load");
}

BOOST_AUTO_TEST_CASE(a_missing_symbol_does_not_spoil_the_next_look) {
  temporary_tree here;
  build_object(here / "k.so", "extern \"C\" int answer() { return 42; }");
  kernix::compile_outcome outcome = outcome_of(here / "k.so");
  BOOST_TEST(load_function<int()>(outcome, "anwser").first == make_error_code(errc::symbol_not_found));
  BOOST_TEST(load_function<int()>(outcome, "answer").second() == 42);
}

BOOST_AUTO_TEST_CASE(names_that_no_symbol_can_have_are_refused) {
  temporary_tree here;
  build_object(here / "k.so", "extern \"C\" int answer() { return 42; }");
  kernix::compile_outcome outcome = outcome_of(here / "k.so");
  auto [empty, first] = load_function<int()>(outcome, "");
  BOOST_TEST(empty == make_error_code(errc::invalid_name));
  BOOST_TEST(first.diagnostics().reason.find("empty") != std::string::npos);
  auto [nul, second] = load_function<int()>(outcome, std::string("answer\0x", 8));
  BOOST_TEST(nul == make_error_code(errc::invalid_name));
  BOOST_TEST(second.diagnostics().reason.find("NUL") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_outcome_without_a_shared_object_is_refused) {
  auto [code, none] = load_function<int()>(outcome_of("/dev/null", kernix::output_kind::ptx), "answer");
  BOOST_TEST(code == make_error_code(errc::invalid_request));
  BOOST_TEST(none.diagnostics().reason.find("no shared object") != std::string::npos);
  BOOST_TEST(load_function<int()>({}, "answer").first == make_error_code(errc::invalid_request));
}

BOOST_AUTO_TEST_CASE(damaged_files_are_never_loaded) {
  temporary_tree here;
  std::filesystem::path file = here / "k.so";
  build_object(file, "extern \"C\" int answer() { return 42; }");
  std::string whole = kernix::test::read_file(file);
  kernix::compile_outcome outcome = outcome_of(file);
  auto refused = [&](const std::string& bytes) {
    kernix::test::write_file(file, bytes);
    auto [code, none] = load_function<int()>(outcome, "answer");
    return code == make_error_code(errc::load_failed) && none.diagnostics().reason.find(file.native()) != std::string::npos;
  };
  for (std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{4096}, whole.size() / 2, whole.size() - 1}) {
    BOOST_TEST(refused(whole.substr(0, size)), "cut to " << size << " bytes");
  }
  BOOST_TEST(refused(whole + '\0'));
  std::string flipped = whole;
  flipped[whole.size() / 3] = static_cast<char>(flipped[whole.size() / 3] ^ 1);
  BOOST_TEST(refused(flipped));
  BOOST_TEST(refused(std::string(whole.size(), 'x')));

  std::filesystem::remove(file);
  BOOST_TEST(load_function<int()>(outcome, "answer").first == make_error_code(errc::load_failed));
  std::filesystem::create_directory(file);
  BOOST_TEST(load_function<int()>(outcome, "answer").first == make_error_code(errc::load_failed));
  std::filesystem::remove(file);

  kernix::test::write_file(file, whole);
  BOOST_TEST(load_function<int()>(outcome, "answer").second() == 42);
}

BOOST_AUTO_TEST_CASE(the_compilers_warnings_survive_a_failed_load) {
  temporary_tree here;
  build_object(here / "k.so", "extern \"C\" int answer() { return 42; }");
  auto payload = std::make_shared<kernix::outcome_payload>();
  payload->artifacts = outcome_of(here / "k.so").artifacts();
  payload->diagnostics.log = "k.cpp:1: warning: something";
  auto [code, none] = load_function<int()>({payload, kernix::origin::memory}, "missing");
  BOOST_TEST(code == make_error_code(errc::symbol_not_found));
  BOOST_TEST(none.diagnostics().log == "k.cpp:1: warning: something");
  BOOST_TEST((none.outcome().origin() == kernix::origin::memory));
}

BOOST_AUTO_TEST_SUITE_END()
