// SPDX-License-Identifier: Apache-2.0
#include <kernix/process/posix_spawn_launcher.hpp>

#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/steady_timer.hpp>
#include <boost/test/unit_test.hpp>

#include <support/fake_tool.hpp>
#include <support/temporary_tree.hpp>

namespace {

using namespace kernix::test;
using namespace std::chrono_literals;
using kernix::process_result;
using ending = process_result::ending;

// Without a listing, which would need a descriptor itself.
const char* const list_descriptors =
    "i=0; while [ $i -lt 300 ]; do [ -L /proc/$$/fd/$i ] && printf '%s ' $i; i=$((i+1)); done; :";

process_result refused(const std::filesystem::path& program, const std::filesystem::path& directory = "/") {
  auto command = sh("");
  command.program = program;
  command.working_directory = directory;
  auto result = run(command);
  BOOST_TEST((result.how == ending::not_started));
  BOOST_TEST(result.spawn_error.failed());
  return result;
}

void says(const process_result& result, int error, const std::string& message) {
  BOOST_TEST(result.spawn_error == kernix::error_code(error, boost::system::system_category()));
  BOOST_TEST(result.spawn_message == message);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_posix_spawn_launcher)

BOOST_AUTO_TEST_CASE(child_has_three_descriptors_whatever_the_host_has_open) {
  std::vector<kernix::detail::descriptor> inheritable;
  for (int i = 0; i < 5; ++i) inheritable.emplace_back(::open("/etc/passwd", O_RDONLY));
  inheritable.emplace_back(::fcntl(inheritable[0].get(), F_DUPFD, 200));
  auto text = run(sh(list_descriptors)).out.text();
  BOOST_TEST(text == "0 1 2 ");
}

BOOST_AUTO_TEST_CASE(child_works_whichever_of_0_1_2_the_host_has_closed) {
  for (int closed = 0; closed < 8; ++closed) {
    for (bool ignored : {false, true}) {
      int code = in_fork([&] {
        for (int fd = 0; fd < 3; ++fd) {
          if ((closed >> fd & 1) != 0) ::close(fd);
        }
        if (ignored) ::signal(SIGCHLD, SIG_IGN);
        auto result = run(sh(std::string("echo out; echo err >&2; readlink /proc/$$/fd/0;") + list_descriptors));
        return result.how == ending::exited && result.out.text() == "out\n/dev/null\n0 1 2 " && result.err.text() == "err\n" ? 0 : 1;
      });
      BOOST_TEST(code == 0, "closed: " << closed << ", SIGCHLD ignored: " << ignored);
    }
  }
}

BOOST_AUTO_TEST_CASE(kernix_never_takes_a_descriptor_below_three) {
  BOOST_TEST(in_fork([] {
    boost::asio::io_context context;
    boost::asio::steady_timer warm(context);  // the event loop's own descriptors are Asio's business
    ::close(0);
    ::close(1);
    ::close(2);
    auto command = sh("exit 0");
    bool low = false;
    command.on_start = [&] {
      for (int fd = 0; fd < 3; ++fd) low = low || ::fcntl(fd, F_GETFD) != -1;
    };
    boost::asio::co_spawn(context, kernix::subprocess_runner{}.run(command), [](std::exception_ptr, process_result) {});
    context.run();
    return low ? 1 : 0;
  }) == 0);
}

BOOST_AUTO_TEST_CASE(every_descriptor_of_kernix_is_close_on_exec) {
  auto command = sh("exit 0");
  std::vector<bool> before;
  for (int fd = 0; fd < 100; ++fd) before.push_back(::fcntl(fd, F_GETFD) != -1);
  int open = 0;
  command.on_start = [&] {
    for (int fd = 3; fd < 100; ++fd) {
      int flags = ::fcntl(fd, F_GETFD);
      if (flags == -1 || before[static_cast<std::size_t>(fd)]) continue;
      ++open;
      BOOST_TEST((flags & FD_CLOEXEC) != 0, "descriptor " << fd);
    }
  };
  run(command);
  BOOST_TEST(open >= 3);
}

BOOST_AUTO_TEST_CASE(child_starts_with_default_signals_and_none_blocked) {
  sigset_t all;
  sigfillset(&all);
  std::string text;
  std::thread([&] {
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    auto before = ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGTERM, SIG_IGN);
    ::signal(SIGINT, SIG_IGN);
    auto command = sh("grep -E '^Sig(Blk|Ign)' /proc/self/status");
    text = run(command).out.text();
    auto slow = sh("sleep 100");
    slow.timeout = 50ms;
    slow.grace = 60s;
    auto result = run(slow);
    BOOST_TEST((result.how == ending::timed_out));
    BOOST_TEST((result.ran < 50s));  // SIGINT was enough
    ::signal(SIGPIPE, before);
    ::signal(SIGTERM, SIG_DFL);
    ::signal(SIGINT, SIG_DFL);
  }).join();
  BOOST_TEST(text == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

BOOST_AUTO_TEST_CASE(missing_program_directory_and_interpreter_are_told_apart) {
  temporary_tree tree;
  auto there = tree.script("there", "exit 0").string();
  says(refused("/nonexistent/tool"), ENOENT, "the program /nonexistent/tool does not exist");
  says(refused(there, "/nonexistent/dir"), ENOENT,
       "the working directory /nonexistent/dir can't be entered: No such file or directory");
  auto script = tree.file("script", "#! /nonexistent/interpreter -x\n");
  ::chmod(script.c_str(), 0755);
  says(refused(script), ENOENT,
       "the program " + script.string() + " needs the interpreter /nonexistent/interpreter, which does not exist");
  auto shell = read_file("/bin/sh");
  auto loader = kernix::detail::interpreter_of("/bin/sh");
  BOOST_REQUIRE(!loader.empty());
  shell.replace(shell.find(loader), loader.size(), std::string(loader.size() - 2, 'x').insert(0, "/") + 'y');
  auto foreign = tree.file("foreign", shell);
  ::chmod(foreign.c_str(), 0755);
  auto result = refused(foreign);
  BOOST_TEST(result.spawn_message.find("needs the interpreter /xxx") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_can_not_be_executed_is_named) {
  temporary_tree tree;
  auto plain = tree.file("plain", "#!/bin/sh\n").string();
  auto text = tree.file("text", "no program at all\n").string();
  ::chmod(text.c_str(), 0755);
  says(refused(plain), EACCES, "the program " + plain + " may not be executed by this user");
  says(refused(tree.root()), EACCES, "the program " + tree.root().string() + " is a directory");
  BOOST_TEST((refused(text).spawn_error == kernix::error_code(ENOEXEC, boost::system::system_category())));
  says(refused("/bin/sh", plain), ENOTDIR, "the working directory " + plain + " is not a directory");
  auto quoted = refused("/nonexistent/a b");
  BOOST_TEST(quoted.spawn_message == "the program '/nonexistent/a b' does not exist");
}

BOOST_AUTO_TEST_CASE(same_refusals_where_the_host_ignores_sigchld) {
  temporary_tree tree;
  auto text = tree.file("text", "no program at all\n").string();
  ::chmod(text.c_str(), 0755);
  BOOST_TEST(in_fork([&] {
    ::signal(SIGCHLD, SIG_IGN);
    int wrong = 0;
    if (refused("/nonexistent/tool").spawn_message != "the program /nonexistent/tool does not exist") wrong += 1;
    if (refused(text).spawn_error.value() != ENOEXEC) wrong += 2;
    if (refused(tree.root()).spawn_error.value() != EACCES) wrong += 4;
    if (refused("/bin/sh", "/nonexistent").spawn_error.value() != ENOENT) wrong += 8;
    return wrong;
  }) == 0);
}

BOOST_AUTO_TEST_CASE(too_long_a_command_line_is_said_to_be_so) {
  auto command = sh("");
  command.arguments.assign(300, std::string(100000, 'x'));
  auto result = run(command);
  says(result, E2BIG, "the command line of /bin/sh and its environment are longer than this system allows");
}

BOOST_AUTO_TEST_CASE(two_hundred_missing_programs_leave_no_zombie_and_no_descriptor) {
  int before = open_descriptors();
  for (int i = 0; i < 200; ++i) refused("/nonexistent/tool");
  BOOST_TEST(!has_children());
  BOOST_TEST(open_descriptors() == before);
}

BOOST_AUTO_TEST_CASE(two_hundred_runs_leave_no_zombie_and_no_descriptor) {
  int before = open_descriptors();
  auto command = sh("");
  command.program = "/bin/true";
  for (int i = 0; i < 200; ++i) BOOST_TEST(run(command).succeeded());
  BOOST_TEST(!has_children());
  BOOST_TEST(open_descriptors() == before);
}

BOOST_AUTO_TEST_CASE(exhausted_descriptors_are_a_clear_refusal_or_a_right_result) {
  // At every number of free descriptors: either it works, or it says so; nothing is left in any case.
  BOOST_TEST(in_fork([] {
    int refusals = 0;
    int successes = 0;
    for (int free = 0; free < 16; ++free) {
      boost::asio::io_context context;
      process_result result;
      boost::asio::co_spawn(context, kernix::subprocess_runner{}.run(sh("echo out; exit 5")),
                            [&](std::exception_ptr failure, process_result got) {
                              if (failure) std::rethrow_exception(failure);
                              result = std::move(got);
                            });
      std::vector<kernix::detail::descriptor> taken;
      struct rlimit limit {};
      ::getrlimit(RLIMIT_NOFILE, &limit);
      limit.rlim_cur = 64;
      ::setrlimit(RLIMIT_NOFILE, &limit);
      for (;;) {
        kernix::detail::descriptor next(::dup(2));
        if (!next) break;
        taken.push_back(std::move(next));
      }
      for (int i = 0; i < free; ++i) taken.pop_back();
      context.run();
      taken.clear();
      if (result.how == ending::exited && result.exit_code == 5 && result.out.text() == "out\n") {
        ++successes;
      } else if (result.how == ending::not_started && result.spawn_error.value() == EMFILE &&
                 result.spawn_message.find("no file descriptor left") != std::string::npos) {
        ++refusals;
      } else {
        return 1;
      }
      if (has_children()) return 2;
    }
    return refusals > 0 && successes > 0 ? 0 : 3;
  }) == 0);
}

BOOST_AUTO_TEST_CASE(process_limit_is_a_clear_refusal) {
  if (::getuid() != 0) return;  // only root can become a user who may have no process
  BOOST_TEST(in_fork([] {
    struct rlimit none {0, 0};
    if (::setrlimit(RLIMIT_NPROC, &none) != 0 || ::setresuid(65533, 65533, 65533) != 0) return 77;
    auto result = run(sh("exit 0"));
    return result.how == ending::not_started && result.spawn_error.value() == EAGAIN &&
                   result.spawn_message.find("limit on processes") != std::string::npos
               ? 0
               : 1;
  }) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
