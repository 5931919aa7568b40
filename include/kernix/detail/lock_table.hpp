// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <compare>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/sync/file_lock.hpp>

#include <kernix/detail/low_descriptors.hpp>

namespace kernix::detail {

// The table is shared by every shared object of the process that uses kernix, also by those that were built with hidden
// visibility (but not by those that clang built and `dlopen` loaded with RTLD_LOCAL: only g++ marks its static as
// unique). A change of its layout changes this name, so that two versions never meet in one object.
#pragma GCC visibility push(default)
inline namespace lock_table_1 {

class lock_table;

/// A lock on a file, given back when this ends. In a forked child it is nothing: the lock is the parent's.
class held_lock {
 public:
  held_lock() = default;
  held_lock(held_lock&& other) noexcept { swap(other); }
  held_lock& operator=(held_lock&& other) noexcept {
    held_lock taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~held_lock() { release(); }

  explicit operator bool() const noexcept { return table_ != nullptr; }
  inline void release() noexcept;

 private:
  friend class lock_table;

  struct file_id {
    dev_t device = 0;
    ino_t inode = 0;
    friend auto operator<=>(const file_id&, const file_id&) = default;
  };

  void swap(held_lock& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(file_, other.file_);
    std::swap(sweep_, other.sweep_);
    std::swap(has_sweep_, other.has_sweep_);
  }

  lock_table* table_ = nullptr;
  file_id file_;
  file_id sweep_;
  bool has_sweep_ = false;
};

/// What came of trying to take a lock.
struct lock_attempt {
  enum class state {
    acquired,
    busy,      ///< Somebody alive holds it.
    unusable,  ///< Files can't be locked here (`reason`): do without.
  };
  state how = state::unusable;
  held_lock lock = {};
  std::string reason = {};
};

/// The one table of the process' file locks.
///
/// A POSIX record lock belongs to the process: it doesn't exclude threads, and closing *any* descriptor of the file
/// drops it. So no lock file is ever opened twice in a process: it is made by `mknod`, identified by `stat`, and opened
/// only under the table's mutex, after the table was asked. The kernel gives a dead process' locks back; the presence
/// of a lock file means nothing, and it is never written to. Who holds it stands beside it.
///
/// `file_lock` opens its descriptor without O_CLOEXEC: the launcher closes what is above stderr in the child. It takes the
/// lowest free number, but never that of a standard stream which the host has closed.
///
/// Thread-safe. Blocks for as long as the filesystem does: not for an event loop.
class lock_table {
 public:
  /// The table of this process. Never destroyed, so that caches with static lifetime can unlock while the process
  /// exits. A forked child gets a new one: its parent's locks aren't its own, and the old mutex may be held by a thread
  /// that doesn't exist there.
  static lock_table& instance() {
    static std::atomic<lock_table*> current{nullptr};
    lock_table* table = current.load(std::memory_order_acquire);
    while (!table || !table->belongs_here()) {
      auto made = std::unique_ptr<lock_table>(new lock_table(table));
      if (current.compare_exchange_strong(table, made.get(), std::memory_order_acq_rel)) table = made.release();
    }
    return *table;
  }

  /// Tries to lock `file` exclusively, without waiting. Where `sweep` is given, it is locked as well, shared with all
  /// other builders: nobody removes lock files meanwhile, since that takes `sweep` exclusively.
  lock_attempt try_acquire(const std::filesystem::path& file, const std::filesystem::path& sweep = {}) {
    std::lock_guard guard(mutex_);
    lock_attempt attempt;
    held_lock lock;
    if (!sweep.empty()) {
      attempt.how = enter(sweep, true, lock.sweep_, attempt.reason);
      if (attempt.how != lock_attempt::state::acquired) return attempt;
      lock.has_sweep_ = true;
    }
    attempt.how = enter(file, false, lock.file_, attempt.reason);
    if (attempt.how == lock_attempt::state::acquired) {
      lock.table_ = this;
      attempt.lock = std::move(lock);
    } else if (lock.has_sweep_) {
      leave(lock.sweep_);
    }
    return attempt;
  }

 private:
  friend class held_lock;
  using state = lock_attempt::state;

  struct entry {
    boost::interprocess::file_lock lock;
    bool shared;
    unsigned holders;
  };

  explicit lock_table(lock_table* forked_from) : forked_from_(forked_from) {}

  bool belongs_here() const noexcept { return process_ == ::getpid(); }

  static state unusable(std::string& reason, const std::filesystem::path& file, int error) {
    reason = "can't lock " + file.string() + ": " + std::generic_category().message(error);
    return state::unusable;
  }

  /// Locks `file` and notes it in the table.
  state enter(const std::filesystem::path& file, bool shared, held_lock::file_id& id, std::string& reason) {
    struct stat found {};
    for (int round = 0; round < 8; ++round) {
      if (::lstat(file.c_str(), &found) != 0) {
        if (errno != ENOENT) return unusable(reason, file, errno);
        if (::mknod(file.c_str(), S_IFREG | 0600, 0) != 0 && errno != EEXIST) return unusable(reason, file, errno);
        if (::lstat(file.c_str(), &found) != 0) {
          if (errno == ENOENT) continue;
          return unusable(reason, file, errno);
        }
      }
      if (!S_ISREG(found.st_mode)) return unusable(reason, file, EINVAL);
      if (found.st_uid == ::geteuid() && (found.st_mode & 0600) != 0600) {
        // left by a umask or a careless hand: it is ours, so make it usable
        if (::chmod(file.c_str(), 0600) != 0) return unusable(reason, file, errno);
      }
      id = {found.st_dev, found.st_ino};
      if (auto at = held_.find(id); at != held_.end()) {
        if (!shared || !at->second.shared) return state::busy;
        ++at->second.holders;
        return state::acquired;
      }
      try {
        // Nobody in this process holds it, so that closing it again can drop no lock.
        boost::interprocess::file_lock lock = opened(file);
        if (!(shared ? lock.try_lock_sharable() : lock.try_lock())) return state::busy;
        struct stat again {};
        if (::lstat(file.c_str(), &again) != 0 || again.st_dev != found.st_dev || again.st_ino != found.st_ino) {
          continue;  // swept between the look and the lock: what is locked is a file without a name
        }
        entry& made = held_[id];
        made.lock.swap(lock);
        made.shared = shared;
        made.holders = 1;
        return state::acquired;
      } catch (const boost::interprocess::interprocess_exception& error) {
        if (error.get_native_error() == ENOENT) continue;
        return unusable(reason, file, error.get_native_error());
      }
    }
    return unusable(reason, file, ESTALE);
  }

  static boost::interprocess::file_lock opened(const std::filesystem::path& file) {
    low_descriptors occupied;
    return boost::interprocess::file_lock(file.c_str());
  }

  void leave(const held_lock::file_id& id) noexcept {
    auto at = held_.find(id);
    if (at != held_.end() && --at->second.holders == 0) held_.erase(at);  // closing the file is what unlocks it
  }

  const pid_t process_ = ::getpid();
  lock_table* const forked_from_;  ///< Kept reachable, never touched.
  std::mutex mutex_;
  std::map<held_lock::file_id, entry> held_;
};

inline void held_lock::release() noexcept {
  if (lock_table* table = std::exchange(table_, nullptr); table && table->belongs_here()) {
    std::lock_guard guard(table->mutex_);
    table->leave(file_);
    if (has_sweep_) table->leave(sweep_);
  }
}

}  // namespace lock_table_1
#pragma GCC visibility pop
}  // namespace kernix::detail
