// SPDX-License-Identifier: Apache-2.0
#include <kernix/toolchain/parts.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

#include <kernix/toolchain/detail/cpu_identity.hpp>
#include <kernix/toolchain/detail/loaded_libraries.hpp>
#include <kernix/toolchain/fingerprint.hpp>

BOOST_AUTO_TEST_SUITE(toolchain_parts)

BOOST_AUTO_TEST_CASE(every_field_of_the_identity_changes_the_fingerprint_and_no_place_does) {
  using kernix::toolchain;
  using kernix::detail::fingerprint_of;
  toolchain base;
  base.backend = "cxx";
  base.program = "/usr/bin/g++";
  base.properties = {{"a", "1"}, {"b", "2"}};
  base.parts = {{"/usr/bin/g++", kernix::sha256("g"), {}}};
  const auto original = fingerprint_of(base);
  auto changed = [&](auto change) {
    toolchain other = base;
    change(other);
    return fingerprint_of(other) != original;
  };
  BOOST_TEST(changed([](toolchain& t) { t.backend = "nvcc"; }));
  BOOST_TEST(changed([](toolchain& t) { t.family = "gcc"; }));
  BOOST_TEST(changed([](toolchain& t) { t.version = "1"; }));
  BOOST_TEST(changed([](toolchain& t) { t.version_text = "1"; }));
  BOOST_TEST(changed([](toolchain& t) { t.target = "x"; }));
  BOOST_TEST(changed([](toolchain& t) { t.properties[1].second = "3"; }));
  BOOST_TEST(changed([](toolchain& t) { t.wrapper = {"/usr/bin/ccache"}; }));
  BOOST_TEST(changed([](toolchain& t) { t.parts[0].content = kernix::sha256("h"); }));
  BOOST_TEST(changed([](toolchain& t) { t.parts[0].path = "/usr/bin/c++"; }));
  BOOST_TEST(changed([](toolchain& t) { t.host = std::make_shared<toolchain>(); }));
  BOOST_TEST(!changed([](toolchain& t) { t.program = "/opt/bin/g++"; }));
  BOOST_TEST(!changed([](toolchain& t) { t.parts[0].path = "/opt/bin/g++"; }));
  BOOST_TEST(!changed([](toolchain& t) { t.parts[0].signature.inode = 5; }));
  BOOST_TEST(!changed([](toolchain& t) { std::swap(t.properties[0], t.properties[1]); }));
  BOOST_TEST(!changed([](toolchain& t) { t.cpu = "some"; }));
  BOOST_TEST(!changed([](toolchain& t) { t.origin = "CXX"; }));
}

BOOST_AUTO_TEST_CASE(the_cpu_is_its_model_and_features_but_not_its_clock) {
  const std::string first =
      "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: X\nmicrocode\t: 0x1\ncpu MHz\t\t: 2000.1\nflags\t\t: fpu avx2\n";
  const std::string second = "\nprocessor\t: 1\nflags\t\t: fpu\n";
  const std::string identity = kernix::detail::cpu_identity_of(first + second);
  BOOST_TEST(identity == "vendor_id\t: GenuineIntel\nmodel name\t: X\nflags\t\t: fpu avx2\n");
  BOOST_TEST(kernix::detail::cpu_identity_of("") == "");
  BOOST_TEST(!kernix::detail::cpu_identity().empty());
}

BOOST_AUTO_TEST_CASE(of_a_drivers_libraries_those_that_hold_the_compiler_count) {
  const std::string listed =
      "\tlinux-vdso.so.1 (0x00007ffd)\n"
      "\tlibclang-cpp.so.19.1 => /usr/lib/llvm-19/bin/../lib/libclang-cpp.so.19.1 (0x00007f)\n"
      "\tlibLLVM.so.19.1 => /lib/x86_64-linux-gnu/libLLVM.so.19.1 (0x00007f)\n"
      "\tlibLLVM-gone.so => not found\n"
      "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f)";
  const auto found = kernix::detail::compiler_libraries(listed);
  BOOST_TEST_REQUIRE(found.size() == 2u);
  BOOST_TEST((found[0] == "/usr/lib/llvm-19/bin/../lib/libclang-cpp.so.19.1"));
  BOOST_TEST((found[1] == "/lib/x86_64-linux-gnu/libLLVM.so.19.1"));
  BOOST_TEST(kernix::detail::compiler_libraries("").empty());
}

BOOST_AUTO_TEST_SUITE_END()
