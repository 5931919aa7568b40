// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include <openssl/evp.h>

#include <kernix/core/digest.hpp>

namespace kernix {

/// Incremental SHA-256 (OpenSSL's EVP). Fields are framed by tag and length, so that no two different sequences of
/// fields share an encoding. Not thread-safe; throws `std::bad_alloc` where OpenSSL has no memory.
class hasher {
 public:
  hasher() : context_(EVP_MD_CTX_new()) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), algorithm(), nullptr) != 1) throw std::bad_alloc();
  }

  /// Adds raw bytes.
  hasher& bytes(std::string_view data) {
    if (EVP_DigestUpdate(context_.get(), data.data(), data.size()) != 1) throw std::bad_alloc();
    return *this;
  }

  /// Adds one field: its tag and its value, each preceded by its length.
  hasher& field(std::string_view tag, std::string_view value) {
    length(tag.size());
    bytes(tag);
    length(value.size());
    return bytes(value);
  }

  /// The digest of everything added. The hasher can't be used afterwards.
  digest finish() {
    digest value;
    unsigned size = 0;
    if (EVP_DigestFinal_ex(context_.get(), value.bytes.data(), &size) != 1) throw std::bad_alloc();
    return value;
  }

 private:
  struct free_context {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
  };

  /// Fetched once: a look-up by name at each digest costs a third of a short hash. Never freed, so that caches with
  /// static lifetime can hash while the process exits.
  static const EVP_MD* algorithm() {
    static EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    return sha256;
  }

  void length(std::uint64_t size) {
    char frame[8];
    for (int i = 0; i < 8; ++i) frame[i] = static_cast<char>(size >> (8 * i) & 0xff);
    bytes({frame, sizeof frame});
  }

  std::unique_ptr<EVP_MD_CTX, free_context> context_;
};

/// The SHA-256 of some bytes.
inline digest sha256(std::string_view data) { return hasher().bytes(data).finish(); }

}  // namespace kernix
