// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Write-combining buffers: the items of a bin gather in whole cache lines, which leave when they are full, at once or
// after a wait for their place in the output.
//
//   bin 3 [ 3 3 3 3 ]  --full: ask for its place-->  | 9 9 9 9 | ... | 3 3 3 3 |  that wait --the oldest--> output
#pragma once

#include <cstring>
#include <type_traits>

#include "peneira/bits.hpp"
#include "peneira/cpu/lines.hpp"
#include "peneira/error.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// The fill count that the last slot of a bin's line carries: as wide as fits a key.
template <class K>
struct carried_count {
  using type = bits_of<std::conditional_t<sizeof(K) >= 4, std::uint32_t,
                                          std::conditional_t<sizeof(K) >= 2, std::uint16_t, std::uint8_t>>>;
  static std::uint32_t read(const K* slot) {
    type count;
    std::memcpy(&count, slot, sizeof count);
    return count;
  }
  static void write(K* slot, std::uint32_t count) {
    const auto narrow = static_cast<type>(count);
    std::memcpy(static_cast<void*>(slot), &narrow, sizeof narrow);
  }
};

/// Where a slice's items of a bin must end: a function that lives elsewhere, without its type, so that what scatters is
/// compiled once for all of them. Asked once a bin.
class bin_ends {
 public:
  template <class F>
  explicit bin_ends(const F& end_of)
      : of_(&end_of),
        ask_([](const void* of, std::uint32_t bin) -> std::uint64_t { return (*static_cast<const F*>(of))(bin); }) {}
  std::uint64_t operator()(std::uint32_t bin) const { return ask_(of_, bin); }

 private:
  const void* of_;
  std::uint64_t (*ask_)(const void*, std::uint32_t);
};

/// Whether the items of a piece of a slice may end at a position: those of the last piece where the slice's must, and
/// others anywhere in the output.
struct piece_ends {
  const bin_ends& of_slice;
  bool is_last;
  std::size_t most;
  bool operator()(std::uint32_t bin, std::uint64_t position) const {
    return is_last ? position == of_slice(bin) : position <= most;
  }
};

/// The buffers of one thread, and how they meet the output.
template <class K, class V>
struct line_buffers {
  std::size_t per_bin = 0;        ///< items of a bin's buffer: a power of two, whole lines
  std::size_t lead = 0;           ///< the first slots of a bin's first buffer that may not be ours: fewer than this
  bool deferred = false;          ///< full buffers wait for their place in the output
  K* keys = nullptr;              ///< bins x per_bin, and room for those that wait
  V* values = nullptr;            ///< the same, for pairs
  std::uint32_t* next = nullptr;  ///< indexed: where the bin's next item goes, see cursor
  std::int64_t* home = nullptr;   ///< otherwise: 2 x the output position of the buffer's first slot, + 1 if its first
                                  ///< slots are not ours
  std::int64_t waiting[tuning::cpu_deferred] = {};  ///< output positions of those that wait, or -1
  std::size_t oldest = 0;                           ///< of them
  std::size_t stage = 0;                            ///< where in `keys` they begin
  std::uint64_t* start = nullptr;  ///< the position of the first item of each bin; moves on after a piece of a slice
  view<K, V> out;
  std::size_t phase = 0;  ///< an output position p uses slot (p + phase) % lead, so that slot 0 is aligned to a line
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

  /// The first slots of a bin's first buffer belong to somebody else's items: all before this one.
  [[nodiscard]] std::size_t first_slot(std::uint32_t bin) const { return (start[bin] + phase) & (lead - 1); }

  /// Makes a bin's home at its first position; returns the slot that this has.
  [[nodiscard]] std::size_t open(std::uint32_t bin) const {
    const std::size_t slot = first_slot(bin);
    home[bin] = static_cast<std::int64_t>(start[bin] - slot) * 2 + (slot != 0 ? 1 : 0);
    return slot;
  }
  /// Writes what is left in the `filled` first slots of the buffer of a bin that has a home.
  template <bool Watched>
  void close(std::uint32_t bin, std::size_t filled, const piece_ends& may_end) const {
    close_at<Watched>(bin, (home[bin] >> 1) + static_cast<std::int64_t>(filled), filled, (home[bin] & 1) != 0, may_end);
  }
  /// The same for a bin whose next item would go to the position `stop`.
  template <bool Watched>
  void close_at(std::uint32_t bin, std::int64_t stop, std::size_t filled, bool is_first,
                const piece_ends& may_end) const {
    if (Watched && !may_end(bin, static_cast<std::uint64_t>(stop))) reject_impure();
    const std::size_t from = is_first ? first_slot(bin) : 0;
    if (filled > from) write(bin, stop - static_cast<std::int64_t>(filled), from, filled);
    start[bin] = static_cast<std::uint64_t>(stop);
  }

  // A cursor is the low bits of the output position plus the phase, so that its lowest are the slot, and one bit that
  // says whether the buffer is the bin's first and not all ours. What a flush needs is in it: a table of positions
  // would be one more line that is not at hand.
  static constexpr std::uint32_t partial = 1U << 31U;
  static constexpr std::uint32_t low = partial - 1;
  static constexpr std::size_t most_items = partial / 2;  ///< of a piece of a slice, so that low bits tell positions

