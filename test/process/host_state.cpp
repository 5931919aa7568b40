// SPDX-License-Identifier: Apache-2.0
#include <kernix/process/subprocess_runner.hpp>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <support/fake_tool.hpp>

namespace {

using namespace kernix::test;
using namespace std::chrono_literals;
using kernix::process_result;
using ending = process_result::ending;

bool exited_with(const process_result& result, int code) {
  return result.how == ending::exited && result.exit_code == code;
}

/// Makes system call `number` fail with `error`, in this process and its children.
bool refuse_system_call(unsigned number, int error) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),  // the call's number
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog filter{4, program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// What every host must see, however it is set up: right statuses, whole output, and a tree that ends.
int everything_works(bool tells_signals = true) {
  auto plain = run(sh("echo out; echo err >&2; exit 3"));
  if (!exited_with(plain, 3) || plain.out.text() != "out\n" || plain.err.text() != "err\n") return 1;
  if (!exited_with(run(sh("exit 0")), 0)) return 2;
  if (!exited_with(run(sh("exit 137")), 137)) return 3;
  for (int signal : {9, 11, 6, 15}) {
    auto killed = run(sh("kill -" + std::to_string(signal) + " $$"));
    if (tells_signals && (killed.how != ending::signalled || killed.signal != signal)) return 4;
    if (killed.succeeded()) return 5;
  }
  auto slow = sh("trap '' INT; echo said; sleep 100 & sleep 100; :");
  slow.timeout = 100ms;
  slow.grace = 30ms;
  auto ended = run(slow);
  if (ended.how != ending::timed_out || ended.out.text() != "said\n") return 6;
  if (survivors(marker_of(slow)) != 0) return 7;
  auto polite = sh("trap 'echo cleaned; exit 1' INT; sleep 100 & wait; :");
  polite.timeout = 100ms;
  polite.grace = 20s;
  ended = run(polite);
  if (ended.how != ending::timed_out || ended.out.text() != "cleaned\n" || ended.ran > 15s) return 8;
  auto stragglers = sh("sleep 100 & exit 0");
  if (!exited_with(run(stragglers), 0) || survivors(marker_of(stragglers)) != 0) return 9;
  return has_children() ? 10 : 0;
}

std::atomic<int> handled{0};
void count_signal(int) { ++handled; }

}  // namespace

BOOST_AUTO_TEST_SUITE(process_host_state)

BOOST_AUTO_TEST_CASE(everything_works_in_an_ordinary_host) { BOOST_TEST(everything_works() == 0); }

BOOST_AUTO_TEST_CASE(everything_works_where_sigchld_is_ignored) {
  BOOST_TEST(in_fork([] {
    ::signal(SIGCHLD, SIG_IGN);
    return everything_works();
  }) == 0);
}

BOOST_AUTO_TEST_CASE(everything_works_where_children_are_never_zombies) {
  BOOST_TEST(in_fork([] {
    struct sigaction action {};
    action.sa_handler = count_signal;
    action.sa_flags = SA_NOCLDWAIT;
    ::sigaction(SIGCHLD, &action, nullptr);
    return everything_works();
  }) == 0);
}

BOOST_AUTO_TEST_CASE(everything_works_where_pidfds_are_refused) {
  for (int error : {EPERM, ENOSYS}) {
    BOOST_TEST(in_fork([&] { return refuse_system_call(SYS_pidfd_open, error) ? everything_works() : 77; }) == 0);
  }
}

BOOST_AUTO_TEST_CASE(everything_works_where_groups_can_not_be_signalled_by_pidfd) {
  for (int error : {EPERM, EINVAL, ENOSYS}) {
    BOOST_TEST(
        in_fork([&] { return refuse_system_call(SYS_pidfd_send_signal, error) ? everything_works() : 77; }) == 0);
  }
}

BOOST_AUTO_TEST_CASE(everything_works_without_pidfds_where_sigchld_is_ignored) {
  BOOST_TEST(in_fork([] {
    ::signal(SIGCHLD, SIG_IGN);
    return refuse_system_call(SYS_pidfd_open, ENOSYS) ? everything_works() : 77;
  }) == 0);
}

BOOST_AUTO_TEST_CASE(relayed_tool_has_no_descriptor_of_the_relay) {
  BOOST_TEST(in_fork([] {
    ::signal(SIGCHLD, SIG_IGN);
    auto tool = sh(
        "i=0; while [ $i -lt 20 ]; do [ -L /proc/$$/fd/$i ] && printf '%s ' $i; i=$((i+1)); done; "
        "grep -E '^Sig(Blk|Ign)' /proc/self/status");
    auto text = run(tool).out.text();
    return text == "0 1 2 SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n" ? 0 : 1;
  }) == 0);
}

