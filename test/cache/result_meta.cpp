// SPDX-License-Identifier: Apache-2.0
#include <kernix/cache/result_meta.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

#include <kernix/core/hasher.hpp>

namespace {

using namespace kernix;

result_meta sample() {
  result_meta what{.key = sha256("key"),
                   .artifacts = {},
                   .diagnostics = {},
                   .began_ns = 12,
                   .compile_time = std::chrono::seconds(3)};
  what.artifacts = {{output_kind::object, "/anywhere/x.o", 5, sha256("bytes")},
                    {output_kind::mlir, "y", 0, sha256("")}};
  what.diagnostics.stage = "link";
  what.diagnostics.command = "g++ 'a b'";
  what.diagnostics.log = std::string("caf\xe9\0\n", 6);
  what.diagnostics.messages = {{message::level::note, "kernel.cpp", 3, 7, "declared here"},
                               {message::level::fatal, "", 0, 0, "?"}};
  what.diagnostics.advice = {"first", "second"};
  what.diagnostics.kept_scratch = "/tmp/scratch";
  return what;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_result_meta)

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back_with_constant_file_names) {
  auto read = decode_result_meta(encode(sample()));
  BOOST_REQUIRE(read);
  BOOST_TEST((read->key == sha256("key")));
  BOOST_TEST(read->began_ns == 12);
  BOOST_TEST((read->compile_time == std::chrono::seconds(3)));
  BOOST_REQUIRE(read->artifacts.size() == 2u);
  BOOST_TEST(read->artifacts[0].path == "kernel.o");
  BOOST_TEST(read->artifacts[1].path == "kernel-1.mlir");
  BOOST_TEST(read->artifacts[0].bytes == 5u);
  BOOST_TEST((read->artifacts[0].content == sha256("bytes")));
  const diagnostics expected = sample().diagnostics;
  BOOST_TEST(read->diagnostics.log == expected.log);
  BOOST_TEST(read->diagnostics.command == expected.command);
  BOOST_TEST(read->diagnostics.stage == expected.stage);
  BOOST_TEST(read->diagnostics.advice == expected.advice, boost::test_tools::per_element());
  BOOST_REQUIRE(read->diagnostics.messages.size() == 2u);
  BOOST_TEST((read->diagnostics.messages[0].severity == message::level::note));
  BOOST_TEST(read->diagnostics.messages[0].line == 3);
  BOOST_TEST(read->diagnostics.messages[0].column == 7);
  BOOST_TEST((read->diagnostics.messages[1].severity == message::level::fatal));
  BOOST_TEST(read->diagnostics.kept_scratch.empty());  // one requester's, not the entry's
}

BOOST_AUTO_TEST_CASE(any_damage_is_noticed) {
  const std::string good = encode(sample());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    BOOST_TEST(!decode_result_meta(bad), "flipped byte " << i);
    BOOST_TEST(!decode_result_meta(good.substr(0, i)), "cut at " << i);
  }
}

BOOST_AUTO_TEST_CASE(a_result_without_artifacts_is_none) {
  result_meta what = sample();
  what.artifacts.clear();
  BOOST_TEST(!decode_result_meta(encode(what)));
}

BOOST_AUTO_TEST_SUITE_END()
