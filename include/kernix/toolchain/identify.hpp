// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <kernix/backend/compiler_backend.hpp>
#include <kernix/core/command.hpp>
#include <kernix/core/error.hpp>
#include <kernix/core/process_result.hpp>
#include <kernix/core/toolchain.hpp>
#include <kernix/detail/initiate.hpp>
#include <kernix/detail/runtime.hpp>
#include <kernix/process/process_runner.hpp>
#include <kernix/toolchain/candidate_paths.hpp>
#include <kernix/toolchain/detail/cpu_identity.hpp>
#include <kernix/toolchain/detail/loaded_libraries.hpp>
#include <kernix/toolchain/fingerprint.hpp>
#include <kernix/toolchain/parts.hpp>

namespace kernix::detail {

/// Who a candidate turned out to be; or why it can't be used.
struct identified {
  std::shared_ptr<const toolchain> tool = {};
  std::string complaint = {};
  errc code = errc::toolchain_not_found;
  bool transient = false;  ///< The complaint may be gone at the next try.
};

/// The argument lists that the driver is called with. Without any of its own, a backend's compiler is asked for its version.
template <class B>
std::vector<std::vector<std::string>> questions_of(const B& backend) {
  if constexpr (requires { backend.questions(); }) {
    return backend.questions();
  } else {
    return {{"--version"}};
  }
}

inline std::string_view first_line(std::string_view text) {
  while (!text.empty() && (text.front() == '\n' || text.front() == ' ')) text.remove_prefix(1);
  return text.substr(0, text.find_first_of("\r\n"));
}

/// Lets the backend read the answers; a complaint if it finds that this is no compiler for it.
template <class B>
std::optional<std::string> describe_by(const B& backend, toolchain& tool, const std::vector<process_result>& answers) {
  if constexpr (requires { backend.describe(tool, answers); }) {
    return backend.describe(tool, answers);
  } else {
    std::string_view line = first_line(answers.front().out.head);
    if (line.empty()) line = first_line(answers.front().err.head);
    if (line.empty()) return "says nothing when asked for its version";
    tool.version_text = line;
    return std::nullopt;
  }
}

inline process_command question_command(const std::filesystem::path& program, std::vector<std::string> words) {
  process_command command;
  command.program = program;
  command.arguments = std::move(words);
  command.environment = {"LC_ALL=C", "PATH=" + child_path(program)};
  command.working_directory = "/";
  command.timeout = std::chrono::seconds(30);
  return command;
}

/// What a first answer says against a candidate; nothing if it succeeded.
inline std::optional<identified> complaint_about_answer(const process_command& asked, const process_result& answer) {
  if (answer.succeeded()) return std::nullopt;
  std::string shown = "`" + shell_quoted(asked.program.native());
  for (const std::string& word : asked.arguments) shown += ' ' + shell_quoted(word);
  shown += "` ";
  identified bad;
  bad.transient = true;
  switch (answer.how) {
    case process_result::ending::not_started: {
      const int error = answer.spawn_error.value();
      bad.complaint = "can't be started: " + (answer.spawn_message.empty() ? answer.spawn_error.message() : answer.spawn_message);
      if (error == EACCES || error == ENOEXEC) bad.code = errc::not_executable;
      break;
    }
    case process_result::ending::exited: {
      std::string_view line = first_line(answer.err.head);
      if (line.empty()) line = first_line(answer.out.head);
      bad.complaint = shown + "ended with exit status " + std::to_string(answer.exit_code);
      if (!line.empty()) bad.complaint += ": " + to_utf8(line.substr(0, 300));
      bad.transient = false;
      break;
    }
    case process_result::ending::signalled:
      bad.complaint = shown + "was ended by signal " + std::to_string(answer.signal);
      break;
    case process_result::ending::timed_out:
      bad.complaint = shown + "gave no answer within 30 s";
      break;
    case process_result::ending::cancelled:
      bad.complaint = "cancelled";
      bad.code = errc::cancelled;
      break;
    case process_result::ending::status_lost:
      bad.complaint = shown + "ended, but other code of this process took its exit status";
      bad.code = errc::status_lost;
      break;
  }
  return bad;
}

/// Finds out what a candidate is: asks it, and takes the digests of what it consists of. Runs on kernix's thread.
template <class B, process_runner R>
asio::awaitable<identified> identify(std::shared_ptr<runtime> shared, B backend, R runner, located_candidate candidate,
                                     std::shared_ptr<const toolchain> host) {
  auto tool = std::make_shared<toolchain>();
  tool->backend = std::string_view(backend.name());
  tool->program = candidate.program;
  tool->wrapper = candidate.wrapper;
  tool->origin = candidate.origin;
  tool->host = std::move(host);

  std::vector<process_result> answers;
  for (std::vector<std::string>& words : questions_of(backend)) {
    process_command command = question_command(candidate.program, std::move(words));
    auto asking = runner.run(command);
    process_result answer = co_await std::move(asking);
    const bool cancelled = answer.how == process_result::ending::cancelled;
    if (answers.empty() || cancelled) {
      if (auto complaint = complaint_about_answer(command, answer)) co_return std::move(*complaint);
    }
    answers.push_back(std::move(answer));
  }
  if (auto complaint = describe_by(backend, *tool, answers)) {
    identified bad;
    bad.complaint = std::move(*complaint);
    co_return bad;
  }
  if (tool->family == "clang") {
    process_command command = question_command(candidate.program, {});
    command.environment.emplace_back(list_libraries_variable);
    auto listing = runner.run(std::move(command));
    const process_result listed = co_await std::move(listing);
    if (auto complaint = complaint_about_answer({}, listed); complaint && complaint->code == errc::cancelled) {
      co_return std::move(*complaint);
    }
    for (std::filesystem::path& library : compiler_libraries(listed.out.head)) tool->parts.push_back({std::move(library), {}, {}});
  }

  // A compiler that was installed a moment ago has settled after a tick or two of the file clock.
  for (int attempt = 0;; ++attempt) {
    auto take = [tool, shared, attempt] {
      if (attempt == 0) complete_parts(*tool);
      return hash_parts(*tool, shared->digests());
    };
    auto hashing = on_pool(shared, std::move(take));
    const bool settled = co_await std::move(hashing);
    if (settled || attempt == 2) break;
    asio::steady_timer tick(co_await asio::this_coro::executor, std::chrono::milliseconds(5));
    co_await tick.async_wait(asio::use_awaitable);
  }
  std::sort(tool->properties.begin(), tool->properties.end());
  tool->fingerprint = fingerprint_of(*tool);
  tool->cpu = cpu_identity();
  identified good;
  good.tool = std::move(tool);
  co_return good;
}

}  // namespace kernix::detail
