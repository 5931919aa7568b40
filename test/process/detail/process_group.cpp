// SPDX-License-Identifier: Apache-2.0
#include <kernix/process/detail/process_group.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(process_detail_process_group)

using kernix::detail::group_is_alive;
using kernix::detail::stat_line;

BOOST_AUTO_TEST_CASE(stat_line_is_read_behind_any_name) {
  for (auto text : {"12 (sh) S 1 34 56 0", "12 (a) R 9 (b) S 1 34 56 0", "12 () S 1 34 56", "12 ( ) ) S 1 34 "}) {
    auto line = stat_line::parse(text);
    BOOST_TEST(line.state == 'S');
    BOOST_TEST(line.group == 34);
  }
}

BOOST_AUTO_TEST_CASE(damaged_stat_line_names_no_group) {
  for (auto text : {"", "12", "12 (sh", "12 (sh)", "12 (sh) ", "12 (sh) S", "12 (sh) S 1", "12 (sh) S 1 x"}) {
    BOOST_TEST(stat_line::parse(text).group == 0);
  }
}

BOOST_AUTO_TEST_CASE(group_of_live_processes_is_alive_and_one_of_zombies_is_not) {
  BOOST_TEST(group_is_alive(::getpgrp()));
  pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    for (;;) ::pause();
  }
  ::setpgid(child, child);
  BOOST_TEST(group_is_alive(child));
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  BOOST_TEST(!group_is_alive(child));
  ::waitpid(child, nullptr, 0);
  BOOST_TEST(!group_is_alive(child));
}

BOOST_AUTO_TEST_SUITE_END()
