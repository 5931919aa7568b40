// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <kernix/core/compile_outcome.hpp>
#include <kernix/core/diagnostics.hpp>
#include <kernix/core/error.hpp>
#include <kernix/detail/operation_group.hpp>
#include <kernix/detail/runtime.hpp>
#include <kernix/detail/waiter.hpp>

namespace kernix::detail {

/// The value that stands beside an error code, with the diagnostics in it where it can hold any.
template <class T>
T failed_value(diagnostics what) {
  if constexpr (requires { T::failed(what); }) {
    return T::failed(std::move(what));
  } else if constexpr (std::is_constructible_v<T, compile_outcome>) {
    return T(compile_outcome::failed(std::move(what)));
  } else if constexpr (requires(T value) { value.report = what; }) {
    T value;
    value.report = std::move(what);
    return value;
  } else {
    return T{};
  }
}

/// What an exception that left a coroutine means to the caller. The text is kept where the value can carry it.
template <class T>
std::pair<error_code, T> from_exception(std::exception_ptr thrown) {
  error_code code = make_error_code(errc::spawn_failed);
  std::string reason;
  try {
    std::rethrow_exception(thrown);
  } catch (const boost::system::system_error& error) {
    code = error.code();
    reason = error.what();
  } catch (const std::system_error& error) {
    code = error_code(error.code());
    reason = error.what();
  } catch (const std::bad_alloc&) {
    code = make_error_code(errc::out_of_memory);
    reason = "kernix itself ran out of memory";
  } catch (const std::exception& error) {
    reason = error.what();
  }
  if (code == make_error_code(errc::cancelled)) reason = "cancelled";
  diagnostics what;
  what.code = code;
  what.reason = std::move(reason);
  return {code, failed_value<T>(std::move(what))};
}

/// The failure `why` without more to say than its sentence.
template <class T>
T plain_failure(errc why) {
  diagnostics what;
  what.code = make_error_code(why);
  what.reason = std::string(describe(why));
  return failed_value<T>(std::move(what));
}

/// Runs a coroutine on kernix's own thread, unwaited for; `slot`, emitted on that thread only, ends it.
inline void spawn_detached(asio::any_io_executor engine, asio::awaitable<void> body, asio::cancellation_slot slot) {
  asio::co_spawn(engine, std::move(body), asio::bind_cancellation_slot(slot, [](std::exception_ptr) {}));
}

/// One coroutine on kernix's thread that somebody else waits for.
template <class T>
struct spawned_operation : cancellable, std::enable_shared_from_this<spawned_operation<T>> {
  spawned_operation(asio::any_io_executor on, waiter<T> whom, std::shared_ptr<operation_group> in)
      : cancellable(&cancel_this), engine(std::move(on)), waiting(std::move(whom)), group(std::move(in)) {}

  /// Callable from any thread; the signal is emitted on kernix's own.
  static void cancel_this(cancellable& base) {
    auto& self = static_cast<spawned_operation&>(base);
    asio::post(self.engine, [weak = self.weak_from_this()] {
      if (auto op = weak.lock(); op && !op->finished) op->signal.emit(asio::cancellation_type::terminal);
    });
  }

  void finish(std::exception_ptr thrown, std::pair<error_code, T> result) {
    finished = true;
    if (thrown) result = from_exception<T>(thrown);
    waiting.complete(result.first, std::move(result.second));
    if (group) group->leave(*this);
  }

  asio::any_io_executor engine;
  asio::cancellation_signal signal;
  waiter<T> waiting;
  std::shared_ptr<operation_group> group;
  bool finished = false;
};

/// Completes `token`, as `void(error_code, T)` on its associated executor and never inline, with what the coroutine
/// `make()` (an `asio::awaitable<std::pair<error_code, T>>`, run on kernix's own thread) returns. Any cancellation type of
/// the token's slot becomes terminal cancellation of the coroutine. An operation of a closed group ends at once with
/// `errc::shut_down`.
template <class T, class Make, class Token>
auto initiate(std::shared_ptr<runtime> shared, asio::any_io_executor fallback, Make make, Token&& token,
              std::shared_ptr<operation_group> group = nullptr) {
  return asio::async_initiate<Token, void(error_code, T)>(
      [](auto handler, std::shared_ptr<runtime> on, asio::any_io_executor where, Make body,
         std::shared_ptr<operation_group> in) {
        waiter<T> whom(std::move(handler), where);
        if (on->forked()) return whom.complete(make_error_code(errc::forked), plain_failure<T>(errc::forked));
        asio::any_io_executor engine = on->engine();
        auto op = std::make_shared<spawned_operation<T>>(engine, std::move(whom), std::move(in));
        if (op->group && !op->group->enter(op)) {
          return op->waiting.complete(make_error_code(errc::shut_down), plain_failure<T>(errc::shut_down));
        }
        op->waiting.on_cancel([weak = op->weak_from_this()] {
          if (auto cancelled = weak.lock()) cancelled->cancel();
        });
        asio::dispatch(engine, [op, engine, body = std::move(body)]() mutable {
          auto done = [op](std::exception_ptr thrown, std::pair<error_code, T> result) {
            op->finish(thrown, std::move(result));
          };
          asio::co_spawn(engine, body(), asio::bind_cancellation_slot(op->signal.slot(), std::move(done)));
        });
      },
      token, std::move(shared), std::move(fallback), std::move(make), std::move(group));
}

/// Closes the group, and completes `token` as `void(error_code)` when its last operation has ended.
template <class Token>
auto async_close(asio::any_io_executor fallback, std::shared_ptr<operation_group> group, Token&& token) {
  return asio::async_initiate<Token, void(error_code)>(
      [](auto handler, asio::any_io_executor where, std::shared_ptr<operation_group> closing) {
        auto whom = std::make_shared<waiter<>>(std::move(handler), where);
        closing->close();
        closing->notify_when_empty([whom] { whom->complete({}); });
      },
      token, std::move(fallback), std::move(group));
}

/// Runs `work` on the pool, and resumes where the coroutine runs. Not interrupted by cancellation.
template <class F>
asio::awaitable<std::invoke_result_t<F>> on_pool(std::shared_ptr<runtime> shared, F work) {
  using value_type = std::invoke_result_t<F>;
  using stored_type = std::conditional_t<std::is_void_v<value_type>, bool, value_type>;
  auto operation = asio::async_initiate<const asio::use_awaitable_t<>&, void(std::exception_ptr, std::optional<stored_type>)>(
      [](auto handler, std::shared_ptr<runtime> on, F job) {
        auto back = asio::get_associated_executor(handler);
        asio::post(on->pool(), [back, handler = std::move(handler), job = std::move(job)]() mutable {
          std::exception_ptr thrown;
          std::optional<stored_type> value;
          try {
            if constexpr (std::is_void_v<value_type>) {
              job();
              value = true;
            } else {
              value.emplace(job());
            }
          } catch (...) {
            thrown = std::current_exception();
          }
          asio::post(back, [handler = std::move(handler), thrown, value = std::move(value)]() mutable {
            std::move(handler)(thrown, std::move(value));
          });
        });
      },
      asio::use_awaitable, std::move(shared), std::move(work));
  std::optional<stored_type> value = co_await std::move(operation);
  if constexpr (!std::is_void_v<value_type>) co_return std::move(*value);
}

}  // namespace kernix::detail
