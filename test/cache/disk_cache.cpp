// SPDX-License-Identifier: Apache-2.0
#include <kernix/cache/disk_cache.hpp>

#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <kernix/core/hasher.hpp>

#include "support/host_cache.hpp"

namespace {

using namespace kernix;
using namespace kernix::test;
namespace fs = std::filesystem;

static_assert(async_compiler<disk_cache<scripted_compiler>>);
static_assert(disk_cache<scripted_compiler>::scope == sharing_scope::host);

struct place {
  temporary_tree tree;
  fs::path cache = tree / "cache";
  fs::path scratch = tree / "scratch";
};

std::string origin_of(const compile_outcome& outcome) { return std::string(name(outcome.origin())); }

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_disk_cache)

BOOST_FIXTURE_TEST_CASE(what_one_process_compiled_is_a_hit_in_the_next, place) {
  auto script = [](const keyed_request& keyed) {
    return scripted_answer{.artifacts = {{output_kind::object, keyed.request().source}, {output_kind::mlir, "sidecar"}},
                           .log = "kernel.cpp:1: warning\n"};
  };
  for (const char* from : {"compiler", "disk", "disk"}) {
    cache_process one(cache, scratch, script);
    auto [code, outcome] = one.compile(request_of("axpy"));
    BOOST_TEST(!code);
    BOOST_TEST(origin_of(outcome) == from);
    BOOST_TEST(one.compiler.started() == (from == std::string("compiler") ? 1 : 0));
    BOOST_REQUIRE(outcome.artifacts().size() == 2);
    BOOST_TEST(text_of(outcome.find(output_kind::object)->path) == "axpy");
    BOOST_TEST(text_of(outcome.find(output_kind::mlir)->path) == "sidecar");
    BOOST_TEST(outcome.find(output_kind::object)->bytes == 4u);
    BOOST_TEST((outcome.find(output_kind::object)->content == sha256("axpy")));
    BOOST_TEST((outcome.key() == sha256("axpy")));
    BOOST_TEST(outcome.diagnostics().log == "kernel.cpp:1: warning\n");
    BOOST_TEST(outcome.diagnostics().command == "scripted");
    BOOST_TEST((outcome.payload().compile_time == std::chrono::milliseconds(7)));
    BOOST_TEST(outcome.payload().began_ns > 0);
    BOOST_TEST(outcome.payload().cacheable);
    BOOST_TEST(one.log->lines().empty());
  }
  BOOST_TEST(entries(scratch) == 0u);  // the place where it was built went with the first process
}

BOOST_FIXTURE_TEST_CASE(constructing_touches_nothing, place) {
  cache_process one(cache, scratch);
  BOOST_TEST(!fs::exists(cache));
}

BOOST_FIXTURE_TEST_CASE(keys_do_not_meet, place) {
  cache_process one(cache, scratch);
  for (int round = 0; round < 2; ++round) {
    for (const char* source : {"a", "b"}) BOOST_TEST(text_of(one.compile(request_of(source)).second) == source);
  }
  BOOST_TEST(one.compiler.started() == 2);
}

BOOST_FIXTURE_TEST_CASE(a_paths_bytes_stay_while_a_copy_of_the_outcome_lives, place) {
  fs::path first_path, held;
  {
    cache_process one(cache, scratch);
    auto [code, fresh] = one.compile(request_of("axpy"));
    auto [again, hit] = one.compile(request_of("axpy"));
    fs::remove_all(scratch);  // the place where it was built
    first_path = fresh.artifacts()[0].path;
    BOOST_TEST(first_path != hit.artifacts()[0].path);  // a path is never used twice
    held = first_path.parent_path().parent_path();
    fs::remove_all(cache / "v1/results");
    fs::remove_all(cache / "v1/manifests");
    BOOST_TEST(text_of(fresh) == "axpy");
    BOOST_TEST(text_of(hit) == "axpy");
    auto copy = hit;
    hit = {};
    BOOST_TEST(text_of(copy) == "axpy");
    fs::path last = copy.artifacts()[0].path;
    copy = {};
    BOOST_TEST(!fs::exists(last));
    fresh = {};
    BOOST_TEST(!fs::exists(first_path));
    BOOST_TEST(fs::exists(held));
  }
  BOOST_TEST(!fs::exists(held));
  BOOST_TEST(entries(cache / "v1/holds") == 0u);
  BOOST_TEST(entries(cache / "v1/staging") == 0u);
}

BOOST_FIXTURE_TEST_CASE(what_was_handed_out_survives_a_rebuild_unchanged, place) {
  int round = 0;
  cache_process one(cache, scratch, [&round](const keyed_request&) {
    return scripted_answer{.artifacts = {{output_kind::shared_object, "build " + std::to_string(++round)}}};
  });
  auto [code, old] = one.compile(request_of("axpy"));
  for (int i = 2; i < 5; ++i) {
    auto forced = scripted_compiler::key_of(request_of("axpy"));
    forced.not_before_ns = std::chrono::system_clock::now().time_since_epoch().count();
    auto [error, fresh] = one.compile(forced);
    BOOST_TEST(origin_of(fresh) == "compiler");
    BOOST_TEST(text_of(fresh) == "build " + std::to_string(i));
    BOOST_TEST(text_of(one.compile(request_of("axpy")).second) == "build " + std::to_string(i));
    BOOST_TEST(text_of(old) == "build 1");
    std::size_t kept = 0;  // a path into a superseded result may have been printed
    for (const auto& each : fs::directory_iterator(cache / "v1/results")) kept += static_cast<std::size_t>(entries(each.path()));
    BOOST_TEST(kept == static_cast<std::size_t>(i));
  }
}

