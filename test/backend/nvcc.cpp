// SPDX-License-Identifier: Apache-2.0
#include <kernix/backend/nvcc.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace {

using kernix::compile_request;
using kernix::errc;
using kernix::nvcc;
using kernix::output_kind;

kernix::toolchain toolkit() {
  kernix::toolchain host;
  host.program = "/usr/bin/g++";
  host.family = "gcc";
  host.properties = {{"linker", "GNU ld (GNU Binutils) 2.40"}};
  kernix::toolchain tools;
  tools.program = "/cuda/bin/nvcc";
  tools.family = "nvcc";
  tools.version = "13.0.88";
  tools.root = "/cuda";
  tools.architectures = {"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"};
  tools.system_includes = {"/cuda/include", "/cuda/include/cccl"};
  tools.library_directories = {"/cuda/lib64"};
  tools.host = std::make_shared<kernix::toolchain>(host);
  return tools;
}

compile_request simple() { return {.name = "k", .source = "int x;", .architectures = {"90"}}; }

kernix::command_plan planned(const compile_request& request, const kernix::toolchain& tools = toolkit(),
                             const nvcc& backend = {}) {
  auto plan = backend.plan(request, tools);
  if (plan.has_error()) BOOST_FAIL(plan.error().reason);
  BOOST_REQUIRE(plan->steps.size() == 1);
  return *plan;
}

std::string line(const kernix::command_plan& plan, bool literals_only = false) {
  std::string text;
  for (const auto& each : plan.steps[0].arguments) {
    if (!literals_only || each.how == kernix::argument::kind::literal) text += each.text + ' ';
  }
  return text;
}

std::string generated(std::vector<std::string> architectures, output_kind kind = output_kind::shared_object) {
  compile_request request{.name = "k", .source = "int x;", .kind = kind, .architectures = std::move(architectures)};
  auto plan = nvcc{}.plan(request, toolkit());
  if (plan.has_error()) return "refused";
  std::string text;
  for (const auto& each : plan->steps[0].arguments) {
    if (each.text.starts_with("-gencode=arch=")) text += each.text.substr(14) + ' ';
  }
  return text;
}

void refuses(const std::string& culprit, const compile_request& request, errc code = errc::invalid_option,
             const kernix::toolchain& tools = toolkit()) {
  auto plan = nvcc{}.plan(request, tools);
  BOOST_TEST_CONTEXT(culprit) {
    BOOST_REQUIRE(plan.has_error());
    BOOST_TEST(plan.error().code == kernix::make_error_code(code));
    BOOST_TEST(plan.error().reason.find(culprit) != std::string::npos, plan.error().reason);
  }
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

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_nvcc)

BOOST_AUTO_TEST_CASE(the_command_line_is_the_documented_one) {
  const auto plan = planned(simple());
  BOOST_TEST(plan.steps[0].program == "/cuda/bin/nvcc");
  BOOST_TEST(line(plan) ==
             "kernel.cu -shared -o kernel.so -gencode=arch=compute_90,code=sm_90 "
             "-gencode=arch=compute_90,code=compute_90 --compiler-options -fPIC "
             "--std=c++17 -O3 -ccbin /usr/bin/g++ -Xcompiler -fno-gnu-unique -I /cuda/include -MD -MF kernel.d -L "
             "/cuda/lib64 -Xlinker -rpath -Xlinker "
             "\"/cuda/lib64\" -Xlinker --dependency-file=link.d ");
  BOOST_TEST(line(plan, true).find("/usr/bin/g++") == std::string::npos);
  BOOST_TEST(plan.environment[0].value == "/cuda/bin:/usr/local/bin:/usr/bin:/bin");
}

