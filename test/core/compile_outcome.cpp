// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/compile_outcome.hpp>

#include <memory>
#include <set>
#include <string_view>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(core_compile_outcome)

using kernix::compile_outcome;
using kernix::output_kind;

BOOST_AUTO_TEST_CASE(an_empty_outcome_can_be_asked_everything) {
  const compile_outcome none;
  BOOST_TEST(none.artifacts().empty());
  BOOST_TEST(!none.find(output_kind::ptx));
  BOOST_TEST(none.diagnostics().log.empty());
  BOOST_TEST((none.key() == kernix::digest{}));
}

BOOST_AUTO_TEST_CASE(a_failure_carries_its_diagnostics_and_is_never_cached) {
  kernix::diagnostics what;
  what.code = kernix::errc::compile_failed;
  what.log = "the log";
  const auto failed = compile_outcome::failed(what);
  BOOST_TEST(failed.diagnostics().log == "the log");
  BOOST_TEST(!failed.payload().cacheable);
}

BOOST_AUTO_TEST_CASE(copies_share_the_payload_and_keep_it_alive) {
  auto payload = std::make_shared<kernix::outcome_payload>();
  payload->artifacts = {{output_kind::shared_object, "/x/k.so", 3, {}}, {output_kind::ptx, "/x/k.ptx", 4, {}}};
  auto keeper = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = keeper;
  payload->keeper = std::move(keeper);
  compile_outcome first(std::move(payload), kernix::origin::disk);
  compile_outcome second = first;
  first = {};
  BOOST_TEST(!watched.expired());
  BOOST_REQUIRE(second.find(output_kind::ptx));
  BOOST_TEST(second.find(output_kind::ptx)->path == "/x/k.ptx");
  BOOST_TEST(!second.find(output_kind::cubin));
  BOOST_TEST((second.origin() == kernix::origin::disk));
  second = {};
  BOOST_TEST(watched.expired());
}

BOOST_AUTO_TEST_CASE(origins_have_the_names_of_the_command_line) {
  std::set<std::string_view> names;
  for (auto each : {kernix::origin::compiler, kernix::origin::memory, kernix::origin::joined, kernix::origin::disk,
                    kernix::origin::remote})
    names.insert(name(each));
  const std::set<std::string_view> wanted{"compiler", "disk", "joined", "memory", "remote"};
  BOOST_TEST(names == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
