// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <kernix/core/hasher.hpp>

#include "support/engine_fixture.hpp"
#include "support/scripted_runner.hpp"

BOOST_AUTO_TEST_SUITE(compile_compiler)

namespace fs = std::filesystem;
using kernix::errc;
using kernix::process_command;
using kernix::process_result;
using answer = kernix::test::compile_answer;
using kernix::test::entries_of;
using kernix::test::eventually;
using kernix::test::scripted_runner;
using kernix::test::toy_backend;
using engine = kernix::test::engine_under_test<toy_backend, scripted_runner>;

static_assert(kernix::async_compiler<engine::engine_type>);
static_assert(engine::engine_type::scope == kernix::sharing_scope::origin);

const std::string elf = "\x7f" "ELF and more";

void put(const process_command& command, const std::string& name, const std::string& text) {
  std::ofstream(command.working_directory / name, std::ios::binary) << text;
}

/// Answers discovery, and leaves what a successful compiler leaves.
process_result succeed(const process_command& command) {
  if (command.working_directory == "/") return scripted_runner::exited(0, "", "toy 1\n");
  put(command, "kernel.d", "kernel.so: kernel.toy\n");
  put(command, "kernel.so", elf);
  return scripted_runner::exited(0);
}

/// Answers discovery, and lets `compile` answer everything else.
scripted_runner runner_of(scripted_runner::script compile) {
  return scripted_runner([compile = std::move(compile)](const process_command& command) {
    return command.working_directory == "/" ? succeed(command) : compile(command);
  });
}

kernix::compile_request request(std::string source = "text") { return {.name = "axpy", .source = std::move(source)}; }

BOOST_AUTO_TEST_CASE(a_success_gives_the_outputs_measured_and_hashed_until_the_last_copy_goes) {
  engine here(toy_backend{}, scripted_runner(succeed));
  {
    answer done = here.compile(request());
    BOOST_TEST(!done.first, done.second.diagnostics().to_string());
    BOOST_REQUIRE(done.second.artifacts().size() == 1U);
    const kernix::artifact& made = done.second.artifacts()[0];
    BOOST_TEST(made.bytes == elf.size());
    BOOST_TEST((made.content == kernix::sha256(elf)));
    BOOST_TEST(kernix::test::read_text(made.path) == elf);
    BOOST_TEST(done.second.payload().cacheable);
    BOOST_TEST(done.second.diagnostics().stage == "compile");
    BOOST_TEST(done.second.diagnostics().command == "/bin/sh kernel.toy -v");
    struct stat status;
    BOOST_REQUIRE(::stat(made.path.parent_path().c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 0777) == 0700U);
    kernix::compile_outcome copy = done.second;
    done = {};
    BOOST_TEST(fs::exists(copy.artifacts()[0].path));
  }
  BOOST_TEST(eventually([&] { return entries_of(here.scratch()).empty(); }));
}

BOOST_AUTO_TEST_CASE(the_workspace_holds_the_requests_files_byte_for_byte_and_its_directories_as_links) {
  std::vector<std::string> found;
  std::string source, header, linked;
  fs::path workspace;
  std::vector<std::string> environment;
  engine here(toy_backend{}, runner_of([&](const process_command& command) {
    workspace = command.working_directory;
    found = entries_of(workspace);
    source = kernix::test::read_text(workspace / "kernel.toy");
    header = kernix::test::read_text(workspace / "headers0/deep/down/a b.h");
    linked = fs::read_symlink(workspace / "include0").string();
    environment = command.environment;
    return succeed(command);
  }));
  auto asked = request(std::string("a\r\nb\0c\xff", 7));
  asked.headers = {{"deep/down/a b.h", "no newline"}};
  asked.include_directories = {"relative"};
  asked.base_directory = here.tree.root();
  answer done = here.compile(asked);
  BOOST_TEST(!done.first, done.second.diagnostics().to_string());
  const std::vector<std::string> wanted{"headers0",          "headers0/deep",     "headers0/deep/down", "headers0/deep/down/a b.h",
                                        "include0", "kernel.toy", "tmp"};
  BOOST_TEST(found == wanted, boost::test_tools::per_element());
  BOOST_TEST(source == asked.source);
  BOOST_TEST(header == "no newline");
  BOOST_TEST(linked == (here.tree.root() / "relative").string());
  const std::vector<std::string> variables{"LC_ALL=C", "TMPDIR=tmp"};
  BOOST_TEST(environment == variables, boost::test_tools::per_element());
  BOOST_TEST(workspace.parent_path() == here.scratch());
}

