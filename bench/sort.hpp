// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The benchmark of sort: its axes, its inputs, and how an output is checked.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bench/harness.hpp"
#include "bench/sort_inputs.hpp"
#include "peneira/sort.hpp"

namespace peneira::bench {

/// One row for each combination.
struct sort_axes {
  std::vector<std::uint64_t> n;
  std::vector<std::string> types;
  std::vector<std::string> values;  ///< types of the values of pairs; "none": keys alone
  std::vector<std::string> inputs;
  std::vector<order> orders;            ///< of pairs with equal keys
  std::vector<std::string> strategies;  ///< names, "auto", or "all"
  bool in_place = true;
  bool peers = true;
  std::vector<std::string> only_peers;  ///< on a CPU, parts of their names; empty: all
  unsigned threads = 1;
  std::size_t runs = 7;
  double seconds = 0;  ///< on a CPU, see effort
  std::uint64_t seed = 1;
};

/// The keys and the values that the benchmark knows.
#if defined(PENEIRA_FEW_TYPES)  // where nothing is measured
inline constexpr std::string_view sort_types = "u32 with none, u64 with u64";
#else
inline constexpr std::string_view sort_types = "u32, u64 and f32 with none, u32 with u32, u64 with u64";
#endif

/// Measures on the CPU; returns whether every output was right.
bool bench_sort_cpu(const sort_axes& axes, const row_sink& sink);
/// Measures on the GPU, integers alone; throws std::runtime_error where there is none.
bool bench_sort_gpu(const sort_axes& axes, const row_sink& sink);

/// Calls f(key, value) with the types that two names stand for; no_value for keys alone. Few combinations, since each
/// peer is compiled for each: values are of the type of their keys.
template <class F>
void with_key_and_value(const std::string& type, const std::string& value, F&& f) {
  if (type == "u32" && value == "none") return f(std::uint32_t{}, no_value{});
#if !defined(PENEIRA_ONE_TYPE)
  if (type == "u64" && value == "u64") return f(std::uint64_t{}, std::uint64_t{});
#endif
#if !defined(PENEIRA_ONE_TYPE) && !defined(PENEIRA_FEW_TYPES)
  if (type == "u64" && value == "none") return f(std::uint64_t{}, no_value{});
  if (type == "f32" && value == "none") return f(float{}, no_value{});
  if (type == "u32" && value == "u32") return f(std::uint32_t{}, std::uint32_t{});
#endif
  throw std::invalid_argument("cannot measure keys " + type + " with values " + value +
                              "; there are: " + std::string(sort_types));
}

/// Keys, and for pairs the position of each as its value, first touched by the team.
template <class K, class V>
class sort_items {
 public:
  static constexpr bool has_values = view<K, V>::has_values;

  sort_items(std::size_t n, unsigned threads) : threads_(threads), keys_(n, threads), values_(values_for(n), threads) {}

  /// Writes the input of that name.
  void make(std::string_view input, std::uint64_t seed) const {
    each([&](std::size_t begin, std::size_t end) {
      fill_sort_input(keys_.data() + begin, begin, end - begin, keys_.size(), input, seed);
      if constexpr (has_values) {
        for (std::size_t i = begin; i < end; ++i) values_.data()[i] = static_cast<V>(i);
      }
    });
  }
  /// Takes over the items of another.
  void copy(view<const K, const V> from) const {
    each([&](std::size_t begin, std::size_t end) {
      std::copy(from.keys + begin, from.keys + end, keys_.data() + begin);
      if constexpr (has_values) std::copy(from.values + begin, from.values + end, values_.data() + begin);
    });
  }
  [[nodiscard]] view<K, V> items() const { return {keys_.data(), has_values ? values_.data() : nullptr, keys_.size()}; }

  /// Calls f(begin, end) for a slice of each member of the team.
  template <class F>
  void each(F&& f) const {
    peneira::detail::on_each(threads_, [&](unsigned m) {
      const auto [begin, end] = peneira::detail::slice(keys_.size(), m, threads_);
      f(begin, end);
    });
  }

 private:
  static std::size_t values_for(std::size_t n) { return has_values ? n : 0; }

  unsigned threads_;
  array<K> keys_;
  array<V> values_;
};

/// What a sort of some items must give: ascending keys, which are the same, counted by a sum of hashes; pairs bring
/// the position that each had in the input, which ascends among equal keys where the order is stable.
template <class K, class V>
class sort_answer {
 public:
  sort_answer(view<const K, const V> input, unsigned threads)
      : input_(input), threads_(threads), sum_(sum_of(input.keys)) {}

  [[nodiscard]] bool accepts(view<const K, const V> got, order equal_keys) const {
    const view<const K, const V> in = input_;
    if (got.size != in.size) return false;
    std::atomic<bool> right{sum_of(got.keys) == sum_};
    std::atomic<std::uint64_t> positions{0};
    each([&](std::size_t begin, std::size_t end) {
      bool ok = true;
      std::uint64_t sum = 0;
      for (std::size_t i = begin; i < end; ++i) {
        ok = ok && (i == 0 || !(got.keys[i] < got.keys[i - 1]));
        if constexpr (view<K, V>::has_values) {
          const auto from = static_cast<std::size_t>(got.values[i]);
          ok = ok && from < in.size && in.keys[from] == got.keys[i];
          ok = ok && (i == 0 || equal_keys == order::any || got.keys[i - 1] < got.keys[i] ||
                      got.values[i - 1] < got.values[i]);
          sum += mix64(from) - mix64(i);
        }
      }
      positions += sum;
      if (!ok) right = false;
    });
    return right && positions == 0;
  }

 private:
  template <class F>
  void each(F&& f) const {
    peneira::detail::on_each(threads_, [&](unsigned m) {
      const auto [begin, end] = peneira::detail::slice(input_.size, m, threads_);
      f(begin, end);
    });
  }
  std::uint64_t sum_of(const K* keys) const {
    std::atomic<std::uint64_t> all{0};
    each([&](std::size_t begin, std::size_t end) {
      std::uint64_t sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += mix64(peneira::detail::raw_bits(keys[i]));
      all += sum;
    });
    return all;
  }

  view<const K, const V> input_;
  unsigned threads_;
  std::uint64_t sum_;
};

/// A row with all that does not depend on the measurement.
template <class K, class V>
row describe_sort(const sort_axes& axes, const std::string& type, const std::string& value, std::size_t n,
                  const std::string& input) {
  constexpr std::size_t item_bytes = sizeof(K) + (view<K, V>::has_values ? sizeof(V) : 0);
  row r;
  r.primitive = "sort";
  r.type = value == "none" ? type : type + "+" + value;
  r.n = n;
  r.distribution = input;
  r.threads = axes.threads;
  r.runs = axes.runs;
  r.bytes = 2.0 * static_cast<double>(n) * static_cast<double>(item_bytes);
  return r;
}

}  // namespace peneira::bench
