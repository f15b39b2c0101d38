// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What is left to compare of lines whose encoded keys are equal: in the C locale the lines as a whole, unless told
// otherwise. In another one the encoding ends with the first key that the locale orders, and holds only the first and
// by far most of what tells its texts apart; the rest of that key, the keys behind it and the lines are compared here.
#pragma once

#include <string_view>
#include <vector>

#include "tools/peneira/sort/text/keys_encode.hpp"
#include "tools/peneira/sort/text/options.hpp"

namespace peneira::tool {

/// May be used by several threads at once.
class tie_order {
 public:
  explicit tie_order(const sort_text_options& o);

  /// Whether lines with equal encoded keys may differ in order.
  [[nodiscard]] bool any() const { return whole_ || !keys_.empty(); }
  /// Whether those that compare as equal need not be the same.
  [[nodiscard]] bool by_locale() const { return locale_ != nullptr; }
  [[nodiscard]] int compare(std::string_view a, std::string_view b) const;

 private:
  /// The order of a key that no locale orders.
  static int compare_encoded(std::string_view a, std::string_view b, const sort_key& how);

  std::vector<sort_key> keys_;    ///< from the first that the locale orders
  std::vector<byte_rule> rules_;  ///< of each
  field_rule fields_;
  const text_locale* locale_;
  bool whole_;
  bool reverse_;
};

}  // namespace peneira::tool
