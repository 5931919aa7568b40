// SPDX-License-Identifier: Apache-2.0
#include <kernix/backend/compiler_backend.hpp>

#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <kernix/backend/cxx.hpp>
#include <kernix/backend/nvcc.hpp>

namespace {

struct whole {
  std::string_view name() const { return "whole"; }
  kernix::platform platform() const { return kernix::platform::cpu; }
  std::vector<kernix::tool_candidate> candidates(const kernix::settings&) const { return {}; }
  kernix::result<kernix::command_plan> plan(const kernix::compile_request&, const kernix::toolchain&) const {
    return kernix::command_plan{};
  }
  kernix::diagnosis classify(const kernix::command_step&, const kernix::process_result&) const { return {}; }
};

struct nameless : whole {
  void name() const {}
};
struct without_platform : whole {
  int platform() const { return 1; }
};
struct without_candidates : whole {
  void candidates(const kernix::settings&) const {}
};
struct without_plan : whole {
  kernix::command_plan plan(const kernix::compile_request&, const kernix::toolchain&) const { return {}; }
};
struct without_diagnosis : whole {
  bool classify(const kernix::command_step&, const kernix::process_result&) const { return true; }
};
struct changing : whole {
  kernix::result<kernix::command_plan> plan(const kernix::compile_request&, const kernix::toolchain&) {
    return kernix::command_plan{};
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_compiler_backend)

BOOST_AUTO_TEST_CASE(a_backend_has_all_parts) {
  BOOST_TEST(kernix::compiler_backend<whole>);
  BOOST_TEST(kernix::compiler_backend<kernix::cxx>);
  BOOST_TEST(kernix::compiler_backend<kernix::nvcc>);
  BOOST_TEST(!kernix::compiler_backend<nameless>);
  BOOST_TEST(!kernix::compiler_backend<without_platform>);
  BOOST_TEST(!kernix::compiler_backend<without_candidates>);
  BOOST_TEST(!kernix::compiler_backend<without_plan>);
  BOOST_TEST(!kernix::compiler_backend<without_diagnosis>);
  BOOST_TEST(!kernix::compiler_backend<changing>);
  BOOST_TEST(!kernix::compiler_backend<int>);
}

BOOST_AUTO_TEST_CASE(equal_arguments_give_equal_plans) {
  kernix::toolchain tools;
  tools.program = "/usr/bin/g++";
  tools.family = "gcc";
  kernix::compile_request request{.name = "k", .source = "int x;"};
  auto words = [&] {
    std::vector<std::string> texts;
    const auto plan = kernix::cxx{}.plan(request, tools);
    for (const auto& each : plan.value().steps.at(0).arguments) texts.push_back(each.text);
    return texts;
  };
  BOOST_TEST(words() == words(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
