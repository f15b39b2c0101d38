// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One thread combines many segments: by windows where they are short and of mixed sizes, and by loops of their own
// where they are of one size, which a processor predicts, or long.
//
// The way that is taken for a segment follows from the offsets, never from where the thread's own segments begin and
// end, and gives the same bits wherever among the others the segment lies.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "peneira/cpu/fold.hpp"
#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/cpu/window_choice.hpp"
#include "peneira/segmented_reduce/cpu/windows.hpp"
#include "peneira/segmented_reduce/reference.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// What the offsets of a block of segments say of their sizes.
struct block_sizes {
  bool ascend;
  bool equal;
  std::size_t longest;  ///< items, if they ascend
};

template <class Offset>
block_sizes sizes_of(const Offset* offsets, std::size_t count) {
  using word = std::make_unsigned_t<Offset>;  // a negative offset becomes a great one, which the last then is too
  const auto first = static_cast<word>(static_cast<word>(offsets[1]) - static_cast<word>(offsets[0]));
  word differ = 0;
  word descend = 0;
  word longest = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto begin = static_cast<word>(offsets[k]);
    const auto end = static_cast<word>(offsets[k + 1]);
    const auto size = static_cast<word>(end - begin);
    differ |= size ^ first;
    longest = std::max(longest, size);
    descend |= end < begin ? 1 : 0;
  }
  return {descend == 0, differ == 0, static_cast<std::size_t>(longest)};
}

/// Whether all sizes are equal, where offsets may have come round past the greatest; less to compute than sizes_of.
template <class Offset>
bool is_of_one_size(const Offset* offsets, std::size_t count) {
  using word = std::make_unsigned_t<Offset>;
  const auto size = [offsets](std::size_t k) {
    return static_cast<word>(static_cast<word>(offsets[k + 1]) - static_cast<word>(offsets[k]));
  };
  const word first = size(0);
  word differ = 0;
  for (std::size_t k = 0; k < count; ++k) differ |= size(k) ^ first;
  return differ == 0;
}

/// As many segments as there are lanes, or some of them, one behind the other and all of one size, by one accumulator
/// each, which are turned into one pack of results. Reads less than a pack past them.
template <class T, class Op>
[[gnu::always_inline]] inline pack<T> fold_side_by_side(const T* items, std::size_t size, std::size_t count,
                                                        const Op& op) {
  using p = pack<T>;
  const std::size_t full = (size - 1) / p::lanes * p::lanes;
  const p identity = p::all(op.template identity<T>());
  typename p::mask rest;
  std::memcpy(&rest, masks<T, p::lanes>.lane + (p::lanes - (size - full)), pack_bytes);
  std::array<p, p::lanes> all;
  const auto at = [=](std::size_t l) { return items + (l < count ? l : 0) * size; };
  for (std::size_t l = 0; l < p::lanes; ++l) all[l] = p::select(rest, p::load(at(l) + full), identity);
  for (std::size_t i = 0; i < full; i += p::lanes) {
    for (std::size_t l = 0; l < p::lanes; ++l) all[l] = p::combine(op, all[l], p::load(at(l) + i));
  }
  return fold_across(op, all);
}

/// The segments from s to before stop, all of Size items.
template <std::size_t Size, class T, class Segments, class Result, class Op>
void fold_small(const segment_work<T, Segments, Result, Op>& work, std::size_t s, std::size_t stop) {
  const std::size_t first = work.segments.begin(s);
  const T* const __restrict items = work.items + first;
  Result* const __restrict results = work.results + s;
  const std::size_t count = stop - s;
  const Op& op = work.op;
  for (std::size_t k = 0; k < count; ++k) {
    auto all = lifted<Result>(op, items[k * Size], first + k * Size);
    for (std::size_t i = 1; i < Size; ++i) {
      all = op(all, lifted<Result>(op, items[k * Size + i], first + k * Size + i));
    }
    results[k] = all;
  }
}

/// The most items of a segment that Packs accumulators combine one by one; longer ones are blocks.
template <std::size_t Packs, class Op, class T>
inline constexpr std::size_t most_short = rounds<Op, T> ? tuning::cpu_short_steps* Packs* pack<T>::lanes
                                                        : tuning::cpu_long_segment_bytes / sizeof(T);

/// One segment, which is valid, by Packs accumulators if it is not long.
template <std::size_t Packs, class T, class Segments, class Result, class Op>
[[gnu::always_inline]] inline Result fold_segment(const segment_work<T, Segments, Result, Op>& work, std::size_t begin,
                                                  std::size_t end) {
  if constexpr (folds_packs<Result, T, Op>) {
    const std::size_t size = end - begin;
    if (size <= most_short<Packs, Op, T> && work.n - begin >= size + Packs * pack<T>::lanes) {
      return fold_short<Packs>(work.items + begin, size, work.op);
    }
  }
  return work.fold(begin, end);
}

