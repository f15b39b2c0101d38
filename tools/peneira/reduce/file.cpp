// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira reduce of a file: from its type and the operator to the fold, and its results as they are written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "peneira/bits.hpp"
#include "tools/peneira/cli/types.hpp"
#include "tools/peneira/reduce/folds.hpp"
#include "tools/peneira/reduce/positions.hpp"
#include "tools/peneira/reduce/results.hpp"
#include "tools/peneira/reduce/segments.hpp"

namespace peneira::tool {
namespace {

/// What is written of results, whatever the items.
class segment_results {
 public:
  segment_results(const reduce_request& o, const segment_table& table) : table_(table), out_(o) {}

  /// Results as R; of empty segments none, if they have none.
  template <class R, class Word>
  void write(const std::vector<Word>& results, bool none_if_empty) {
    out_.write(
        results.size(), [&](std::size_t s) { return static_cast<R>(results[s]); },
        [&](std::size_t s) { return !none_if_empty || table_.size(s) > 0; });
  }
  template <class Sum>
  void write_means(const std::vector<Sum>& sums) {
    const auto mean = [&](std::size_t s) { return static_cast<double>(sums[s]) / static_cast<double>(table_.size(s)); };
    out_.write(sums.size(), mean, [&](std::size_t s) { return table_.size(s) > 0; });
  }
  template <class T>
  void write_positions(const T* items, const std::vector<std::uint64_t>& positions) {
    const auto found = [&](std::size_t s) {
      return found_item<T>{table_.size(s) > 0 ? items[positions[s]] : T{}, positions[s]};
    };
    out_.write(positions.size(), found, [&](std::size_t s) { return table_.size(s) > 0; });
  }
  void write_counts() {
    out_.write(
        table_.count(), [&](std::size_t s) { return table_.size(s); }, [](std::size_t) { return true; });
  }
  void commit() { out_.commit(); }

 private:
  const segment_table& table_;
  result_writer out_;
};

/// One file of items and what is asked about it.
template <class T>
class file_reduction {
 public:
  explicit file_reduction(const reduce_request& o)
      : o_(o), in_(o.input, o.type), table_(read_segments(o, in_.size())), out_(o, table_) {}

  void run() {
    const std::string& op = o_.op;
    if (op == "sum") out_.write<sum_of<T>>(fold_sums(call(), row()), false);
    if (op == "mean") out_.write_means(fold_sums(call(), row()));
    if (op == "product") out_.write<product_of<T>>(products(), false);
    if (op == "min" || op == "max") out_.write<T>(fold_extremes(call(), row(), op == "max"), true);
    if (op == "argmin" || op == "argmax") {
      out_.write_positions(in_.data(), find_positions(call(), row(), op == "argmax"));
    }
    if (op == "count") out_.write_counts();
    if constexpr (std::is_integral_v<T>) {
      if (op == "and") out_.write<T>(fold_bits(call(), bits(), bit_operator::all), false);
      if (op == "or") out_.write<T>(fold_bits(call(), bits(), bit_operator::any), false);
      if (op == "xor") out_.write<T>(fold_bits(call(), bits(), bit_operator::odd), false);
    }
    out_.commit();
  }

 private:
  using word = pn::detail::bits_of<T>;

  [[nodiscard]] fold_call call() const { return {table_.offsets, o_.strategy, o_.threads}; }
  [[nodiscard]] item_row<T> row() const { return {in_.data(), in_.size()}; }
  [[nodiscard]] item_row<word> bits() const { return {reinterpret_cast<const word*>(in_.data()), in_.size()}; }

  [[nodiscard]] auto products() const {
    if constexpr (std::is_integral_v<T>) {
      return fold_products(call(), bits(), std::is_signed_v<T>);
    } else {
      return fold_products(call(), row());
    }
  }

  const reduce_request& o_;
  item_file<T> in_;
  segment_table table_;
  segment_results out_;
};

}  // namespace

void reduce_file(const reduce_request& o) {
  with_item_type(o.type, [&]<class T>(std::type_identity<T>) { file_reduction<T>(o).run(); });
}

}  // namespace peneira::tool