BOOST_AUTO_TEST_CASE(a_failure_says_everything_and_leaves_nothing) {
  engine here(toy_backend{}, runner_of([](const process_command& command) {
    put(command, "kernel.so", elf);
    return scripted_runner::exited(3, "kernel.toy:1: wrong\n", "and on stdout\n");
  }));
  answer done = here.compile(request());
  BOOST_TEST(done.first == make_error_code(errc::compile_failed));
  const kernix::diagnostics& what = done.second.diagnostics();
  BOOST_TEST(what.code == done.first);
  BOOST_TEST(what.reason == "toy failed: axpy.toy:1: wrong");
  BOOST_TEST(what.log == "axpy.toy:1: wrong\nand on stdout\n");
  BOOST_TEST(what.stage == "compile");
  BOOST_TEST(what.exit_status == 3);
  BOOST_TEST(what.advice.size() == 1U);
  BOOST_REQUIRE(what.messages.size() == 1U);
  BOOST_TEST(what.messages[0].file == "axpy.toy");
  BOOST_TEST(done.second.artifacts().empty());
  BOOST_TEST(!done.second.payload().cacheable);
  BOOST_TEST(entries_of(here.scratch()).empty());
}

BOOST_AUTO_TEST_CASE(what_is_shared_holds_no_requesters_names) {
  engine here(toy_backend{}, runner_of([](const process_command& command) {
    process_result done = succeed(command);
    done.err.head = command.working_directory.string() + "/kernel.toy:1: warning\n";
    return done;
  }));
  auto asked = request();
  asked.source_file = "/somewhere/mine.toy";
  answer done = here.compile(asked);
  BOOST_TEST(done.second.diagnostics().log == "/somewhere/mine.toy:1: warning\n");
  BOOST_TEST(done.second.payload().diagnostics.log == "kernel.toy:1: warning\n");
}

BOOST_AUTO_TEST_CASE(a_reported_success_without_a_usable_output_is_an_error) {
  using maker = std::function<void(const process_command&)>;
  const std::vector<std::pair<std::string, maker>> ways{
      {"is missing", [](const process_command&) {}},
      {"is empty", [](const process_command& command) { put(command, "kernel.so", ""); }},
      {"is not a shared_object", [](const process_command& command) { put(command, "kernel.so", "text"); }},
      {"is a symbolic link", [](const process_command& command) { fs::create_symlink("/etc/passwd", command.working_directory / "kernel.so"); }},
      {"is not a regular file", [](const process_command& command) { fs::create_directory(command.working_directory / "kernel.so"); }}};
  for (const auto& [sentence, make] : ways) {
    engine here(toy_backend{}, runner_of([&make](const process_command& command) {
      make(command);
      return scripted_runner::exited(0, "said\n");
    }));
    answer done = here.compile(request());
    BOOST_TEST(done.first == make_error_code(errc::output_missing), sentence);
    BOOST_TEST(done.second.diagnostics().reason.find(sentence) != std::string::npos, done.second.diagnostics().reason);
    BOOST_TEST(done.second.diagnostics().log == "said\n");
    BOOST_TEST(entries_of(here.scratch()).empty());
  }
}

BOOST_AUTO_TEST_CASE(an_optional_output_may_be_missing) {
  engine here(toy_backend{}, scripted_runner(succeed));
  auto asked = request();
  asked.compile_flags = {"mlir"};
  answer done = here.compile(asked);
  BOOST_TEST(!done.first);
  BOOST_TEST(done.second.find(kernix::output_kind::mlir) == nullptr);
}

BOOST_AUTO_TEST_CASE(looking_only_and_being_offline_start_nothing) {
  scripted_runner runner(succeed);
  engine here(toy_backend{}, runner, [](kernix::settings& options) { options.offline = true; });
  auto keyed = here.key(request());
  const auto before = runner.started();
  answer off = here.compile(keyed);
  BOOST_TEST(off.first == make_error_code(errc::not_cached));
  BOOST_TEST(off.second.diagnostics().reason.find("compiler is off") != std::string::npos);
  keyed.lookup_only = true;
  BOOST_TEST(here.compile(keyed).first == make_error_code(errc::not_cached));
  BOOST_TEST(runner.started() == before);
  BOOST_TEST(!fs::exists(here.scratch()));
}

