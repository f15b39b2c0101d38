// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A caller's function that takes long: it is asked once about each key, and labels are split.
#include "tests/multisplit/gpu/support.cuh"

namespace peneira::test {

using u64 = std::uint64_t;

class gpu_costly_functions : public gpu_test {};

/// The remainder of a key, which takes a GPU some hundred instructions; none for one key in ten.
struct remainder_or_none {
  u64 bins;
  PENEIRA_HD u64 operator()(u64 key) const { return key / 3 % 10 == 7 ? ~u64{0} : key % bins; }
};

/// What costs next to nothing.
struct top_bits {
  unsigned bits;
  PENEIRA_HD std::uint32_t operator()(u64 key) const { return static_cast<std::uint32_t>(key >> (64 - bits)); }
};

TEST_F(gpu_costly_functions, are_told_from_others) {
  EXPECT_TRUE((detail::takes_long<u64, binned<remainder_or_none>>()));
  EXPECT_FALSE((detail::takes_long<u64, binned<top_bits>>()));
}

/// Labels of two bytes and of four, up to the most bins of each; one pass and several, few items and many, in both
/// orders; from an address that is aligned and one that is not; and keys that have no bin.
TEST_F(gpu_costly_functions, are_asked_once_with_the_same_split) {
  random next(seed());
  constexpr std::size_t most = 1500007;
  std::vector<u64> all(most + 1);
  for (u64& key : all) key = next();
  const placed<u64, device_space> in(all);
  for (const std::size_t n : {tuning::labelled_items, std::size_t{100003}, most}) {
    for (const std::uint32_t bins : {1U, 2U, 100U, 1000U, 65534U, 65535U, 300007U}) {
      for (const std::size_t from : {0, 1}) {
        for (const order within_bin : {order::stable, order::any}) {
          SCOPED_TRACE("n " + std::to_string(n) + ", bins " + std::to_string(bins) + ", from " + std::to_string(from) +
                       (within_bin == order::any ? ", any order" : ""));
          const binned f{bins, remainder_or_none{bins}};
          std::vector<u64> kept;
          for (std::size_t i = from; i < from + n; ++i) {
            if (f(all[i]) < bins) kept.push_back(all[i]);
          }
          std::vector<u64> wanted(kept.size());
          std::vector<u64> wanted_offsets(bins + 1);
          reference::multisplit<u64, no_value>({kept.data(), nullptr, kept.size()},
                                               {wanted.data(), nullptr, wanted.size()}, f, wanted_offsets.data());
          const guarded<u64, device_space> out(n, 1);
          const guarded<u64, device_space> offsets(bins + 1);
          const auto call = [&](auto&& on) {
            multisplit(on, items(static_cast<const u64*>(in.data()) + from, n), items(out.data(), n), f,
                       items(offsets.data(), bins + 1), multisplit_options{.within_bin = within_bin});
          };
          EXPECT_TRUE(explain([&](auto& on) { call(on); }, detail::current_device()).has("label_keys"));
          call(gpu{});
          must(cudaDeviceSynchronize());
          std::vector<u64> got = out.read();
          got.resize(kept.size());
          EXPECT_TRUE(same(wanted_offsets, offsets.read()));
          EXPECT_TRUE(within_bin == order::stable ? same(wanted, got) : same_bins(wanted, got, wanted_offsets));
        }
      }
    }
  }
}

}  // namespace peneira::test
