// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kernix/cache/cache_directory.hpp>
#include <kernix/cache/detail/own_place.hpp>
#include <kernix/cache/detail/warn_once.hpp>
#include <kernix/cache/held_files.hpp>
#include <kernix/cache/lock_owner.hpp>
#include <kernix/cache/manifest.hpp>
#include <kernix/cache/result_entry.hpp>
#include <kernix/compile/read_validation.hpp>
#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/keyed_request.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/detail/digest_memo.hpp>
#include <kernix/detail/lock_table.hpp>
#include <kernix/detail/stat_signature.hpp>

namespace kernix::detail {

using payload_ptr = std::shared_ptr<const outcome_payload>;

/// The cache directory's contents as plain, blocking operations: to be called on the pool, from any thread at once.
/// None of them throws or fails: whatever is wrong with the disk is told to the log, once a cause, and is then a miss,
/// or a result that isn't stored.
class result_store {
 public:
  explicit result_store(const settings& from)
      : directory_(from.cache_directory), warn_(from.log), own_(directory_, from.variable("TMPDIR")) {}

  /// The newest result of this key that is whole, whose files still have their contents, and whose compile began at
  /// `not_before_ns` or later; null if there is none.
  payload_ptr find(const keyed_request& keyed, digest_memo& digests) {
    return guarded("look up", [&] { return look_up(keyed, digests); });
  }

  /// Tries to become the one who builds this key on this host. Where the whole directory can't be written to, the log
  /// has been told, and no reason is given.
  lock_attempt try_lock(const keyed_request& keyed) {
    return guarded("lock", [&]() -> lock_attempt {
      if (auto access = directory_.open(); !access.writable) {
        unusable(access);
        return {};
      }
      const std::filesystem::path file = directory_.lock(keyed.key());
      if (int failed = make_private_directories(file.parent_path()); failed != 0) {
        return {.reason = file.string() + ": " + system_message(failed)};
      }
      lock_attempt attempt = lock_table::instance().try_acquire(file, directory_.sweep_lock());
      if (attempt.how == lock_attempt::state::acquired) write_owner(file, lock_owner::self(keyed.request().name));
      return attempt;
    });
  }

  /// Gives a build lock back.
  void unlock(const digest& key, held_lock lock) {
    if (lock) ::unlink(owner_file(directory_.lock(key)).c_str());
  }

  /// Who builds this key at the moment, in words.
  std::string who_builds(const digest& key) {
    auto owner = read_owner(directory_.lock(key));
    return owner ? owner->sentence() : "another process";
  }

  /// Stores a fresh outcome, and gives it back with paths that outlive the place where it was built; null where it
  /// can't be stored.
  payload_ptr publish(const keyed_request& keyed, const compile_outcome& fresh) {
    return guarded("publish", [&] {
      int failed = 0;
      payload_ptr stored = try_publish(keyed, fresh, failed);
      if (failed == ENOENT) {  // somebody removed the directory under us: make it again
        directory_.forget();
        own_.forget();
        stored = try_publish(keyed, fresh, failed);
      }
      if (failed != 0) {
        warn_("publish " + std::to_string(failed), "can't keep \"" + keyed.request().name +
                                                       "\" in the cache directory " + directory_.top().string() + ": " +
                                                       system_message(failed));
      } else if (stored && !swept_.exchange(true)) {
        sweep_holds(directory_.holds(), directory_.staging());
      }
      return stored;
    });
  }

  /// Tells the log that files can't be locked: once for each error, not for each lock.
  void warn_unlockable(const std::string& reason) {
    warn_("lock " + reason.substr(std::min(reason.rfind(": "), reason.size())),
          "kernels are built without a lock, so that several processes may build the same one: " + reason);
  }

  /// Tells the log for whom a request has waited in vain.
  void warn_impatient(const keyed_request& keyed, const std::string& who) {
    warn_("patience " + keyed.key().hex() + who,
          "\"" + keyed.request().name + "\" is built without waiting any longer for the lock held by " + who);
  }

 private:
  template <class F>
  auto guarded(const char* what, F work) -> decltype(work()) {
    try {
      return work();
    } catch (const std::exception& error) {
      warn_(std::string(what) + ' ' + error.what(),
            std::string("the disk cache failed (") + what + "): " + error.what());
      return {};
    }
  }

  void unusable(const cache_directory::access& access) {
    warn_("open " + access.problem, "the cache directory can't be " +
                                        std::string(access.readable ? "written to" : "used") +
                                        ", so kernels are compiled without it: " + access.problem);
  }

