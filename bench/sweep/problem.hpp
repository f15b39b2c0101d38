// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The problems of the sweep: each is drawn from a seed and its number, alike on every machine and at every place, and
// can be told in a line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bench/sweep/keys.hpp"
#include "bench/sweep/segment_sizes.hpp"
#include "peneira/place.hpp"

namespace peneira::bench::sweep {

enum class primitive : unsigned {
  sort,
  multisplit,
  segmented_reduce,
  reduce,
  group_by,
  histogram,
  unique,
  run_lengths,
  top_k,
  segmented_sort,
  sort_records,
  sort_columns,
  scan,
  partition,
  gather
};
inline constexpr std::array<std::string_view, 15> primitive_names{
    "sort",  "multisplit",     "segmented_reduce", "reduce",       "group_by", "histogram", "unique", "run_lengths",
    "top_k", "segmented_sort", "sort_records",     "sort_columns", "scan",     "partition", "gather"};

/// The problems of the calls from group_by on have numbers from here: those before it keep what they had in files that
/// were measured when there were no others.
inline constexpr std::uint64_t first_call = 1'000'000'000;
inline bool is_first_four(primitive what) {
  return what <= primitive::reduce;
}

enum class item_type : unsigned { u32, u64, i32, i64, f32, f64, u32_u32, u64_u64, u32_f32 };
inline constexpr std::array<std::string_view, 9> item_type_names{"u32", "u64",     "i32",     "i64",    "f32",
                                                                 "f64", "u32+u32", "u64+u64", "u32+f32"};

/// The function that a multisplit splits by: equal ranges, a digit, a hash, and what a caller wrote.
enum class bin_function : unsigned { ranges, digit, hashed, callers };
inline constexpr std::array<std::string_view, 4> bin_function_names{"ranges", "digit", "hashed", "caller's"};

enum class reduction : unsigned { sum, max };
inline constexpr std::array<std::string_view, 2> reduction_names{"sum", "max"};

template <std::size_t N, class E>
std::string name_in(const std::array<std::string_view, N>& names, E value) {
  return std::string(names[static_cast<std::size_t>(value)]);
}

/// No problem has more items.
inline constexpr std::uint64_t most_items = std::uint64_t{1} << 28U;

/// `count` bits from bit `first` on.
struct bit_field {
  unsigned first = 0;
  unsigned count = 0;
};

/// What a call is asked besides its items; each belongs to the calls that it names.
struct call_choices {
  std::uint64_t k = 0;         ///< top_k
  bool least = false;          ///< top_k: the least items, not the greatest
  bool sorted = true;          ///< top_k: whether its output is; unique and run_lengths: whether their input is
  bool inclusive = false;      ///< scan
  unsigned parts = 2;          ///< partition: two by a predicate, or three around a key
  unsigned record_bytes = 16;  ///< sort_records
};

struct problem {
  std::uint64_t seed = 0;
  std::uint64_t index = 0;
  primitive what = primitive::sort;
  std::uint64_t n = 1;
  item_type type = item_type::u32;
  order equal = order::stable;  ///< of pairs with equal keys, of items of a bin or a part, and of groups
  keys_recipe keys;
  std::uint64_t data_seed = 0;
  bin_function function = bin_function::ranges;
  std::uint64_t bins = 0;    ///< of a multisplit and a histogram
  unsigned shift = 0;        ///< of a digit
  bool whole_range = false;  ///< whether ranges go to the greatest possible key, not to the greatest there is
  segments_recipe segments;
  reduction op = reduction::max;
  call_choices asked;

  [[nodiscard]] bool has_pairs() const { return type >= item_type::u32_u32; }
  [[nodiscard]] bool has_floats() const { return type == item_type::f32 || type == item_type::f64; }
  [[nodiscard]] std::size_t key_bytes() const;
  [[nodiscard]] std::size_t item_bytes() const { return key_bytes() * (has_pairs() ? 2 : 1); }
  /// How many bits of its key a bin is, from which on; none where it is more than that.
  [[nodiscard]] std::optional<bit_field> bin_bits() const;
};

/// The problem of a number.
problem draw_problem(std::uint64_t seed, std::uint64_t index);

/// Draws what the problem of a call from group_by on is like, and tells it as describe does, up to the keys.
void draw_call(draws& from, problem& p);
std::string describe_call(const problem& p);
/// ", 100 bins by ranges of the keys".
std::string describe_bins(const problem& p);
/// Draws bins and the function that keys of the problem's type are split by, of those that are compiled for it.
void draw_function(draws& from, problem& p);
/// One of some, by their weights.
template <class T>
T weighted(draws& from, std::initializer_list<std::pair<T, unsigned>> choices) {
  unsigned all = 0;
  for (const auto& choice : choices) all += choice.second;
  auto drawn = static_cast<unsigned>(from.below(all));
  for (const auto& [value, weight] : choices) {
    if (drawn < weight) return value;
    drawn -= weight;
  }
  return choices.begin()->first;
}

/// What the problem is like but for its items: "sort u32+u32, 1234 items, any order, zipf of 2".
std::string describe(const problem& p);

/// The problems that are judged together: "sort", "sort of less than 1000", "multisplit, any order".
std::string bar_of(const problem& p, bool on_gpu);

/// About how much memory measuring it takes: what it reads, what it writes, the answer, what we and the peers need.
std::uint64_t bytes_needed(const problem& p);

/// Arrays of fewer items are sorted many at a time, and beside std::sort alone.
inline constexpr std::uint64_t few_items = 1000;

}  // namespace peneira::bench::sweep