BOOST_AUTO_TEST_CASE(host_that_reaps_every_child_gets_right_results_or_is_told_that_the_status_is_lost) {
  for (bool pidfds : {true, false}) {
    BOOST_TEST(in_fork([&] {
      if (!pidfds && !refuse_system_call(SYS_pidfd_open, ENOSYS)) return 77;
      std::atomic<bool> stop{false};
      std::atomic<int> stolen{0};
      std::thread thief([&] {
        while (!stop) {
          if (::waitpid(-1, nullptr, WNOHANG) > 0) ++stolen;
        }
      });
      int wrong = 0;
      for (int i = 0; i < 60; ++i) {
        auto result = run(sh("echo out; exit " + std::to_string(i)));
        if (!exited_with(result, i) || result.out.text() != "out\n") ++wrong;
      }
      stop = true;
      thief.join();
      if (stolen == 0) return 78;
      return wrong;
    }) == 0, "pidfds: " << pidfds);
  }
}

BOOST_AUTO_TEST_CASE(handler_and_children_of_the_host_are_left_alone) {
  struct sigaction mine {};
  struct sigaction before {};
  mine.sa_handler = count_signal;
  ::sigaction(SIGCHLD, &mine, &before);
  handled = 0;
  pid_t own = ::fork();
  if (own == 0) ::_exit(42);
  for (int i = 0; i < 20; ++i) BOOST_TEST(run(sh("exit 1")).exit_code == 1);
  int status = 0;
  BOOST_TEST(::waitpid(own, &status, 0) == own);
  BOOST_TEST(WEXITSTATUS(status) == 42);
  BOOST_TEST(handled > 0);
  struct sigaction now {};
  ::sigaction(SIGCHLD, &before, &now);
  BOOST_TEST((now.sa_handler == count_signal));
}

BOOST_AUTO_TEST_CASE(mask_directory_and_dispositions_stay_as_they_were) {
  auto state = [] {
    std::string status = read_file("/proc/thread-self/status");
    return std::filesystem::current_path().string() + status.substr(status.find("SigBlk"), 100);
  };
  auto before = state();
  auto command = sh("sleep 100");
  command.working_directory = "/usr";
  command.timeout = 20ms;
  run(command);
  run(sh("exit 1"));
  BOOST_TEST(state() == before);
}

BOOST_AUTO_TEST_CASE(interrupting_signals_disturb_nothing) {
  BOOST_TEST(in_fork([] {
    struct sigaction action {};
    action.sa_handler = count_signal;  // without SA_RESTART
    ::sigaction(SIGALRM, &action, nullptr);
    struct itimerval every_millisecond {{0, 1000}, {0, 1000}};
    ::setitimer(ITIMER_REAL, &every_millisecond, nullptr);
    int wrong = everything_works();
    for (int i = 0; i < 50 && wrong == 0; ++i) wrong = exited_with(run(sh("exit 7")), 7) ? 0 : 20;
    return wrong;
  }) == 0);
  // In a fork the counter's copy is the fork's own; that the handler ran is implied by the timer.
}

BOOST_AUTO_TEST_CASE(buffered_output_and_exit_handlers_of_the_host_run_once) {
  temporary_file out;
  BOOST_TEST(in_fork([&] {
    std::FILE* file = std::fopen(out.path.c_str(), "w");
    if (file == nullptr) return 1;
    std::fputs("once", file);  // unflushed
    auto missing = sh("");
    missing.program = "/nonexistent/tool";
    run(missing);
    run(sh("exit 1"));
    std::fclose(file);
    return 0;
  }) == 0);
  BOOST_TEST(read_file(out.path) == "once");
}

BOOST_AUTO_TEST_CASE(threads_with_contexts_of_their_own_do_not_disturb_each_other) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        auto command = sh("exit " + std::to_string(t), "M=" + std::to_string(t));
        if (!exited_with(run(command), t)) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
  BOOST_TEST(!has_children());
}

BOOST_AUTO_TEST_CASE(spawning_is_not_slower_with_many_descriptors_allowed) {
  // Whatever closes each possible descriptor in turn would need minutes here.
  BOOST_TEST(in_fork([] {
    struct rlimit limit {};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    auto command = sh("");
    command.program = "/bin/true";
    for (int i = 0; i < 50; ++i) {
      if (!run(command).succeeded()) return 1;
    }
    return 0;
  }) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
