// SPDX-License-Identifier: Apache-2.0
#include <kernix/backend/cxx.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace {

using kernix::compile_request;
using kernix::cxx;
using kernix::errc;

kernix::toolchain gcc() {
  kernix::toolchain tools;
  tools.program = "/opt/gcc/bin/g++";
  tools.family = "gcc";
  tools.version = "12.2.0";
  tools.system_includes = {"/usr/include/c++/12", "/usr/include"};
  tools.properties = {{"linker", "GNU ld (GNU Binutils for Debian) 2.40"}};
  return tools;
}

compile_request simple() { return {.name = "k", .source = "int x;"}; }

kernix::command_plan planned(const compile_request& request, const kernix::toolchain& tools = gcc(),
                             const cxx& backend = {}) {
  auto plan = backend.plan(request, tools);
  if (plan.has_error()) BOOST_FAIL(plan.error().reason);
  return *plan;
}

std::vector<std::string> words(const kernix::command_step& step, bool all = true) {
  std::vector<std::string> texts;
  for (const auto& each : step.arguments) {
    if (all || each.how == kernix::argument::kind::literal) texts.push_back(each.text);
  }
  return texts;
}

std::string line(const kernix::command_step& step, bool all = true) {
  std::string text;
  for (const auto& each : words(step, all)) text += each + ' ';
  return text;
}

bool has(const kernix::command_step& step, const std::string& token) {
  const auto all = words(step);
  return std::find(all.begin(), all.end(), token) != all.end();
}

kernix::settings environment(std::vector<const char*> variables) {
  variables.push_back(nullptr);
  return kernix::settings::from(variables.data());
}

std::string listed(const std::vector<kernix::tool_candidate>& candidates) {
  std::string text;
  for (const auto& each : candidates) {
    text += each.origin + (each.decisive ? "!" : "") + ':';
    for (const auto& word : each.words) text += '[' + word + ']';
    text += ' ';
  }
  return text;
}

