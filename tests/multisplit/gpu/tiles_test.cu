// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What `tiles` does with few items, and in several passes over many.
#include <algorithm>
#include <numeric>

#include "tests/multisplit/gpu/ways.cuh"

namespace peneira::test {

/// Right for nine keys in ten, out of range for the others.
struct missing_some {
  u32 bins;
  PENEIRA_HD u32 operator()(std::uint64_t key) const {
    return key % 10 == 3 ? bins + 10000 : static_cast<u32>(key % bins);
  }
};

/// Few items whose bins are shared out over blocks: items in all bins, in the first and last of a block, in one bin. Of
/// very many bins, a block has more than it counts at a time.
TEST_F(gpu_tiles, split_few_items_by_blocks_that_have_some_bins_each) {
  for (const std::size_t n : {0, 1, 33, 127, 128, 129, 1023, 1024, 1025, 4096, 4097, 8192, 12288}) {
    for (const u32 bins : {1U, 2U, 3U, 127U, 128U, 129U, 513U, 12288U, 65535U, 65536U, 1100003U, 2097152U}) {
      SCOPED_TRACE("n " + std::to_string(n) + ", bins " + std::to_string(bins));
      const u32 blocks = bins < tuning::sparse_bins ? tuning::few_blocks : detail::current_device().sms;
      const u32 each = (bins - 1) / blocks + 1;  // bins of a block
      for (const int kind : {0, 1, 2}) {
        random next(seed() + kind);
        std::vector<u32> keys(n);
        std::vector<std::uint16_t> values(n);
        for (std::size_t i = 0; i < n; ++i) {
          const u32 border = static_cast<u32>(next.below(blocks)) * each + static_cast<u32>(next.below(3));
          keys[i] = kind == 0 ? static_cast<u32>(next.below(bins)) : kind == 1 ? std::min(border, bins - 1) : bins - 1;
          values[i] = static_cast<std::uint16_t>(i);
        }
        const auto f = ranges{bins, 0U, bins - 1};  // the key itself
        std::vector<u32> wanted(n);
        std::vector<std::uint16_t> wanted_values(n);
        std::vector<std::int64_t> wanted_offsets(bins + std::size_t{1});
        reference::multisplit<u32, std::uint16_t>({keys.data(), values.data(), n},
                                                  {wanted.data(), wanted_values.data(), n}, f, wanted_offsets.data());
        const placed<u32, device_space> in(keys);
        const placed<std::uint16_t, device_space> in_values(values);
        const guarded<u32, device_space> out(n, 3);
        const guarded<std::uint16_t, device_space> out_values(n, 1);
        const guarded<std::int64_t, device_space> offsets(bins + std::size_t{1});
        multisplit(gpu{}, pairs(in.data(), in_values.data(), n), pairs(out.data(), out_values.data(), n), f,
                   items(offsets.data(), bins + std::size_t{1}));
        must(cudaDeviceSynchronize());
        EXPECT_TRUE(same(wanted, out.read()));
        EXPECT_TRUE(same(wanted_values, out_values.read()));
        EXPECT_TRUE(same(wanted_offsets, offsets.read()));
      }
    }
  }
}

/// Pairs whose order is kept are counted tile by tile. Whole tiles for all blocks, so little more that it is shared
/// out, and a last tile that is not whole; from an address that is aligned and one that is not; and with items that
/// drop out in the first of two passes, so that the second has fewer than were planned for.
TEST_F(gpu_tiles, keep_the_order_of_pairs_that_they_take_in_turn) {
  const std::size_t turn = static_cast<std::size_t>(detail::current_device().sms) * 12288;
  for (const std::size_t n : {2 * turn, turn + 4097, 2 * turn + turn / 3 + 1}) {
    random next(seed());
    const std::vector<u32> all = make_keys<u32>(shape::uniform, n + 1, next);
    std::vector<u32> numbers(n + 1);
    std::iota(numbers.begin(), numbers.end(), 0U);
    const placed<u32, device_space> in(all);
    const placed<u32, device_space> in_values(numbers);
    for (const std::size_t from : {0, 1}) {
      for (const u32 bins : {64U, 300U, 20000U}) {
        SCOPED_TRACE("n " + std::to_string(n) + ", from " + std::to_string(from) + ", bins " + std::to_string(bins));
        const binned f{bins, missing{bins}};
        std::vector<u32> kept;
        std::vector<u32> kept_values;
        for (std::size_t i = from; i < from + n; ++i) {
          if (all[i] % 10 == 3) continue;
          kept.push_back(all[i]);
          kept_values.push_back(numbers[i]);
        }
        std::vector<u32> wanted(kept.size());
        std::vector<u32> wanted_values(kept.size());
        std::vector<u32> wanted_offsets(bins + 1);
        reference::multisplit<u32, u32>({kept.data(), kept_values.data(), kept.size()},
                                        {wanted.data(), wanted_values.data(), kept.size()}, f, wanted_offsets.data());
        const guarded<u32, device_space> keys(n, 3);
        const guarded<u32, device_space> values(n, 1);
        const guarded<u32, device_space> offsets(bins + 1);
        multisplit(gpu{}, pairs(in.data() + from, in_values.data() + from, n), pairs(keys.data(), values.data(), n), f,
                   items(offsets.data(), bins + 1), {.strategy = "tiles"});
        must(cudaDeviceSynchronize());
        std::vector<u32> got = keys.read();
        std::vector<u32> got_values = values.read();
        got.resize(kept.size());
        got_values.resize(kept.size());
        EXPECT_TRUE(same(wanted_offsets, offsets.read()));
        EXPECT_TRUE(same(wanted, got));
        EXPECT_TRUE(same(wanted_values, got_values));
      }
    }
  }
}

/// Two passes that are counted at once, alone or behind another: blocks of the second begin within what one of the
/// first wrote, which is little or much, from its beginning or not. Keys that spread over all bins, that are sorted,
/// mostly equal, or all equal; from an address that is aligned and one that is not.
TEST_F(gpu_tiles, count_two_passes_at_once_whatever_the_keys) {
  constexpr std::size_t most = 7000003;
  random next(seed());
  const std::vector<u32> uniform = make_keys<u32>(shape::uniform, most, next);
  std::vector<u32> sorted = uniform;
  std::sort(sorted.begin(), sorted.end());
  std::vector<u32> crowded = uniform;
  for (std::size_t i = 0; i < most; ++i) crowded[i] = i % 4 == 0 ? crowded[i] : 0x60000000U + crowded[i] % 4096U;
  const auto check = [](const std::vector<u32>& all, std::size_t from, std::size_t n, u32 bins) {
    SCOPED_TRACE("n " + std::to_string(n) + ", from " + std::to_string(from) + ", bins " + std::to_string(bins));
    EXPECT_TRUE(detail::plan_multisplit({n, bins, 4, 0, 4}, detail::current_device(), "tiles").has("count_both"));
    const ranges<u32> f{bins, 0U, 0xFFFFFFFFU};
    std::vector<u32> wanted(n);
    std::vector<u32> wanted_offsets(bins + 1);
    reference::multisplit<u32, no_value>({all.data() + from, nullptr, n}, {wanted.data(), nullptr, n}, f,
                                         wanted_offsets.data());
    const placed<u32, device_space> in(all);
    const guarded<u32, device_space> out(n, 3);
    const guarded<u32, device_space> offsets(bins + 1);
    multisplit(gpu{}, items(static_cast<const u32*>(in.data()) + from, n), items(out.data(), n), f,
               items(offsets.data(), bins + 1), {.strategy = "tiles"});
    must(cudaDeviceSynchronize());
    EXPECT_TRUE(same(wanted_offsets, offsets.read()));
    EXPECT_TRUE(same(wanted, out.read()));
  };
  const std::array<std::vector<u32>, 4> kinds{uniform, sorted, crowded, std::vector<u32>(most, 0x12345678U)};
  for (const std::vector<u32>& all : kinds) {
    for (const std::size_t from : {0, 1}) {
      for (const u32 bins : {600U, 4000U}) check(all, from, 2500037, bins);
    }
  }
  // The last two of three passes, by 7 bits each: only where counters are few beside the items.
  const std::size_t row = detail::paired_counts::row(128);
  const std::size_t many =
      row * static_cast<std::size_t>(detail::current_device().sms) * tuning::paired_items_a_counter + 37;
  std::vector<u32> repeated(many);
  for (std::size_t i = 0; i < many; ++i) repeated[i] = crowded[i % most] + static_cast<u32>(i / most) * 0x10001U;
  check(repeated, 0, many, 300000);
}

/// Large items into many bins, by passes that look back: small tiles and large ones, a last tile that is not whole;
/// functions that find a bin for every key, and one that does not. In an arena of the planned size.
TEST_F(gpu_tiles, look_back_with_large_items) {
  const auto check = [](const std::vector<std::uint64_t>& keys, const auto& f, bool looks_back) {
    const std::size_t n = keys.size();
    SCOPED_TRACE("n " + std::to_string(n) + ", bins " + std::to_string(f.bins()));
    std::vector<std::uint64_t> kept;
    std::vector<std::uint64_t> kept_values;
    for (std::size_t i = 0; i < n; ++i) {
      if (f(keys[i]) >= f.bins()) continue;
      kept.push_back(keys[i]);
      kept_values.push_back(i);
    }
    std::vector<std::uint64_t> wanted(kept.size());
    std::vector<std::uint64_t> wanted_values(kept.size());
    std::vector<u32> wanted_offsets(f.bins() + 1);
    reference::multisplit<std::uint64_t, std::uint64_t>({kept.data(), kept_values.data(), kept.size()},
                                                        {wanted.data(), wanted_values.data(), kept.size()}, f,
                                                        wanted_offsets.data());
    std::vector<std::uint64_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
    const placed<std::uint64_t, device_space> in(keys);
    const placed<std::uint64_t, device_space> in_values(numbers);
    const guarded<std::uint64_t, device_space> out(n, 3);
    const guarded<std::uint64_t, device_space> out_values(n, 1);
    const guarded<u32, device_space> offsets(f.bins() + 1);
    const auto call = [&](auto&& on) {
      multisplit(on, pairs(in.data(), in_values.data(), n), pairs(out.data(), out_values.data(), n), f,
                 items(offsets.data(), f.bins() + 1), {.strategy = "tiles"});
    };
    const plan made = explain(call, detail::current_device());
    EXPECT_EQ(made.has("sort_by_tiles"), looks_back) << to_string(made);
    const placed<unsigned char, device_space> buffer(std::vector<unsigned char>(made.temporary_bytes + 1, 0xEE));
    arena mine(buffer.data(), made.temporary_bytes);
    call(gpu{.memory = &mine});
    must(cudaDeviceSynchronize());
    std::vector<std::uint64_t> got = out.read();
    std::vector<std::uint64_t> got_values = out_values.read();
    got.resize(kept.size());
    got_values.resize(kept.size());
    EXPECT_TRUE(same(wanted_offsets, offsets.read()));
    EXPECT_TRUE(same(wanted, got));
    EXPECT_TRUE(same(wanted_values, got_values));
  };
  random next(seed());
  for (const std::size_t n : {std::size_t{20001}, std::size_t{1300021}, tuning::look_back_items + 12345}) {
    for (const shape kind : {shape::uniform, shape::zipf, shape::sorted}) {
      const std::vector<std::uint64_t> keys = make_keys<std::uint64_t>(kind, n, next);
      for (const u32 bins : {700U, 20000U, 65536U, 300000U}) {
        check(keys, hashed{bins}, bins > tuning::look_back_bins || n >= tuning::look_back_items);
      }
      check(keys, binned{20000, missing_some{20000}}, true);
    }
  }
}

/// Hardly more keys than bins, or fewer: where bins begin is counted. Keys that spread, and keys that are all alike.
TEST_F(gpu_tiles, count_where_bins_begin_among_few_keys) {
  random next(seed());
  for (const std::size_t n : {std::size_t{30001}, std::size_t{800003}}) {
    for (const shape kind : {shape::uniform, shape::equal}) {
      const std::vector<u32> keys = make_keys<u32>(kind, n, next);
      const placed<u32, device_space> in(keys);
      for (const u32 bins : {20000U, 600000U, 1000003U}) {
        SCOPED_TRACE("n " + std::to_string(n) + ", bins " + std::to_string(bins));
        const ranges<u32> f{bins, 0U, 0xFFFFFFFFU};
        std::vector<u32> wanted(n);
        std::vector<u32> wanted_offsets(bins + 1);
        reference::multisplit<u32, no_value>({keys.data(), nullptr, n}, {wanted.data(), nullptr, n}, f,
                                             wanted_offsets.data());
        const guarded<u32, device_space> out(n, 3);
        const guarded<u32, device_space> offsets(bins + 1);
        multisplit(gpu{}, items(in.data(), n), items(out.data(), n), f, items(offsets.data(), bins + 1));
        EXPECT_TRUE(same(wanted_offsets, offsets.read()));
        EXPECT_TRUE(same(wanted, out.read()));
      }
    }
  }
}

TEST_F(gpu_tiles, replay_several_passes_from_a_graph_in_an_arena_of_the_planned_size) {
  constexpr std::size_t most = 2500037;
  const scoped_stream s;
  random next(seed());
  const placed<u32, device_space> in{std::vector<u32>(most)};
  for_each_way([&](u32 bins, const multisplit_options& options) {
    const std::size_t n = bins == 1000 ? most : 300007;  // two passes that are counted at once, or one by one
    const guarded<u32, device_space> out(n, 3);
    const guarded<u32, device_space> offsets(bins + 1);
    const auto call = [&](auto&& on) {
      multisplit(on, items(static_cast<const u32*>(in.data()), n), items(out.data(), n), hashed{bins},
                 items(offsets.data(), bins + 1), options);
    };
    const plan made = explain([&](auto& on) { call(on); }, detail::current_device());
    const placed<std::byte, device_space> buffer(std::vector<std::byte>(made.temporary_bytes));
    arena exact(buffer.data(), made.temporary_bytes);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ASSERT_NO_THROW(call(gpu{.stream = s, .memory = &exact}));
    must(cudaStreamEndCapture(s, &graph));
    must(cudaGraphInstantiate(&replay, graph, 0));
    for (int round = 0; round < 3; ++round) {
      const std::vector<u32> keys = make_keys<u32>(shape::uniform, n, next);
      device_space::copy(in.data(), keys.data(), n * sizeof(u32));
      must(cudaGraphLaunch(replay, s));
      s.wait();
      std::vector<u32> wanted(n);
      std::vector<u32> wanted_offsets(bins + 1);
      reference::multisplit<u32, no_value>({keys.data(), nullptr, n}, {wanted.data(), nullptr, n}, hashed{bins},
                                           wanted_offsets.data());
      EXPECT_TRUE(same(wanted_offsets, offsets.read()));
      EXPECT_TRUE(same_items(options.within_bin, wanted, out.read(), wanted_offsets));
    }
    must(cudaGraphExecDestroy(replay));
    must(cudaGraphDestroy(graph));
  });
}

}  // namespace peneira::test
