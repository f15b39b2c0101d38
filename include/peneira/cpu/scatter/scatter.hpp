// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The last third of a sieve: each item of a slice to its place. Four ways; vector_scatter.hpp and vector_place.hpp have
// three more, and `carried` by vectors:
//
//   direct    the item goes straight to its place
//   indexed   it goes to a buffer of its bin, a few lines long; full buffers are written out whole
//   halved    the same for two bins, whose places in their buffers stay in registers
//   carried   the same with one line a bin, whose last slot carries the fill count until an item needs it: one line is
//             touched an item, where the others touch two
//
//   input   3 1 3 0 3 1 ...          buffers 0 [0...]  1 [1 1.]  3 [3 3 3]  --full: whole lines-->  output of bin 3
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "peneira/cpu/lines.hpp"
#include "peneira/cpu/scatter/buffers.hpp"
#include "peneira/cpu/scatter/classify.hpp"
#include "peneira/cpu/scatter/vector_place.hpp"
#include "peneira/cpu/scatter/vector_scatter.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

enum class scatter_way { direct, indexed, halved, carried, compressed, held, placed };

constexpr std::string_view name_of(scatter_way way) {
  constexpr std::string_view names[] = {"direct", "indexed", "halved", "carried", "compressed", "held", "placed"};
  return names[static_cast<std::size_t>(way)];
}

/// Whether a way is one of vectors alone.
constexpr bool of_vectors(scatter_way way) {
  return way == scatter_way::compressed || way == scatter_way::held || way == scatter_way::placed;
}

/// Through buffers, a piece of a slice. `first` is the number of its first item, for messages.
template <scatter_way Way, class K, class V, class F>
[[gnu::noinline]] void scatter_piece(view<const K, const V> in, const F& f, std::size_t first, line_buffers<K, V>& to,
                                     const piece_ends& may_end) {
  constexpr bool watched = !never_misses<F>;
  constexpr bool with_values = view<K, V>::has_values;
  const std::uint32_t bins = f.bins();
  constexpr std::size_t line_items = items_of_whole_lines(sizeof(K), with_values ? sizeof(V) : 0);
  const auto per_bin = static_cast<std::uint32_t>(Way == scatter_way::carried ? line_items : to.per_bin);
  const std::uint32_t last = per_bin - 1;
  const auto shift = static_cast<unsigned>(std::countr_zero(per_bin));
  K* const keys = to.keys;
  V* const values = to.values;
  std::uint32_t* const next = to.next;

  // Where a bin's next item goes: a cursor, or the number of a slot.
  std::uint32_t first_half = 0;
  std::uint32_t second_half = 0;
  // For the lambdas, which capture so only what their way uses.
  [[maybe_unused]] std::uint32_t* const one = &first_half;
  [[maybe_unused]] std::uint32_t* const other = &second_half;
  const auto next_of = [=](std::uint32_t bin) -> std::uint32_t {
    if constexpr (Way == scatter_way::indexed) return next[bin];
    if constexpr (Way == scatter_way::halved) return bin == 0 ? *one : *other;
    return carried_count<K>::read(keys + (std::size_t{bin} << shift) + last);
  };
  const auto set_next = [=](std::uint32_t bin, std::uint32_t at) {
    if constexpr (Way == scatter_way::indexed) {
      next[bin] = at;
    } else if constexpr (Way == scatter_way::halved) {
      *(bin == 0 ? one : other) = at;
    } else {
      carried_count<K>::write(keys + (std::size_t{bin} << shift) + last, at);
    }
  };
  const auto slot_of = [=](std::uint32_t bin, std::uint32_t at) { return (std::size_t{bin} << shift) + (at & last); };
  const auto empty = [&to](std::uint32_t at, std::uint32_t bin) {
    if constexpr (Way == scatter_way::indexed) return to.template flush_at_call<watched>(bin, at);
    if constexpr (Way == scatter_way::carried) {
      to.template flush_line<watched, line_items>(bin);
    } else {
      to.template flush_home<watched>(bin);
    }
    return 0U;
  };
  const auto put = [=](std::uint32_t at, std::size_t i, std::uint32_t bin) {
    keys[slot_of(bin, at)] = in.keys[i];
    if constexpr (with_values) values[slot_of(bin, at)] = in.values[i];
    return (at & last) != last;
  };

  std::fill(std::begin(to.waiting), std::end(to.waiting), -1);
  for (std::uint32_t b = 0; b < bins; ++b) {
    set_next(b, Way == scatter_way::indexed ? to.cursor(b) : static_cast<std::uint32_t>(to.open(b)));
  }
  for_batches<Way != scatter_way::halved>(
      f, in.keys, first, in.size,
      [&]<std::size_t Count, bool Run>(std::size_t i, const std::uint32_t* bin) __attribute__((always_inline)) {
        if constexpr (with_values) prefetch(in.values + i);
        if constexpr (Way == scatter_way::halved && Count == batch) {
          // Each item to both buffers, and only one of them moves on: nothing to predict, nothing to wait for.
          if (first_half + batch <= last && second_half + batch <= last) [[likely]] {
            for (std::size_t k = 0; k < batch; ++k) {
              keys[first_half] = in.keys[i + k];
              keys[per_bin + second_half] = in.keys[i + k];
              if constexpr (with_values) values[first_half] = in.values[i + k];
              if constexpr (with_values) values[per_bin + second_half] = in.values[i + k];
              first_half += 1 - bin[k];
              second_half += bin[k];
            }
            return;
          }
        }
        if constexpr (Run) {
          std::uint32_t at = next_of(bin[0]);
          const auto copy = [&](std::size_t from, std::size_t items) {
            std::memcpy(keys + slot_of(bin[0], at), in.keys + i + from, items * sizeof(K));
            if constexpr (with_values) {
              std::memcpy(values + slot_of(bin[0], at), in.values + i + from, items * sizeof(V));
            }
          };
          if ((at & last) + Count < per_bin) [[likely]] {
            copy(0, Count);
            at += Count;
          } else {
            for (std::size_t done = 0; done < Count;) {
              const std::size_t part = std::min<std::size_t>(Count - done, per_bin - (at & last));
              copy(done, part);
              done += part;
              at += static_cast<std::uint32_t>(part - 1);
              at = (at & last) == last ? empty(at, bin[0]) : at + 1;
            }
          }
          set_next(bin[0], at);
        } else {
          PENEIRA_UNROLL(8)
          for (std::size_t k = 0; k < Count; ++k) {
            std::uint32_t at = next_of(bin[k]);
            if (put(at, i + k, bin[k])) [[likely]] {
              ++at;
            } else if constexpr (Way == scatter_way::indexed && Count != 1) {
              at = to.template flush_at<watched>(bin[k], at);  // not called: a bin that has most items waits for it
            } else {
              at = empty(at, bin[k]);
            }
            set_next(bin[k], at);
          }
        }
      });

  for (std::uint32_t b = 0; b < bins; ++b) {
    const std::uint32_t at = next_of(b);
    if constexpr (Way == scatter_way::indexed) {
      to.template close_at<watched>(b, to.position(b, at), at & last, (at & to.partial) != 0, may_end);
    } else {
      to.template close<watched>(b, at & last, may_end);
    }
  }
  to.write_deferred();
  stream_fence();
}

