// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reduce/conformance.hpp"
#include "tests/reduce/gpu/support.cuh"

namespace peneira::test {

template <class Item, class Result, class Op, class Offset>
using reduce_on_gpu = reduce_in_space<reduce_combo<Item, Result, Op, Offset>, device_reduce_space>;

/// As wide as a result may be.
struct summary {
  std::uint64_t sum, count, least, most;
  friend bool operator==(const summary&, const summary&) = default;
};

struct summarises {
  static constexpr bool commutative = true;
  PENEIRA_HD summary operator()(const summary& a, const summary& b) const {
    return {a.sum + b.sum, a.count + b.count, a.least < b.least ? a.least : b.least, a.most < b.most ? b.most : a.most};
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return {0, 0, ~std::uint64_t{0}, 0};
  }
  template <class T>
  PENEIRA_HD static summary lift(const T& item, std::uint64_t /*index*/) {
    return {item.words[0], 1, item.words[0], item.words[1]};
  }
};

using items_on_gpu = ::testing::Types<reduce_on_gpu<float, indexed<float>, arg_max, std::uint64_t>,
                                      reduce_on_gpu<bytes16, summary, summarises, std::int32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu_items, reduce_conformance, items_on_gpu);

class gpu_item_alignment : public gpu_test {};

/// Items of 16 bytes whose type asks for 8 may lie between multiples of 16.
TEST_F(gpu_item_alignment, need_be_no_more_than_the_types) {
  random next(seed());
  const std::size_t n = 300007;
  std::vector<std::uint64_t> words(2 * n + 1);
  for (std::uint64_t& w : words) w = next();
  std::vector<bytes16> here(n);
  std::memcpy(here.data(), words.data() + 1, n * sizeof(bytes16));
  const placed<std::uint64_t, device_space> there(words);
  const auto in = items(reinterpret_cast<const bytes16*>(there.data() + 1), n);
  const summarises op;

  for_each_name<device_reduce_space::reduces>([&](std::string_view name) {
    const guarded<summary, device_space> got(1);
    reduce(gpu{}, in, got.data(), op, {.strategy = name});
    EXPECT_TRUE(equal({reference::reduce<summary>(here.data(), 0, n, op)}, got.read()));
  });
  for (const std::size_t size : {2U, 40U, 1000U, 100000U}) {
    std::vector<std::int32_t> offsets{0};
    while (offsets.back() + size <= n) offsets.push_back(offsets.back() + static_cast<std::int32_t>(size));
    const watched<std::int32_t> table(offsets);
    const auto wanted = wanted_of<summary>(here, offsets, op);
    for_each_name<device_reduce_space::segmented_reduces>(
        [&](std::string_view name) {
          const guarded<summary, device_space> got(wanted.size());
          segmented_reduce(gpu{}, in, table.get(), items(got.data(), got.size()), op, {.strategy = name});
          EXPECT_TRUE(equal(wanted, got.read())) << "segments of " << size;
        },
        "tiles");
  }
}

}  // namespace peneira::test
