// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <kernix/cache/cache_directory.hpp>
#include <kernix/cache/held_files.hpp>

namespace kernix::detail {

/// Where this process keeps links and stages files in a cache directory. Made at first use, and again where somebody
/// removed it. Thread-safe.
class own_place {
 public:
  own_place(const cache_directory& directory, std::string_view temporary_directory)
      : directory_(directory), temporary_(temporary_directory) {}

  /// A new directory for an outcome's links; null, with the error number in `error`, if the cache can't be written to.
  std::shared_ptr<held_directory> hold(int& error) {
    auto own = place(error);
    return own ? hold_in(own, error) : nullptr;
  }

  /// The same, outside the cache where it isn't `writable`; null if that can't be written to either.
  std::shared_ptr<held_directory> hold_anywhere(bool writable) {
    int error = writable ? ENOENT : EROFS;
    for (int round = 0; round < 2 && error == ENOENT; ++round) {
      if (auto held = hold(error)) return held;
      if (error == ENOENT) forget();
    }
    return hold_outside(temporary_, error);
  }

  /// A free name for something that is about to be written.
  std::filesystem::path staging_name() {
    int error = 0;
    auto own = place(error);
    return directory_.staging() / (own ? own->name() + '+' + own->next() : random_name());
  }

  /// Takes something out of sight at once, then removes it. Readers that have opened it keep what they opened.
  void discard(const std::filesystem::path& what) {
    const std::filesystem::path aside = staging_name();
    if (std::rename(what.c_str(), aside.c_str()) == 0) remove_tree(aside);
  }

  /// Has the next call make a new place.
  void forget() {
    std::lock_guard guard(mutex_);
    place_.reset();
  }

 private:
  std::shared_ptr<hold_place> place(int& error) {
    std::lock_guard guard(mutex_);
    if (!place_) place_ = hold_place::make(directory_.holds(), error);
    return place_;
  }

  const cache_directory& directory_;
  const std::string temporary_;
  std::mutex mutex_;
  std::shared_ptr<hold_place> place_;
};

}  // namespace kernix::detail