BOOST_AUTO_TEST_CASE(steps_follow_each_other_and_share_one_limit) {
  std::vector<process_command> steps;
  engine here(toy_backend{}, runner_of([&](const process_command& command) {
    steps.push_back(command);
    process_result done = succeed(command);
    done.err.head = "step " + std::to_string(steps.size()) + '\n';
    done.ran = std::chrono::seconds(2);
    return done;
  }));
  auto asked = request();
  asked.compile_flags = {"two"};
  asked.timeout = std::chrono::seconds(5);
  auto keyed = here.key(asked);
  int starts = 0;
  keyed.on_start = [&] { ++starts; };
  answer done = here.compile(keyed);
  BOOST_TEST(!done.first, done.second.diagnostics().to_string());
  BOOST_REQUIRE(steps.size() == 2U);
  BOOST_TEST((steps[0].timeout == std::chrono::seconds(5)));
  BOOST_TEST((steps[1].timeout == std::chrono::seconds(3)));
  BOOST_TEST(starts == 1);
  BOOST_TEST(done.second.diagnostics().stage == "link");
  BOOST_TEST(done.second.diagnostics().log == "step 1\nstep 2\n");
  BOOST_TEST((done.second.payload().compile_time == std::chrono::seconds(4)));
}

BOOST_AUTO_TEST_CASE(a_later_step_asks_for_an_extension_of_what_remains) {
  std::vector<std::chrono::nanoseconds> limits;
  engine here(toy_backend{}, runner_of([&](const process_command& command) {
    if (command.extended_timeout) limits.push_back(command.extended_timeout());
    process_result done = succeed(command);
    done.ran = std::chrono::seconds(2);
    return done;
  }));
  auto asked = request();
  asked.compile_flags = {"two"};
  auto keyed = here.key(asked);
  keyed.extended_timeout = [] { return std::chrono::nanoseconds(std::chrono::seconds(9)); };
  BOOST_TEST(!here.compile(keyed).first);
  BOOST_REQUIRE(limits.size() == 2U);
  BOOST_TEST((limits[0] == std::chrono::seconds(9)));
  BOOST_TEST((limits[1] == std::chrono::seconds(7)));
}

BOOST_AUTO_TEST_CASE(after_a_step_that_fails_no_other_is_started) {
  int steps = 0;
  engine here(toy_backend{}, runner_of([&](const process_command&) {
    ++steps;
    return scripted_runner::exited(1, "bad\n");
  }));
  auto asked = request();
  asked.compile_flags = {"two"};
  BOOST_TEST(here.compile(asked).first == make_error_code(errc::compile_failed));
  BOOST_TEST(steps == 1);
}

BOOST_AUTO_TEST_CASE(a_timeout_is_kernixs_own_reason_and_keeps_what_was_said) {
  engine here(toy_backend{}, runner_of([](const process_command&) {
    process_result done;
    done.how = process_result::ending::timed_out;
    done.err.head = "kernel.toy:1: internal compiler error: interrupted\n";
    return done;
  }));
  auto asked = request();
  asked.timeout = std::chrono::milliseconds(1500);
  answer done = here.compile(asked);
  BOOST_TEST(done.first == make_error_code(errc::timed_out));
  BOOST_TEST(done.second.diagnostics().reason == "timed out after 1.5 s");
  BOOST_TEST(done.second.diagnostics().log.find("interrupted") != std::string::npos);
  BOOST_TEST(entries_of(here.scratch()).empty());
}

/// A backend that finds nothing wrong, whatever happens.
struct careless_backend : toy_backend {
  kernix::diagnosis classify(const kernix::command_step&, const process_result&) const { return {}; }
};

BOOST_AUTO_TEST_CASE(a_backend_cannot_turn_a_failure_into_a_success) {
  kernix::test::engine_under_test<careless_backend, scripted_runner> here(careless_backend{}, runner_of([](const process_command& command) {
    put(command, "kernel.so", elf);
    return scripted_runner::signalled(SIGSEGV);
  }));
  answer done = here.compile(request());
  BOOST_TEST(done.first == make_error_code(errc::compile_failed));
  BOOST_TEST(done.second.diagnostics().signal == SIGSEGV);
}

