// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/check_request.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace {

kernix::compile_request good() { return {.name = "k", .source = "int x;"}; }

/// Checks that a change to a good request is refused with a code and a sentence that names the culprit.
void refuses(kernix::errc code, const std::string& culprit,
             const std::function<void(kernix::compile_request&)>& change) {
  kernix::compile_request request = good();
  change(request);
  auto wrong = kernix::check(request);
  BOOST_TEST_CONTEXT(culprit) {
    BOOST_REQUIRE(wrong);
    BOOST_TEST(wrong->code == kernix::make_error_code(code));
    BOOST_TEST(wrong->reason.find(culprit) != std::string::npos, wrong->reason);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_check_request)

using kernix::compile_request;
using kernix::errc;

BOOST_AUTO_TEST_CASE(a_good_request_passes) {
  compile_request request = good();
  request.name = "my.op fast_\xc3\xa4 (v2)";
  request.standard = "gnu++2b";
  request.defines = {"A", "_B=1", "F(x,y)=x+y", "S=\"a b\"", "E="};
  request.undefines = {"NDEBUG"};
  request.compile_flags = {"-DX=\"a b\"", "-I", "/x y"};
  request.headers = {{"kernel.h", ""}, {"a/b.hpp", "x"}, {"a/c", ""}, {"..a", ""}, {"include/x.h", ""}};
  request.timeout = std::chrono::nanoseconds(1);
  request.include_directories = {".", "/usr/include"};
  BOOST_TEST(!kernix::check(request));
  request.name = std::string(200, 'n');
  BOOST_TEST(!kernix::check(request));
}

BOOST_AUTO_TEST_CASE(names_that_are_none) {
  for (std::string name :
       {std::string(), std::string("a/b"), std::string("../evil"), std::string("."), std::string(".."),
        std::string("a\nb"), std::string("a\0b", 3), std::string("\x7f"), std::string(201, 'n')}) {
    refuses(errc::invalid_name, "name", [&](compile_request& request) { request.name = name; });
  }
}

BOOST_AUTO_TEST_CASE(members_out_of_range) {
  refuses(errc::invalid_request, "source", [](auto& request) { request.source.clear(); });
  refuses(errc::invalid_request, "timeout", [](auto& request) { request.timeout = std::chrono::nanoseconds(0); });
  refuses(errc::invalid_request, "timeout", [](auto& request) { request.timeout = std::chrono::seconds(-1); });
  refuses(errc::invalid_request, "mlir", [](auto& request) { request.kind = kernix::output_kind::mlir; });
  refuses(errc::invalid_option, "4", [](auto& request) { request.optimization = 4; });
  refuses(errc::invalid_option, "-1", [](auto& request) { request.optimization = -1; });
  for (std::string standard : {"", "17", "c++", "c++1", "c++177", "C++17", "c17", "gnu17", "c++17 -o x", "c+++1"}) {
    refuses(errc::invalid_option, '"' + standard + '"', [&](auto& request) { request.standard = standard; });
  }
  refuses(errc::invalid_request, "include directory", [](auto& request) { request.include_directories = {"/x", ""}; });
}

BOOST_AUTO_TEST_CASE(macros_without_a_name) {
  for (std::string define : {"1A", "=1", "A B=1", "A-B", "(x)=1", "F(x=1", "-DA"}) {
    refuses(errc::invalid_option, '"' + define + '"', [&](auto& request) { request.defines = {define}; });
  }
  for (std::string undefine : {"1A", "A=1", "A B"}) {
    refuses(errc::invalid_option, '"' + undefine + '"', [&](auto& request) { request.undefines = {undefine}; });
  }
}

BOOST_AUTO_TEST_CASE(tokens_are_one_line) {
  using list = std::vector<std::string> compile_request::*;
  for (list member : {&compile_request::compile_flags, &compile_request::link_flags, &compile_request::defines,
                      &compile_request::undefines}) {
    for (std::string token : {std::string(), std::string("-A\n-B"), std::string("-A\0B", 4), std::string("-A\r")}) {
      refuses(errc::invalid_option, "token", [&](compile_request& request) { request.*member = {token}; });
    }
  }
}

BOOST_AUTO_TEST_CASE(headers_stay_in_their_directory_and_keep_off_the_plans_files) {
  for (std::string name : {"", "/etc/x.h", "../x.h", "a/../x.h", "./x.h", "a//x.h", "a/", "..", "kernel.cpp",
                           "kernel.cu", "include0/x.h", "source0", "headers0/x.h", "defines0.h", "a\nb.h"}) {
    refuses(errc::invalid_request, "in-memory header", [&](auto& request) { request.headers = {{name, ""}}; });
  }
  refuses(errc::invalid_request, "twice", [](auto& request) { request.headers = {{"a.h", ""}, {"a.h", "x"}}; });
  refuses(errc::invalid_request, "directory of another", [](auto& request) {
    request.headers = {{"a/b.h", ""}, {"a", ""}};
  });
  refuses(errc::invalid_request, "directory of another", [](auto& request) {
    request.headers = {{"a", ""}, {"a/b.h", ""}};
  });
}

BOOST_AUTO_TEST_SUITE_END()
