// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>

#include <kernix/compile/async_compiler.hpp>
#include <kernix/core/hasher.hpp>
#include <kernix/detail/waiter.hpp>

namespace kernix::test {

/// What a `manual_compiler` was asked, and the answers that the test gives by hand. Thread-safe.
class call_book {
 public:
  struct call {
    kernix::keyed_request asked;
    kernix::detail::waiter<kernix::compile_outcome> whom;
    bool cancelled = false;
  };

  /// Waits for the n-th call (from 0) to arrive.
  kernix::keyed_request wait_for_call(std::size_t index) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(30), [&] { return calls_.size() > index; })) {
      throw std::runtime_error("the call did not arrive");
    }
    return calls_[index]->asked;
  }

  /// Waits until the n-th call has been told to end.
  void wait_for_cancel(std::size_t index) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(30), [&] { return calls_.size() > index && calls_[index]->cancelled; })) {
      throw std::runtime_error("the call was not cancelled");
    }
  }

  void answer(std::size_t index, kernix::error_code code, kernix::compile_outcome outcome) {
    kernix::detail::waiter<kernix::compile_outcome> whom;
    {
      std::lock_guard lock(mutex_);
      whom = std::move(calls_.at(index)->whom);
    }
    whom.complete(code, std::move(outcome));
  }

  std::size_t count() {
    std::lock_guard lock(mutex_);
    return calls_.size();
  }

  void add(kernix::keyed_request asked, kernix::detail::waiter<kernix::compile_outcome> whom) {
    auto made = std::make_shared<call>();
    made->asked = std::move(asked);
    if (whom) whom.on_cancel([this, weak = std::weak_ptr(made)] {
      auto known = weak.lock();
      if (!known) return;
      std::lock_guard lock(mutex_);
      known->cancelled = true;
      changed_.notify_all();
    });
    made->whom = std::move(whom);
    std::lock_guard lock(mutex_);
    calls_.push_back(std::move(made));
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<call>> calls_;
};

/// A compiler whose answers the test gives by hand. A call that is told to end is noted, and still answered by the test.
struct manual_compiler {
  static constexpr kernix::sharing_scope scope = kernix::sharing_scope::origin;

  boost::asio::any_io_executor executor;
  std::shared_ptr<call_book> book;
  std::vector<kernix::root> roots = {};

  template <class Token>
  auto async_ready(Token&& token) {
    return boost::asio::async_initiate<Token, void(kernix::error_code, kernix::toolchain_search)>(
        [](auto handler, boost::asio::any_io_executor on) {
          kernix::detail::waiter<kernix::toolchain_search>(std::move(handler), on).complete({}, {});
        },
        token, executor);
  }

  kernix::result<kernix::keyed_request> key(kernix::compile_request request) {
    auto shared = std::make_shared<kernix::keyed_request::shared>();
    shared->key.value = shared->place = kernix::sha256(request.source);
    shared->request = std::move(request);
    shared->roots = roots;
    kernix::keyed_request keyed;
    keyed.data = std::move(shared);
    return keyed;
  }

  template <class Token>
  auto async_compile(kernix::keyed_request keyed, Token&& token) {
    return boost::asio::async_initiate<Token, void(kernix::error_code, kernix::compile_outcome)>(
        [](auto handler, boost::asio::any_io_executor on, std::shared_ptr<call_book> in, kernix::keyed_request what) {
          in->add(std::move(what), kernix::detail::waiter<kernix::compile_outcome>(std::move(handler), on));
        },
        token, executor, book, std::move(keyed));
  }
};

}  // namespace kernix::test
