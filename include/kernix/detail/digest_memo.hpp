// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include <kernix/core/digest.hpp>
#include <kernix/core/hasher.hpp>
#include <kernix/core/read_set.hpp>
#include <kernix/detail/descriptor.hpp>
#include <kernix/detail/stat_signature.hpp>

namespace kernix::detail {

/// The content of a file, and what tells that it has changed.
struct file_content {
  digest content;
  stat_signature signature;
  /// Whether any later change gives the file another signature. If not, an equal signature proves nothing.
  bool settled = false;
};

/// Digests of files, remembered while their stat signatures stand. Blocks on the disk: to be called on the pool.
/// Every member may be called from any thread at once. Holds a bounded number of files.
class digest_memo {
 public:
  explicit digest_memo(std::size_t max_files = std::size_t{1} << 16) : max_files_(max_files / shard_count + 1) {}

  /// The digest of a regular file (links are followed); nothing if it is absent, unreadable or something else.
  std::optional<digest> content(const std::filesystem::path& path) {
    auto found = content_with_signature(path);
    if (!found) return std::nullopt;
    return found->content;
  }

  /// The same with the signature that the digest belongs to.
  std::optional<file_content> content_with_signature(const std::filesystem::path& path) {
    const std::int64_t before = file_clock_ns();
    struct stat status;
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    const stat_signature signature = signature_of(status);
    shard& home = shards_[std::hash<std::string>()(path.native()) % shard_count];
    {
      std::lock_guard lock(home.mutex);
      auto at = home.files.find(path.native());
      if (at != home.files.end() && at->second.signature == signature) return at->second;
    }
    auto hashed = hash_file(path);
    if (!hashed) return std::nullopt;
    file_content fresh{*hashed, signature, settled(signature, before) && signature_of(path) == signature};
    std::lock_guard lock(home.mutex);
    if (!fresh.settled) {
      home.files.erase(path.native());
    } else {
      if (home.files.size() >= max_files_ && !home.files.contains(path.native())) home.files.erase(home.files.begin());
      home.files.insert_or_assign(path.native(), fresh);
    }
    return fresh;
  }

  /// Takes somebody's word that a file with this signature has this content, unless something is known of the path.
  /// The word must have been `settled` when it was given, and come from a place that only the trusted can write to.
  void believe(const std::filesystem::path& path, const stat_signature& signature, const digest& content) {
    shard& home = shards_[std::hash<std::string>()(path.native()) % shard_count];
    std::lock_guard lock(home.mutex);
    if (home.files.size() < max_files_) home.files.try_emplace(path.native(), file_content{content, signature, true});
  }

  /// The number of files remembered.
  std::size_t size() {
    std::size_t total = 0;
    for (shard& each : shards_) {
      std::lock_guard lock(each.mutex);
      total += each.files.size();
    }
    return total;
  }

 private:
  static constexpr std::size_t shard_count = 16;

  struct shard {
    std::mutex mutex;
    std::unordered_map<std::string, file_content> files;
  };

  static std::optional<digest> hash_file(const std::filesystem::path& path) {
    // Not to wait for a writer where the file has become a named pipe meanwhile.
    descriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
    if (!file) return std::nullopt;
    constexpr std::size_t block = std::size_t{128} << 10;
    auto buffer = std::make_unique<char[]>(block);
    hasher sum;
    for (;;) {
      ssize_t count = read_some(file, buffer.get(), block);
      if (count < 0) return std::nullopt;
      if (count == 0) return sum.finish();
      sum.bytes({buffer.get(), static_cast<std::size_t>(count)});
    }
  }

  std::size_t max_files_;
  std::array<shard, shard_count> shards_;
};

}  // namespace kernix::detail
