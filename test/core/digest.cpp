// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/digest.hpp>

#include <string>
#include <unordered_set>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(core_digest)

using kernix::digest;

BOOST_AUTO_TEST_CASE(hexadecimal_goes_there_and_back) {
  digest value;
  for (std::size_t i = 0; i < value.bytes.size(); ++i) value.bytes[i] = static_cast<std::uint8_t>(i * 8 + 7);
  BOOST_TEST(value.hex().size() == 64);
  BOOST_TEST(value.hex().starts_with("070f171f"));
  BOOST_TEST((digest::from_hex(value.hex()) == value));
}

BOOST_AUTO_TEST_CASE(other_texts_are_no_digests) {
  const std::string good(64, 'a');
  BOOST_TEST(digest::from_hex(good).has_value());
  for (std::string text :
       {std::string(), good + 'a', good.substr(1), good.substr(1) + 'g', good.substr(1) + 'A', good.substr(1) + ' '}) {
    BOOST_TEST(!digest::from_hex(text), text);
  }
}

BOOST_AUTO_TEST_CASE(digests_are_ordered_and_hashed_by_their_bytes) {
  digest one;
  digest two;
  two.bytes[31] = 1;
  BOOST_TEST((one < two));
  std::unordered_set<digest> set{one, two, one};
  BOOST_TEST(set.size() == 2);
}

BOOST_AUTO_TEST_SUITE_END()
