// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include <kernix/backend/compiler_backend.hpp>
#include <kernix/core/error.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/core/toolchain.hpp>
#include <kernix/detail/initiate.hpp>
#include <kernix/detail/runtime.hpp>
#include <kernix/process/process_runner.hpp>
#include <kernix/toolchain/candidate_paths.hpp>
#include <kernix/toolchain/detail/cpu_identity.hpp>
#include <kernix/toolchain/discovery.hpp>
#include <kernix/toolchain/identify.hpp>
#include <kernix/toolchain/search_report.hpp>
#include <kernix/toolchain/toolchain_memo.hpp>

namespace kernix::detail {

/// What came of one list of candidates.
struct examined_list {
  std::shared_ptr<const toolchain> found = {};
  std::vector<examined_candidate> looks = {};
  bool lasting = true;
  bool cancelled = false;
};

/// Goes through candidates until one can be used, or one that decides can't.
template <class B, process_runner R>
asio::awaitable<examined_list> examine(std::shared_ptr<runtime> shared, B backend, R runner,
                                       std::vector<located_candidate> candidates, std::shared_ptr<const toolchain> host) {
  examined_list list;
  for (located_candidate& candidate : candidates) {
    examined_candidate look{candidate, candidate.verdict, candidate.code, {}};
    if (candidate.usable()) {
      look.signature = signature_of(candidate.program).value_or(stat_signature{});
      auto asking = identify(shared, backend, runner, candidate, host);
      identified answer = co_await std::move(asking);
      look.verdict = answer.tool ? "ok" : answer.complaint;
      look.code = answer.code;
      list.found = std::move(answer.tool);
      list.lasting = list.lasting && !answer.transient;
      list.cancelled = answer.code == errc::cancelled;
      if (list.found) look.signature = {};
    }
    list.looks.push_back(std::move(look));
    if (list.found || list.cancelled || candidate.decisive) break;
  }
  co_return list;
}

inline discovery cancelled_discovery() {
  discovery done;
  done.code = make_error_code(errc::cancelled);
  done.search.report.code = done.code;
  done.search.report.reason = "cancelled";
  done.search.report.stage = "discovery";
  return done;
}

/// Searches, without looking at what is remembered.
template <class B, process_runner R>
asio::awaitable<discovery> search_anew(std::shared_ptr<runtime> shared, B backend, R runner, settings from, candidate_lists lists) {
  auto look = [from, lists] {
    return std::pair(locate(lists.tools, from, lists.backend), locate(lists.hosts, from, lists.host_backend));
  };
  auto looking = on_pool(shared, std::move(look));
  auto [tools, hosts] = co_await std::move(looking);

  discovery done;
  std::shared_ptr<const toolchain> host;
  if constexpr (requires { backend.host_candidates(from); }) {
    auto examining = examine(shared, host_backend_of(backend), runner, std::move(hosts), nullptr);
    examined_list list = co_await std::move(examining);
    if (list.cancelled) co_return cancelled_discovery();
    host = std::move(list.found);
    done.hosts = std::move(list.looks);
    done.lasting = list.lasting;
  }
  if (lists.needs_host() && !host) {  // the tool can't be asked everything, but whether it is there belongs into the report
    for (located_candidate& each : tools) {
      const std::string verdict = each.usable() ? "ok" : each.verdict;
      const errc code = each.code;
      const bool last = each.usable() || each.decisive;
      done.tools.push_back({std::move(each), verdict, code, {}});
      if (last) break;
    }
  } else {
    auto examining = examine(shared, backend, runner, std::move(tools), host);
    examined_list list = co_await std::move(examining);
    if (list.cancelled) co_return cancelled_discovery();
    done.search.found = std::move(list.found);
    done.tools = std::move(list.looks);
    done.lasting = done.lasting && list.lasting;
  }
  report(done, lists);
  for (const std::vector<examined_candidate>* looks : {&done.tools, &done.hosts}) {
    for (const examined_candidate& each : *looks) {
      if (each.what.misconfigured && from.log) from.log(log_level::warning, each.verdict);
    }
  }
  co_return done;
}

/// A remembered toolchain with what is never remembered: this machine's CPU.
inline std::shared_ptr<const toolchain> on_this_machine(toolchain tool) {
  tool.cpu = cpu_identity();
  if (tool.host) {
    toolchain host = *tool.host;
    host.cpu = tool.cpu;
    tool.host = std::make_shared<const toolchain>(std::move(host));
  }
  return std::make_shared<const toolchain>(std::move(tool));
}

/// The architectures of this machine's devices; none if nobody knows any, or where the backend has been told which to
/// build for. Never remembered: devices come and go without a file changing.
template <class B, process_runner R>
asio::awaitable<std::vector<std::string>> ask_for_devices(B backend, R runner, settings from) {
  std::vector<std::string> words = backend.device_question();
  if constexpr (requires { backend.architectures.empty(); }) {
    if (!backend.architectures.empty()) words.clear();
  }
  if (words.empty()) co_return words;
  const auto [program, complaint] = resolve_word(words.front(), search_path(from)).front();
  words.erase(words.begin());
  if (complaint) co_return std::vector<std::string>();
  auto asking = runner.run(question_command(program, std::move(words)));
  const process_result answer = co_await std::move(asking);
  co_return backend.device_architectures(answer);
}

/// The toolchain and all that it depends on: remembered while nothing has changed, searched otherwise.
template <class B, process_runner R>
asio::awaitable<discovery> discover(std::shared_ptr<runtime> shared, B backend, R runner, settings from) {
  const candidate_lists lists = candidates_of(backend, from);
  auto recall = [lists, from] {
    auto known = recall_toolchain(lists, from);
    if (known) known->search.found = on_this_machine(*known->search.found);
    return known;
  };
  auto recalling = on_pool(shared, std::move(recall));
  auto known = co_await std::move(recalling);
  discovery found;
  if (known) {
    found = std::move(*known);
  } else {
    auto searching = search_anew(shared, backend, runner, from, lists);
    found = co_await std::move(searching);
    if (found.code) co_return found;
    auto remember = [found, lists, from] { return remember_toolchain(found, lists, from); };
    auto remembering = on_pool(shared, std::move(remember));
    co_await std::move(remembering);
  }
  if constexpr (requires { backend.device_question(); }) {
    auto asking = ask_for_devices(backend, runner, from);
    std::vector<std::string> devices = co_await std::move(asking);
    auto with_devices = std::make_shared<toolchain>(*found.search.found);
    with_devices->device_architectures = std::move(devices);
    found.search.found = std::move(with_devices);
  }
  co_return found;
}

/// Finds a backend's compiler: goes through its candidates in order, asks each what it is, and takes the first that
/// answers as it should. A candidate that the user set decides: if it can't be used, that is the error. The toolchain is
/// remembered in the settings' cache directory while none of its files changes. Runs on kernix's thread.
///
/// Errors: `errc::toolchain_not_found`, `errc::not_executable`, `errc::tool_not_found` (no host compiler for it),
/// `errc::cancelled`. The search's report lists every candidate and what is wrong with it.
template <compiler_backend B, process_runner R>
asio::awaitable<std::pair<error_code, toolchain_search>> find_toolchain(std::shared_ptr<runtime> shared, B backend, R runner,
                                                                        settings from) {
  auto discovering = discover(std::move(shared), std::move(backend), std::move(runner), std::move(from));
  discovery found = co_await std::move(discovering);
  co_return std::pair(found.code, std::move(found.search));
}

}  // namespace kernix::detail
