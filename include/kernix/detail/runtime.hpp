// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <kernix/detail/digest_memo.hpp>
#include <kernix/detail/job_limit.hpp>
#include <kernix/detail/low_descriptors.hpp>
#include <kernix/detail/processor_count.hpp>

namespace kernix::detail {

namespace asio = boost::asio;

/// Blocks all signals in this thread while it lives, so that threads started meanwhile never run the host's handlers.
class signal_blocker {
 public:
  signal_blocker() noexcept {
    sigset_t all;
    sigfillset(&all);
    blocked_ = pthread_sigmask(SIG_SETMASK, &all, &before_) == 0;
  }
  signal_blocker(const signal_blocker&) = delete;
  signal_blocker& operator=(const signal_blocker&) = delete;
  ~signal_blocker() {
    if (blocked_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{};
  bool blocked_ = false;
};

/// An `io_context` whose pending work can be destroyed while it still exists.
class engine_context : public asio::io_context {
 public:
  engine_context() : asio::io_context(1) {
    low_descriptors guard;  // the event loop's own descriptors are made with the first timer
    asio::steady_timer first(*this);
  }
  void drop_all() { shutdown(); }
};

/// What all caches of one execution context share: one thread for coroutines, pipes and timers, a bounded pool for
/// blocking work, the limit on compilers, and what is known of files' contents. Threads start at first use. After
/// `shut_down` nothing runs any more; handlers that were waiting have been destroyed uncalled. Thread-safe.
class runtime {
 public:
  /// The runtime of the executor's context, made at the first call and shut down with the context.
  static std::shared_ptr<runtime> of(const asio::any_io_executor& executor);

  runtime() = default;
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  ~runtime() { shut_down(); }

  /// The executor of kernix's own thread. After `shut_down` what is posted to it is never run.
  asio::any_io_executor engine() {
    std::lock_guard lock(mutex_);
    if (!thread_.joinable() && !stopped_ && !forked()) {
      signal_blocker blocker;
      work_ = std::make_unique<work_guard>(engine_->get_executor());
      thread_ = std::thread([context = engine_.get()] { context->run(); });
    }
    return engine_->get_executor();
  }

  /// The executor of the pool for blocking work. After `shut_down` what is posted to it is never run.
  asio::any_io_executor pool() {
    std::lock_guard lock(mutex_);
    if (stopped_ || forked()) return engine_->get_executor();
    if (!pool_) {
      signal_blocker blocker;
      pool_ = std::make_unique<asio::thread_pool>(std::clamp<std::size_t>(processor_count(), 2, 8));
    }
    return pool_->get_executor();
  }

  /// The limit on compilers at once; the first caller decides. Zero: as many as there are cores.
  std::shared_ptr<job_limit> jobs(unsigned wanted) {
    std::lock_guard lock(mutex_);
    if (!jobs_) jobs_ = std::make_shared<job_limit>(wanted ? wanted : static_cast<unsigned>(processor_count()));
    return jobs_;
  }

  digest_memo& digests() noexcept { return digests_; }

  /// Whether this process is a fork of the one that made the runtime, and has none of its threads.
  bool forked() const noexcept { return ::getpid() != process_; }

  /// Registers `drop(owner)` to be called at shutdown, unless the owner is gone by then.
  template <class Owner>
  void at_shutdown(const std::shared_ptr<Owner>& owner, void (*drop)(Owner&)) {
    std::lock_guard lock(mutex_);
    std::erase_if(droppable_, [](const droppable& each) { return each.owner.expired(); });
    droppable_.push_back({owner, [what = owner.get(), drop] { drop(*what); }});
  }

  /// Stops and joins the threads, drops all waiters, then destroys the coroutines: their compilers die with them.
  /// In a forked child, whose copy has no threads, everything is left alone.
  void shut_down() {
    if (forked()) return abandon();
    std::vector<droppable> leaving;
    std::unique_ptr<asio::thread_pool> pool;
    {
      std::lock_guard lock(mutex_);
      if (stopped_) return;
      stopped_ = true;
      leaving.swap(droppable_);
      pool.swap(pool_);
    }
    engine_->stop();
    if (pool) {
      pool->stop();
      pool->join();
    }
    if (thread_.joinable()) thread_.join();
    for (droppable& each : leaving) {
      if (std::shared_ptr<void> owner = each.owner.lock()) each.drop();
    }
    work_.reset();
    pool.reset();
    engine_->drop_all();
  }

  /// Destroys what was posted after `shut_down`, and may hold on to the runtime itself.
  void bury() {
    if (engine_) engine_->drop_all();
  }

 private:
  /// In a forked child: the threads exist in the parent only, and so may the owners of locks. Nothing is joined or destroyed.
  void abandon() noexcept {
    if (thread_.joinable()) thread_.detach();
    (void)pool_.release();
    (void)work_.release();
    (void)engine_.release();
  }

  using work_guard = asio::executor_work_guard<asio::io_context::executor_type>;

  struct droppable {
    std::weak_ptr<void> owner;
    std::function<void()> drop;
  };

  std::mutex mutex_;
  std::unique_ptr<engine_context> engine_ = std::make_unique<engine_context>();
  std::unique_ptr<work_guard> work_;
  std::thread thread_;
  std::unique_ptr<asio::thread_pool> pool_;
  std::shared_ptr<job_limit> jobs_;
  digest_memo digests_;
  std::vector<droppable> droppable_;
  bool stopped_ = false;
  const pid_t process_ = ::getpid();
};

/// Ties a runtime to the life of an execution context.
class runtime_service : public asio::execution_context::service {
 public:
  using key_type = runtime_service;
  static inline asio::execution_context::id id;

  explicit runtime_service(asio::execution_context& context) : service(context) {}
  ~runtime_service() override { runtime_->bury(); }

  /// The runtime; in a forked child a new one, since that of the parent has no threads here.
  std::shared_ptr<runtime> get() {
    std::lock_guard lock(mutex_);
    if (runtime_->forked()) runtime_ = std::make_shared<runtime>();
    return runtime_;
  }

 private:
  void shutdown() override { runtime_->shut_down(); }

  std::mutex mutex_;
  std::shared_ptr<runtime> runtime_ = std::make_shared<runtime>();
};

inline std::shared_ptr<runtime> runtime::of(const asio::any_io_executor& executor) {
  return asio::use_service<runtime_service>(asio::query(executor, asio::execution::context)).get();
}

}  // namespace kernix::detail