BOOST_AUTO_TEST_CASE(ptx_is_embedded_for_the_highest_portable_architecture) {
  BOOST_TEST(generated({"80", "9.0"}) == "compute_80,code=sm_80 compute_90,code=sm_90 compute_90,code=compute_90 ");
  BOOST_TEST(generated({"sm_90", "8.0"}) == generated({"80", "9.0"}));
  BOOST_TEST(generated({"90a", "80"}) == "compute_80,code=sm_80 compute_90a,code=sm_90a compute_80,code=compute_80 ");
  BOOST_TEST(generated({"90a"}) == "compute_90a,code=sm_90a ");
  BOOST_TEST(generated({"8.0+PTX", "8.6"}) ==
             "compute_80,code=sm_80 compute_86,code=sm_86 compute_80,code=compute_80 compute_86,code=compute_86 ");
  BOOST_TEST(generated({"8.6+PTX"}) == generated({"8.6"}));
  BOOST_TEST(generated({"90"}, output_kind::cubin) == "compute_90,code=sm_90 ");
  BOOST_TEST(generated({"90"}, output_kind::ptx) == "compute_90,code=compute_90 ");
  BOOST_TEST(generated({"90", "80"}, output_kind::fatbin) == generated({"80", "90"}));
}

BOOST_AUTO_TEST_CASE(architectures_are_checked_before_anything_is_started) {
  compile_request request = simple();
  request.architectures = {"7.0"};
  refuses("sm_70", request, errc::unsupported_arch);
  refuses("75, 80, 86, 90, 100, 120", request, errc::unsupported_arch);
  for (const char* wrong : {"80a", "90f", "8.60", "native", "gfx90a"}) {
    request.architectures = {"80", wrong};
    refuses(wrong, request, errc::unsupported_arch);
  }
  request.architectures = {"80", "90"};
  for (output_kind kind : {output_kind::cubin, output_kind::ptx}) {
    request.kind = kind;
    refuses("one architecture", request, errc::invalid_request);
  }
  auto silent = toolkit();
  silent.architectures.clear();
  request = simple();
  request.architectures = {"70"};
  BOOST_TEST(nvcc{}.plan(request, silent).has_value());
}