BOOST_AUTO_TEST_CASE(cancelling_ends_the_compiler_and_leaves_nothing) {
  scripted_runner runner(succeed);
  engine here(toy_backend{}, runner);
  auto keyed = here.key(request());
  runner.hold();
  std::promise<void> started;
  keyed.on_start = [&] { started.set_value(); };
  boost::asio::cancellation_signal signal;
  std::promise<answer> done;
  here.engine->async_compile(keyed, boost::asio::bind_cancellation_slot(signal.slot(), [&](kernix::error_code code, kernix::compile_outcome outcome) {
    done.set_value({code, std::move(outcome)});
  }));
  started.get_future().get();
  BOOST_TEST(!entries_of(here.scratch()).empty());
  boost::asio::post(here.context->get_executor(), [&] { signal.emit(boost::asio::cancellation_type::total); });
  answer ended = done.get_future().get();
  BOOST_TEST(ended.first == make_error_code(errc::cancelled));
  BOOST_TEST(ended.second.diagnostics().reason == "cancelled");
  BOOST_TEST(runner.cancelled() == 1U);
  BOOST_TEST(entries_of(here.scratch()).empty());
}

BOOST_AUTO_TEST_CASE(destroying_the_engine_ends_its_compiles_as_cancelled) {
  scripted_runner runner(succeed);
  engine here(toy_backend{}, runner);
  auto keyed = here.key(request());
  runner.hold();
  std::promise<void> started;
  keyed.on_start = [&] { started.set_value(); };
  auto done = here.start(keyed);
  started.get_future().get();
  here.engine.reset();
  BOOST_TEST(done.get().first == make_error_code(errc::cancelled));
  BOOST_TEST(entries_of(here.scratch()).empty());
}

BOOST_AUTO_TEST_CASE(destroying_the_context_destroys_the_handler_and_leaves_nothing) {
  scripted_runner runner(succeed);
  engine here(toy_backend{}, runner);
  auto keyed = here.key(request());
  runner.hold();
  std::promise<void> started;
  keyed.on_start = [&] { started.set_value(); };
  auto watched = std::make_shared<int>();
  std::weak_ptr<int> handler = watched;
  bool called = false;
  here.engine->async_compile(keyed, [watched = std::move(watched), &called](kernix::error_code, kernix::compile_outcome) { called = true; });
  started.get_future().get();
  here.stop();
  BOOST_TEST(!called);
  BOOST_TEST(handler.expired());
  BOOST_TEST(entries_of(here.scratch()).empty());
}

BOOST_AUTO_TEST_CASE(an_outcome_may_outlive_its_context) {
  answer done;
  fs::path scratch;
  {
    engine here(toy_backend{}, scripted_runner(succeed));
    done = here.compile(request());
    scratch = here.scratch();
    here.engine.reset();
    here.stop();
    BOOST_TEST(fs::exists(done.second.artifacts()[0].path));
    done = {};
    BOOST_TEST(entries_of(scratch).empty());
  }
}

BOOST_AUTO_TEST_CASE(a_scratch_directory_is_kept_on_request_and_named) {
  engine here(toy_backend{}, runner_of([](const process_command&) { return scripted_runner::exited(1, "bad\n"); }));
  auto asked = request();
  asked.keep_scratch = true;
  answer done = here.compile(asked);
  const fs::path kept = done.second.diagnostics().kept_scratch;
  BOOST_TEST(kernix::test::read_text(kept / "kernel.toy") == "text");
  done = {};
  kernix::sweep_scratch(here.scratch());
  BOOST_TEST(fs::exists(kept));
}

BOOST_AUTO_TEST_CASE(a_cache_directory_that_cannot_be_used_costs_nothing_but_its_place) {
  engine here(toy_backend{}, scripted_runner(succeed), [](kernix::settings& options) {
    std::ofstream(options.cache_directory) << "a file";
  });
  answer done = here.compile(request());
  BOOST_TEST(!done.first, done.second.diagnostics().to_string());
  const std::string path = done.second.artifacts()[0].path.string();
  BOOST_TEST(path.starts_with((here.tree.root() / "tmp" / "kernix-").string()), path);
}