  payload_ptr look_up(const keyed_request& keyed, digest_memo& digests) {
    const auto access = directory_.open();
    if (!access.readable) {
      unusable(access);
      return nullptr;
    }
    std::string before;
    for (int round = 0; round < 8; ++round) {
      std::string text;
      const file_state state = read_whole(directory_.manifest(keyed.key()), text);
      if (state == file_state::absent || text == before) return nullptr;
      auto listed = state == file_state::good ? decode_manifest(text) : std::nullopt;
      if (!listed || listed->key != keyed.key()) {
        const std::string file = directory_.manifest(keyed.key()).string();
        warn_(file, file + (state == file_state::unreadable ? " can't be read" : " is damaged") + ": \"" +
                        keyed.request().name + "\" is built again");
        return nullptr;
      }
      bool vanished = false;
      for (const manifest_result& each : listed->results) {
        if (each.began_ns < keyed.not_before_ns || !still_valid(each.reads, keyed.data->roots, digests)) continue;
        if (payload_ptr found = take(keyed, each, access.writable, vanished)) return found;
      }
      if (!vanished) return nullptr;
      before = std::move(text);  // a rebuild replaced it between the two looks: see what the manifest says now
    }
    return nullptr;
  }

  payload_ptr take(const keyed_request& keyed, const manifest_result& listed, bool writable, bool& vanished) {
    const std::filesystem::path directory = directory_.result(listed.id);
    auto held = own_.hold_anywhere(writable);
    entry_look look = open_entry(directory, keyed.key(), held.get());
    if (look.state == file_state::good) {
      touch_entry(directory);
      return payload(std::move(look.meta), listed.reads, std::move(held));
    }
    vanished = vanished || look.state == file_state::absent;
    if (look.state == file_state::damaged) {
      warn_(listed.id, "the cached result of \"" + keyed.request().name + "\" is damaged (" +
                           (directory / look.culprit).string() + "): it is set aside and built again");
      own_.discard(directory);
    } else if (look.state == file_state::unreadable) {
      warn_(listed.id, "the cached result of \"" + keyed.request().name + "\" can't be read (" +
                           (directory / look.culprit).string() + "): it is built again");
    }
    return nullptr;
  }

  static payload_ptr payload(result_meta meta, read_set reads, std::shared_ptr<void> keeper) {
    auto made = std::make_shared<outcome_payload>();
    made->key = meta.key;
    made->artifacts = std::move(meta.artifacts);
    made->diagnostics = std::move(meta.diagnostics);
    made->reads = std::move(reads);
    made->began_ns = meta.began_ns;
    made->compile_time = meta.compile_time;
    made->keeper = std::move(keeper);
    return made;
  }

  /// Removes what was staged unless it was renamed away.
  struct staged_tree {
    std::filesystem::path path;
    ~staged_tree() { remove_tree(path); }
  };

  payload_ptr try_publish(const keyed_request& keyed, const compile_outcome& fresh, int& failed) {
    failed = 0;
    if (auto access = directory_.open(); !access.writable) {
      unusable(access);
      return nullptr;
    }
    auto held = own_.hold(failed);
    if (!held) return nullptr;

    const outcome_payload& from = fresh.payload();
    result_meta meta{.key = keyed.key(),
                     .artifacts = from.artifacts,
                     .diagnostics = from.diagnostics,
                     .began_ns = from.began_ns,
                     .compile_time = from.compile_time};
    staged_tree staged{own_.staging_name()};
    if (failed = write_entry(staged.path, meta, *held); failed != 0) return nullptr;

    const manifest_result listed{
        .id = random_name(), .began_ns = from.began_ns, .created_ns = file_clock_ns(), .reads = from.reads};
    const std::filesystem::path result = directory_.result(listed.id);
    if (failed = publish_entry(staged.path, result); failed != 0) return nullptr;
    if (failed = list(keyed, listed); failed != 0) {
      own_.discard(result);
      return nullptr;
    }
    return payload(std::move(meta), from.reads, std::move(held));
  }

  /// Puts a result in front of its key's manifest. Those that it supersedes are no longer listed; their directories stay, since
  /// a path into them may have been printed, or be in use by a reader of the manifest as it was.
  int list(const keyed_request& keyed, const manifest_result& fresh) {
    const std::filesystem::path file = directory_.manifest(keyed.key());
    std::string text;
    manifest all;
    if (read_whole(file, text) == file_state::good) {
      if (auto known = decode_manifest(text); known && known->key == keyed.key()) all = std::move(*known);
    }
    all.key = keyed.key();
    all.fields = keyed.data->key.fields;
    all.add_name(keyed.request().name);
    all.put(fresh);
    const std::string fresh_text = encode(all);
    int failed = replace_file(file, fresh_text, own_.staging_name());
    if (failed == EISDIR || failed == ENOTEMPTY || failed == EEXIST) {
      own_.discard(file);
      failed = replace_file(file, fresh_text, own_.staging_name());
    }
    return failed;
  }

  cache_directory directory_;
  warn_once warn_;
  own_place own_;
  std::atomic<bool> swept_{false};
};

}  // namespace kernix::detail