void refuses(const std::string& culprit, compile_request request, errc code = errc::invalid_option,
             const kernix::toolchain& tools = gcc()) {
  auto plan = cxx{}.plan(request, tools);
  BOOST_TEST_CONTEXT(culprit) {
    BOOST_REQUIRE(plan.has_error());
    BOOST_TEST(plan.error().code == kernix::make_error_code(code));
    BOOST_TEST(plan.error().reason.find(culprit) != std::string::npos, plan.error().reason);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_cxx)

BOOST_AUTO_TEST_CASE(the_command_line_is_the_documented_one) {
  const auto plan = planned(simple());
  BOOST_TEST(plan.steps.size() == 1);
  BOOST_TEST(plan.steps[0].program == "/opt/gcc/bin/g++");
  BOOST_TEST(line(plan.steps[0], false) == "kernel.cpp -shared -fPIC -o kernel.so -std=c++17 -O3 -fno-gnu-unique ");
  BOOST_TEST(line(plan.steps[0]).ends_with("-MD -MF kernel.d -Wl,--dependency-file=link.d "));
  BOOST_TEST(plan.outputs[0].path == "kernel.so");
  BOOST_TEST(plan.files.size() == 1);
  BOOST_TEST(plan.files[0].path == plan.source_path);
  BOOST_TEST(plan.files[0].text == "int x;");
}

BOOST_AUTO_TEST_CASE(options_become_words_in_order) {
  compile_request request = simple();
  request.standard = "gnu++20";
  request.optimization = 1;
  request.debug_info = request.warnings = true;
  request.defines = {"A", "B=a b"};
  request.undefines = {"C"};
  request.compile_flags = {"-funroll-loops"};
  request.link_flags = {"-lm", "/opt/a b.a"};
  request.recorded_path = "/home/me/k.cpp";
  const auto step = planned(request).steps[0];
  BOOST_TEST(line(step, false) ==
             "kernel.cpp -shared -fPIC -o kernel.so -std=gnu++20 -O1 -g -Wall -fno-gnu-unique -DA -DB=a b -UC "
             "-ffile-prefix-map=kernel.cpp=/home/me/k.cpp -funroll-loops -lm /opt/a b.a ");
  BOOST_TEST(has(step, "/opt/a b.a"));
}

BOOST_AUTO_TEST_CASE(clang_is_not_told_what_it_rejects) {
  auto tools = gcc();
  tools.family = "clang";
  BOOST_TEST(!has(planned(simple(), tools).steps[0], "-fno-gnu-unique"));
}

BOOST_AUTO_TEST_CASE(no_path_or_name_of_the_request_reaches_the_compiler) {
  compile_request request{.name = "secret", .source = "int x;"};
  request.base_directory = "/secret";
  request.source_file = "src/secret.cpp";
  request.include_directories = {"inc", "/secret/abs", "/usr/include/", "/usr/./include/c++/12"};
  request.headers = {{"m.h", "x"}};
  const auto plan = planned(request);
  BOOST_TEST(line(plan.steps[0]).find("secret") == std::string::npos);
  BOOST_TEST(line(plan.steps[0]).find("-iquote headers0 -iquote source0 -I headers0 -I include0 -I include1 ") !=
             std::string::npos);
  BOOST_REQUIRE(plan.links.size() == 3);
  BOOST_TEST(plan.links[0].path == "source0");
  BOOST_TEST(plan.links[0].target == "/secret/src");
  BOOST_TEST(plan.links[1].target == "/secret/inc");
  BOOST_TEST(plan.links[2].target == "/secret/abs");
  BOOST_TEST(plan.files[1].path == "headers0/m.h");
  const std::vector<std::string> searched{"source0", "include0", "include1"};
  BOOST_TEST(plan.include_path == searched, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_relative_directory_needs_a_base) {
  compile_request request = simple();
  request.include_directories = {"inc"};
  refuses("\"inc\"", request, errc::invalid_request);
  request = simple();
  request.source_file = "k.cpp";
  refuses("k.cpp", request, errc::invalid_request);
}

BOOST_AUTO_TEST_CASE(the_environment_is_constructed) {
  std::string text;
  const auto plan = planned(simple());
  for (const auto& each : plan.environment) text += each.name + '=' + each.value + (each.in_key ? " " : "- ");
  BOOST_TEST(text ==
             "PATH=/opt/gcc/bin:/usr/local/bin:/usr/bin:/bin- LC_ALL=C LANGUAGE= TMPDIR=tmp- PWD=/proc/self/cwd ");
}

BOOST_AUTO_TEST_CASE(a_wrapper_comes_first_and_gets_its_own_variables) {
  auto tools = gcc();
  tools.wrapper = {"/usr/bin/ccache"};
  const auto settings = environment({"CXX=ccache g++ -m64", "CCACHE_DIR=/c", "HOME=/home/me", "CPATH=/evil"});
  const cxx backend = cxx{}.configured(settings);
  const auto plan = planned(simple(), tools, backend);
  BOOST_TEST(plan.steps[0].program == "/usr/bin/ccache");
  BOOST_TEST(line(plan.steps[0]).starts_with("/opt/gcc/bin/g++ -m64 kernel.cpp "));
  std::string names;
  for (const auto& each : plan.environment) names += each.name + ' ';
  BOOST_TEST(names == "PATH LC_ALL LANGUAGE TMPDIR PWD CCACHE_DIR HOME ");
  BOOST_TEST(!plan.environment.back().in_key);
  BOOST_TEST(planned(simple(), gcc(), backend).environment.size() == 5);
}

BOOST_AUTO_TEST_CASE(candidates_stand_in_the_documented_order) {
  BOOST_TEST(listed(cxx{}.candidates(environment({}))) == "PATH:[g++] PATH:[c++] PATH:[clang++] ");
  BOOST_TEST(listed(cxx{}.candidates(environment({"CXX=ccache g++ -m32", "KERNIX_CXX="}))) == "CXX!:[ccache][g++] ");
  BOOST_TEST(listed(cxx{}.candidates(environment({"CXX=a", "KERNIX_CXX=/x/b"}))) == "KERNIX_CXX!:[/x/b] ");
  BOOST_TEST(listed(cxx{}.candidates(environment({"KERNIX_CXX='/my tools/g++'"}))) == "KERNIX_CXX!:[/my tools/g++] ");
  BOOST_TEST(listed(cxx{.compiler = "/x/c"}.candidates(environment({"KERNIX_CXX=/x/b"}))) == "cxx::compiler!:[/x/c] ");
  BOOST_TEST(
      listed(cxx{}.candidates(environment({"CONDA_PREFIX=/conda"}))).starts_with("CONDA_PREFIX:[/conda/bin/g++] "));
}

BOOST_AUTO_TEST_CASE(fast_math_is_linked_apart) {
  for (int how = 0; how < 2; ++how) {
    compile_request request = simple();
    if (how == 0) request.fast_math = true;
    if (how == 1) request.compile_flags = {"-Ofast"};
    request.link_flags = {"-lm"};
    const auto plan = planned(request);
    BOOST_REQUIRE(plan.steps.size() == 2);
    BOOST_TEST(has(plan.steps[0], "-c"));
    BOOST_TEST(has(plan.steps[0], how == 0 ? "-ffast-math" : "-Ofast"));
    BOOST_TEST(!has(plan.steps[0], "-lm"));
    BOOST_TEST(plan.steps[1].name == "link");
    BOOST_TEST(!has(plan.steps[1], "-ffast-math"));
    BOOST_TEST(!has(plan.steps[1], "-Ofast"));
    BOOST_TEST(has(plan.steps[1], "-lm"));
    BOOST_TEST(has(plan.steps[1], "kernel.so"));
  }
}

BOOST_AUTO_TEST_CASE(the_linker_lists_what_it_read_if_it_can) {
  auto required = [](const compile_request& request, const std::string& linker) {
    auto tools = gcc();
    tools.properties = {{"linker", linker}};
    std::string paths;
    const auto plan = planned(request, tools);
    for (const auto& each : plan.steps.back().dependencies) paths += each.path + ' ';
    return paths;
  };
  compile_request with_library = simple();
  with_library.link_flags = {"-lm"};
  BOOST_TEST(required(simple(), "GNU ld (GNU Binutils) 2.35") == "kernel.d link.d ");
  BOOST_TEST(required(simple(), "GNU ld (GNU Binutils) 2.34") == "kernel.d ");
  BOOST_TEST(required(with_library, "GNU ld (GNU Binutils) 2.34") == "kernel.d unlisted.d ");
  BOOST_TEST(required(with_library, "LLD 14.0.6 (compatible with GNU linkers)") == "kernel.d link.d ");
  BOOST_TEST(required(with_library, "LLD 9.0 (compatible with GNU linkers)") == "kernel.d unlisted.d ");
  BOOST_TEST(required(with_library, "") == "kernel.d unlisted.d ");
  with_library.link_flags.push_back("-fuse-ld=gold");
  BOOST_TEST(required(with_library, "GNU ld (GNU Binutils) 2.40") == "kernel.d unlisted.d ");
  with_library.link_flags.back() = "-fuse-ld=lld";
  BOOST_TEST(required(with_library, "") == "kernel.d link.d ");
}

BOOST_AUTO_TEST_CASE(files_that_no_list_names_are_not_cached) {
  compile_request request = simple();
  request.compile_flags = {"-fplugin=/x/p.so"};
  const auto plan = planned(request);
  const auto& all = plan.steps[0].dependencies;
  BOOST_TEST(
      std::any_of(all.begin(), all.end(), [](const auto& each) { return each.path == "unlisted.d" && each.required; }));
}

BOOST_AUTO_TEST_CASE(include_directories_among_the_flags_are_searched_too) {
  compile_request request = simple();
  request.compile_flags = {"-I/a", "-isystem", "/b", "-iquote/c", "-idirafter", "/d"};
  const std::vector<std::string> wanted{"/a", "/b", "/c", "/d"};
  BOOST_TEST(planned(request).include_path == wanted, boost::test_tools::per_element());
  for (const char* token : {"-Iinc", "-isystem=inc", "-I"}) {
    request.compile_flags = {token};
    refuses(token, request);
  }
}

BOOST_AUTO_TEST_CASE(library_directories_among_the_flags_are_known_in_every_spelling) {
  compile_request request = simple();
  request.link_flags = {"-L/a", "-L", "/b", "-Wl,-L/c,-z,now", "-Wl,-L,/d", "-Xlinker", "-L/e", "-Wl,--library-path=/f", "-lg", "/h.a"};
  request.compile_flags = {"-L/i"};
  const std::vector<std::string> wanted{"/a", "/b", "/c", "/d", "/e", "/f", "/i"};
  BOOST_TEST(planned(request).library_path == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(tokens_that_take_something_from_kernix_are_refused) {
  for (const char* token : {"-o", "-ofoo", "-c", "-S", "-E", "-MD", "-MF", "-M", "-xc", "-save-temps", "@file", "-",
                            "extra.o", "-wrapper", "-Wl,--dependency-file=x", "-Wl,@file", "-Wa,-g,@file", "-Wp,@file"}) {
    compile_request request = simple();
    request.compile_flags = {token};
    refuses(token, request);
  }
  for (const char* token : {"-o", "@file", "-Wl,@file", "foo.o", "-Llib", "-MD"}) {
    compile_request request = simple();
    request.link_flags = {token};
    refuses(token, request);
  }
}

BOOST_AUTO_TEST_CASE(values_of_options_are_no_inputs) {
  compile_request request = simple();
  request.compile_flags = {"-include", "/x/y.h", "--param", "max-inline-insns-single=5", "-march=x86-64"};
  request.link_flags = {"-Xlinker", "--as-needed", "-L", "/x", "-z", "now", "/x/y.a"};
  BOOST_TEST(cxx{}.plan(request, gcc()).has_value());
}

BOOST_AUTO_TEST_CASE(what_it_cant_make_is_refused) {
  for (auto kind : {kernix::output_kind::cubin, kernix::output_kind::ptx, kernix::output_kind::fatbin,
                    kernix::output_kind::code_object}) {
    compile_request request = simple();
    request.kind = kind;
    refuses(std::string(name(kind)), request, errc::invalid_request);
  }
  compile_request request = simple();
  request.architectures = {"sm_90"};
  refuses("sm_90", request);
  request = simple();
  request.recorded_path = "/a=b";
  refuses("/a=b", request);
}

BOOST_AUTO_TEST_CASE(native_needs_a_known_processor) {
  compile_request request = simple();
  request.compile_flags = {"-march=native"};
  refuses("native", request);
  auto tools = gcc();
  tools.cpu = "zen";
  BOOST_TEST(cxx{}.plan(request, tools).has_value());
}

BOOST_AUTO_TEST_CASE(answers_tell_gcc_and_clang_from_impostors) {
  auto answered = [](std::string version, std::string verbose) {
    std::vector<kernix::process_result> answers(2);
    for (auto& each : answers) each.how = kernix::process_result::ending::exited;
    answers[0].out.head = std::move(version);
    answers[1].err.head = std::move(verbose);
    kernix::toolchain tools;
    auto wrong = cxx{}.describe(tools, answers);
    return wrong ? "refused: " + *wrong : tools.family + ' ' + tools.version + ' ' + tools.target;
  };
  BOOST_TEST(answered("g++ (Debian 12.2.0-14) 12.2.0\nCopyright",
                      "Target: x86_64-linux-gnu\ngcc version 12.2.0 (Debian)\n") == "gcc 12.2.0 x86_64-linux-gnu");
  BOOST_TEST(answered("g++ (fake) 99.1", "") == "gcc 99.1 ");
  BOOST_TEST(answered("Debian clang version 14.0.6\nTarget: a-b-c\n", "Target: a-b-c\n") == "clang 14.0.6 a-b-c");
  BOOST_TEST(answered("cat (GNU coreutils) 9.1\nCopyright (C) 2022 Free Software Foundation, Inc.\n", "")
                 .starts_with("refused: "));
  BOOST_TEST(answered("", "").starts_with("refused: "));
}

BOOST_AUTO_TEST_SUITE_END()
