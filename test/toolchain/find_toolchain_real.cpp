// SPDX-License-Identifier: Apache-2.0
#include <kernix/toolchain/find_toolchain.hpp>

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/io_context.hpp>

#include <kernix/backend/cxx.hpp>
#include <kernix/backend/nvcc.hpp>
#include <kernix/process/subprocess_runner.hpp>

#include "support/await_search.hpp"
#include "support/temporary_tree.hpp"

namespace {

using kernix::settings;
using kernix::toolchain;
using kernix::toolchain_search;

template <class B>
std::pair<kernix::error_code, toolchain_search> search(B backend, settings from) {
  boost::asio::io_context context;
  return kernix::test::await_search(context, [backend, from](auto shared) {
    return kernix::detail::find_toolchain(shared, backend, kernix::subprocess_runner{}, from);
  });
}

/// True if any candidate in the usual places leads to `path`; the case is then worth running.
struct is_there {
  std::string path;
  boost::test_tools::assertion_result operator()(boost::unit_test::test_unit_id) const {
    boost::test_tools::assertion_result there(std::filesystem::exists(path));
    if (!there) there.message() << path << " is not installed";
    return there;
  }
};

bool has_part(const toolchain& tool, std::string_view name) {
  for (const auto& part : tool.parts) {
    if (part.path.filename() == name) return part.content != kernix::digest{} && part.path.is_absolute();
  }
  return false;
}

/// A part whose name begins so, whose bytes are many: the compiler itself.
bool has_large_part(const toolchain& tool, std::string_view start) {
  for (const auto& part : tool.parts) {
    if (part.path.filename().native().starts_with(start) && part.signature.size > 10'000'000) return true;
  }
  return false;
}

settings with_cxx(std::string compiler) {
  settings from;
  from.variables["CXX"] = std::move(compiler);
  return from;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(toolchain_find_toolchain_real)

BOOST_AUTO_TEST_CASE(gcc_is_identified_with_the_programs_that_it_runs,
                     *boost::unit_test::precondition(is_there{"/usr/bin/g++"})) {
  auto [code, found] = search(kernix::cxx{}, with_cxx("g++"));
  BOOST_TEST_REQUIRE(!code, found.report.to_string());
  const toolchain& tool = *found.found;
  BOOST_TEST(tool.family == "gcc");
  BOOST_TEST(tool.origin == "CXX");
  BOOST_TEST(!tool.version.empty());
  BOOST_TEST(tool.target.find("linux") != std::string::npos, tool.target);
  for (std::string_view part : {"cc1plus", "as", "ld", "collect2"}) BOOST_TEST(has_part(tool, part), part);
  BOOST_TEST(has_large_part(tool, "cc1plus"));
  BOOST_TEST(!tool.system_includes.empty());
  BOOST_TEST(kernix::unchanged(tool));
}

BOOST_AUTO_TEST_CASE(clang_14_is_identified_with_the_libraries_that_it_consists_of,
                     *boost::unit_test::precondition(is_there{"/usr/bin/clang++-14"})) {
  auto [code, found] = search(kernix::cxx{}, with_cxx("clang++-14"));
  BOOST_TEST_REQUIRE(!code, found.report.to_string());
  BOOST_TEST(found.found->family == "clang");
  BOOST_TEST(found.found->version.starts_with("14."));
  BOOST_TEST((found.found->program == "/usr/bin/clang++-14"));
  BOOST_TEST((has_large_part(*found.found, "libLLVM") || has_large_part(*found.found, "clang")));
}

BOOST_AUTO_TEST_CASE(clang_19_differs_from_every_other_compiler,
                     *boost::unit_test::precondition(is_there{"/usr/bin/clang++-19"})) {
  auto [code, found] = search(kernix::cxx{}, with_cxx("/usr/bin/clang++-19"));
  BOOST_TEST_REQUIRE(!code, found.report.to_string());
  BOOST_TEST(found.found->version.starts_with("19."));
  BOOST_TEST((has_large_part(*found.found, "libLLVM") || has_large_part(*found.found, "clang")));
  auto other = search(kernix::cxx{}, with_cxx("g++")).second.found;
  if (other) BOOST_TEST((other->fingerprint != found.found->fingerprint));
}

BOOST_AUTO_TEST_CASE(a_compiler_that_is_something_else_is_refused, *boost::unit_test::precondition(is_there{"/bin/true"})) {
  auto [code, found] = search(kernix::cxx{}, with_cxx("/bin/true"));
  BOOST_TEST((code == kernix::errc::toolchain_not_found));
  BOOST_TEST(found.report.reason.find("CXX") != std::string::npos, found.report.reason);
}

BOOST_AUTO_TEST_CASE(nvcc_is_identified_with_its_chain_and_its_host_compiler,
                     *boost::unit_test::precondition(is_there{"/usr/local/cuda/bin/nvcc"})) {
  settings from;
  from.variables["CUDA_HOME"] = "/usr/local/cuda/";
  kernix::test::temporary_tree tree;
  from.cache_directory = tree / "cache";
  auto [code, found] = search(kernix::nvcc{}, from);
  BOOST_TEST_REQUIRE(!code, found.report.to_string());
  const toolchain& tool = *found.found;
  BOOST_TEST(tool.family == "nvcc");
  BOOST_TEST(tool.origin == "CUDA_HOME");
  BOOST_TEST((tool.program == std::filesystem::canonical("/usr/local/cuda/bin/nvcc")));
  for (std::string_view part : {"nvcc", "cicc", "ptxas", "cudafe++", "nvcc.profile"}) BOOST_TEST(has_part(tool, part), part);
  BOOST_TEST(!tool.architectures.empty());
  BOOST_TEST_REQUIRE(tool.host != nullptr);
  BOOST_TEST(tool.host->family == "gcc");
  BOOST_TEST(has_part(*tool.host, "cc1plus"));
  // Through a link elsewhere, and from the memo, it is the same.
  tree.link("bin/nvcc", "/usr/local/cuda/bin/nvcc");
  settings linked = from;
  linked.variables["KERNIX_NVCC"] = (tree / "bin/nvcc").string();
  auto by_link = search(kernix::nvcc{}, linked).second.found;
  BOOST_TEST_REQUIRE(by_link != nullptr);
  BOOST_TEST((by_link->fingerprint == tool.fingerprint));
  BOOST_TEST((by_link->program == tool.program));
  auto recalled = search(kernix::nvcc{}, from).second.found;
  BOOST_TEST_REQUIRE(recalled != nullptr);
  BOOST_TEST((recalled->fingerprint == tool.fingerprint));
  BOOST_TEST(recalled->parts.size() == tool.parts.size());
}

BOOST_AUTO_TEST_SUITE_END()