/// Calls one(s) for the segments from s to before stop: in turns from the first half and from the second, since two
/// streams keep the memory busier than one.
template <class One>
[[gnu::always_inline]] inline void in_turns(std::size_t s, std::size_t stop, One&& one) {
  const std::size_t half = (stop - s) / 2;
  for (std::size_t k = s; k < s + half; ++k) {
    one(k);
    one(k + half);
  }
  if (s + 2 * half < stop) one(stop - 1);
}

/// Segments of one size, one behind the other, some of them side by side.
template <class T, class Op>
[[gnu::noinline]] void fold_groups(const T* items, std::size_t size, std::size_t count, T* results, Op op) {
  constexpr std::size_t lanes = pack<T>::lanes;
  in_turns(0, count / lanes, [=](std::size_t g) {
    const T* const group = items + g * lanes * size;
    if (lanes * size * sizeof(T) > 128) {
      ask_ahead<256>(group);
    } else {
      ask_ahead<128>(group);
    }
    fold_side_by_side(group, size, lanes, op).store(results + g * lanes);
  });
  const std::size_t done = count / lanes * lanes;
  if (done == count) return;
  std::array<T, lanes> found;
  fold_side_by_side(items + done * size, size, count - done, op).store(found.data());
  std::copy_n(found.begin(), count - done, results + done);
}

/// Segments of one size, one behind the other, each by itself.
template <std::size_t Packs, class T, class Op>
[[gnu::noinline]] void fold_each(const T* items, std::size_t size, std::size_t count, T* results, Op op) {
  in_turns(0, count, [=](std::size_t k) { results[k] = fold_short<Packs>(items + k * size, size, op); });
}

/// The most items of segments that fold_small takes.
inline constexpr std::size_t most_tiny = 4;

/// The segments from s to before stop, all of one size.
template <class T, class Segments, class Result, class Op>
void fold_equal(const segment_work<T, Segments, Result, Op>& given, std::size_t s, std::size_t stop, std::size_t size) {
  const segment_work<T, Segments, Result, Op> work = given;
  std::tie(s, stop) = work.own_of(s, stop);
  if (s == stop) return;
  if (size == 1) return fold_small<1>(work, s, stop);
  if (size == 2) return fold_small<2>(work, s, stop);
  if (size == 3) return fold_small<3>(work, s, stop);
  if (size == 4) return fold_small<4>(work, s, stop);
  if (size == 0) return std::fill(work.results + s, work.results + stop, work.identity());
  if constexpr (folds_packs<Result, T, Op>) {
    constexpr std::size_t lanes = 4 * pack<T>::lanes;  // that may be read past a segment, but not past the items
    const std::size_t begin = work.segments.begin(s);
    const std::size_t follow = (work.n - begin) / size;  // segments of this size up to the items' end
    const std::size_t sure = std::min(stop - s, follow - std::min(follow, lanes / size + 1));
    if (size <= tuning::cpu_side_by_side_bytes / sizeof(T)) {
      fold_groups(work.items + begin, size, sure, work.results + s, work.op);
      s += sure;
    } else if (size <= most_short<2, Op, T>) {
      fold_each<2>(work.items + begin, size, sure, work.results + s, work.op);
      s += sure;
    } else if (size <= most_short<4, Op, T>) {
      fold_each<4>(work.items + begin, size, sure, work.results + s, work.op);
      s += sure;
    }
  }
  in_turns(s, stop, [&](std::size_t k) { work.results[k] = work.fold(work.segments.begin(k), work.segments.end(k)); });
}

/// The segments from s to before stop, which are valid, each by itself.
template <class T, class Segments, class Result, class Op>
[[gnu::noinline]] void fold_runs(const segment_work<T, Segments, Result, Op>& given, std::size_t s, std::size_t stop) {
  const segment_work<T, Segments, Result, Op> work = given;
  std::tie(s, stop) = work.own_of(s, stop);
  in_turns(s, stop, [&work](std::size_t k) {
    work.results[k] = fold_segment<4>(work, work.segments.begin(k), work.segments.end(k));
  });
}

/// Segments of mixed sizes, which are valid, by what suits these; `longest` has at least as many items as any of them.
template <class T, class Segments, class Result, class Op>
void fold_mixed(const segment_work<T, Segments, Result, Op>& work, std::size_t s, std::size_t stop,
                std::size_t longest) {
  const auto own = work.own_of(s, stop);
  if (own.first == own.second) return;
  if constexpr (folds_packs<Result, T, Op>) {
    const sampled_sizes sizes = sample_sizes<T>(work.segments.offsets + s, stop - s);
    if (!sizes.most_are_large()) {
      const auto windows = windows_for<T, Op, std::remove_cvref_t<decltype(*work.segments.offsets)>>(sizes);
      std::size_t sure = own.second;  // of these no window reaches past the items
      while (sure > own.first && work.n - work.segments.end(sure - 1) < pack<T>::lanes) --sure;
      windows.fold(work.items, work.segments.offsets + own.first, sure - own.first, work.results + own.first, work.op);
      for (std::size_t k = own.first; longest > windows.most && k < sure; ++k) {
        const std::size_t begin = work.segments.begin(k);
        const std::size_t end = work.segments.end(k);
        if (end - begin > windows.most) work.results[k] = work.fold(begin, end);
      }
      fold_runs(work, sure, own.second);
      return;
    }
  }
  fold_runs(work, s, stop);
}

