// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <kernix/detail/descriptor.hpp>
#include <kernix/process/capture.hpp>
#include <kernix/process/detail/line_splitter.hpp>

namespace kernix::detail {

namespace asio = boost::asio;

/// The read end of a child's stream.
struct output_stream {
  asio::posix::stream_descriptor pipe;
  output_capture kept;
  line_splitter lines;

  output_stream(const asio::any_io_executor& executor, std::size_t limit, std::function<void(std::string_view)> each)
      : pipe(executor), kept(limit), lines(std::move(each)) {}

  /// Reads what is there, up to `most` bytes. False at the end of the stream.
  bool read_available(std::size_t most) {
    char buffer[32768];
    for (std::size_t total = 0; total < most;) {
      ssize_t count = ::read(pipe.native_handle(), buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno == EAGAIN;
      if (count == 0) return false;
      std::string_view bytes(buffer, static_cast<std::size_t>(count));
      kept.append(bytes);
      lines.append(bytes);
      total += bytes.size();
    }
    return true;
  }

  void close() {
    if (!pipe.is_open()) return;
    lines.finish();
    boost::system::error_code ignored;
    pipe.close(ignored);
  }

  /// Takes what the pipe holds and closes it: somebody who outlived the process may keep the other end open for ever.
  void finish() {
    if (!pipe.is_open()) return;
    int capacity = ::fcntl(pipe.native_handle(), F_GETPIPE_SZ);
    read_available(capacity > 0 ? static_cast<std::size_t>(capacity) : std::size_t{1} << 16);
    close();
  }
};

/// Everything that can happen to a running process, as wake-ups of the one coroutine that watches it.
///
/// Handlers share ownership, so that they may run after the coroutine is gone; `stop` keeps them quiet then.
struct process_io : std::enable_shared_from_this<process_io> {
  output_stream out;
  output_stream err;
  output_stream report;
  asio::posix::stream_descriptor exit;
  asio::steady_timer wake;
  bool woken = false;     ///< Something happened since the coroutine last looked.
  bool watching = false;  ///< A wait on `exit` is in progress.

  process_io(const asio::any_io_executor& executor, std::size_t limit, std::function<void(std::string_view)> each_line)
      : out(executor, limit, {}), err(executor, limit, std::move(each_line)), report(executor, 4096, {}),
        exit(executor), wake(executor, asio::steady_timer::time_point::max()) {}

  void notify() {
    woken = true;
    wake.cancel();
  }

  /// Reads a stream until its end, whatever the limit on what is kept: a closed pipe would kill the writer.
  void pump(output_stream& stream) {
    stream.pipe.async_wait(asio::posix::stream_descriptor::wait_read,
                           [self = shared_from_this(), &stream](const boost::system::error_code& ec) {
                             if (ec || !stream.pipe.is_open()) return;
                             // Bounded, so that a stream that never pauses can't keep the thread.
                             if (stream.read_available(std::size_t{1} << 18)) return self->pump(stream);
                             stream.close();
                             self->notify();
                           });
  }

  /// One wake-up when the process may have ended. It may also wake for nothing: look, and watch again.
  void watch_exit() {
    if (watching || !exit.is_open()) return;
    watching = true;
    exit.async_wait(asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](const boost::system::error_code&) {
                      self->watching = false;
                      self->notify();
                    });
  }

  void stop() {
    boost::system::error_code ignored;
    for (output_stream* stream : {&out, &err, &report}) {
      if (stream->pipe.is_open()) stream->pipe.close(ignored);
    }
    if (exit.is_open()) exit.close(ignored);
    wake.cancel();
  }
};

}  // namespace kernix::detail
