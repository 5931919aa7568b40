// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kernix::detail {

/// Something in progress that can be told to end, from any thread.
class cancellable {
 public:
  void cancel() { cancel_(*this); }

 protected:
  explicit cancellable(void (*how)(cancellable&)) : cancel_(how) {}

 private:
  void (*cancel_)(cancellable&);
};

/// The operations of one cache that are in progress: so that all can be ended, and their end awaited. Thread-safe.
class operation_group {
 public:
  /// Adds an operation; false, and nothing is added, once the group is closed.
  template <class Operation>
  bool enter(const std::shared_ptr<Operation>& operation) {
    std::lock_guard lock(mutex_);
    if (closed_) return false;
    cancellable* identity = operation.get();
    members_.emplace(identity, std::weak_ptr<cancellable>(std::shared_ptr<cancellable>(operation, identity)));
    return true;
  }

  void leave(cancellable& operation) {
    std::vector<std::function<void()>> ready;
    {
      std::lock_guard lock(mutex_);
      members_.erase(&operation);
      if (members_.empty()) ready.swap(when_empty_);
    }
    for (auto& call : ready) call();
  }

  /// Lets nobody in any more and tells all members to end. Does nothing in a forked child, where none of them runs.
  void close() {
    if (::getpid() != process_) return;
    std::vector<std::shared_ptr<cancellable>> members;
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
      for (auto& [identity, weak] : members_) {
        if (auto member = weak.lock()) members.push_back(std::move(member));
      }
    }
    for (auto& member : members) member->cancel();
  }

  /// Calls `then` once the last member has left; at once if there is none.
  void notify_when_empty(std::function<void()> then) {
    {
      std::lock_guard lock(mutex_);
      if (!members_.empty()) {
        when_empty_.push_back(std::move(then));
        return;
      }
    }
    then();
  }

  /// Forgets whom to notify.
  void abandon() {
    std::vector<std::function<void()>> dropped;  // destroyed after the lock
    std::lock_guard lock(mutex_);
    dropped.swap(when_empty_);
  }

  bool closed() const {
    std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<cancellable*, std::weak_ptr<cancellable>> members_;
  std::vector<std::function<void()>> when_empty_;
  bool closed_ = false;
  const pid_t process_ = ::getpid();
};

}  // namespace kernix::detail