/// Through buffers. `first` is the number of the slice's first item, for messages; `end(bin)` is where its items of a
/// bin must end. Vectors: by AVX-512, which the ways of vectors are in any case.
template <scatter_way Way, bool Vectors, class K, class V, class F>
void scatter_buffered(view<const K, const V> in, const F& f, std::size_t first, line_buffers<K, V> to,
                      const bin_ends& end) {
  for (std::size_t at = 0; at < in.size; at += to.most_items) {
    const std::size_t size = std::min(to.most_items, in.size - at);
    const piece_ends may_end{end, at + size == in.size, to.out.size};
#if defined(PENEIRA_AVX512)
    constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
    if constexpr (Way == scatter_way::compressed) {
      scatter_compressed(in.part(at, size), f, first + at, to, may_end);
    } else if constexpr (Way == scatter_way::held) {
      scatter_held(in.part(at, size), f, first + at, to, may_end);
    } else if constexpr (Way == scatter_way::placed) {
      scatter_placed<false, placed_items(sizeof(K), value_bytes)>(in.part(at, size), f, first + at, to, may_end);
    } else if constexpr (Vectors) {
      static_assert(Way == scatter_way::carried);
      constexpr auto line = static_cast<std::uint32_t>(items_of_whole_lines(sizeof(K), value_bytes));
      scatter_placed<true, line>(in.part(at, size), f, first + at, to, may_end);
    }
#endif
    if constexpr (!Vectors) scatter_piece<Way>(in.part(at, size), f, first + at, to, may_end);
  }
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
  [[maybe_unused]] const std::size_t ahead = bytes_ahead<V>(in.size);
  for_batches<true>(f, in.keys, first, in.size,
                    [=]<std::size_t Count, bool Run>(std::size_t i, const std::uint32_t* bin) {
                      if constexpr (view<K, V>::has_values) prefetch(in.values + i, ahead);
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
