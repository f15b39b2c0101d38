// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A multisplit as a plan sees it: sizes, no data.
#pragma once

#include <algorithm>
#include <string_view>

#include "peneira/place.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira {

/// What a caller may say about a multisplit.
struct multisplit_options {
  order within_bin = order::stable;  ///< items of a bin keep their input order; any: the call may choose
  std::string_view strategy = {};    ///< a name from `peneira strategies`; empty: the automatic choice
  bool checked = false;  ///< GPU only: wait for the call and throw if the bin function missed (the CPU always does)
};

/// What a caller may say about the published strategies. Zero: what the GPU has and the papers' rules make of it. The
/// mrBins paper had {48 * 1024, 361, 5000}.
struct published_multisplit_limits {
  std::size_t shared_bytes = 0;     ///< shared memory of a block
  std::size_t buffers = 0;          ///< of 32 items, that a block has at once
  std::uint32_t buffered_bins = 0;  ///< mrbins takes large for more bins than these
};

/// A multisplit as a plan sees it, and as the strategies are asked about it.
struct multisplit_problem {
  std::size_t items = 0;                       ///< how many there are
  std::uint32_t bins = 1;                      ///< what the bin function's bins() says
  std::size_t key_bytes = 4;                   ///< bytes of a key
  std::size_t value_bytes = 0;                 ///< 0: keys alone
  std::size_t offset_bytes = 4;                ///< bytes of an offset, 4 or 8
  order within_bin = order::stable;            ///< as in the options
  bool checked = false;                        ///< as in the options
  published_multisplit_limits published = {};  ///< for the published strategies alone
  std::size_t key_alignment = 64;              ///< that keys have, as far as it matters to anyone
  std::size_t label_bytes = 0;                 ///< bins are labels of so many bytes, which do not move with the items
  bool costly = false;                         ///< GPU: to find a bin takes long
  bool may_miss = false;                       ///< the bin function may give an item no bin

  /// Whether bins are labels.
  [[nodiscard]] constexpr bool labelled() const { return label_bytes != 0; }
  /// Bytes of a key and its value.
  [[nodiscard]] constexpr std::size_t item_bytes() const { return key_bytes + value_bytes; }
  /// Bytes of a key, or of a value if that has more.
  [[nodiscard]] constexpr std::size_t widest() const { return std::max(key_bytes, value_bytes); }
  /// Bytes of all items.
  [[nodiscard]] constexpr std::size_t bytes() const { return items * item_bytes(); }
  /// How many times as long as one of ours the bin function may take on a CPU: more than once if it is a caller's.
  [[nodiscard]] constexpr std::size_t cost() const {
    return may_miss && !labelled() ? tuning::cpu_callers_cost : std::size_t{1};
  }
  /// The threads that a split on a CPU is worth.
  [[nodiscard]] unsigned worth_threads(const host& machine) const {
    return tuning::cpu_threads(bytes() * cost(), tuning::cpu_least_split_bytes, machine.threads);
  }
};

}  // namespace peneira
