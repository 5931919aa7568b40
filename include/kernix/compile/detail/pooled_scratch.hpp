// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include <boost/asio/post.hpp>

#include <kernix/compile/scratch_directory.hpp>
#include <kernix/detail/runtime.hpp>

namespace kernix::detail {

/// A scratch directory that is removed on the pool, wherever its last user lets go of it; on the spot where there is no
/// pool any more.
class pooled_scratch {
 public:
  pooled_scratch(std::shared_ptr<runtime> shared, scratch_directory scratch)
      : shared_(std::move(shared)), scratch_(std::move(scratch)) {}
  pooled_scratch(const pooled_scratch&) = delete;
  pooled_scratch& operator=(const pooled_scratch&) = delete;
  ~pooled_scratch() {
    auto shared = shared_.lock();
    if (!shared || shared->forked()) return;
    try {
      asio::post(shared->pool(), [scratch = std::move(scratch_)]() mutable { scratch = scratch_directory(); });
    } catch (...) {  // no memory: the member's own destructor does it
    }
  }

  const std::filesystem::path& path() const noexcept { return scratch_.path(); }
  bool kept() const noexcept { return scratch_.kept(); }
  scratch_directory take() noexcept { return std::move(scratch_); }

 private:
  std::weak_ptr<runtime> shared_;  // outcomes may outlive the context
  scratch_directory scratch_;
};

}  // namespace kernix::detail