BOOST_AUTO_TEST_CASE(a_full_cache_directory_costs_a_second_attempt_and_not_the_result) {
  std::vector<fs::path> places;
  engine here(toy_backend{}, runner_of([&](const process_command& command) {
    places.push_back(command.working_directory);
    return places.size() == 1 ? scripted_runner::exited(1, "toy: No space left on device\n") : succeed(command);
  }));
  answer done = here.compile(request());
  BOOST_TEST(!done.first, done.second.diagnostics().to_string());
  BOOST_TEST(done.second.diagnostics().log.empty());
  BOOST_TEST(done.second.payload().cacheable);
  BOOST_REQUIRE(places.size() == 2U);
  BOOST_TEST((places[0].parent_path() == here.scratch()));
  BOOST_TEST(places[1].string().starts_with((here.tree.root() / "tmp" / "kernix-").string()), places[1]);
  BOOST_TEST(entries_of(here.scratch()).empty());
  BOOST_TEST(kernix::test::read_text(done.second.artifacts()[0].path) == elf);
}

BOOST_AUTO_TEST_CASE(a_cache_directory_that_somebody_removes_meanwhile_costs_a_second_attempt) {
  int rounds = 0;
  engine here(toy_backend{}, runner_of([&](const process_command& command) {
    if (++rounds > 1) return succeed(command);
    fs::remove_all(command.working_directory.parent_path());
    return scripted_runner::exited(1, "kernel.toy: no such file\n");
  }));
  answer done = here.compile(request());
  BOOST_TEST(!done.first, done.second.diagnostics().to_string());
  BOOST_TEST(rounds == 2);
  BOOST_TEST(done.second.payload().cacheable);

  engine fails(toy_backend{}, runner_of([&](const process_command&) { return scripted_runner::exited(1, "kernel.toy: wrong\n"); }));
  done = fails.compile(request());
  BOOST_TEST(done.first == make_error_code(errc::compile_failed));
}

BOOST_AUTO_TEST_CASE(where_every_place_is_full_the_last_failure_is_told_and_nothing_is_left) {
  std::vector<fs::path> places;
  engine here(toy_backend{}, runner_of([&](const process_command& command) {
    places.push_back(command.working_directory);
    return scripted_runner::exited(1, "toy: No space left on device\n");
  }));
  answer done = here.compile(request());
  BOOST_TEST(done.first == make_error_code(errc::disk_full));
  BOOST_TEST(done.second.diagnostics().log == "toy: No space left on device\n");
  BOOST_TEST(places.size() >= 2U);
  for (const fs::path& each : places) BOOST_TEST(!fs::exists(each), each);
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written_is_an_error_with_its_path) {
  engine here(toy_backend{}, scripted_runner(succeed));
  auto asked = request();
  asked.headers = {{std::string(300, 'h'), ""}};
  answer done = here.compile(asked);
  BOOST_TEST(done.first == make_error_code(errc::invalid_request));
  BOOST_TEST(done.second.diagnostics().reason.find("hhhh") != std::string::npos);
  BOOST_TEST(entries_of(here.scratch()).empty());
  asked.headers = {{"twice.h", "1"}, {"twice.h", "2"}};
  BOOST_TEST(here.compile(asked).first == make_error_code(errc::invalid_request));
  asked.headers = {{"../../evil.h", "1"}};
  BOOST_TEST(here.compile(asked).first == make_error_code(errc::invalid_request));
  BOOST_TEST(entries_of(here.scratch()).empty());
}

BOOST_AUTO_TEST_CASE(a_runner_that_throws_gives_an_error_and_leaves_nothing) {
  engine here(toy_backend{}, runner_of([](const process_command&) -> process_result { throw std::runtime_error("no pipe"); }));
  answer done = here.compile(request());
  BOOST_TEST(done.first == make_error_code(errc::spawn_failed));
  BOOST_TEST(done.second.diagnostics().reason.find("no pipe") != std::string::npos);
  BOOST_TEST(entries_of(here.scratch()).empty());
}

BOOST_AUTO_TEST_CASE(a_sink_hears_the_command_and_the_lines_and_may_throw) {
  std::mutex mutex;
  std::vector<std::string> heard;
  engine here(toy_backend{}, runner_of([](const process_command& command) {
    command.on_stderr_line("a warning");
    return succeed(command);
  }), [&](kernix::settings& options) {
    options.log = [&](kernix::log_level level, std::string_view line) {
      std::lock_guard lock(mutex);
      if (level == kernix::log_level::info) heard.emplace_back(line);
      throw std::runtime_error("the sink is broken");
    };
  });
  BOOST_TEST(!here.compile(request()).first);
  std::lock_guard lock(mutex);
  BOOST_REQUIRE(heard.size() >= 2U);
  BOOST_TEST(heard[0] == "/bin/sh kernel.toy -v");
  BOOST_TEST(heard[1] == "a warning");
}

