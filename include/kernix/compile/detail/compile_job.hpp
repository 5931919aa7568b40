// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/compile/detail/include_scan_memo.hpp>
#include <kernix/compile/detail/pooled_scratch.hpp>
#include <kernix/compile/detail/read_outputs.hpp>
#include <kernix/compile/detail/scratch_parent.hpp>
#include <kernix/compile/detail/step_command.hpp>
#include <kernix/compile/detail/workspace.hpp>
#include <kernix/compile/log_names.hpp>
#include <kernix/compile/read_recorder.hpp>
#include <kernix/compile/scratch_directory.hpp>
#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/core/keyed_request.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/detail/limit_text.hpp>
#include <kernix/detail/runtime.hpp>
#include <kernix/detail/stat_signature.hpp>
#include <kernix/toolchain/parts.hpp>

namespace kernix::detail {

/// One compile on its way from a request to a payload. Its members that block are to be called on the pool, one at a time.
class compile_job {
 public:
  compile_job(keyed_request keyed, std::shared_ptr<runtime> shared, std::shared_ptr<const settings> from,
              std::shared_ptr<include_scan_memo> scans)
      : keyed_(std::move(keyed)), shared_(std::move(shared)), settings_(std::move(from)), scans_(std::move(scans)) {
    payload_->key = keyed_.key();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    payload_->began_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  }

  const command_plan& plan() const noexcept { return keyed_.data->plan; }
  const std::filesystem::path& workspace() const noexcept { return scratch_->path(); }

  /// Has `prepare` remove what dead processes have left.
  void sweep_first() noexcept { sweep_ = true; }

  /// Blocks: makes the workspace, and looks whether the toolchain is still the one that the key was made with.
  std::optional<refusal> prepare() {
    auto parent = find_scratch_parent(*settings_, parents_);
    if (!parent) return parent.error();
    parents_.push_back(*parent);
    if (sweep_) sweep_scratch(*parent);
    auto made = scratch_directory::make(*parent, keyed_.request().keep_scratch);
    if (!made) return made.error();
    scratch_ = std::make_shared<pooled_scratch>(shared_, std::move(*made));
    payload_->cacheable = toolchain_unchanged();
    std::optional<refusal> why = fill_workspace(workspace(), plan());
    filled_ = !why;
    return why;
  }

  /// Blocks: after a failure for want of room, or because somebody removed the workspace, forgets the failure and what is
  /// there, so that `prepare` can begin again in another place. False where it was another failure, or no place is left.
  bool move_on() {
    diagnostics& what = payload_->diagnostics;
    if (what.code == make_error_code(errc::cancelled) || what.code == make_error_code(errc::timed_out)) return false;
    if (filled_ && !workspace_stands(workspace(), plan())) {
      what.code = make_error_code(errc::disk_full);
      what.reason = "somebody removed " + workspace().string() + " while the compiler ran in it";
      what.advice.clear();
    }
    if (what.code != make_error_code(errc::disk_full)) return false;
    if (keyed_.request().keep_scratch || !find_scratch_parent(*settings_, parents_)) return false;
    say("compiling again in another place than " + parents_.back().string() + ": " + what.reason);
    if (scratch_) scratch_->take();
    scratch_.reset();
    filled_ = false;
    what = {};
    return true;
  }

  /// The next step's process, with what remains of the limit on all of them.
  process_command command(const command_step& step) {
    process_command made = command_of(step, plan(), workspace(), *settings_);
    limit_ = limit();
    made.timeout = std::max(limit_ - used_, std::chrono::nanoseconds(1));
    if (keyed_.extended_timeout) {
      made.extended_timeout = [this] {  // asked by the process, which the job outlives
        limit_ = limit();
        return limit_ - used_;
      };
    }
    if (!started_) {
      made.on_start = keyed_.on_start;
      // As late as can be: whatever is changed from here on may have been read before or after. A second attempt keeps it.
      began_file_clock_ = file_clock_ns();
    }
    started_ = true;
    diagnostics& what = payload_->diagnostics;
    what.stage = step.name;
    what.command = shell_text(step);
    if (settings_->log) {
      say(what.command);
      made.on_stderr_line = [log = settings_->log](std::string_view line) { say(log, line); };
    }
    return made;
  }

