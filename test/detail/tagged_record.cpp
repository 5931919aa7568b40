// SPDX-License-Identifier: Apache-2.0
#include <kernix/detail/tagged_record.hpp>

#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>

namespace {

using kernix::detail::record_reader;
using kernix::detail::record_writer;

enum : std::uint32_t { number = 1, text, sum, inner, signed_number };

record_writer sample() {
  record_writer nested;
  nested.string(text, "inside").u64(number, 7);
  record_writer whole;
  whole.u64(number, std::numeric_limits<std::uint64_t>::max())
      .i64(signed_number, -5)
      .string(text, std::string("with\0zero", 9))
      .digest(sum, kernix::sha256("x"))
      .record(inner, nested)
      .record(inner, record_writer())
      .string(text, "");
  return whole;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(detail_tagged_record)

BOOST_AUTO_TEST_CASE(every_kind_of_field_comes_back) {
  const std::string file = sample().sealed("MAGIC", 3);
  auto reader = record_reader::open(file, "MAGIC", 3);
  BOOST_TEST_REQUIRE(reader.has_value());
  BOOST_TEST(reader->u64(number).value() == std::numeric_limits<std::uint64_t>::max());
  BOOST_TEST(reader->i64(signed_number).value() == -5);
  BOOST_TEST(reader->string(text).value() == std::string_view("with\0zero", 9));
  BOOST_TEST((reader->digest(sum) == kernix::sha256("x")));
  BOOST_TEST(reader->strings(text).size() == 2u);
  auto nested = reader->records(inner);
  BOOST_TEST_REQUIRE(nested.has_value());
  BOOST_TEST_REQUIRE(nested->size() == 2u);
  BOOST_TEST(nested->front().string(text).value() == "inside");
  BOOST_TEST(reader->record(inner)->u64(number).value() == 7u);
  BOOST_TEST(!nested->back().u64(number).has_value());
}

BOOST_AUTO_TEST_CASE(absent_and_missized_fields_are_nothing) {
  const std::string file = sample().sealed("MAGIC", 3);
  auto reader = record_reader::open(file, "MAGIC", 3);
  BOOST_TEST_REQUIRE(reader.has_value());
  BOOST_TEST(!reader->u64(99).has_value());
  BOOST_TEST(!reader->u64(text).has_value());
  BOOST_TEST(!reader->digest(number).has_value());
  BOOST_TEST(!reader->record(text).has_value());
  BOOST_TEST(!reader->records(text).has_value());
}

BOOST_AUTO_TEST_CASE(another_magic_or_version_is_refused) {
  const std::string file = sample().sealed("MAGIC", 3);
  BOOST_TEST(!record_reader::open(file, "MAGIK", 3).has_value());
  BOOST_TEST(!record_reader::open(file, "MAGIC", 2).has_value());
}

BOOST_AUTO_TEST_CASE(every_truncation_flipped_byte_and_trailing_byte_is_refused) {
  const std::string file = sample().sealed("MAGIC", 3);
  for (std::size_t length = 0; length < file.size(); ++length) {
    BOOST_TEST(!record_reader::open(std::string_view(file).substr(0, length), "MAGIC", 3).has_value());
  }
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    BOOST_TEST(!record_reader::open(damaged, "MAGIC", 3).has_value());
  }
  BOOST_TEST(!record_reader::open(file + '\0', "MAGIC", 3).has_value());
}

BOOST_AUTO_TEST_CASE(wrong_framing_under_a_right_digest_is_refused) {
  auto seal = [](std::string body) {
    std::string file = "MAGIC";
    kernix::detail::append_number(file, 3, 4);
    file += body;
    auto digest = kernix::sha256(file);
    return file.append(reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size());
  };
  std::string field;
  kernix::detail::append_number(field, 1, 4);
  kernix::detail::append_number(field, 2, 8);
  BOOST_TEST(record_reader::open(seal(field + "ab"), "MAGIC", 3).has_value());
  BOOST_TEST(!record_reader::open(seal(field + "a"), "MAGIC", 3).has_value());
  BOOST_TEST(!record_reader::open(seal(field + "abc"), "MAGIC", 3).has_value());
  std::string huge;
  kernix::detail::append_number(huge, 1, 4);
  kernix::detail::append_number(huge, std::numeric_limits<std::uint64_t>::max(), 8);
  BOOST_TEST(!record_reader::open(seal(huge), "MAGIC", 3).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
