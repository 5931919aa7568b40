// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <boost/test/unit_test.hpp>

#include <kernix/compile/log_names.hpp>

BOOST_AUTO_TEST_SUITE(compile_log_names)

kernix::keyed_request asked_by(kernix::compile_request request) {
  auto data = std::make_shared<kernix::keyed_request::shared>();
  data->plan.source_path = "kernel.cpp";
  data->plan.files = {{"kernel.cpp", ""}, {"headers0/sub/m.h", ""}};
  data->roots = {{"include0", "/home/me/inc"}, {"source0", "/home/me/src"}};
  request.headers = {{"sub/m.h", ""}};
  data->request = std::move(request);
  kernix::keyed_request keyed;
  keyed.data = std::move(data);
  return keyed;
}

std::string shown(const std::string& raw, kernix::compile_request request = {.name = "axpy", .source = "x"}) {
  return kernix::log_names(asked_by(std::move(request))).text(raw);
}

BOOST_AUTO_TEST_CASE(the_source_is_called_by_the_kernels_name_or_its_file) {
  BOOST_TEST(shown("kernel.cpp:3:5: error: x\n") == "axpy.cpp:3:5: error: x\n");
  BOOST_TEST(shown("kernel.cpp(3): error: x", {.name = "axpy.cpp", .source = "x"}) == "axpy.cpp(3): error: x");
  BOOST_TEST(shown("kernel.cpp: In function 'f':\n", {.name = "a", .source = "x", .source_file = "src/k.cc"}) == "src/k.cc: In function 'f':\n");
}

BOOST_AUTO_TEST_CASE(directories_and_headers_in_memory_are_called_as_the_user_knows_them) {
  BOOST_TEST(shown("In file included from include0/a/b.h:1,\n                 from kernel.cpp:2:\n") ==
             "In file included from /home/me/inc/a/b.h:1,\n                 from axpy.cpp:2:\n");
  BOOST_TEST(shown("headers0/sub/m.h:1: note\nsource0/../x.h:2: note\n") == "sub/m.h:1: note\n/home/me/src/../x.h:2: note\n");
}

BOOST_AUTO_TEST_CASE(names_in_quotes_brackets_and_colours_are_found) {
  BOOST_TEST(shown("'kernel.cpp' \xe2\x80\x98kernel.cpp\xe2\x80\x99 (kernel.cpp)") == "'axpy.cpp' \xe2\x80\x98" "axpy.cpp\xe2\x80\x99 (axpy.cpp)");
  BOOST_TEST(shown("\x1b[01m\x1b[Kkernel.cpp:1:2:\x1b[m\x1b[K x") == "\x1b[01m\x1b[Kaxpy.cpp:1:2:\x1b[m\x1b[K x");
  BOOST_TEST(shown("/usr/bin/ld: tmp/cc1.o: in function `f':\nkernel.cpp:(.text+0x5): undefined\n") ==
             "/usr/bin/ld: tmp/cc1.o: in function `f':\naxpy.cpp:(.text+0x5): undefined\n");
}

BOOST_AUTO_TEST_CASE(echoed_source_and_parts_of_other_names_are_left_alone) {
  for (const char* line : {"    3 | #error \"kernel.cpp:1\"\n", "      | (kernel.cpp)\n", "mykernel.cpp:1: x\n", "kernel.cppx:1\n",
                           "/a/kernel.cpp:1: x\n", "x/include0/a.h\n", "atom kernel\n", "kernel.cpp.o: x\n", ""}) {
    BOOST_TEST(shown(line) == line);
  }
}

BOOST_AUTO_TEST_CASE(presenting_changes_what_is_shown_and_not_what_is_shared) {
  auto payload = std::make_shared<kernix::outcome_payload>();
  payload->diagnostics.log = "kernel.cpp:1: w\n";
  payload->diagnostics.reason = "rejected: kernel.cpp:1: w";
  payload->diagnostics.messages = {{kernix::message::level::warning, "headers0/sub/m.h", 1, 2, "see include0/a.h:3"}};
  kernix::compile_outcome shared(payload, kernix::origin::joined);
  for (const char* name : {"one", "two"}) {
    auto mine = kernix::present(shared, asked_by({.name = name, .source = "x"}));
    BOOST_TEST(mine.diagnostics().log == std::string(name) + ".cpp:1: w\n");
    BOOST_TEST(mine.diagnostics().reason == "rejected: " + std::string(name) + ".cpp:1: w");
    BOOST_TEST(mine.diagnostics().messages.at(0).file == "sub/m.h");
    BOOST_TEST(mine.diagnostics().messages.at(0).text == "see /home/me/inc/a.h:3");
    BOOST_TEST(kernix::present(mine, asked_by({.name = "again", .source = "x"})).diagnostics().log == "again.cpp:1: w\n");
    BOOST_TEST(mine.payload().diagnostics.log == "kernel.cpp:1: w\n");
    BOOST_TEST((mine.origin() == kernix::origin::joined));
  }
}

BOOST_AUTO_TEST_CASE(bytes_of_any_kind_pass) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  BOOST_TEST(shown(bytes) == bytes);
}

BOOST_AUTO_TEST_CASE(a_failure_without_advice_gets_what_its_class_calls_for) {
  kernix::diagnostics raw;
  raw.code = make_error_code(kernix::errc::not_cached);
  raw.reason = "there is no entry";
  const kernix::log_names nobody{kernix::keyed_request{}};
  BOOST_TEST(!kernix::present(raw, nobody).advice.empty());
  raw.advice = {"the backend's own"};
  BOOST_TEST(kernix::present(raw, nobody).advice == raw.advice);
  raw.code = {};
  raw.advice = {};
  BOOST_TEST(kernix::present(raw, nobody).advice.empty());
}

BOOST_AUTO_TEST_SUITE_END()
