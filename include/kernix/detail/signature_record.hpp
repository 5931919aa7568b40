// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <kernix/core/read_set.hpp>
#include <kernix/detail/tagged_record.hpp>

namespace kernix::detail {

/// The tags of a stat signature inside a record of another kind; no record gives these numbers another meaning.
namespace signature_tag {
enum : std::uint32_t { device = 44, inode, size, mtime, ctime };
}

inline void write_signature(record_writer& to, const stat_signature& from) {
  namespace tag = signature_tag;
  to.u64(tag::device, from.device).u64(tag::inode, from.inode).u64(tag::size, from.size);
  to.i64(tag::mtime, from.mtime_ns).i64(tag::ctime, from.ctime_ns);
}

/// Nothing where the record has no whole signature.
inline std::optional<stat_signature> read_signature(const record_reader& from) {
  namespace tag = signature_tag;
  auto device = from.u64(tag::device), inode = from.u64(tag::inode), size = from.u64(tag::size);
  auto mtime = from.i64(tag::mtime), ctime = from.i64(tag::ctime);
  if (!device || !inode || !size || !mtime || !ctime) return std::nullopt;
  return stat_signature{*device, *inode, *size, *mtime, *ctime};
}

}  // namespace kernix::detail