  [[nodiscard]] std::uint32_t cursor(std::uint32_t bin) const {
    return (static_cast<std::uint32_t>(start[bin] + phase) & low) | (first_slot(bin) != 0 ? partial : 0);
  }
  [[nodiscard]] std::int64_t position(std::uint32_t bin, std::uint32_t cursor) const {
    if (out.size + phase <= low) [[likely]]
      return static_cast<std::int64_t>(cursor & low) - static_cast<std::int64_t>(phase);
    const auto moved = (cursor - static_cast<std::uint32_t>(start[bin] + phase)) & low;
    return static_cast<std::int64_t>(start[bin] + moved);
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

  /// Writes a whole buffer, which begins at a slot, to the output; of `items`, where that is known early.
  [[gnu::always_inline]] void write_whole(std::size_t slot, std::int64_t first, std::size_t items) const {
    const auto copy = [items](auto* to, const auto* from, bool stream) {
      if (has_streaming && stream) {
        stream_lines(to, from, items * sizeof(*from));
      } else {
        copy_lines(to, from, items * sizeof(*from));
      }
    };
    copy(out.keys + first, keys + slot, stream_keys);
    if constexpr (view<K, V>::has_values) copy(out.values + first, values + slot, stream_values);
  }
  [[gnu::always_inline]] void write_whole(std::size_t slot, std::int64_t first) const {
    write_whole(slot, first, per_bin);
  }

  /// Empties a full buffer, whose slot 0 goes to `first` and whose slots from `from` on are ours.
  template <bool Watched>
  [[gnu::always_inline]] void flush(std::uint32_t bin, std::int64_t first, std::size_t from) {
    if (Watched && first + static_cast<std::int64_t>(per_bin) > static_cast<std::int64_t>(out.size)) reject_impure();
    if (from != 0) [[unlikely]] {
      write(bin, first, from, per_bin);
    } else if (!deferred) {
      write_whole(bin * per_bin, first);
    } else {
      defer(bin, first);
    }
  }
  /// Empties the buffer whose last slot was filled at this cursor; returns the next cursor.
  template <bool Watched>
  [[gnu::always_inline]] std::uint32_t flush_at(std::uint32_t bin, std::uint32_t cursor) {
    const std::int64_t first = position(bin, cursor) - static_cast<std::int64_t>(per_bin - 1);
    flush<Watched>(bin, first, (cursor & partial) != 0 ? first_slot(bin) : 0);
    return (cursor + 1) & low;
  }
  template <bool Watched>
  [[gnu::noinline]] std::uint32_t flush_at_call(std::uint32_t bin, std::uint32_t cursor) {
    return flush_at<Watched>(bin, cursor);
  }
  /// Empties the buffer of a bin that has a home.
  template <bool Watched>
  [[gnu::noinline]] void flush_home(std::uint32_t bin) {
    const std::int64_t first = home[bin] >> 1;
    flush<Watched>(bin, first, (home[bin] & 1) != 0 ? first_slot(bin) : 0);
    home[bin] = (first + static_cast<std::int64_t>(per_bin)) * 2;
  }
  /// The same for a buffer of Items, which leaves at once: few instructions, since there is one such for every few
  /// items. A probe whose flush was that short took 2.1 ns an item at 4,096 bins, flush_home 2.7 (ER).
  template <bool Watched, std::size_t Items>
  [[gnu::noinline]] void flush_line(std::uint32_t bin) {
    const std::int64_t at = home[bin];
    const std::int64_t first = at >> 1;
    if (Watched && first + static_cast<std::int64_t>(Items) > static_cast<std::int64_t>(out.size)) reject_impure();
    home[bin] = (first + static_cast<std::int64_t>(Items)) * 2;
    if ((at & 1) == 0) [[likely]] {
      write_whole(bin * Items, first, Items);
    } else {
      write(bin, first, first_slot(bin), Items);
    }
  }

  /// Asks for the buffer's place in the output, and writes it some flushes later: a store that has to wait for its page
  /// holds up all that follows it, and asking does not.
  [[gnu::always_inline]] void defer(std::uint32_t bin, std::int64_t first) {
    __builtin_prefetch(out.keys + first, 1);
    if constexpr (view<K, V>::has_values) __builtin_prefetch(out.values + first, 1);
    const std::size_t slot = stage + oldest * per_bin;
    if (waiting[oldest] >= 0) [[likely]]
      write_whole(slot, waiting[oldest]);
    copy_lines(keys + slot, keys + bin * per_bin, per_bin * sizeof(K));
    if constexpr (view<K, V>::has_values) copy_lines(values + slot, values + bin * per_bin, per_bin * sizeof(V));
    waiting[oldest] = first;
    oldest = (oldest + 1) % tuning::cpu_deferred;
  }
  void write_deferred() const {
    for (std::size_t d = 0; d < tuning::cpu_deferred; ++d) {
      if (waiting[d] >= 0) write_whole(stage + d * per_bin, waiting[d]);
    }
  }
};

}  // namespace peneira::detail
