// SPDX-License-Identifier: Apache-2.0
// A backend of one's own: a compiler for plain C. Everything else (processes, locks, caches, loading) is kernix's.

#include <iostream>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include <kernix/kernix.hpp>

namespace asio = boost::asio;

// [backend]
/// C11 with the system's C compiler. Pure: it starts nothing and reads nothing, it only says what is to be done.
struct c_compiler {
  std::string_view name() const { return "cc"; }
  kernix::platform platform() const { return kernix::platform::cpu; }

  std::vector<kernix::tool_candidate> candidates(const kernix::settings& from) const {
    if (auto chosen = from.variable("KERNIX_CC"); !chosen.empty()) {
      return {{{std::string(chosen)}, "KERNIX_CC", true}};  // the user's choice: no other is looked for
    }
    return {{{"cc"}, "PATH"}, {{"gcc"}, "PATH"}, {{"clang"}, "PATH"}};
  }

  kernix::result<kernix::command_plan> plan(const kernix::compile_request& request, const kernix::toolchain& tools) const {
    if (request.kind != kernix::output_kind::shared_object) {
      return kernix::refuse(kernix::errc::invalid_request, "this compiler makes shared objects only");
    }
    kernix::command_plan plan;
    plan.source_path = "kernel.c";
    plan.files = {{"kernel.c", request.source}};
    plan.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LC_ALL", "C"}};
    plan.outputs = {{kernix::output_kind::shared_object, "kernel.so"}};

    // whatever is in the command is in the cache's key, unless it is marked as having no effect on the output
    kernix::command_step step{.name = "compile", .program = tools.program, .arguments = {}};
    step.arguments = {"-std=c11", "-shared", "-fPIC", "-O" + std::to_string(request.optimization), "kernel.c", "-o", "kernel.so"};
    for (const std::string& define : request.defines) step.arguments.push_back("-D" + define);
    for (const std::string& flag : request.compile_flags) step.arguments.push_back(flag);
    for (const char* each : {"-MD", "-MF", "kernel.d"}) step.arguments.push_back(kernix::no_effect(each));
    step.dependencies = {{"kernel.d"}};  // the files that were read: the entry answers while they are unchanged
    plan.steps = {step};
    return plan;
  }

  kernix::diagnosis classify(const kernix::command_step&, const kernix::process_result& ended) const {
    if (ended.succeeded()) return {};
    return {.code = make_error_code(kernix::errc::compile_failed), .reason = "the C compiler rejected the source"};
  }
};
static_assert(kernix::compiler_backend<c_compiler>);
// [/backend]

int main() {
  asio::io_context context;
  kernix::kernel_cache kernels{context.get_executor(), c_compiler{}};
  bool correct = false;
  kernix::compile_request request{.name = "sum", .source = "int sum(int *restrict x, int n) { int s = 0; while (n) s += x[--n]; return s; }\n"};
  kernels.async_load<int(int*, int)>(request, "sum", [&](kernix::error_code ec, kernix::kernel<int(int*, int)> sum) {
    if (ec) {
      std::cerr << sum.diagnostics().to_string() << '\n';
      return;
    }
    int numbers[] = {1, 2, 3, 4};
    std::cout << "1 + 2 + 3 + 4 = " << sum(numbers, 4) << ", by " << sum.diagnostics().command << '\n';
    correct = sum(numbers, 4) == 10;
  });
  context.run();
  return correct ? 0 : 1;
}
