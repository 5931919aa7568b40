// SPDX-License-Identifier: Apache-2.0
#include <kernix/backend/cache_key.hpp>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace {

using kernix::command_plan;
using kernix::compile_request;
using kernix::toolchain;

struct asked {
  compile_request request{.name = "k", .source = "s"};
  command_plan plan;
  toolchain tools;
  std::string backend = "nvcc";
  kernix::platform platform = kernix::platform::cuda;

  asked() {
    plan.source_path = "kernel.cu";
    plan.files = {{"kernel.cu", "s"}, {"headers0/h", "t"}};
    plan.links = {{"include0", "/a"}};
    plan.environment = {{"A", "1"}, {"TMPDIR", "x", false}, {"TOKEN", "hunter2", true, true}};
    plan.steps = {
        {"compile", "/usr/bin/nvcc", {"x", "sm_80", kernix::no_effect("-t0"), kernix::toolchain_path("/usr/bin/g++")}}};
    plan.outputs = {{kernix::output_kind::shared_object, "kernel.so"}};
  }
  kernix::cache_key key() const { return kernix::make_key(request, plan, tools, backend, platform); }
};

kernix::digest after(const std::function<void(asked&)>& change) {
  asked one;
  change(one);
  return one.key().value;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_cache_key)

BOOST_AUTO_TEST_CASE(what_cant_change_the_output_is_not_in_the_key) {
  const auto key = asked().key().value;
  BOOST_TEST((after([](asked& one) { one.request.name = "other"; }) == key));
  BOOST_TEST((after([](asked& one) { one.request.timeout = std::chrono::seconds(1); }) == key));
  BOOST_TEST((after([](asked& one) { one.request.force = one.request.keep_scratch = true; }) == key));
  BOOST_TEST((after([](asked& one) { one.request.base_directory = "/b"; }) == key));
  BOOST_TEST((after([](asked& one) { one.plan.links[0].target = "/b"; }) == key));
  BOOST_TEST((after([](asked& one) { one.plan.environment[1].value = "y"; }) == key));
  BOOST_TEST((after([](asked& one) { one.plan.steps[0].program = "/opt/bin/nvcc"; }) == key));
  BOOST_TEST(
      (after([](asked& one) { one.plan.steps[0].arguments.erase(one.plan.steps[0].arguments.begin() + 2); }) == key));
  BOOST_TEST((after([](asked& one) { one.plan.steps[0].arguments[3] = kernix::toolchain_path("/opt/g++"); }) == key));
  BOOST_TEST((after([](asked& one) { one.tools.program = "/opt/nvcc"; }) == key));
  BOOST_TEST((after([](asked& one) { one.tools.cpu = "zen"; }) == key));
}

BOOST_AUTO_TEST_CASE(everything_else_gives_keys_that_all_differ) {
  std::set<kernix::digest> keys{asked().key().value};
  std::size_t changes = 0;
  auto differs = [&](const std::function<void(asked&)>& change) {
    keys.insert(after(change));
    BOOST_TEST(keys.size() == ++changes + 1);
  };
  differs([](asked& one) { one.backend = "hipcc"; });
  differs([](asked& one) { one.platform = kernix::platform::hip; });
  differs([](asked& one) { one.request.kind = kernix::output_kind::ptx; });
  differs([](asked& one) { one.tools.fingerprint.bytes[0] = 1; });
  differs([](asked& one) { one.tools.host = std::make_shared<toolchain>(); });
  differs([](asked& one) {
    toolchain host;
    host.fingerprint.bytes[5] = 1;
    one.tools.host = std::make_shared<toolchain>(host);
  });
  differs([](asked& one) { one.plan.files[0].text = "S"; });
  differs([](asked& one) { one.plan.files[1].path = "headers0/i"; });
  differs([](asked& one) { one.plan.files[1].text = "T"; });
  differs([](asked& one) { one.plan.links.clear(); });
  differs([](asked& one) { one.plan.environment[0].value = "2"; });
  differs([](asked& one) { one.plan.environment[0].name = "B"; });
  differs([](asked& one) { one.plan.environment[2].value = "other"; });
  differs([](asked& one) { one.plan.steps[0].arguments[1] = "sm_90"; });
  differs([](asked& one) { one.plan.steps[0].arguments.emplace_back(""); });
  differs([](asked& one) { one.plan.steps[0].arguments.erase(one.plan.steps[0].arguments.begin() + 3); });
  differs([](asked& one) { one.plan.steps.push_back({"link", "/usr/bin/nvcc", {}}); });
  differs([](asked& one) { one.plan.outputs[0].path = "other.so"; });
}

BOOST_AUTO_TEST_CASE(fields_are_framed) {
  auto with = [](std::vector<std::string> words) {
    return after([&](asked& one) { one.plan.steps[0].arguments.assign(words.begin(), words.end()); });
  };
  BOOST_TEST((with({"x", "sm_80"}) != with({"xsm", "_80"})));
  BOOST_TEST((with({"ab"}) != with({"a", "b"})));
  BOOST_TEST((with({std::string("a\0b", 3)}) != with({"a", "b"})));
  BOOST_TEST((with({"-Dx -Dy"}) != with({"-Dx", "-Dy"})));
}

BOOST_AUTO_TEST_CASE(long_words_are_kept_as_digests) {
  const std::string text(10000, 'x');
  asked one;
  one.plan.steps[0].arguments.emplace_back(text);
  const auto key = one.key();
  for (const auto& [tag, value] : key.fields) BOOST_TEST(value.size() <= 512, tag);
  one.plan.steps[0].arguments.back() = kernix::sha256(text).hex();
  BOOST_TEST((one.key().value != key.value));
  one.plan.steps[0].arguments.back() = text + 'x';
  BOOST_TEST((one.key().value != key.value));
}

BOOST_AUTO_TEST_CASE(secrets_and_sources_are_not_among_the_fields) {
  asked one;
  one.plan.files[0].text = "the whole source";
  for (const auto& [tag, value] : one.key().fields) {
    BOOST_TEST(value.find("hunter2") == std::string::npos, tag);
    BOOST_TEST(value.find("the whole source") == std::string::npos, tag);
    BOOST_TEST(value != kernix::sha256("hunter2").hex(), tag);
  }
}

BOOST_AUTO_TEST_CASE(native_brings_the_processor_into_the_key) {
  for (const char* token :
       {"-march=native", "-mtune=native", "-mcpu=native", "-Ctarget-cpu=native", "-Xcompiler=-march=native"}) {
    auto on = [&](const std::string& cpu) {
      return after([&](asked& one) {
        one.plan.steps[0].arguments.emplace_back(token);
        one.tools.cpu = cpu;
      });
    };
    BOOST_TEST((on("zen") != on("skylake")), token);
  }
}

BOOST_AUTO_TEST_CASE(the_format_is_the_first_field) {
  BOOST_TEST(asked().key().fields.at(0).first == "format");
  BOOST_TEST(asked().key().fields.at(0).second == kernix::key_format);
}

BOOST_AUTO_TEST_SUITE_END()