BOOST_AUTO_TEST_CASE(a_key_ignores_names_and_places_and_a_place_does_not) {
  engine here(toy_backend{}, scripted_runner(succeed));
  auto first = request();
  first.include_directories = {"inc"};
  first.base_directory = "/one";
  auto second = first;
  second.name = "other";
  second.timeout = std::chrono::seconds(1);
  second.base_directory = "/two";
  auto a = here.key(first), b = here.key(second);
  BOOST_TEST((a.key() == b.key()));
  BOOST_TEST((a.data->place != b.data->place));
  BOOST_REQUIRE(a.data->roots.size() == 1U);
  BOOST_TEST(a.data->roots[0].name == "include0");
  BOOST_TEST(a.data->roots[0].directory == fs::path("/one/inc"));
  second.base_directory = "/one";
  BOOST_TEST((a.data->place == here.key(second).data->place));
  second.source += ' ';
  BOOST_TEST((a.key() != here.key(second).key()));
  BOOST_TEST((b.timeout == std::chrono::seconds(1)));
  BOOST_TEST((a.timeout == here.options.compile_timeout));
}

BOOST_AUTO_TEST_CASE(a_key_is_refused_before_the_toolchain_is_known_and_by_the_backend) {
  engine here(toy_backend{}, scripted_runner(succeed));
  BOOST_TEST(here.engine->key(request()).error().code == make_error_code(errc::toolchain_not_found));
  here.ready();
  auto asked = request();
  asked.compile_flags = {"--nonsense"};
  BOOST_TEST(here.engine->key(asked).error().code == make_error_code(errc::invalid_option));
}

BOOST_AUTO_TEST_CASE(a_compiler_replaced_meanwhile_makes_a_result_that_is_used_once) {
  kernix::test::temporary_tree tools;
  const fs::path program = tools.script("toycc", "exit 0");
  bool replace = false;
  engine here(toy_backend{program}, runner_of([&](const process_command& command) {
    if (replace) tools.script("toycc", "exit 1");
    return succeed(command);
  }));
  auto keyed = here.key(request());
  BOOST_TEST(here.compile(keyed).second.payload().cacheable);
  replace = true;
  answer during = here.compile(keyed);
  BOOST_TEST(!during.first);
  BOOST_TEST(!during.second.payload().cacheable);
  BOOST_TEST(!here.compile(keyed).second.payload().cacheable);
}

BOOST_AUTO_TEST_CASE(what_was_read_travels_with_the_outcome) {
  bool edit = false;
  engine here(toy_backend{}, runner_of([&](const process_command& command) {
    process_result done = succeed(command);
    put(command, "kernel.d", "kernel.so: kernel.toy include0/a.h\n");
    if (edit) std::ofstream(command.working_directory / "include0/a.h") << "2";
    return done;
  }));
  here.tree.file("inc/a.h", "1");
  kernix::test::wait_for_file_clock_tick();
  auto asked = request();
  asked.include_directories = {here.tree.root() / "inc"};
  answer done = here.compile(asked);
  BOOST_TEST(done.second.payload().cacheable);
  BOOST_REQUIRE(done.second.payload().reads.files.size() == 1U);
  BOOST_TEST(done.second.payload().reads.files[0].root == "include0");
  edit = true;
  BOOST_TEST(!here.compile(asked).second.payload().cacheable);
}

BOOST_AUTO_TEST_CASE(the_first_compile_removes_what_dead_processes_left) {
  engine here(toy_backend{}, scripted_runner(succeed));
  fs::create_directories(here.scratch());
  const std::string realm = kernix::detail::pid_realm();
  const fs::path dead = here.scratch() / ("4194303.17." + realm + ".aaaa");
  const fs::path foreign = here.scratch() / "4194303.17.000000000000.aaaa";
  const fs::path alive = here.scratch() / (kernix::detail::process_stamp() + ".bbbb");
  for (const fs::path& each : {dead, foreign, alive}) fs::create_directory(each);
  BOOST_TEST(!here.compile(request()).first);
  BOOST_TEST(!fs::exists(dead));
  BOOST_TEST(fs::exists(foreign));
  BOOST_TEST(fs::exists(alive));
}

BOOST_AUTO_TEST_SUITE_END()
