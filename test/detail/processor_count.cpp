// SPDX-License-Identifier: Apache-2.0
#include <kernix/detail/processor_count.hpp>

#include <sched.h>

#include <string>
#include <thread>

#include <boost/test/unit_test.hpp>

#include <support/temporary_tree.hpp>

namespace {

using kernix::detail::cores_of_control_group;
using kernix::detail::cores_of_quota;

}  // namespace

BOOST_AUTO_TEST_SUITE(detail_processor_count)

BOOST_AUTO_TEST_CASE(quota_is_rounded_up_and_never_zero) {
  BOOST_TEST(cores_of_quota("200000", "100000\n").value() == 2U);
  BOOST_TEST(cores_of_quota("150000", "100000\n").value() == 2U);
  BOOST_TEST(cores_of_quota("1000", "100000\n").value() == 1U);
  BOOST_TEST(cores_of_quota("9223372036854775807", "1").value() == 1U << 20);
  BOOST_TEST(cores_of_quota("9223372036854775807", "9223372036854775807").value() == 1U);
}

BOOST_AUTO_TEST_CASE(no_quota_is_no_limit) {
  for (auto text : {"max", "-1\n", "0", "", "x"}) BOOST_TEST(!cores_of_quota(text, "100000").has_value());
  BOOST_TEST(!cores_of_quota("100000", "0").has_value());
  BOOST_TEST(!cores_of_quota("100000", "").has_value());
}

BOOST_AUTO_TEST_CASE(smallest_quota_on_the_way_to_the_root_counts) {
  kernix::test::temporary_tree tree;
  tree.file("a/cpu.max", "300000 100000\n");
  tree.file("a/b/cpu.max", "max 100000\n");
  tree.file("a/b/c/cpu.max", "500000 100000\n");
  BOOST_TEST(cores_of_control_group("0::/a/b/c\n", tree.root()).value() == 3U);
  BOOST_TEST(!cores_of_control_group("0::/elsewhere\n", tree.root()).has_value());
}

BOOST_AUTO_TEST_CASE(path_that_only_the_outside_knows_falls_back_to_its_parents) {
  kernix::test::temporary_tree tree;
  tree.file("cpu.max", "100000 100000\n");
  BOOST_TEST(cores_of_control_group("0::/docker/0123\n", tree.root()).value() == 1U);
}

BOOST_AUTO_TEST_CASE(version_1_is_read_beside_version_2) {
  kernix::test::temporary_tree tree;
  tree.file("cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  tree.file("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  std::string membership = "5:memory:/other\n4:cpu,cpuacct:/job\n3:cpuset:/\n0::/\n";
  BOOST_TEST(cores_of_control_group(membership, tree.root()).value() == 3U);
  tree.file("unified/cpu.max", "200000 100000\n");
  BOOST_TEST(cores_of_control_group(membership, tree.root()).value() == 2U);
}

BOOST_AUTO_TEST_CASE(damaged_membership_is_no_limit) {
  for (auto text : {"", "\n\n", "0", "0:", "::", "garbage without colons"}) {
    BOOST_TEST(!cores_of_control_group(text, "/nonexistent").has_value());
  }
}

BOOST_AUTO_TEST_CASE(affinity_of_this_thread_is_respected) {
  unsigned counted = 0;
  std::thread([&] {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    BOOST_REQUIRE(::sched_getaffinity(0, sizeof mask, &mask) == 0);
    for (int i = 0, kept = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &mask) && kept++ > 0) CPU_CLR(i, &mask);
    }
    BOOST_REQUIRE(::sched_setaffinity(0, sizeof mask, &mask) == 0);
    counted = kernix::detail::processor_count();
  }).join();
  BOOST_TEST(counted == 1U);
  BOOST_TEST(kernix::detail::processor_count() >= 1U);
}

BOOST_AUTO_TEST_SUITE_END()
