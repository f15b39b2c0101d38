// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One suite for every strategy of group_by on the CPU (example.hpp). A translation unit chooses a list of combos and
// instantiates it.
#pragma once

#include "tests/group_by/example.hpp"

namespace peneira::test {

template <class Combo>
class group_conformance : public ::testing::Test {
 protected:
  using K = typename Combo::key;

  static void check(const std::string& about, const std::vector<K>& keys, random& next) {
    group_example<Combo> example(about, keys, next);
    example.check(1);
    example.check(static_cast<unsigned>(2 + next.below(4)));
  }
  static void check_shapes(std::size_t n, random& next) {
    for (int s = 0; s <= static_cast<int>(last_sort_shape); ++s) {
      check("shape " + std::to_string(s), make_sort_keys<K>(static_cast<sort_shape>(s), n, next), next);
    }
  }
};
TYPED_TEST_SUITE_P(group_conformance);

TYPED_TEST_P(group_conformance, few_items) {
  random next(seed());
  for (const std::size_t n : {0U, 1U, 2U, 3U, 7U, 15U, 16U, 17U, 18U, 24U, 25U, 63U, 64U, 65U, 66U, 257U, 1000U}) {
    this->check_shapes(n, next);
  }
}

TYPED_TEST_P(group_conformance, shapes) {
  random next(seed() + 1);
  this->check_shapes(3000 + next.below(3000), next);
  if (!sanitized) this->check_shapes(40000 + next.below(40000), next);
}

TYPED_TEST_P(group_conformance, any_number_of_groups) {
  random next(seed() + 2);
  const std::size_t most = sanitized ? 10000 : 100000;
  for (std::size_t groups = 1; groups <= most; groups *= 4) {
    const std::size_t n = most - next.below(most / 2);
    this->check(std::to_string(groups) + " groups", keys_of_groups<typename TypeParam::key>(n, groups, next), next);
  }
}

REGISTER_TYPED_TEST_SUITE_P(group_conformance, few_items, shapes, any_number_of_groups);

}  // namespace peneira::test
