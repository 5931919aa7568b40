// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <kernix/compile/detail/file_text.hpp>
#include <kernix/compile/detail/include_scan.hpp>
#include <kernix/core/digest.hpp>
#include <kernix/core/hasher.hpp>

namespace kernix::detail {

/// What headers look up, remembered by their content: the system's are scanned once a process. Thread-safe, bounded.
class include_scan_memo {
 public:
  explicit include_scan_memo(std::size_t max_files = 8192) : max_files_(max_files) {}

  /// The scan of the file at `path`, whose content is `content`; null if it can't be read. May block on the disk.
  std::shared_ptr<const include_scan> scan(const std::filesystem::path& path, const digest& content) {
    {
      std::lock_guard lock(mutex_);
      auto at = known_.find(content);
      if (at != known_.end()) return at->second;
    }
    auto text = file_text(path);
    if (!text) return nullptr;
    auto fresh = std::make_shared<const include_scan>(scan_includes(*text));
    // The file may have been replaced since it was hashed; what was read must not be remembered under another content.
    if (sha256(*text) != content) return nullptr;
    std::lock_guard lock(mutex_);
    if (known_.size() >= max_files_) known_.erase(known_.begin());
    known_.insert_or_assign(content, fresh);
    return fresh;
  }

 private:
  std::size_t max_files_;
  std::mutex mutex_;
  std::unordered_map<digest, std::shared_ptr<const include_scan>> known_;
};

}  // namespace kernix::detail
