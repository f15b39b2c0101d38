// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/sort/text/ties.hpp"

#include <algorithm>
#include <string>

namespace peneira::tool {

tie_order::tie_order(const sort_text_options& o)
    : fields_(o.fields()), locale_(o.collating()), whole_(o.compares_lines()), reverse_(o.reverse) {
  const auto first = std::find_if(o.keys.begin(), o.keys.end(), is_collated);
  keys_.assign(first, o.keys.end());
  for (const sort_key& key : keys_) rules_.push_back(make_rule(key));
}

int tie_order::compare_encoded(std::string_view a, std::string_view b, const sort_key& how) {
  static thread_local std::string number;
  static thread_local std::string left;
  static thread_local std::string right;
  const auto encode = [&](std::string_view key, std::string& to) {
    to.resize(most_bytes_of(how, key.size()));
    return std::string_view(to.data(),
                            static_cast<std::size_t>(encode_one(key, how, to.data(), false, number) - to.data()));
  };
  const std::string_view x = encode(a, left);
  return x.compare(encode(b, right));
}

int tie_order::compare(std::string_view a, std::string_view b) const {
  const auto towards = [](int order, bool reverse) { return reverse ? -order : order; };
  if (locale_ == nullptr) return whole_ ? towards(a.compare(b), reverse_) : 0;
  static thread_local std::string left;
  static thread_local std::string right;
  key_finder find_left(fields_);
  key_finder find_right(fields_);
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const sort_key& how = keys_[k];
    const std::string_view x = filtered(find_left.find(a, how), how, rules_[k], left);
    const std::string_view y = filtered(find_right.find(b, how), how, rules_[k], right);
    const int order = is_collated(how) ? locale_->compare(x, y) : compare_encoded(x, y, how);
    if (order != 0) return towards(order, how.reverse);
  }
  return whole_ ? towards(locale_->compare(a, b), reverse_) : 0;
}

}  // namespace peneira::tool