/// Segments of one size, which are valid, by what suits it: masked windows take longer ones faster than loops of packs.
template <class T, class Segments, class Result, class Op>
void fold_alike(const segment_work<T, Segments, Result, Op>& work, std::size_t s, std::size_t stop, std::size_t size) {
#if defined(PENEIRA_AVX512)
  if constexpr (folds_packs<Result, T, Op> && masks_windows<T, Op>) {
    const std::size_t bytes = size * sizeof(T);
    const bool suits = bytes > tuning::cpu_side_by_side_bytes && bytes <= tuning::cpu_windowed_bytes;
    if (suits && has_avx512()) return fold_mixed(work, s, stop, size);
  }
#endif
  fold_equal(work, s, stop, size);
}

/// A block of segments, which are valid, by what suits their sizes. One that is not like the others should not cost
/// all of them, so parts of equal sizes are looked for.
template <class T, class Segments, class Result, class Op>
void fold_block(const segment_work<T, Segments, Result, Op>& work, std::size_t s, std::size_t stop,
                const block_sizes& block) {
  const auto size = [&work](std::size_t k) { return work.segments.end(k) - work.segments.begin(k); };
  if (block.equal) return fold_alike(work, s, stop, size(s));
  for (std::size_t at = s, next = 0; at < stop; at = next) {
    next = std::min(stop, at + tuning::cpu_segment_part);
    const bool whole = next - at == tuning::cpu_segment_part;
    if (!whole || size(at) != size(at + 1) || size(at) != size(at + 2)) continue;
    if (!is_of_one_size(work.segments.offsets + at, next - at)) continue;
    fold_mixed(work, s, at, block.longest);
    fold_alike(work, at, next, size(at));
    s = next;
  }
  fold_mixed(work, s, stop, block.longest);
}

/// One block of segments, of which the thread's own are combined. Returns false if one ends before it begins or past
/// the items; no item outside the array is read.
template <class T, class Segments, class Result, class Op>
[[nodiscard]] bool fold_any_block(const segment_work<T, Segments, Result, Op>& work, std::size_t s, std::size_t stop) {
  while (s < stop) {  // tiny ones
    const std::size_t next = stop - s < tuning::cpu_tiny_block ? stop : s + tuning::cpu_tiny_block;
    const std::size_t begin = work.segments.begin(s);
    const std::size_t size = work.segments.end(s) - begin;
    if (size > most_tiny || !is_of_one_size(work.segments.offsets + s, next - s)) break;
    if (begin > work.segments.end(next - 1) || work.segments.end(next - 1) > work.n) return false;
    fold_equal(work, s, next, size);
    s = next;
  }
  if (s == stop) return true;
  const auto sizes = sizes_of(work.segments.offsets + s, stop - s);
  if (!sizes.ascend || work.segments.end(stop - 1) > work.n) return false;
  fold_block(work, s, stop, sizes);
  return true;
}

/// The thread's own segments of so few that to look at their sizes first takes longer than to combine them.
template <class T, class Segments, class Result, class Op>
[[nodiscard]] bool fold_few(const segment_work<T, Segments, Result, Op>& work) {
  std::size_t begin = work.segments.begin(work.first);
  if (begin > work.n) return false;
  for (std::size_t s = work.first; s < work.stop; ++s) {
    const std::size_t end = work.segments.end(s);
    const bool right = end - begin <= work.n - begin;  // which is not so where it ends before it begins, either
    if (!right) [[unlikely]]
      return false;
    work.results[s] = end - begin < tuning::cpu_plain_reduce_items
                          ? reference::reduce<Result>(work.items, begin, end, work.op)
                          : fold_segment<2>(work, begin, end);
    begin = end;
  }
  return true;
}

/// The thread's own segments. Returns false if there is one near them that ends before it begins or past the items; no
/// item outside the array is read.
template <class T, class Segments, class Result, class Op>
[[nodiscard]] bool fold_segments(const segment_work<T, Segments, Result, Op>& work) {
  if (work.first == work.stop) return true;
  if constexpr (Segments::regular) {
    const std::size_t whole = std::min(work.stop, work.n / work.segments.size);  // the very last one may be shorter
    if (work.first < whole) fold_equal(work, work.first, whole, work.segments.size);
    for (std::size_t s = std::max(work.first, whole); s < work.stop; ++s) {
      work.results[s] = work.fold(work.segments.begin(s), work.segments.end(s));
    }
  } else {
    if (work.count < tuning::cpu_looked_at_segments) return fold_few(work);
    const std::size_t size = std::clamp(std::bit_ceil(work.count / tuning::cpu_segment_blocks),
                                        tuning::cpu_least_segment_block, tuning::cpu_segment_block);
    for (std::size_t s = work.first / size * size; s < work.stop; s += size) {
      if (!fold_any_block(work, s, std::min(work.count, s + size))) return false;
    }
  }
  return true;
}

}  // namespace peneira::detail
