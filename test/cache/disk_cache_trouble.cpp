// SPDX-License-Identifier: Apache-2.0
// Damaged entries, and directories that can't be used: they cost speed, never the result.
#include <kernix/cache/disk_cache.hpp>

#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/forked.hpp"
#include "support/host_cache.hpp"

namespace {

using namespace kernix;
using namespace kernix::test;
namespace fs = std::filesystem;

constexpr uid_t nobody = 65534;

struct place {
  temporary_tree tree;
  fs::path cache = tree / "cache";
  fs::path scratch = tree / "scratch";
};

std::string origin_of(const compile_outcome& outcome) { return std::string(name(outcome.origin())); }

void rewrite(const fs::path& path, const std::string& text) {
  fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
  std::ofstream(path, std::ios::binary) << text;
}

std::string flipped(std::string text) {
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
  return text;
}

struct damage {
  std::string name;
  std::function<void(const fs::path&)> how;
};

const std::vector<damage>& damages() {
  static const std::vector<damage> all = {
      {"empty", [](const fs::path& file) { rewrite(file, ""); }},
      {"ten bytes", [](const fs::path& file) { rewrite(file, text_of(file).substr(0, 10)); }},
      {"half", [](const fs::path& file) { rewrite(file, text_of(file).substr(0, text_of(file).size() / 2)); }},
      {"last byte missing",
       [](const fs::path& file) { rewrite(file, text_of(file).substr(0, text_of(file).size() - 1)); }},
      {"a byte more", [](const fs::path& file) { rewrite(file, text_of(file) + "x"); }},
      {"a flipped bit", [](const fs::path& file) { rewrite(file, flipped(text_of(file))); }},
      {"other text", [](const fs::path& file) { rewrite(file, "<html>not found</html>"); }},
      {"missing", [](const fs::path& file) { fs::remove(file); }},
      {"a directory", [](const fs::path& file) { fs::remove(file), fs::create_directory(file); }},
      {"a full directory", [](const fs::path& file) { fs::remove(file), fs::create_directories(file / "sub"); }},
      {"a link",
       [](const fs::path& file) {
         fs::rename(file, file.string() + ".x"), fs::create_symlink(file.string() + ".x", file);
       }},
      {"a pipe", [](const fs::path& file) { fs::remove(file), ::mkfifo(file.c_str(), 0600); }},
  };
  return all;
}

/// Runs `work` as another user in a child process; skipped where this user can't do that.
int as_nobody(const std::function<int()>& work) {
  return forked_child([&] {
           if (::setresgid(nobody, nobody, nobody) != 0 || ::setresuid(nobody, nobody, nobody) != 0) return 98;
           return work();
         })
      .join();
}

boost::test_tools::assertion_result is_root(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result yes(::geteuid() == 0);
  if (!yes) yes.message() << "only root can become another user";
  return yes;
}

/// Two requests that miss in a directory that can't be used: both get their kernel, and one warning is given.
int misses_work(const fs::path& cache, const fs::path& scratch, const std::string& warning) {
  cache_process one(cache, scratch);
  for (const char* source : {"first", "second"}) {
    auto [code, outcome] = one.compile(request_of(source));
    if (code || text_of(outcome) != source || outcome.origin() != origin::compiler) return 1;
  }
  if (one.compiler.started() != 2) return 2;
  return one.log->lines().size() == 1 && one.log->count(warning) == 1 ? 0 : 3;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cache_disk_cache_trouble)

BOOST_AUTO_TEST_CASE(a_damaged_result_is_built_again_once_and_never_served) {
  const std::string bytes(5000, 'k');
  for (const char* file : {"kernel.o", "kernel-1.mlir", "meta"}) {
    for (const damage& each : damages()) {
      BOOST_TEST_CONTEXT(file << ": " << each.name) {
        place here;
        auto script = [&](const keyed_request&) {
          return scripted_answer{.artifacts = {{output_kind::object, bytes}, {output_kind::mlir, bytes}}};
        };
        { cache_process(here.cache, here.scratch, script).compile(request_of("axpy")); }
        const fs::path entry = only_result(here.cache);
        BOOST_REQUIRE(fs::exists(entry / file));
        each.how(entry / file);
        for (const char* from : {"compiler", "disk"}) {
          cache_process again(here.cache, here.scratch, script);
          auto [code, outcome] = again.compile(request_of("axpy"));
          BOOST_TEST(!code);
          BOOST_TEST(origin_of(outcome) == from);
          BOOST_TEST(text_of(outcome.artifacts()[0].path) == bytes);
          BOOST_TEST(text_of(outcome.artifacts()[1].path) == bytes);
          BOOST_TEST(again.log->count("is damaged") == (from == std::string("compiler") ? 1u : 0u));
        }
        BOOST_TEST(!fs::exists(entry));
        BOOST_TEST(!only_result(here.cache).empty());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_manifest_is_built_again_once) {
  for (const damage& each : damages()) {
    BOOST_TEST_CONTEXT(each.name) {
      place here;
      { cache_process(here.cache, here.scratch).compile(request_of("axpy")); }
      const std::string key = scripted_compiler::key_of(request_of("axpy")).key().hex();
      const fs::path manifest = here.cache / "v1/manifests" / key.substr(0, 2) / key;
      BOOST_REQUIRE(fs::exists(manifest));
      each.how(manifest);
      for (const char* from : {"compiler", "disk"}) {
        cache_process again(here.cache, here.scratch);
        auto [code, outcome] = again.compile(request_of("axpy"));
        BOOST_TEST(origin_of(outcome) == from);
        BOOST_TEST(text_of(outcome) == "axpy");
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_result_that_was_removed_is_built_again, place) {
  { cache_process(cache, scratch).compile(request_of("axpy")); }
  fs::remove_all(only_result(cache));
  for (const char* from : {"compiler", "disk"}) {
    cache_process again(cache, scratch);
    BOOST_TEST(origin_of(again.compile(request_of("axpy")).second) == from);
    BOOST_TEST(again.log->lines().empty());
  }
}

BOOST_FIXTURE_TEST_CASE(an_entry_of_another_key_is_not_taken_for_this_one, place) {
  { cache_process(cache, scratch).compile(request_of("other")); }
  const fs::path other = only_result(cache);
  fs::rename(other, tree / "other");
  { cache_process(cache, scratch).compile(request_of("axpy")); }
  const fs::path entry = only_result(cache);
  fs::remove_all(entry);
  fs::rename(tree / "other", entry);
  cache_process again(cache, scratch);
  BOOST_TEST(text_of(again.compile(request_of("axpy")).second) == "axpy");
  BOOST_TEST(again.compiler.started() == 1);
}

BOOST_FIXTURE_TEST_CASE(an_artifact_that_changes_while_it_is_stored_is_not_stored, place) {
  cache_process one(cache, scratch, [&](const keyed_request&) { return scripted_answer{}; });
  // Somebody else's layer, whose digest is not that of its file.
  detail::result_store store(cache_process::complete({}, cache, *one.log));
  auto payload = std::make_shared<outcome_payload>();
  payload->artifacts.push_back({output_kind::object, tree.file("out.o", "late"), 4, sha256("early")});
  compile_outcome outcome(payload, origin::compiler);
  BOOST_TEST(!store.publish(scripted_compiler::key_of(request_of("axpy")), outcome));
  BOOST_TEST(one.log->lines().size() == 1u);
  BOOST_TEST(entries(cache / "v1/staging") == 0u);
  BOOST_TEST(origin_of(one.compile(request_of("axpy")).second) == "compiler");
}

BOOST_FIXTURE_TEST_CASE(a_file_in_the_directorys_place_costs_a_warning, place) {
  tree.file("cache", "not a directory");
  BOOST_TEST(misses_work(cache, scratch, "is not a directory") == 0);
  BOOST_TEST(misses_work(tree / "cache/below", scratch, "Not a directory") == 0);
}

BOOST_FIXTURE_TEST_CASE(no_directory_at_all_costs_a_warning, place) {
  BOOST_TEST(misses_work("", scratch, "no cache directory is known") == 0);
  BOOST_TEST(misses_work("/proc/kernix", scratch, "/proc/kernix") == 0);
}

BOOST_FIXTURE_TEST_CASE(a_directory_that_others_can_write_to_is_not_used, place) {
  { cache_process(cache, scratch).compile(request_of("first")); }
  for (const char* which : {"", "v1"}) {
    ::chmod((cache / which).c_str(), 0777);
    BOOST_TEST(misses_work(cache, scratch, "can be written to by other users") == 0, which);
    ::chmod((cache / which).c_str(), 0775);
    BOOST_TEST(misses_work(cache, scratch, "can be written to by other users") == 0, which);
    ::chmod((cache / which).c_str(), 0700);
  }
  cache_process again(cache, scratch);
  BOOST_TEST(origin_of(again.compile(request_of("first")).second) == "disk");
}

BOOST_FIXTURE_TEST_CASE(a_sticky_directory_may_hold_a_private_cache, place) {
  fs::create_directory(cache);
  ::chmod(cache.c_str(), 01777);
  cache_process one(cache, scratch);
  one.compile(request_of("axpy"));
  BOOST_TEST(origin_of(one.compile(request_of("axpy")).second) == "disk");
  BOOST_TEST(one.log->lines().empty());
}

BOOST_FIXTURE_TEST_CASE(modes_do_not_depend_on_the_umask, place) {
  for (mode_t mask : {mode_t{0}, mode_t{0777}}) {
    const mode_t before = ::umask(mask);
    const fs::path mine = tree / std::to_string(mask);
    fs::path file;
    {
      cache_process one(mine, scratch);
      auto [code, outcome] = one.compile(request_of("axpy"));
      file = only_result(mine) / "kernel.so";
      BOOST_TEST(one.log->lines().empty());
    }
    ::umask(before);
    for (const fs::path& directory : {mine, mine / "v1", mine / "v1/results", file.parent_path()}) {
      struct stat found {};
      BOOST_REQUIRE(::stat(directory.c_str(), &found) == 0);
      BOOST_TEST((found.st_mode & 07777) == 0700u, directory);
    }
    struct stat found {};
    BOOST_REQUIRE(::stat(file.c_str(), &found) == 0);
    BOOST_TEST((found.st_mode & 07777) == 0444u);
    BOOST_TEST(fs::exists(mine / "CACHEDIR.TAG"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_full_disk_costs_a_warning_and_leaves_nothing_half_written, place) {
  // A limit on the size of files stands for a full disk: the artifact fits, the description does not.
  const int status = forked_child([&] {
                       ::signal(SIGXFSZ, SIG_IGN);
                       const rlimit limit{20000, 20000};
                       ::setrlimit(RLIMIT_FSIZE, &limit);
                       cache_process one(cache, scratch, [](const keyed_request& keyed) {
                         return scripted_answer{.artifacts = {{output_kind::shared_object, keyed.request().source}},
                                                .log = std::string(50000, 'l')};
                       });
                       for (const char* source : {"first", "second"}) {
                         auto [code, outcome] = one.compile(request_of(source));
                         if (code || text_of(outcome) != source || outcome.origin() != origin::compiler) return 1;
                       }
                       if (one.log->lines().size() != 1 || one.log->count("File too large") != 1) return 2;
                       return entries(cache / "v1/staging") == 0 && entries(cache / "v1/results") == 0 ? 0 : 3;
                     }).join();
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(a_read_only_cache_answers_and_a_miss_still_gives_a_kernel,
                     *boost::unit_test::precondition(is_root)) {
  place here;
  { cache_process(here.cache, here.scratch).compile(request_of("stored")); }
  ::chmod(here.tree.root().c_str(), 0755);
  for (const auto& each : fs::recursive_directory_iterator(here.cache)) {
    if (each.is_directory()) ::chmod(each.path().c_str(), 0555);
  }
  ::chmod(here.cache.c_str(), 0555);
  fs::create_directory(here.tree / "nobody");
  BOOST_REQUIRE(::chown((here.tree / "nobody").c_str(), nobody, nobody) == 0);
  BOOST_TEST(as_nobody([&] {
               cache_process one(here.cache, here.tree / "nobody");
               auto [code, outcome] = one.compile(request_of("stored"));
               if (code || outcome.origin() != origin::disk || text_of(outcome) != "stored") return 1;
               return one.log->lines().empty() ? 0 : 2;
             }) == 0);
  BOOST_TEST(as_nobody([&] { return misses_work(here.cache, here.tree / "nobody", "can't be written to"); }) == 0);
}

BOOST_AUTO_TEST_CASE(another_users_directory_is_not_used, *boost::unit_test::precondition(is_root)) {
  place here;
  { cache_process(here.cache, here.scratch).compile(request_of("first")); }
  for (const char* which : {"v1", ""}) {
    BOOST_REQUIRE(::chown((here.cache / which).c_str(), 12345, 12345) == 0);
    BOOST_TEST(misses_work(here.cache, here.scratch, "belongs to another user (uid 12345)") == 0, which);
  }
}

BOOST_AUTO_TEST_CASE(an_entry_that_cannot_be_read_is_a_miss, *boost::unit_test::precondition(is_root)) {
  place here;
  ::chmod(here.tree.root().c_str(), 0777);
  auto in_child = [&](const char* from) {
    return as_nobody([&] {
      cache_process one(here.cache, here.tree / "scratch");
      auto [code, outcome] = one.compile(request_of("axpy"));
      return !code && text_of(outcome) == "axpy" && origin_of(outcome) == from ? 0 : 1;
    });
  };
  BOOST_TEST(in_child("compiler") == 0);
  ::chown(only_result(here.cache).c_str(), 0, 0);  // 0700, root's
  BOOST_TEST(in_child("compiler") == 0);
  BOOST_TEST(in_child("disk") == 0);
}

BOOST_AUTO_TEST_SUITE_END()