BOOST_FIXTURE_TEST_CASE(a_forced_request_takes_what_began_after_it_was_made, place) {
  cache_process one(cache, scratch);
  auto forced = scripted_compiler::key_of(request_of("axpy"));
  forced.not_before_ns = std::chrono::system_clock::now().time_since_epoch().count();
  BOOST_TEST(origin_of(one.compile(request_of("axpy")).second) == "compiler");
  BOOST_TEST(origin_of(one.compile(forced).second) == "disk");
  BOOST_TEST(one.compiler.started() == 1);
}

BOOST_FIXTURE_TEST_CASE(results_for_each_state_of_a_header_stand_beside_each_other, place) {
  auto header = tree.file("include/axpy.h", "A");
  auto script = [header](const keyed_request&) {
    std::string text = text_of(header);
    return scripted_answer{.artifacts = {{output_kind::shared_object, "with " + text}},
                           .reads = {.files = {{"include0", "axpy.h", sha256(text)}}, .absent = {}}};
  };
  auto request = request_of("axpy");
  request.include_directories = {tree / "include"};
  cache_process one(cache, scratch, script);
  int compiles = 0;
  for (const char* text : {"A", "B", "A", "B", "A"}) {
    tree.file("include/axpy.h", text);
    auto [code, outcome] = one.compile(request);
    if (compiles < 2) ++compiles;
    BOOST_TEST(text_of(outcome) == std::string("with ") + text);
    BOOST_TEST(one.compiler.started() == compiles);
    BOOST_TEST(outcome.payload().reads.files.size() == 1u);
  }
}

BOOST_FIXTURE_TEST_CASE(a_file_that_appears_where_none_was_is_a_miss, place) {
  cache_process one(cache, scratch, [](const keyed_request&) {
    return scripted_answer{.reads = {.files = {}, .absent = {{"include0", "shadow.h"}}}};
  });
  auto request = request_of("axpy");
  request.include_directories = {tree / "include"};
  BOOST_TEST(origin_of(one.compile(request).second) == "compiler");
  BOOST_TEST(origin_of(one.compile(request).second) == "disk");
  tree.file("include/shadow.h", "");
  BOOST_TEST(origin_of(one.compile(request).second) == "compiler");
}

BOOST_FIXTURE_TEST_CASE(failures_and_outcomes_that_must_not_be_cached_are_not_stored, place) {
  int round = 0;
  cache_process one(cache, scratch, [&round](const keyed_request&) {
    ++round;
    if (round == 1) return scripted_answer{.code = make_error_code(errc::compile_failed), .log = "no such type"};
    return scripted_answer{.cacheable = round > 2};
  });
  auto [code, failed] = one.compile(request_of("axpy"));
  BOOST_TEST((code == errc::compile_failed));
  BOOST_TEST(failed.diagnostics().log == "no such type");
  auto [fine, once] = one.compile(request_of("axpy"));
  BOOST_TEST(!fine);
  BOOST_TEST(text_of(once) == "bytes");
  BOOST_TEST(origin_of(one.compile(request_of("axpy")).second) == "compiler");
  BOOST_TEST(origin_of(one.compile(request_of("axpy")).second) == "disk");
}

BOOST_FIXTURE_TEST_CASE(looking_up_never_compiles, place) {
  auto look = scripted_compiler::key_of(request_of("axpy"));
  look.lookup_only = true;
  cache_process one(cache, scratch);
  BOOST_TEST((one.compile(look).first == errc::not_cached));
  one.compile(request_of("axpy"));
  BOOST_TEST(origin_of(one.compile(look).second) == "disk");
  BOOST_TEST(one.compiler.started() == 1);
}

BOOST_FIXTURE_TEST_CASE(a_moved_cache_answers, place) {
  { cache_process(cache, scratch).compile(request_of("axpy")); }
  fs::rename(cache, tree / "elsewhere");
  cache_process two(tree / "elsewhere", scratch);
  BOOST_TEST(origin_of(two.compile(request_of("axpy")).second) == "disk");
}

BOOST_FIXTURE_TEST_CASE(a_relative_directory_is_fixed_when_the_cache_is_made, place) {
  struct back {
    fs::path where = fs::current_path();
    ~back() { fs::current_path(where); }
  } return_here;
  fs::create_directories(tree / "one");
  fs::create_directories(tree / "two");
  fs::current_path(tree / "one");
  cache_process one("cache", scratch);
  fs::current_path(tree / "two");
  auto [code, outcome] = one.compile(request_of("axpy"));
  BOOST_TEST(outcome.artifacts()[0].path.is_absolute());
  BOOST_TEST(fs::exists(tree / "one/cache/v1"));
  BOOST_TEST(entries(tree / "two") == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_cache_that_is_removed_in_use_is_made_again, place) {
  cache_process one(cache, scratch);
  auto [code, kept] = one.compile(request_of("axpy"));
  for (int round = 0; round < 3; ++round) {
    fs::remove_all(cache);
    auto [error, outcome] = one.compile(request_of("axpy"));
    BOOST_TEST(!error);
    BOOST_TEST(origin_of(outcome) == "compiler");
    BOOST_TEST(text_of(outcome) == "axpy");
    BOOST_TEST(origin_of(one.compile(request_of("axpy")).second) == "disk");
  }
}

BOOST_FIXTURE_TEST_CASE(a_name_is_not_a_path, place) {
  cache_process one(cache, scratch);
  for (const char* name : {"../evil", "my.op", "my.op2", "/etc/x"}) {
    BOOST_TEST(text_of(one.compile(request_of(name, name)).second) == name);
  }
  BOOST_TEST(entries(tree.root()) == 2u);  // the cache and the scratch directory
}

BOOST_AUTO_TEST_SUITE_END()
