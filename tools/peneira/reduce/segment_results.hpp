// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What an operator makes of the segments of a file, from the folds to what is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "peneira/bits.hpp"
#include "tools/peneira/reduce/folds.hpp"
#include "tools/peneira/reduce/positions.hpp"
#include "tools/peneira/reduce/results.hpp"
#include "tools/peneira/reduce/segments.hpp"

namespace peneira::tool {

/// What is written of results, whatever the items.
template <class Out>
class segment_results {
 public:
  /// Those of a table's segments from `first` on.
  segment_results(const reduce_request& o, const segment_table& table, Out& out, std::size_t first = 0)
      : table_(table), first_(first), out_(o, out, first) {}

  /// Results as R; of empty segments none, if they have none.
  template <class R, class Word>
  void write(const std::vector<Word>& results, bool none_if_empty) {
    out_.write(
        results.size(), [&](std::size_t s) { return static_cast<R>(results[s]); },
        [&](std::size_t s) { return !none_if_empty || size(s) > 0; });
  }
  template <class Sum>
  void write_means(const std::vector<Sum>& sums) {
    const auto mean = [&](std::size_t s) { return static_cast<double>(sums[s]) / static_cast<double>(size(s)); };
    out_.write(sums.size(), mean, [&](std::size_t s) { return size(s) > 0; });
  }
  template <class T>
  void write_positions(const T* items, const std::vector<std::uint64_t>& positions) {
    const auto found = [&](std::size_t s) {
      return found_item<T>{size(s) > 0 ? items[positions[s]] : T{}, positions[s]};
    };
    out_.write(positions.size(), found, [&](std::size_t s) { return size(s) > 0; });
  }
  void write_counts(std::size_t count) {
    out_.write(
        count, [&](std::size_t s) { return size(s); }, [](std::size_t) { return true; });
  }

 private:
  [[nodiscard]] std::uint64_t size(std::size_t s) const { return table_.size(first_ + s); }

  const segment_table& table_;
  std::size_t first_;
  result_writer<Out> out_;
};

/// The bits of a number.
template <class T>
using word_of = pn::detail::bits_of<T>;

/// The reductions of segments of a file's items.
template <class T>
struct file_folds {
  fold_call call;
  item_row<T> row;

  [[nodiscard]] std::vector<sum_of<T>> sums() const { return fold_sums(call, row); }
  [[nodiscard]] auto products() const {
    if constexpr (std::is_integral_v<T>) {
      return fold_products(call, words(), std::is_signed_v<T>);
    } else {
      return fold_products(call, row);
    }
  }
  [[nodiscard]] std::vector<T> extremes(bool greatest) const { return fold_extremes(call, row, greatest); }
  [[nodiscard]] std::vector<std::uint64_t> positions(bool greatest) const {
    return find_positions(call, row, greatest, [&](const std::vector<std::uint64_t>& offsets) {
      return fold_extremes(fold_call{offsets, call.strategy, call.threads}, row, greatest);
    });
  }
  [[nodiscard]] auto bits(bit_operator by) const { return fold_bits(call, words(), by); }

 private:
  using word = word_of<T>;
  [[nodiscard]] item_row<word> words() const { return {reinterpret_cast<const word*>(row.data), row.size}; }
};

/// Writes what an operator makes of segments; `folds` combines their items.
template <class T, class Folds, class Out>
void write_reduced(const std::string& op, std::size_t count, const T* items, const Folds& folds,
                   segment_results<Out>& out) {
  if (op == "sum") out.template write<sum_of<T>>(folds.sums(), false);
  if (op == "mean") out.write_means(folds.sums());
  if (op == "product") out.template write<product_of<T>>(folds.products(), false);
  if (op == "min" || op == "max") out.template write<T>(folds.extremes(op == "max"), true);
  if (op == "argmin" || op == "argmax") out.write_positions(items, folds.positions(op == "argmax"));
  if (op == "count") out.write_counts(count);
  if constexpr (std::is_integral_v<T>) {
    if (op == "and") out.template write<T>(folds.bits(bit_operator::all), false);
    if (op == "or") out.template write<T>(folds.bits(bit_operator::any), false);
    if (op == "xor") out.template write<T>(folds.bits(bit_operator::odd), false);
  }
}

}  // namespace peneira::tool
