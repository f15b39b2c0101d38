// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The benchmark of reduce: its axes, and what the CPU's and the GPU's half have in common with each other and with the
// segmented one.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/harness.hpp"
#include "bench/inputs.hpp"
#include "peneira/reduce.hpp"

namespace peneira::bench {

/// One row for each combination.
struct reduce_axes {
  std::vector<std::uint64_t> n;
  std::vector<std::string> types;
  std::vector<std::string> ops;
  std::vector<std::string> strategies;  ///< names, "auto", or "all"
  bool peers = true;
  unsigned threads = 1;
  std::size_t runs = 7;
  double seconds = 0;  ///< on a CPU, see effort
  std::uint64_t seed = 1;
};

/// The types and the operators that the benchmark knows.
#if defined(PENEIRA_FEW_TYPES)  // where nothing is measured
inline constexpr std::string_view reduce_types = "u32, f32";
#else
inline constexpr std::string_view reduce_types = "u32, f32, u64, f64";
#endif
inline constexpr std::string_view reduce_ops = "sum, max";

/// Measures on the CPU; returns whether every output was right.
bool bench_reduce_cpu(const reduce_axes& axes, const row_sink& sink);
/// Measures on the GPU; throws std::runtime_error where there is none.
bool bench_reduce_gpu(const reduce_axes& axes, const row_sink& sink);

/// Calls f(item, op) with the type and the operator that two names stand for.
template <class F>
void with_type_and_op(const std::string& type, const std::string& op, F&& f) {
  const auto with = [&](auto item) {
    if (op == "sum") return f(item, plus{});
    if (op == "max") return f(item, max{});
    throw std::invalid_argument("invalid operator \"" + op + "\"; there are: " + std::string(reduce_ops));
  };
  if (type == "f32") return with(float{});
#if !defined(PENEIRA_ONE_TYPE)
  if (type == "u32") return with(std::uint32_t{});
#endif
#if !defined(PENEIRA_ONE_TYPE) && !defined(PENEIRA_FEW_TYPES)
  if (type == "u64") return with(std::uint64_t{});
  if (type == "f64") return with(double{});
#endif
  throw std::invalid_argument("invalid type \"" + type + "\"; there are: " + std::string(reduce_types));
}

/// Uniform items, first touched by the team; floating-point ones lie in [0, 1).
template <class T>
class reduce_items {
 public:
  reduce_items(std::size_t n, std::uint64_t seed, unsigned threads) : items_(n, threads) {
    peneira::detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = peneira::detail::slice(n, m, threads);
      fill(items_.data() + begin, begin, end - begin, n, distribution::uniform, seed);
    });
  }
  [[nodiscard]] const T* data() const { return items_.data(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }

 private:
  array<T> items_;
};

/// What some items should give: exact, or for a floating-point sum in double precision.
template <class T, class Op>
struct reduce_answer {
  static constexpr bool rounds = std::is_floating_point_v<T> && std::is_same_v<Op, plus>;
  using type = std::conditional_t<rounds, double, T>;

  static type of(const T* items, std::size_t begin, std::size_t end) {
    auto all = Op{}.template identity<type>();
    for (std::size_t i = begin; i < end; ++i) all = Op{}(all, static_cast<type>(items[i]));
    return all;
  }
  /// Whether a result is right. Sums of n items that are not negative may be off by 8 sqrt(n) roundings: far more than
  /// the errors of any sensible grouping add up to, far less than a lost slice.
  static bool accepts(T got, type wanted, std::size_t n) {
    return is_within(got, wanted, 8 * std::sqrt(static_cast<double>(n)) + 4);
  }
  /// The same of any grouping, a loop from one end to the other, too, whose roundings may all go one way.
  static bool accepts_any(T got, type wanted, std::size_t n) {
    return is_within(got, wanted, static_cast<double>(n) + 4);
  }

 private:
  static bool is_within(T got, type wanted, [[maybe_unused]] double roundings) {
    if constexpr (rounds) {
      const double bound = roundings * std::numeric_limits<T>::epsilon();
      return std::abs(static_cast<double>(got) - wanted) <= bound * wanted;
    } else {
      return got == wanted;
    }
  }
};

/// The answer for all items, by a team.
template <class T, class Op>
typename reduce_answer<T, Op>::type answer_of(const T* items, std::size_t n, unsigned threads) {
  using answer = reduce_answer<T, Op>;
  std::vector<typename answer::type> parts(threads);
  peneira::detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = peneira::detail::slice(n, m, threads);
    parts[m] = answer::of(items, begin, end);
  });
  auto all = Op{}.template identity<typename answer::type>();
  for (const auto& part : parts) all = Op{}(all, part);
  return all;
}

/// A row with all that does not depend on the measurement.
inline row describe(const reduce_axes& axes, const std::string& type, std::size_t item_bytes, std::size_t n,
                    const std::string& op) {
  row r;
  r.primitive = "reduce";
  r.type = type;
  r.op = op;
  r.n = n;
  r.distribution = "uniform";
  r.threads = axes.threads;
  r.runs = axes.runs;
  r.bytes = static_cast<double>(n) * static_cast<double>(item_bytes);
  r.bandwidth = "read";
  return r;
}

}  // namespace peneira::bench
