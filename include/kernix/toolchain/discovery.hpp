// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <kernix/backend/cxx.hpp>
#include <kernix/core/error.hpp>
#include <kernix/core/read_set.hpp>
#include <kernix/core/settings.hpp>
#include <kernix/core/toolchain.hpp>
#include <kernix/detail/stat_signature.hpp>
#include <kernix/toolchain/candidate_paths.hpp>

namespace kernix::detail {

/// Where a toolchain is looked for.
struct candidate_lists {
  std::string backend;
  std::vector<tool_candidate> tools;
  std::string host_backend = {};  ///< The name of the backend that identifies the host compiler; empty: none is needed.
  std::vector<tool_candidate> hosts = {};

  bool needs_host() const noexcept { return !host_backend.empty(); }
};

/// The backend that identifies the host compiler: `backend.host_backend()`, or the one for g++ and clang++.
template <class B>
auto host_backend_of(const B& backend) {
  if constexpr (requires { backend.host_backend(); }) {
    return backend.host_backend();
  } else {
    return cxx{};
  }
}

template <class B>
candidate_lists candidates_of(const B& backend, const settings& from) {
  candidate_lists lists{std::string(std::string_view(backend.name())), backend.candidates(from)};
  if constexpr (requires { backend.host_candidates(from); }) {
    lists.host_backend = std::string_view(host_backend_of(backend).name());
    lists.hosts = backend.host_candidates(from);
  }
  return lists;
}

/// A candidate that was looked at, and what came of it.
struct examined_candidate {
  located_candidate what;
  std::string verdict;        ///< "ok", or a sentence.
  errc code = errc::toolchain_not_found;
  stat_signature signature{};  ///< Of a program that was asked in vain: when it changes, it is asked again.

  bool ok() const { return verdict == "ok"; }
};

/// A finished search, and all that it depends on.
struct discovery {
  error_code code = {};
  toolchain_search search = {};
  /// In the order of the candidates, up to the one that was taken.
  std::vector<examined_candidate> tools = {};
  std::vector<examined_candidate> hosts = {};
  bool lasting = true;  ///< False where something failed that may succeed at the next try.
};

/// Whether looking again would lead as far and find the same: no better candidate has appeared, none has gone, no link
/// leads elsewhere. Blocks on the disk; starts nothing.
inline bool leads_to_the_same(const std::vector<examined_candidate>& looks, const std::vector<tool_candidate>& candidates,
                              const settings& from, std::string_view tool) {
  std::size_t at = 0;
  for (const tool_candidate& candidate : candidates) {
    if (at == looks.size()) return true;
    for (const located_candidate& now : locate(candidate, from, tool)) {
      if (at == looks.size()) return true;
      const examined_candidate& then = looks[at++];
      if (now != then.what) return false;
      if (now.usable() && !then.ok() && signature_of(now.program) != then.signature) return false;
    }
  }
  return at == looks.size();
}

inline bool leads_to_the_same(const discovery& known, const candidate_lists& lists, const settings& from) {
  return leads_to_the_same(known.tools, lists.tools, from, lists.backend) &&
         leads_to_the_same(known.hosts, lists.hosts, from, lists.host_backend);
}

}  // namespace kernix::detail
