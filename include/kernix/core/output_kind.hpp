// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace kernix {

/// What a compile produces.
enum class output_kind {
  shared_object = 1,  ///< An ELF shared object for `dlopen`.
  object,             ///< A relocatable object.
  cubin,              ///< NVIDIA machine code for one architecture.
  ptx,                ///< NVIDIA's portable assembly text.
  fatbin,             ///< Cubins and PTX for several architectures.
  code_object,        ///< AMD machine code.
  mlir,               ///< The sidecar that teenyc leaves beside its object; never asked for by itself.
};

/// The spelling of the command line: `shared_object`, `ptx`, ...
constexpr std::string_view name(output_kind kind) noexcept {
  switch (kind) {
    case output_kind::shared_object: return "shared_object";
    case output_kind::object: return "object";
    case output_kind::cubin: return "cubin";
    case output_kind::ptx: return "ptx";
    case output_kind::fatbin: return "fatbin";
    case output_kind::code_object: return "code_object";
    case output_kind::mlir: return "mlir";
  }
  return "unknown";
}

/// The usual suffix of a file of this kind, with its dot.
constexpr std::string_view suffix(output_kind kind) noexcept {
  switch (kind) {
    case output_kind::shared_object: return ".so";
    case output_kind::object: return ".o";
    case output_kind::cubin: return ".cubin";
    case output_kind::ptx: return ".ptx";
    case output_kind::fatbin: return ".fatbin";
    case output_kind::code_object: return ".hsaco";
    case output_kind::mlir: return ".mlir";
  }
  return "";
}

/// The kind that `text` spells.
constexpr std::optional<output_kind> parse_output_kind(std::string_view text) noexcept {
  for (int value = static_cast<int>(output_kind::shared_object); value <= static_cast<int>(output_kind::mlir); ++value) {
    if (name(static_cast<output_kind>(value)) == text) return static_cast<output_kind>(value);
  }
  return std::nullopt;
}

}  // namespace kernix
