// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The last third of a sieve: each item of a slice to its place. Four ways:
//
//   direct    the item goes straight to its place
//   indexed   it goes to a buffer of its bin, a few lines long; full buffers are written out whole
//   halved    the same for two bins, whose places in their buffers stay in registers
//   carried   the same with one line a bin, whose last slot carries the fill count until an item needs it: one line is
//             touched an item, where the others touch two
//
//   input   3 1 3 0 3 1 ...          buffers 0 [0...]  1 [1 1.]  3 [3 3 3]  --full: whole lines-->  output of bin 3
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "peneira/config.hpp"
#include "peneira/cpu/classify.hpp"
#include "peneira/cpu/lines.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

enum class scatter_way { direct, indexed, halved, carried };

/// The buffers of one thread, and how they meet the output.
template <class K, class V>
struct line_buffers {
  std::size_t per_bin = 0;        ///< items of a bin's buffer: a power of two, whole lines
  K* keys = nullptr;              ///< bins x per_bin
  V* values = nullptr;            ///< bins x per_bin, for pairs
  std::uint32_t* next = nullptr;  ///< indexed: where in `keys` the bin's next item goes
  std::int64_t* home =
      nullptr;  ///< 2 x the output position of the buffer's first slot, + 1 if its first slots are not ours
  const std::uint64_t* start = nullptr;  ///< the position of the thread's first item of each bin
  view<K, V> out;
  std::size_t phase = 0;  ///< an output position p uses slot (p + phase) % per_bin, so that slot 0 is aligned to a line
  bool stream_keys = false;
  bool stream_values = false;

  /// Finds the phase at which whole buffers are whole lines of the output.
  void align() {
    const auto lands_on_line = [this](const void* base, std::size_t bytes) {
      return (reinterpret_cast<std::uintptr_t>(base) - phase * bytes) % line_bytes == 0;
    };
    const auto address = reinterpret_cast<std::uintptr_t>(out.keys);
    if (line_bytes % sizeof(K) == 0 && address % sizeof(K) == 0) phase = address % line_bytes / sizeof(K);
    stream_keys = stream_keys && lands_on_line(out.keys, sizeof(K));
    if constexpr (view<K, V>::has_values) stream_values = stream_values && lands_on_line(out.values, sizeof(V));
  }

  /// Writes slots [from, to) of a bin's buffer to the output.
  void write(std::uint32_t bin, std::int64_t first, std::size_t from, std::size_t to) const {
    const std::size_t slot = bin * per_bin + from;
    const auto position = static_cast<std::size_t>(first + static_cast<std::int64_t>(from));
    std::memcpy(out.keys + position, keys + slot, (to - from) * sizeof(K));
    if constexpr (view<K, V>::has_values) {
      std::memcpy(out.values + position, values + slot, (to - from) * sizeof(V));
    }
  }

  /// The slots of a bin's buffer before this one belong to somebody else's items.
  [[nodiscard]] std::size_t first_slot(std::uint32_t bin) const {
    return (home[bin] & 1) != 0 ? static_cast<std::size_t>(static_cast<std::int64_t>(start[bin]) - (home[bin] >> 1))
                                : 0;
  }

  /// Empties a full buffer.
  template <bool Watched>
  [[gnu::noinline]] void flush(std::uint32_t bin) const {
    const std::int64_t first = home[bin] >> 1;
    if (Watched && first + static_cast<std::int64_t>(per_bin) > static_cast<std::int64_t>(out.size)) reject_impure();
    if ((home[bin] & 1) != 0) [[unlikely]] {
      write(bin, first, first_slot(bin), per_bin);
    } else {
      const auto copy = [this](auto* to, const auto* from, bool stream) {
        if (stream) {
          stream_lines(to, from, per_bin * sizeof(*from));
        } else {
          std::memcpy(to, from, per_bin * sizeof(*from));
        }
      };
      copy(out.keys + first, keys + bin * per_bin, stream_keys);
      if constexpr (view<K, V>::has_values) copy(out.values + first, values + bin * per_bin, stream_values);
    }
    home[bin] = (first + static_cast<std::int64_t>(per_bin)) * 2;
  }
};

/// The fill count that the last slot of a bin's line carries: as wide as fits a key.
template <class K>
struct carried_count {
  using type = bits_of<std::conditional_t<sizeof(K) >= 4, std::uint32_t,
                                          std::conditional_t<sizeof(K) >= 2, std::uint16_t, std::uint8_t>>>;
  static std::size_t read(const K* slot) {
    type count;
    std::memcpy(&count, slot, sizeof count);
    return count;
  }
  static void write(K* slot, std::size_t count) {
    const auto narrow = static_cast<type>(count);
    std::memcpy(static_cast<void*>(slot), &narrow, sizeof narrow);
  }
};

