// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The ways that `tiles`, `two_way`, `sampled` and `groups` take, from few items without a tile to several passes over
// large ones.
#pragma once

#include "tests/multisplit/gpu/support.cuh"
#include "tests/support/any_order.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

class gpu_tiles : public gpu_test {
 protected:
  /// Too few for a tile, even with more a thread, some small ones, large ones.
  static constexpr std::array<std::size_t, 4> sizes{1000, 4000, 100003, 3000017};
  /// Two bins, one pass by a few and by many bins, two passes that are counted at once or one by one, three.
  static constexpr std::array<u32, 7> bin_counts{2, 10, 500, 1000, 20000, 33000, 200000};

  struct way {
    order within_bin;
    std::string_view strategy;
  };
  /// Calls check(bins, options) for each number of bins and each way to split into so many.
  template <class Check>
  static void for_each_way(Check&& check) {
    for (const u32 bins : bin_counts) {
      for (const way& w : {way{order::stable, "tiles"}, way{order::any, "tiles"}, way{order::stable, "two_way"},
                           way{order::any, "sampled"}, way{order::any, "groups"}}) {
        if (w.strategy == "two_way" && bins != 2) continue;
        if (w.strategy == "groups" && (bins < 4 || bins > 30000)) continue;  // which it refuses, with values
        if (w.strategy == "sampled" && bins > 512) continue;
        SCOPED_TRACE("bins " + std::to_string(bins) + ", " + std::string(w.strategy) +
                     (w.within_bin == order::any ? " in any order" : ""));
        check(bins, multisplit_options{.within_bin = w.within_bin, .strategy = w.strategy});
      }
    }
  }
  static bool same_items(order within_bin, const std::vector<u32>& wanted, const std::vector<u32>& got,
                         const std::vector<u32>& offsets) {
    const std::vector<no_value> none;
    return within_bin == order::any ? static_cast<bool>(same_bins(wanted, none, got, none, offsets))
                                    : static_cast<bool>(same(wanted, got));
  }
};

/// Right for nine keys in ten, out of range for the others.
struct missing {
  u32 bins;
  PENEIRA_HD u32 operator()(u32 key) const { return key % 10 == 3 ? bins + key % 7 : key % bins; }
};

}  // namespace peneira::test