BOOST_AUTO_TEST_CASE(architectures_come_from_request_settings_devices_in_this_order) {
  compile_request request = simple();
  request.architectures.clear();
  auto tools = toolkit();
  refuses("KERNIX_CUDA_ARCHITECTURES", request, errc::unsupported_arch, tools);
  tools.device_architectures = {"90"};
  BOOST_TEST(line(planned(request, tools)).find("sm_90 ") != std::string::npos);
  const nvcc configured = nvcc{}.configured(environment({"KERNIX_CUDA_ARCHITECTURES=8.6"}));
  BOOST_TEST(line(planned(request, tools, configured)).find("sm_86 ") != std::string::npos);
  BOOST_TEST(line(planned(request, tools, configured)).find("sm_90") == std::string::npos);
  request.architectures = {"80"};
  BOOST_TEST(line(planned(request, tools, configured)).find("sm_86") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(settings_that_make_no_sense_are_named) {
  for (const char* variable : {"KERNIX_CUDA_ARCHITECTURES=8.60", "KERNIX_ALLOW_UNSUPPORTED_COMPILER=perhaps",
                               "BRAINEVENT_ALLOW_UNSUPPORTED_COMPILER=2", "KERNIX_NVCC_PREFER=conda"}) {
    auto plan = nvcc{}.configured(environment({variable})).plan(simple(), toolkit());
    BOOST_REQUIRE_MESSAGE(plan.has_error(), variable);
    BOOST_TEST(plan.error().reason.starts_with(std::string(variable).substr(0, std::string(variable).find('='))),
               plan.error().reason);
  }
}

BOOST_AUTO_TEST_CASE(unsupported_compilers_are_allowed_by_code_or_variable) {
  auto allowed = [](std::vector<const char*> variables, nvcc backend = {}) {
    return line(planned(simple(), toolkit(), backend.configured(environment(std::move(variables)))))
               .find("-allow-unsupported-compiler ") != std::string::npos;
  };
  BOOST_TEST(!allowed({}));
  for (const char* on : {"1", "true", "YES", "on"}) {
    BOOST_TEST(allowed({("KERNIX_ALLOW_UNSUPPORTED_COMPILER=" + std::string(on)).c_str()}));
  }
  BOOST_TEST(!allowed({"KERNIX_ALLOW_UNSUPPORTED_COMPILER=0", "BRAINEVENT_ALLOW_UNSUPPORTED_COMPILER=1"}));
  BOOST_TEST(allowed({"BRAINEVENT_ALLOW_UNSUPPORTED_COMPILER=1"}));
  BOOST_TEST(!allowed({"KERNIX_ALLOW_UNSUPPORTED_COMPILER=1"}, nvcc{.allow_unsupported_compiler = false}));
}

BOOST_AUTO_TEST_CASE(several_architectures_are_built_in_parallel_without_changing_the_key) {
  compile_request request = simple();
  BOOST_TEST(line(planned(request)).find("-t0") == std::string::npos);
  request.architectures = {"80", "90"};
  BOOST_TEST(line(planned(request)).find("-t0 ") != std::string::npos);
  BOOST_TEST(line(planned(request), true).find("-t0") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(macros_that_a_shell_would_spoil_go_through_a_header) {
  compile_request request = simple();
  request.defines = {"A=1", "S=\"$(touch x)\"", "F(x,y)=x", "S2=a,b", "A=2"};
  request.undefines = {"U"};
  request.compile_flags = {"-DT=\"a b\"", "-D", "B=3", "-UC"};
  const auto plan = planned(request);
  BOOST_TEST(line(plan).find("touch") == std::string::npos);
  BOOST_TEST(line(plan).find("-DA=2 -DB=3 -UU -UC -include defines0.h ") != std::string::npos, line(plan));
  BOOST_TEST(line(plan).find("-DA=1") == std::string::npos);
  BOOST_REQUIRE(plan.files.size() == 2);
  BOOST_TEST(plan.files[1].path == "defines0.h");
  BOOST_TEST(plan.files[1].text ==
             "#define S \"$(touch x)\"\n\n#define F(x,y) x\n\n#define S2 a,b\n\n#define T \"a b\"\n\n");
}

BOOST_AUTO_TEST_CASE(link_tokens_become_pairs) {
  compile_request request = simple();
  request.link_flags = {"-lfoo", "-Wl,-rpath,/x y", "-L/a,b", "-Xlinker", "--as-needed", "-fopenmp", "/x/y.a"};
  BOOST_TEST(line(planned(request))
                     .find("-MF kernel.d -Xlinker -lfoo -Xlinker -rpath -Xlinker \"/x y\" -Xlinker \"-L/a,b\" -Xlinker "
                           "--as-needed -Xcompiler "
                           "-fopenmp -Xlinker /x/y.a -L ") != std::string::npos,
             line(planned(request)));
  for (const char* token : {"/x/`id`", "/x/a\"b", "/x/a'b", "/x/a\\b", "-Xlinker", "-ffast-math", "lib.a"}) {
    request.link_flags = {token};
    refuses(token, request);
  }
  request.kind = output_kind::cubin;
  request.link_flags = {"-lm"};
  BOOST_TEST(line(planned(request)).find("-lm") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(library_directories_are_nvccs_own_options_so_that_they_come_before_the_systems) {
  compile_request request = simple();
  request.link_flags = {"-L/a", "-L", "/b c", "-lfoo", "-Xlinker", "-L/d"};
  BOOST_TEST(line(planned(request)).find("-L /a -L /b c -Xlinker -lfoo -Xlinker -L/d ") != std::string::npos,
             line(planned(request)));
  const std::vector<std::string> wanted{"/a", "/b c", "/d"};
  BOOST_TEST(planned(request).library_path == wanted, boost::test_tools::per_element());
  request.link_flags = {"-L"};
  refuses("-L", request);
}

BOOST_AUTO_TEST_CASE(what_the_host_compiler_reads_beside_its_lists_is_not_cached) {
  compile_request request = simple();
  auto unlisted = [&] {
    const auto plan = planned(request);
    const auto& all = plan.steps[0].dependencies;
    return std::any_of(all.begin(), all.end(), [](const auto& each) { return each.path == "unlisted.d" && each.required; });
  };
  for (const char* token : {"-Xcompiler=-specs=/x", "--compiler-options=-fPIC,-fplugin=/x.so", "-Xcompiler=-g,-B/x"}) {
    request.compile_flags = {token};
    BOOST_TEST(unlisted(), token);
  }
  request.compile_flags = {"-Xcompiler", "-specs=/x"};
  BOOST_TEST(unlisted());
  request.compile_flags = {"-Xcompiler=-fPIC,-g", "-Xptxas=-v"};
  BOOST_TEST(!unlisted());
  for (const char* token : {"-Xcompiler=@/x", "--compiler-options=-g,@/x", "-Xptxas=@/x"}) {
    request.compile_flags = {token};
    refuses(token, request);
  }
}

BOOST_AUTO_TEST_CASE(tokens_that_kernix_or_a_shell_would_stumble_over_are_refused) {
  for (const char* token : {"-o",
                            "-ofoo",
                            "-c",
                            "-ptx",
                            "--cubin",
                            "-E",
                            "-MD",
                            "-arch=sm_80",
                            "-gencode=arch=compute_80,code=sm_80",
                            "--gpu-architecture=sm_80",
                            "-ccbin=g++",
                            "-std=c++20",
                            "--std=c++20",
                            "--keep",
                            "-dryrun",
                            "-x",
                            "-optf",
                            "-allow-unsupported-compiler",
                            "-Xcompiler=-DA;touch",
                            "-Xcompiler=-DA=$(id)",
                            "--foo='x'",
                            "-I/x/a,b",
                            "-I/x/$HOME",
                            "-include=/x/`id`",
                            "-Iinc",
                            "@file",
                            "other.cu",
                            "-Xcompiler=-ffast-math"}) {
    compile_request request = simple();
    request.compile_flags = {token};
    refuses(token, request);
  }
  compile_request request = simple();
  request.compile_flags = {"-lineinfo",           "--expt-relaxed-constexpr",
                           "-Xptxas=-v,-O3",      "-Xcompiler",
                           "-Wall,-Wextra",       "-I/x y",
                           "--diag-suppress=1,2", "-G"};
  BOOST_TEST(nvcc{}.plan(request, toolkit()).has_value());
}

BOOST_AUTO_TEST_CASE(what_cant_be_planned_is_refused) {
  compile_request request = simple();
  request.kind = output_kind::code_object;
  refuses("code_object", request, errc::invalid_request);
  request = simple();
  request.standard = "gnu++17";
  refuses("gnu++17", request);
  request = simple();
  request.recorded_path = "/home/$(id)/k.cu";
  refuses("$(id)", request);
  auto tools = toolkit();
  tools.host = nullptr;
  refuses("host compiler", simple(), errc::tool_not_found, tools);
  tools = toolkit();
  tools.program = "/cu`id`da/bin/nvcc";
  refuses("shell", simple(), errc::invalid_option, tools);
}

BOOST_AUTO_TEST_CASE(own_directories_come_before_the_toolkits_and_these_before_the_requests) {
  compile_request request = simple();
  request.headers = {{"m.h", ""}};
  request.source_file = "/src/k.cu";
  request.include_directories = {"/inc", "/cuda/include/"};
  BOOST_TEST(line(planned(request))
                     .find("-Xcompiler -iquote -Xcompiler headers0 -Xcompiler -iquote -Xcompiler source0 -I headers0 "
                           "-I /cuda/include -I include0 ") != std::string::npos,
             line(planned(request)));
}

BOOST_AUTO_TEST_CASE(candidates_stand_in_the_documented_order) {
  BOOST_TEST(listed(nvcc{.compiler = "/x/nvcc"}.candidates(environment({"KERNIX_NVCC=/y"}))) ==
             "nvcc::compiler!:[/x/nvcc] ");
  BOOST_TEST(listed(nvcc{}.candidates(environment({"KERNIX_NVCC=/y/nvcc", "CUDA_HOME=/c"}))) ==
             "KERNIX_NVCC!:[/y/nvcc] ");
  const std::string all =
      listed(nvcc{}.candidates(environment({"CUDA_HOME=:/cuda", "CUDA_PATH=/other/", "VIRTUAL_ENV=/venv"})));
  std::size_t at = 0;
  for (const char* each : {"CUDA_HOME:[/cuda/bin/nvcc]", "CUDA_PATH:[/other/bin/nvcc]",
                           "pip:[/venv/lib/python3.*/site-packages/nvidia/cu*/bin/nvcc]",
                           "pip:[/venv/lib/python3.*/site-packages/nvidia/cuda_nvcc/bin/nvcc]", "PATH:[nvcc]",
                           "[/usr/local/cuda/bin/nvcc]"}) {
    const std::size_t next = all.find(each, at);
    BOOST_TEST(next != std::string::npos, each);
    if (next != std::string::npos) at = next;
  }
  const std::string system = listed(nvcc{}.candidates(environment({"VIRTUAL_ENV=/venv", "KERNIX_NVCC_PREFER=system"})));
  BOOST_TEST(system.find("PATH:[nvcc]") < system.find("pip:"));
}

BOOST_AUTO_TEST_CASE(the_host_compiler_is_the_configured_one_without_wrapper_words) {
  BOOST_TEST(listed(nvcc{}.host_candidates(environment({}))) == "PATH:[g++] ");
  BOOST_TEST(listed(nvcc{}.host_candidates(environment({"CXX=ccache clang++ -m64"}))) == "CXX!:[clang++] ");
  BOOST_TEST(listed(nvcc{}.host_candidates(environment({"CXX=a", "KERNIX_CUDA_HOST_CXX=/b"}))) ==
             "KERNIX_CUDA_HOST_CXX!:[/b] ");
  BOOST_TEST(listed(nvcc{.host_compiler = "/h"}.host_candidates(environment({"CXX=a"}))) ==
             "nvcc::host_compiler!:[/h] ");
}

BOOST_AUTO_TEST_CASE(answers_describe_the_toolkit) {
  std::vector<kernix::process_result> answers(3);
  for (auto& each : answers) each.how = kernix::process_result::ending::exited;
  answers[0].out.head =
      "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0\n";
  answers[1].out.head = "sm_80\nsm_90a\n";
  answers[2].err.head =
      "#$ TOP=/c/bin/..\n#$ CICC_PATH=/c/bin/../nvvm/bin\n#$ INCLUDES=\"-I/c/bin/../targets/x/include\"  \n"
      "#$ SYSTEM_INCLUDES=\"-isystem\" \"/c/bin/../targets/x/include/cccl\" \ngcc: No such file\n";
  answers[2].exit_code = 1;
  kernix::toolchain tools;
  tools.program = "/c/bin/nvcc";
  BOOST_TEST(!nvcc{}.describe(tools, answers));
  BOOST_TEST(tools.version == "13.0.88");
  BOOST_TEST(tools.root == "/c");
  BOOST_TEST(tools.architectures.size() == 2);
  BOOST_TEST(tools.system_includes.at(0) == "/c/targets/x/include");
  BOOST_TEST(tools.system_includes.at(1) == "/c/targets/x/include/cccl");
  auto has_part = [&](const char* path) {
    return std::any_of(tools.parts.begin(), tools.parts.end(), [&](const auto& each) { return each.path == path; });
  };
  for (const char* part :
       {"/c/bin/ptxas", "/c/bin/nvcc.profile", "/c/nvvm/bin/cicc", "/c/nvvm/libdevice/libdevice.10.bc"})
    BOOST_TEST(has_part(part), part);

  kernix::toolchain split;
  split.program = "/site/nvidia/cuda_nvcc/bin/nvcc";
  answers[2].err.head.clear();
  BOOST_TEST(!nvcc{}.describe(split, answers));
  BOOST_TEST((std::find(split.library_directories.begin(), split.library_directories.end(),
                        "/site/nvidia/cuda_runtime/lib") != split.library_directories.end()));

  answers[0].out.head = "hello\n";
  BOOST_TEST(nvcc{}.describe(tools, answers).has_value());
}

BOOST_AUTO_TEST_CASE(devices_are_read_from_the_answer_of_nvidia_smi) {
  kernix::process_result answer;
  answer.how = kernix::process_result::ending::exited;
  answer.out.head = "9.0\n8.6\n";
  const std::vector<std::string> wanted{"90", "86"};
  BOOST_TEST(nvcc{}.device_architectures(answer) == wanted, boost::test_tools::per_element());
  answer.exit_code = 9;
  BOOST_TEST(nvcc{}.device_architectures(answer).empty());
}

BOOST_AUTO_TEST_SUITE_END()
