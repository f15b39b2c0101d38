// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <initializer_list>

namespace peneira::bench::sweep {
namespace {

/// Random bins, often as a power of two or next to one, where kernels change their ways.
std::uint64_t draw_bins(draws& from) {
  const std::uint64_t bins = log_uniform(from, 1, 20);
  if (one_in(from, 4)) return std::bit_floor(bins);
  if (one_in(from, 8)) return std::max<std::uint64_t>(2, std::bit_floor(bins) - 1 + 2 * from.below(2));
  return one_in(from, 64) ? std::uint64_t{1} << 20U : bins;
}

/// Functions that are compiled for a type: each takes long, all of them for u32 alone.
bin_function function_of(draws& from, item_type type) {
  using enum bin_function;
  const unsigned second = static_cast<unsigned>(from.below(2));
  if (type == item_type::u64) return second == 0 ? ranges : callers;
  if (type == item_type::u32_u32) return second == 0 ? ranges : hashed;
  if (type == item_type::u64_u64) return second == 0 ? ranges : digit;
  return weighted<bin_function>(from, {{ranges, 2}, {digit, 1}, {hashed, 1}, {callers, 2}});
}

void draw_multisplit(draws& from, problem& p) {
  using enum item_type;
  p.type = weighted<item_type>(from, {{u32, 4}, {u64, 2}, {u32_u32, 2}, {u64_u64, 2}});
  p.equal = one_in(from, 2) ? order::any : order::stable;
  draw_function(from, p);
}

void draw_reduce(draws& from, problem& p) {
  using enum item_type;
  p.type = weighted<item_type>(from, {{u32, 3}, {f32, 3}, {u64, 1}, {f64, 1}});
  p.op = p.type == f32 || p.type == u64 ? reduction::sum : reduction::max;
}

}  // namespace

void draw_function(draws& from, problem& p) {
  p.function = function_of(from, p.type);
  p.bins = draw_bins(from);
  p.whole_range = one_in(from, 2);
  if (p.function != bin_function::digit) return;
  p.bins = std::bit_floor(p.bins);
  const auto bits = static_cast<unsigned>(std::bit_width(p.bins) - 1);
  p.shift = static_cast<unsigned>(from.below(8 * p.key_bytes() - bits + 1));
}

std::size_t problem::key_bytes() const {
  using enum item_type;
  return type == u32 || type == i32 || type == f32 || type == u32_u32 || type == u32_f32 ? 4 : 8;
}

std::optional<bit_field> problem::bin_bits() const {
  if (what != primitive::multisplit || !std::has_single_bit(bins)) return {};
  const auto count = static_cast<unsigned>(std::bit_width(bins) - 1);
  if (function == bin_function::digit) return bit_field{shift, count};
  if (function != bin_function::ranges || !whole_range) return {};
  return bit_field{static_cast<unsigned>(8 * key_bytes()) - count, count};
}

problem draw_problem(std::uint64_t seed, std::uint64_t index) {
  draws from(mix64(seed ^ 0x5EEE9), index);
  problem p;
  p.seed = seed;
  p.index = index;
  const bool of_calls = index >= first_call;
  p.what = of_calls ? static_cast<primitive>(static_cast<unsigned>(primitive::group_by) +
                                             from.below(primitive_names.size() - unsigned(primitive::group_by)))
                    : weighted<primitive>(from, {{primitive::sort, 3},
                                                 {primitive::multisplit, 3},
                                                 {primitive::segmented_reduce, 2},
                                                 {primitive::reduce, 1}});
  p.n = log_uniform(from, 0, std::bit_width(most_items) - 1);
  p.data_seed = from.next();
  if (of_calls) {
    draw_call(from, p);
  } else if (p.what == primitive::sort) {
    using enum item_type;
    p.type = weighted<item_type>(
        from, {{u32, 4}, {u64, 3}, {i32, 2}, {i64, 1}, {f32, 2}, {f64, 1}, {u32_u32, 2}, {u64_u64, 2}});
    p.equal = p.has_pairs() && one_in(from, 2) ? order::any : order::stable;
  } else if (p.what == primitive::multisplit) {
    draw_multisplit(from, p);
  } else {
    draw_reduce(from, p);
    if (p.what == primitive::segmented_reduce) p.segments = draw_segments(from, p.n);
  }
  const bool adds = p.what == primitive::segmented_reduce || p.what == primitive::reduce || p.what == primitive::scan;
  const auto digits =
      p.has_floats() ? (p.type == item_type::f32 ? 24U : 53U) : static_cast<unsigned>(8 * p.key_bytes());
  p.keys = draw_keys(from, p.n, digits, p.has_floats(), adds);
  return p;
}

std::string describe_bins(const problem& p) {
  std::string text = fmt::format(", {} bins by {}", p.bins, name_in(bin_function_names, p.function));
  if (p.function == bin_function::digit) text += fmt::format(" from bit {}", p.shift);
  if (p.function == bin_function::ranges) text += p.whole_range ? " of the type" : " of the keys";
  return text;
}

std::string describe(const problem& p) {
  if (!is_first_four(p.what)) return fmt::format("{}, {}", describe_call(p), describe(p.keys));
  std::string text = fmt::format("{} {}", name_in(primitive_names, p.what), name_in(item_type_names, p.type));
  if (p.what == primitive::reduce || p.what == primitive::segmented_reduce) {
    text += fmt::format(" {}", name_in(reduction_names, p.op));
  }
  text += fmt::format(", {} item{}", p.n, p.n == 1 ? "" : "s");
  if (p.what == primitive::multisplit) text += describe_bins(p);
  if (p.what == primitive::multisplit || p.has_pairs()) text += p.equal == order::any ? ", any order" : ", stable";
  if (p.what == primitive::segmented_reduce) text += fmt::format(", {}", describe(p.segments));
  return fmt::format("{}, {}", text, describe(p.keys));
}

std::string bar_of(const problem& p, bool on_gpu) {
  if (p.what == primitive::multisplit) {
    return p.equal == order::any ? "multisplit, any order" : "multisplit, stable";
  }
  const bool has_few = !on_gpu && p.n < few_items;
  if (p.what == primitive::sort && !on_gpu) return fmt::format("sort, n {} {}", has_few ? "<" : ">=", few_items);
  if (has_few && !is_first_four(p.what)) {
    return fmt::format("{}, n < {}", name_in(primitive_names, p.what), few_items);
  }
  return name_in(primitive_names, p.what);
}

std::uint64_t bytes_needed(const problem& p) {
  constexpr std::uint64_t labels = 24;  // positions and labels, in and out, that multisplits are checked by
  const std::uint64_t arrays = p.what == primitive::reduce || p.what == primitive::segmented_reduce ? 3 : 6;
  std::uint64_t bytes = arrays * p.n * p.item_bytes();
  if (p.what == primitive::sort_records) bytes = 4 * p.n * p.asked.record_bytes;
  if (p.what == primitive::histogram) bytes += 16 * p.bins;
  if (!is_first_four(p.what)) bytes += 48 * p.n + 16 * p.segments.count;  // tables, positions and the peers' records
  if (p.what == primitive::multisplit) bytes += labels * (p.n + p.bins);
  if (p.what == primitive::segmented_reduce) bytes += 32 * p.segments.count + 16 * p.n;
  return bytes;
}

}  // namespace peneira::bench::sweep
