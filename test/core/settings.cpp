// SPDX-License-Identifier: Apache-2.0
#include <kernix/core/settings.hpp>

#include <chrono>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace {

kernix::settings from(std::vector<const char*> variables) {
  variables.push_back(nullptr);
  return kernix::settings::from(variables.data());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(core_settings)

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(an_empty_environment_gives_the_documented_defaults) {
  const auto made = from({});
  BOOST_TEST(made.cache_max_size == std::uint64_t{5} << 30);
  BOOST_TEST((made.compile_timeout == 600s));
  BOOST_TEST(made.jobs == 0);
  BOOST_TEST(!made.offline);
  BOOST_TEST(made.problems.empty());
  BOOST_TEST(made.cache_directory.parent_path() == "/tmp");
  BOOST_TEST(made.cache_directory.filename().string().starts_with("kernix-"));
}

BOOST_AUTO_TEST_CASE(the_cache_directory_comes_from_the_first_usable_variable) {
  BOOST_TEST(from({"HOME=/h", "XDG_CACHE_HOME=/x", "KERNIX_CACHE_DIR=/k", "TMPDIR=/t"}).cache_directory == "/k");
  BOOST_TEST(from({"HOME=/h", "XDG_CACHE_HOME=/x", "TMPDIR=/t"}).cache_directory == "/x/kernix");
  BOOST_TEST(from({"HOME=/h", "XDG_CACHE_HOME=relative"}).cache_directory == "/h/.cache/kernix");
  BOOST_TEST(from({"HOME=", "TMPDIR=/t"}).cache_directory.parent_path() == "/t");
  BOOST_TEST(from({"HOME=rel", "TMPDIR=rel"}).cache_directory.parent_path() == "/tmp");
  BOOST_TEST(from({"KERNIX_CACHE_DIR=here"}).cache_directory.is_absolute());
}

BOOST_AUTO_TEST_CASE(numbers_are_read) {
  const auto made =
      from({"KERNIX_COMPILE_TIMEOUT= 2.5 ", "KERNIX_JOBS=3", "KERNIX_CACHE_MAX_SIZE=500M", "KERNIX_OFFLINE=Yes"});
  BOOST_TEST((made.compile_timeout == 2500ms));
  BOOST_TEST(made.jobs == 3);
  BOOST_TEST(made.cache_max_size == std::uint64_t{500} << 20);
  BOOST_TEST(made.offline);
  BOOST_TEST(made.problems.empty());
  BOOST_TEST(from({"KERNIX_CACHE_MAX_SIZE=2 GiB"}).cache_max_size == std::uint64_t{2} << 30);
  BOOST_TEST(from({"KERNIX_CACHE_MAX_SIZE=1kb"}).cache_max_size == 1024);
}

BOOST_AUTO_TEST_CASE(a_value_that_cant_be_used_is_reported_and_the_default_stands) {
  const auto plain = from({});
  for (const char* variable :
       {"KERNIX_COMPILE_TIMEOUT=0", "KERNIX_COMPILE_TIMEOUT=-1", "KERNIX_COMPILE_TIMEOUT=5s",
        "KERNIX_COMPILE_TIMEOUT=nan", "KERNIX_COMPILE_TIMEOUT=inf", "KERNIX_COMPILE_TIMEOUT=1e300",
        "BRAINEVENT_COMPILE_TIMEOUT=x", "KERNIX_JOBS=0", "KERNIX_JOBS=-2", "KERNIX_JOBS=2.5", "KERNIX_JOBS=99999999999",
        "KERNIX_CACHE_MAX_SIZE=5X", "KERNIX_CACHE_MAX_SIZE=0", "KERNIX_CACHE_MAX_SIZE=99999999999T",
        "KERNIX_OFFLINE=maybe", "KERNIX_LOG=loud"}) {
    const auto made = from({variable});
    const std::string name = std::string(variable).substr(0, std::string(variable).find('='));
    BOOST_REQUIRE_MESSAGE(made.problems.size() == 1, variable);
    BOOST_TEST(made.problems[0].starts_with(name + "=\""), made.problems[0]);
    BOOST_TEST((made.compile_timeout == plain.compile_timeout && made.jobs == plain.jobs &&
                made.cache_max_size == plain.cache_max_size && !made.offline),
               variable);
  }
}

BOOST_AUTO_TEST_CASE(the_python_librarys_timeout_counts_where_kernixs_own_is_unset) {
  BOOST_TEST((from({"BRAINEVENT_COMPILE_TIMEOUT=7"}).compile_timeout == 7s));
  BOOST_TEST((from({"BRAINEVENT_COMPILE_TIMEOUT=7", "KERNIX_COMPILE_TIMEOUT=8"}).compile_timeout == 8s));
  BOOST_TEST((from({"BRAINEVENT_COMPILE_TIMEOUT=7", "KERNIX_COMPILE_TIMEOUT="}).compile_timeout == 7s));
}

BOOST_AUTO_TEST_CASE(only_known_variables_are_kept) {
  const auto made = from({"CXX=g++ -m64", "CCACHE_DIR=/c", "KERNIX_ANYTHING=1", "CPATH=/evil", "NVCC_APPEND_FLAGS=-g",
                          "LANG=de", "broken", "CUDA_HOME="});
  BOOST_TEST(made.variable("CXX") == "g++ -m64");
  BOOST_TEST(made.variable("CCACHE_DIR") == "/c");
  BOOST_TEST(made.variable("KERNIX_ANYTHING") == "1");
  BOOST_TEST(made.variable("CUDA_HOME").empty());
  for (const char* name : {"CPATH", "NVCC_APPEND_FLAGS", "LANG", "broken"})
    BOOST_TEST(!made.variables.contains(name), name);
}

BOOST_AUTO_TEST_CASE(this_process_can_be_asked) {
  BOOST_TEST(!kernix::settings::from_environment().cache_directory.empty());
}

BOOST_AUTO_TEST_SUITE_END()