/// Through buffers. `first` is the number of the slice's first item, for messages; `end(bin)` is where its items of a
/// bin must end.
template <scatter_way Way, class K, class V, class F, class End>
void scatter_buffered(view<const K, const V> in, const F& f, std::size_t first, line_buffers<K, V> to, End&& end) {
  constexpr bool watched = !never_misses<F>;
  constexpr bool with_values = view<K, V>::has_values;
  const std::uint32_t bins = f.bins();
  const std::size_t per_bin = to.per_bin;
  const std::size_t last = per_bin - 1;
  const auto shift = static_cast<unsigned>(std::countr_zero(per_bin));
  K* const keys = to.keys;
  V* const values = to.values;
  std::uint32_t* const next = to.next;

  std::size_t first_half = 0;
  std::size_t second_half = 0;
  const auto next_slot = [=, &first_half, &second_half](std::uint32_t bin) -> std::size_t {
    if constexpr (Way == scatter_way::indexed) return next[bin];
    if constexpr (Way == scatter_way::halved) return bin == 0 ? first_half : second_half;
    return (std::size_t{bin} << shift) + carried_count<K>::read(keys + (std::size_t{bin} << shift) + last);
  };
  const auto set_next_slot = [=, &first_half, &second_half](std::uint32_t bin, std::size_t at) {
    if constexpr (Way == scatter_way::indexed) {
      next[bin] = static_cast<std::uint32_t>(at);
    } else if constexpr (Way == scatter_way::halved) {
      (bin == 0 ? first_half : second_half) = at;
    } else {
      carried_count<K>::write(keys + (std::size_t{bin} << shift) + last, at & last);
    }
  };

  for (std::uint32_t b = 0; b < bins; ++b) {
    const std::size_t slot = (to.start[b] + to.phase) & last;
    to.home[b] = (static_cast<std::int64_t>(to.start[b]) - static_cast<std::int64_t>(slot)) * 2 + (slot != 0 ? 1 : 0);
    set_next_slot(b, b * per_bin + slot);
  }

  const auto put = [=, &to](std::size_t at, std::size_t i, std::uint32_t bin) {
    keys[at] = in.keys[i];
    if constexpr (with_values) values[at] = in.values[i];
    ++at;
    if ((at & last) == 0) [[unlikely]] {
      to.template flush<watched>(bin);
      at -= per_bin;
    }
    return at;
  };
  for_batches<Way != scatter_way::halved>(
      f, in.keys, first, in.size, [&]<std::size_t Count, bool Run>(std::size_t i, const std::uint32_t* bin) {
        if constexpr (with_values) prefetch(in.values + i);
        if constexpr (Way == scatter_way::halved && Count == batch) {
          // Each item to both buffers, and only one of them moves on: nothing to predict, nothing to wait for.
          if ((first_half & last) + batch <= last && (second_half & last) + batch <= last) [[likely]] {
            for (std::size_t k = 0; k < batch; ++k) {
              keys[first_half] = in.keys[i + k];
              keys[second_half] = in.keys[i + k];
              if constexpr (with_values) values[first_half] = in.values[i + k];
              if constexpr (with_values) values[second_half] = in.values[i + k];
              first_half += 1 - bin[k];
              second_half += bin[k];
            }
            return;
          }
        }
        if constexpr (Run) {
          std::size_t at = next_slot(bin[0]);
          if ((at & last) + Count < per_bin) [[likely]] {
            std::memcpy(keys + at, in.keys + i, Count * sizeof(K));
            if constexpr (with_values) std::memcpy(values + at, in.values + i, Count * sizeof(V));
            at += Count;
          } else {
            for (std::size_t k = 0; k < Count; ++k) at = put(at, i + k, bin[0]);
          }
          set_next_slot(bin[0], at);
        } else {
          PENEIRA_UNROLL(8)
          for (std::size_t k = 0; k < Count; ++k) set_next_slot(bin[k], put(next_slot(bin[k]), i + k, bin[k]));
        }
      });

  for (std::uint32_t b = 0; b < bins; ++b) {
    const std::size_t filled = next_slot(b) & last;
    const std::int64_t home = to.home[b] >> 1;
    if (watched && home + static_cast<std::int64_t>(filled) != static_cast<std::int64_t>(end(b))) reject_impure();
    if (filled > to.first_slot(b)) to.write(b, home, to.first_slot(b), filled);
  }
  stream_fence();
}

/// Straight to the output. `position` is where the slice's next item of each bin goes, and moves.
template <class K, class V, class F, class Position>
void scatter_direct(view<const K, const V> in, const F& f, std::size_t first, view<K, V> out, Position* position) {
  constexpr bool watched = !never_misses<F>;
  const auto put = [=](std::size_t at, std::size_t i) {
    if (watched && at >= out.size) [[unlikely]]
      reject_impure();
    out.keys[at] = in.keys[i];
    if constexpr (view<K, V>::has_values) out.values[at] = in.values[i];
  };
  for_batches<true>(f, in.keys, first, in.size,
                    [=]<std::size_t Count, bool Run>(std::size_t i, const std::uint32_t* bin) {
                      if constexpr (view<K, V>::has_values) prefetch(in.values + i);
                      if constexpr (Run) {
                        auto at = static_cast<std::size_t>(position[bin[0]]);
                        for (std::size_t k = 0; k < Count; ++k, ++at) put(at, i + k);
                        position[bin[0]] = static_cast<Position>(at);
                      } else {
                        PENEIRA_UNROLL(8)
                        for (std::size_t k = 0; k < Count; ++k)
                          put(static_cast<std::size_t>(position[bin[k]]++), i + k);
                      }
                    });
}

}  // namespace peneira::detail