  /// Takes in how a step ended, and what the backend makes of it. Returns whether the next step can follow.
  bool finish_step(process_result ended, diagnosis made_of_it) {
    used_ += ended.ran;
    diagnostics& what = payload_->diagnostics;
    append_log(what.log, ended);
    what.exit_status = ended.exit_code;
    what.signal = ended.signal;
    for (message& each : made_of_it.messages) what.messages.push_back(std::move(each));
    using ending = process_result::ending;
    if (ended.how == ending::timed_out) {
      made_of_it.code = make_error_code(errc::timed_out);
      made_of_it.reason = "timed out after " + limit_text(limit_);
    } else if (ended.how == ending::cancelled) {
      made_of_it.code = make_error_code(errc::cancelled);
      made_of_it.reason = "cancelled";
    } else if (!ended.succeeded() && !made_of_it.code) {
      // A backend that finds nothing wrong doesn't turn a failure into a success.
      made_of_it.code = make_error_code(ended.how == ending::not_started ? errc::spawn_failed : errc::compile_failed);
    }
    if (!made_of_it.code) return true;
    what.code = made_of_it.code;
    what.reason = made_of_it.reason.empty() ? what.code.message() : std::move(made_of_it.reason);
    what.advice = std::move(made_of_it.advice);
    return false;
  }

  void cancelled() { fail(refuse(errc::cancelled, "cancelled")); }

  void fail(refusal why) {
    payload_->diagnostics.code = why.code;
    payload_->diagnostics.reason = std::move(why.reason);
  }

  /// Blocks: reads what the steps left, and records what they had read.
  void collect() {
    auto outputs = read_outputs(workspace(), plan());
    if (!outputs) return fail(outputs.error());
    recorded_reads recorded =
        record_reads(plan(), keyed_.request(), *keyed_.data->toolchain, workspace(), began_file_clock_, shared_->digests(), *scans_);
    if (!recorded.complete) say("\"" + keyed_.request().name + "\" can't be cached: " + recorded.why_not);
    payload_->reads = std::move(recorded.reads);
    payload_->cacheable = payload_->cacheable && recorded.complete && toolchain_unchanged();
    payload_->artifacts = std::move(*outputs);
    payload_->keeper = scratch_;
    finish();
  }

  bool failed() const noexcept { return payload_ && payload_->diagnostics.code.failed(); }

  /// Blocks: removes the workspace of a compile that failed.
  void clean_up() {
    payload_->artifacts.clear();
    payload_->cacheable = false;
    if (scratch_ && !scratch_->kept()) scratch_->take();
    finish();
  }

  /// What has come of it. The job is over.
  std::pair<error_code, compile_outcome> outcome() {
    if (payload_) finish();
    const error_code code = outcome_.payload().diagnostics.code;
    return {code, std::move(outcome_)};
  }

 private:
  std::chrono::nanoseconds limit() const {
    if (keyed_.extended_timeout) return keyed_.extended_timeout();
    return keyed_.timeout > std::chrono::nanoseconds(0) ? keyed_.timeout : settings_->compile_timeout;
  }

  /// Makes the outcome: the payload is whole.
  void finish() {
    if (scratch_ && scratch_->kept()) payload_->diagnostics.kept_scratch = workspace().native();
    payload_->compile_time = used_;
    outcome_ = present(compile_outcome(payload_, origin::compiler), keyed_);
    payload_ = nullptr;
  }

  bool toolchain_unchanged() const { return unchanged(*keyed_.data->toolchain, shared_->digests()); }

  /// The sink is the user's: what it throws must not end a compile.
  static void say(const std::function<void(log_level, std::string_view)>& log, std::string_view line) noexcept {
    try {
      log(log_level::info, line);
    } catch (...) {
    }
  }
  void say(std::string_view line) const noexcept {
    if (settings_->log) say(settings_->log, line);
  }

  keyed_request keyed_;
  std::shared_ptr<runtime> shared_;
  std::shared_ptr<const settings> settings_;
  std::shared_ptr<include_scan_memo> scans_;
  std::shared_ptr<outcome_payload> payload_ = std::make_shared<outcome_payload>();
  compile_outcome outcome_;
  std::shared_ptr<pooled_scratch> scratch_;
  std::vector<std::filesystem::path> parents_;  ///< Where scratch directories were made, in order.
  std::chrono::nanoseconds limit_{};  ///< On all steps together.
  std::chrono::nanoseconds used_{};
  std::int64_t began_file_clock_ = 0;
  bool filled_ = false;
  bool started_ = false;
  bool sweep_ = false;
};

}  // namespace kernix::detail
