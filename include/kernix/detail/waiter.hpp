// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <kernix/core/error.hpp>

namespace kernix::detail {

namespace asio = boost::asio;

/// A completion handler for `void(error_code, T...)` of any type, behind one pointer. Keeps the handler's executor busy, and
/// calls the handler there, never inline. Destroyed without `complete`, it destroys the handler uncalled.
template <class... T>
class waiter {
 public:
  waiter() = default;

  /// Takes a handler; without an executor of its own, it is called on `fallback`.
  template <class Handler>
  waiter(Handler handler, const asio::any_io_executor& fallback)
      : node_(new node_of<Handler>(std::move(handler), fallback)) {}

  explicit operator bool() const noexcept { return node_ != nullptr; }

  /// Has `leave` called, on the emitter's thread, by any cancellation type, until the handler is called. To be called at
  /// most once, before anybody else knows of the waiter. Returns whether the handler can be cancelled at all.
  bool on_cancel(std::function<void()> leave) { return node_->connect(node_.get(), std::move(leave)); }

  /// Posts the handler with its arguments to its executor. The waiter is empty afterwards.
  void complete(error_code code, T... values) {
    node* ready = node_.release();
    ready->post(ready, code, std::move(values)...);
  }

 private:
  struct node {
    bool (*connect)(node*, std::function<void()>);
    void (*post)(node*, error_code, T&&...);
    void (*destroy)(node*);
  };

  template <class Handler>
  struct node_of : node {
    using executor_type = asio::associated_executor_t<Handler, asio::any_io_executor>;
    using work_type = std::decay_t<typename asio::prefer_result<executor_type, asio::execution::outstanding_work_t::tracked_t>::type>;

    node_of(Handler h, const asio::any_io_executor& fallback)
        : node{&connect_slot, &post_handler, &destroy_node},
          handler(std::move(h)),
          work(asio::prefer(asio::get_associated_executor(handler, fallback), asio::execution::outstanding_work.tracked)) {}

    static bool connect_slot(node* base, std::function<void()> leave) {
      auto slot = asio::get_associated_cancellation_slot(static_cast<node_of*>(base)->handler);
      if (!slot.is_connected()) return false;
      slot.assign([leave = std::move(leave)](asio::cancellation_type type) {
        if (type != asio::cancellation_type::none) leave();
      });
      return true;
    }

    static void post_handler(node* base, error_code code, T&&... values) {
      std::unique_ptr<node_of> self(static_cast<node_of*>(base));
      work_type executor = self->work;
      asio::post(executor, [self = std::move(self), code, ... values = std::move(values)]() mutable {
        auto slot = asio::get_associated_cancellation_slot(self->handler);
        if (slot.is_connected()) slot.clear();
        Handler handler(std::move(self->handler));
        self.reset();  // the handler may start the next operation: this one's memory and work are given back first
        std::move(handler)(code, std::move(values)...);
      });
    }

    static void destroy_node(node* base) { delete static_cast<node_of*>(base); }

    Handler handler;
    work_type work;
  };

  struct destroyer {
    void operator()(node* owned) const noexcept { owned->destroy(owned); }
  };
  std::unique_ptr<node, destroyer> node_;
};

}  // namespace kernix::detail
