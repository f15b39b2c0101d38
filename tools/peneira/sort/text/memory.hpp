// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How `peneira sort` on text shares out its memory, so that all of it together keeps to -S.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tools/peneira/cli/memory_limit.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/sort/text/keys_encode.hpp"
#include "tools/peneira/sort/text/options.hpp"

namespace peneira::tool {

struct text_memory {
  static constexpr std::uint64_t least = std::uint64_t{1} << 20U;       ///< what a smaller -S is raised to
  static constexpr std::uint64_t per_thread = std::uint64_t{1} << 22U;  ///< a sort's arrays for each are a quarter

  explicit text_memory(const sort_text_options& o)
      : limit(keep_to(o.memory != 0 ? std::max(o.memory, least) : half_of_memory())),
        team(static_cast<unsigned>(std::clamp<std::uint64_t>(limit / per_thread, 1, std::max(1U, team_of(o.threads))))),
        has_keys(!o.keys.empty()),
        piece(share(32)),
        write_buffer(share(32)),
        encoder_(o.keys, o.fields()) {}

  std::uint64_t limit;
  unsigned team;
  bool has_keys;
  std::size_t piece;         ///< bytes that a thread reads at once
  std::size_t write_buffer;  ///< of a thread

  /// Bytes that threads may take to decompress the parts of an input.
  [[nodiscard]] std::size_t for_decoding() const {
    return std::min<std::size_t>(limit / 16, team * (std::size_t{1} << 24U));
  }
  /// Bytes of the output that a merge holds, in up to two buffers of this size.
  [[nodiscard]] std::size_t merge_output() const {
    return std::clamp<std::size_t>(limit / 32, std::size_t{1} << 14U, most_buffer);
  }
  /// Bytes of the longest record of CSV with a quoted field: a quote too many can make one of the whole input.
  [[nodiscard]] std::size_t most_record() const { return std::max<std::uint64_t>(limit / 4, least); }
  /// What a source of a merge takes at least, and what of this is for lines that a buffer does not hold. Lines whose
  /// longest is not known (0) are taken for short.
  [[nodiscard]] std::size_t least_cursor(std::size_t longest) const {
    return least_buffer + beside_buffer + for_long_lines(longest);
  }
  [[nodiscard]] std::size_t for_long_lines(std::size_t longest) const {
    if (longest < least_buffer / 2) return 0;
    return longest + (has_keys ? longest + encoder_.most_bytes(longest) : 0);
  }
  /// The buffer of each of so many sources whose long lines take so much.
  [[nodiscard]] std::size_t cursor_buffer(std::size_t sources, std::size_t long_lines) const {
    const std::size_t taken = 2 * merge_output() + long_lines + sources * beside_buffer;
    const std::size_t left = limit > taken ? limit - taken : 0;
    return std::clamp(left / std::max<std::size_t>(1, sources), least_buffer, most_buffer);
  }

 private:
  static constexpr std::size_t most_buffer = std::size_t{1} << 20U;
  static constexpr std::size_t least_buffer = std::size_t{1} << 15U;
  static constexpr std::size_t beside_buffer = std::size_t{1} << 13U;  ///< the rest of a page, a page of keys

  /// A thread's share of a part of the memory.
  [[nodiscard]] std::size_t share(std::uint64_t part) const {
    return std::clamp<std::size_t>(limit / part / team, std::size_t{1} << 14U, most_buffer);
  }

  key_encoder encoder_;
};

}  // namespace peneira::tool
