// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The reductions of a file's segments on a GPU, with the CPU's results to the last bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "peneira/ops.hpp"
#include "tools/peneira/cli/calibration.hpp"
#include "tools/peneira/reduce/gpu.hpp"
#include "tools/peneira/reduce/segment_results.hpp"

namespace peneira::tool {

/// Used as file_folds are.
template <class T>
class gpu_folds {
 public:
  gpu_folds(const file_folds<T>& here, phase_times& times) : here_(here), times_(times) {}

  [[nodiscard]] std::vector<sum_of<T>> sums() const {
    if constexpr (std::is_floating_point_v<T>) {
      return here_.sums();
    } else {
      return as<sum_of<T>>(fold({gpu_fold_kind::sum, sign()}));
    }
  }
  [[nodiscard]] auto products() const {
    if constexpr (std::is_floating_point_v<T>) {
      return here_.products();
    } else {
      return as<std::uint64_t>(fold({gpu_fold_kind::product, sign()}));
    }
  }
  /// Where zeros of both signs or NaNs of any bits could be the result, only the CPU knows which one it takes.
  [[nodiscard]] std::vector<T> extremes(bool greatest) const {
    std::vector<T> results = extremes_of(here_.call.offsets, greatest);
    for (const T one : results) {
      if (is_unsure(one, greatest)) return here_.extremes(greatest);
    }
    return results;
  }
  [[nodiscard]] std::vector<std::uint64_t> positions(bool greatest) const {
    const auto best = [&](const std::vector<std::uint64_t>& offsets) { return extremes_of(offsets, greatest); };
    return find_positions(here_.call, here_.row, greatest, best);
  }
  [[nodiscard]] std::vector<word_of<T>> bits(bit_operator by) const {
    const gpu_fold_kind kind = by == bit_operator::all   ? gpu_fold_kind::all
                               : by == bit_operator::any ? gpu_fold_kind::any
                                                         : gpu_fold_kind::odd;
    return as<word_of<T>>(fold({kind}));
  }

 private:
  using word = word_of<T>;

  static word sign() { return std::is_signed_v<T> ? static_cast<word>(word{1} << (8 * sizeof(T) - 1)) : word{0}; }

  /// The order in which NaN comes last, or for the least item first.
  static pn::detail::key_order<word> order_for(bool greatest) {
    pn::detail::key_order<word> by = pn::detail::order_of<T>(false);
    if constexpr (std::is_floating_point_v<T>) {
      const auto infinity = static_cast<word>(pn::infinity_bits<T>);
      const auto nans = static_cast<word>(2 * (static_cast<word>(~word{0} >> 1U) - infinity));
      if (!greatest) by.add = static_cast<word>(by.add + nans);
    }
    return by;
  }
  [[nodiscard]] std::vector<T> extremes_of(const std::vector<std::uint64_t>& offsets, bool greatest) const {
    const auto by = order_for(greatest);
    const gpu_fold_kind kind = greatest ? gpu_fold_kind::greatest : gpu_fold_kind::least;
    const std::vector<uint128> ordered = fold({kind, 0, by}, offsets);
    std::vector<T> results(ordered.size());
    for (std::size_t s = 0; s < results.size(); ++s) {
      if (offsets[s] == offsets[s + 1]) {
        results[s] = greatest ? max::identity<T>() : min::identity<T>();
      } else {
        results[s] = pn::detail::key_of_bits<T>(by.back(static_cast<word>(ordered[s])));
      }
    }
    return results;
  }
  static bool is_unsure(T value, bool greatest) {
    if constexpr (std::is_floating_point_v<T>)
      return std::isnan(value) || (value == 0 && std::signbit(value) != greatest);
    return false;
  }

  [[nodiscard]] std::vector<uint128> fold(const gpu_operator<word>& op) const { return fold(op, here_.call.offsets); }
  [[nodiscard]] std::vector<uint128> fold(const gpu_operator<word>& op,
                                          const std::vector<std::uint64_t>& offsets) const {
    const fold_call call{offsets, here_.call.strategy, here_.call.threads};
    return gpu_fold(call, item_row<word>{reinterpret_cast<const word*>(here_.row.data), here_.row.size}, op, times_);
  }
  template <class R>
  static std::vector<R> as(const std::vector<uint128>& results) {
    std::vector<R> to(results.size());
    std::transform(results.begin(), results.end(), to.begin(), [](uint128 one) { return static_cast<R>(one); });
    return to;
  }

  const file_folds<T>& here_;
  phase_times& times_;
};

/// The folds of the CPU, timed.
template <class T>
class timed_folds {
 public:
  timed_folds(const file_folds<T>& folds, phase_times& times) : folds_(folds), times_(times) {}

  [[nodiscard]] auto sums() const {
    return timed([&] { return folds_.sums(); });
  }
  [[nodiscard]] auto products() const {
    return timed([&] { return folds_.products(); });
  }
  [[nodiscard]] auto extremes(bool greatest) const {
    return timed([&] { return folds_.extremes(greatest); });
  }
  [[nodiscard]] auto positions(bool greatest) const {
    return timed([&] { return folds_.positions(greatest); });
  }
  [[nodiscard]] auto bits(bit_operator by) const {
    return timed([&] { return folds_.bits(by); });
  }

 private:
  template <class Work>
  [[nodiscard]] auto timed(const Work& work) const {
    const phase_times::scope computing(times_, phase::computing, folds_.row.size * sizeof(T), times_.team());
    return work();
  }

  const file_folds<T>& folds_;
  phase_times& times_;
};

/// Seconds a byte that each place takes for the least item of the file's first items, copies from there included.
template <class T>
measured_rates measure_folds(const file_folds<T>& folds, phase_times& unseen) {
  constexpr std::size_t sample_bytes = std::size_t{64} << 20U;
  const std::size_t n = std::min(folds.row.size, sample_bytes / sizeof(T));
  const std::vector<std::uint64_t> all{0, n};
  const file_folds<T> some{{all, {}, folds.call.threads}, {folds.row.data, n}};
  const gpu_folds<T> there(some, unseen);
  const auto bytes = static_cast<double>(n * sizeof(T));
  measured_rates rates;
  const double first = seconds_of([&] { return there.positions(false); });
  rates.gpu_byte = seconds_of([&] { return there.positions(false); }) / bytes;
  rates.gpu_start = std::max(0.0, first - rates.gpu_byte * bytes);
  rates.cpu_byte = seconds_of([&] { return some.positions(false); }) / bytes;
  return rates;
}

/// Whether the GPU is to combine the items; throws where it was asked for and cannot.
template <class T>
bool folds_on_gpu(const reduce_request& o, const file_folds<T>& folds, phase_times& times) {
  if (o.place == "auto" && depends_on_grouping(o)) return false;
  phase_times unseen(o.team());
  const calibrated_work work{"reduce-" + o.type, o.strategy, o.team(), 0, [&] { return measure_folds(folds, unseen); }};
  const chosen_place chosen = choose_place(o.place, work, folds.row.size * sizeof(T));
  times.ran(chosen.gpu, chosen.why);
  return chosen.gpu;
}

}  // namespace peneira::tool
