// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/hasher.hpp>

#include <string>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(core_hasher)

using kernix::hasher;

BOOST_AUTO_TEST_CASE(it_is_sha256) {  // the vectors of FIPS 180-2, appendix B
  BOOST_TEST(kernix::sha256("").hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  BOOST_TEST(kernix::sha256("abc").hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST(kernix::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex() ==
             "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

BOOST_AUTO_TEST_CASE(bytes_may_come_in_pieces) {
  BOOST_TEST((hasher().bytes("a").bytes("").bytes("bc").finish() == kernix::sha256("abc")));
}

BOOST_AUTO_TEST_CASE(fields_share_no_encoding) {
  auto of = [](std::string_view tag, std::string_view value) { return hasher().field(tag, value).finish(); };
  BOOST_TEST((of("x", "sm_80") != of("xsm", "_80")));
  BOOST_TEST((of("", "x") != of("x", "")));
  BOOST_TEST((hasher().field("a", "b").field("c", "d").finish() != hasher().field("a", "bcd").finish()));
  BOOST_TEST((hasher().field("a", "b").field("c", "d").finish() != hasher().field("c", "d").field("a", "b").finish()));
  const std::string framed("\1\0\0\0\0\0\0\0a\2\0\0\0\0\0\0\0bc", 19);
  BOOST_TEST((of("a", "bc") == kernix::sha256(framed)));
}

BOOST_AUTO_TEST_SUITE_END()
