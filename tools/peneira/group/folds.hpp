// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The states of groups: columns of numbers and texts, each with a fold that adds a row to a group and merges two parts
// of a group. All results are made of these (aggregates.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/text/exact.hpp"

namespace peneira::tool {

/// How the numbers of a group become one: how many rows and how many numbers there are, the sums of the numbers and of
/// their squares, the least and the greatest.
enum class fold { rows, present, sum, squares, min, max };

/// How the texts of a group become one. Rows and parts of a group come in the order of the input. sketch: of how many
/// different ones there are (sketch.hpp); sketches: of parts of a group.
enum class text_fold { first, last, append, sketch, sketches };

/// A column of a table of groups: a fold of a column of what was grouped.
struct reduction {
  fold how;
  std::size_t column;

  friend bool operator==(const reduction&, const reduction&) = default;
};
struct text_reduction {
  text_fold how;
  std::size_t column;

  friend bool operator==(const text_reduction&, const text_reduction&) = default;
};

/// The operator that puts two parts of a group together.
enum class merging { plus, min, max };

constexpr merging merging_of(fold how) {
  return how == fold::min ? merging::min : how == fold::max ? merging::max : merging::plus;
}

inline decimal merge(merging how, const decimal& a, const decimal& b) {
  switch (how) {
    case merging::min:
      return decimal_min{}(a, b);
    case merging::max:
      return decimal_max{}(a, b);
    default:
      return decimal_plus{}(a, b);
  }
}

/// What a fold takes of a number of a row, which may be missing; null: the number itself. Without gaps none is missing.
using number_map = decimal (*)(const decimal&);

constexpr number_map map_of(fold how, bool gaps) {
  switch (how) {
    case fold::present:
      return [](const decimal& x) { return decimal(x.missing() ? 0 : 1, 0); };
    case fold::squares:
      return [](const decimal& x) { return x.missing() ? decimal(0, 0) : product(x, x); };
    case fold::min:
      return gaps ? [](const decimal& x) { return x.missing() ? decimal_min::identity<decimal>() : x; } : number_map{};
    case fold::max:
      return gaps ? [](const decimal& x) { return x.missing() ? decimal_max::identity<decimal>() : x; } : number_map{};
    default:
      return gaps ? [](const decimal& x) { return x.missing() ? decimal(0, 0) : x; } : number_map{};
  }
}

/// All folds of a table.
struct group_folds {
  std::vector<reduction> numbers;
  std::vector<text_reduction> texts;
  std::string joint;  ///< between texts that are appended
  bool gaps = false;  ///< numbers of rows may be missing

  /// The same for tables of groups.
  [[nodiscard]] group_folds of_groups() const {
    group_folds all = *this;
    all.gaps = false;
    for (std::size_t r = 0; r < all.numbers.size(); ++r) {
      const merging how = merging_of(all.numbers[r].how);
      all.numbers[r] = {how == merging::min ? fold::min : how == merging::max ? fold::max : fold::sum, r};
    }
    for (std::size_t t = 0; t < all.texts.size(); ++t) {
      const text_fold how = all.texts[t].how;
      all.texts[t] = {how == text_fold::sketch ? text_fold::sketches : how, t};
    }
    return all;
  }
};

/// A group as others see it.
struct group_view {
  std::string_view key;
  std::span<const decimal> numbers;
  std::span<const std::string_view> texts;
};

}  // namespace peneira::tool
