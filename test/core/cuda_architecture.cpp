// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/cuda_architecture.hpp>

#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace {

using kernix::cuda_architecture;

std::string spelled(const std::vector<std::string>& texts) {
  auto parsed = kernix::parse_cuda_architectures(texts);
  if (parsed.has_error()) return "refused";
  std::string text;
  for (const auto& each : *parsed) text += each.architecture.text() + (each.ptx ? "+PTX " : " ");
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_cuda_architecture)

BOOST_AUTO_TEST_CASE(every_spelling_means_the_same) {
  static_assert(cuda_architecture::parse("sm_86") == cuda_architecture{86});
  for (const char* text : {"8.6", "86", "sm_86", "compute_86", "SM_86", "Compute_86", "  8.6\t"}) {
    BOOST_TEST((cuda_architecture::parse(text) == cuda_architecture{86}), text);
  }
  for (const char* text : {"9.0a", "90a", "90A", "sm_90a", "compute_90a"}) {
    BOOST_TEST((cuda_architecture::parse(text) == cuda_architecture{90, 'a'}), text);
  }
  const std::pair<const char*, cuda_architecture> table[] = {
      {"10.0f", {100, 'f'}}, {"sm_100f", {100, 'f'}}, {"12.0", {120}}, {"120", {120}},
      {"12.1", {121}},       {"sm_103a", {103, 'a'}}, {"1.2", {12}},   {"12", {12}}};
  for (const auto& [text, wanted] : table) BOOST_TEST((cuda_architecture::parse(text) == wanted), text);
}

BOOST_AUTO_TEST_CASE(nonsense_is_refused_with_its_name) {
  for (const char* text :
       {"8.60",   "sm_8",   "1000", "8",        "",         " ",    "sm_",      "sm_8.6", "08.6",   "086",
        "8.",     ".6",     "8..6", "8.6.1",    "9.0b",     "90aa", "a",        "gfx90a", "sm_90+", "-90",
        "90 a b", "native", "all",  "sm_sm_90", "8.6+PTXX", "+PTX", "8.6++PTX", "９０"}) {
    auto parsed = kernix::parse_cuda_architectures({text});
    BOOST_TEST(parsed.has_error(), text);
    if (!parsed.has_error()) continue;
    BOOST_TEST((parsed.error().code == kernix::errc::unsupported_arch));
    BOOST_TEST(!parsed.error().reason.empty());
  }
  BOOST_TEST(kernix::parse_cuda_architectures({"90", "8.60"}).error().reason.find("\"8.60\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(lists_are_ordered_as_numbers_without_duplicates) {
  BOOST_TEST(spelled({"90", "8.0"}) == "80 90 ");
  BOOST_TEST(spelled({"8.0;9.0, sm_100  90a"}) == "80 90 90a 100 ");
  BOOST_TEST(spelled({"sm_100", "90a", "compute_90", "9.0", "90"}) == "90 90a 100 ");
  BOOST_TEST(spelled({"90", "80"}) == spelled({"8.0,sm_90"}));
  BOOST_TEST(spelled({"8.6+PTX", "8.0"}) == "80 86+PTX ");
  BOOST_TEST(spelled({"8.6", "8.6+ptx"}) == "86+PTX ");
  BOOST_TEST(spelled({";,"}) == "refused");
  BOOST_TEST(spelled({}).empty());
}

BOOST_AUTO_TEST_CASE(the_highest_portable_one_has_no_suffix) {
  auto of = [](const std::vector<std::string>& texts) {
    return kernix::highest_portable(*kernix::parse_cuda_architectures(texts));
  };
  BOOST_TEST((of({"80", "90a"}) == cuda_architecture{80}));
  BOOST_TEST((of({"100f", "90", "80"}) == cuda_architecture{90}));
  BOOST_TEST((of({"80", "90a"}) == of({"90a", "80"})));
  BOOST_TEST((of({"90a", "100f"}) == std::nullopt));
}

BOOST_AUTO_TEST_SUITE_END()
