// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// unique and run_lengths on a GPU: what reference::run_lengths gives, of every type, size and length of runs; no more
// than there is room for; memory as planned; in graphs.
#include <cmath>

#include "peneira/runs/reference.hpp"
#include "peneira/unique.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

class gpu_runs : public gpu_test {
 protected:
  random next_{seed()};

  /// Runs of lengths up to twice a mean, of few values, so that equal ones come back.
  template <class K>
  std::vector<K> make_runs(std::size_t n, std::size_t mean) {
    std::vector<K> items;
    items.reserve(n);
    std::uint64_t value = 0;
    while (items.size() < n) {
      value = (value + 1 + next_.below(3)) % 100;
      const std::size_t length = std::min(n - items.size(), static_cast<std::size_t>(1 + next_.below(2 * mean - 1)));
      items.insert(items.end(), length, static_cast<K>(value));
    }
    return items;
  }

  template <class K, class Length>
  void check(const std::vector<K>& in) {
    SCOPED_TRACE(in.size());
    const auto wanted = reference::run_lengths(in.data(), in.size());
    const std::size_t runs = wanted.size();
    std::vector<K> values(runs);
    std::vector<Length> lengths(runs);
    for (std::size_t r = 0; r < runs; ++r) {
      values[r] = wanted[r].first;
      lengths[r] = static_cast<Length>(wanted[r].second);
    }
    const placed<K, device_space> there(in, next_.below(4));
    const guarded<K, device_space> out(runs, next_.below(4));
    const guarded<Length, device_space> out_lengths(runs, next_.below(4));
    const guarded<std::uint64_t, device_space> count(1);
    run_lengths(gpu{}, items(there.data(), in.size()), items(out.data(), runs), items(out_lengths.data(), runs),
                count.data());
    EXPECT_EQ(count.read()[0], runs);
    EXPECT_TRUE(same(values, out.read()));
    EXPECT_TRUE(same(lengths, out_lengths.read()));

    const guarded<K, device_space> only(runs, next_.below(4));
    const guarded<std::int32_t, device_space> narrow(1);
    unique(gpu{}, items(there.data(), in.size()), items(only.data(), runs), narrow.data());
    EXPECT_EQ(narrow.read()[0], static_cast<std::int32_t>(runs));
    EXPECT_TRUE(same(values, only.read()));

    const std::size_t room = runs - runs / 3;  // what is beyond it is not written
    const guarded<K, device_space> few(room);
    const guarded<Length, device_space> few_lengths(room);
    run_lengths(gpu{}, items(there.data(), in.size()), items(few.data(), room), items(few_lengths.data(), room),
                count.data());
    EXPECT_EQ(count.read()[0], runs);
    EXPECT_TRUE(same(std::vector<K>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(room)), few.read()));
    EXPECT_TRUE(same(std::vector<Length>(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(room)),
                     few_lengths.read()));
  }
  template <class K, class Length>
  void check_sizes() {
    const std::size_t tile = detail::runs_tile_items(sizeof(K));
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, tile - 1, tile, tile + 1, 5 * tile + 7,
                                detail::cluster_tiles * tile, detail::cluster_tiles * tile + 1, 200 * tile + 3}) {
      check<K, Length>(make_runs<K>(n, 1));
      check<K, Length>(make_runs<K>(n, 3));
      check<K, Length>(make_runs<K>(n, 3 * tile));
      check<K, Length>(std::vector<K>(n, K{5}));
    }
    if (!under_checker()) check<K, Length>(make_runs<K>(2000 * tile + 5, 3));  // several tiles a block
  }
};

TEST_F(gpu_runs, every_width_and_size) {
  check_sizes<std::uint8_t, std::uint32_t>();
  check_sizes<std::int16_t, std::int64_t>();
  check_sizes<std::uint32_t, std::uint32_t>();
  check_sizes<double, std::uint64_t>();
}

TEST_F(gpu_runs, every_item_a_run_and_ten_million) {
  const std::size_t n = under_checker() ? 300007 : 10000019;
  std::vector<std::uint32_t> in(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<std::uint32_t>(i);
  check<std::uint32_t, std::uint32_t>(in);
  check<std::uint32_t, std::uint32_t>(make_runs<std::uint32_t>(n, 10));
}

TEST_F(gpu_runs, zeros_and_nans_are_equal) {
  check<float, std::uint32_t>({0.0F, -0.0F, NAN, -NAN, NAN, 1, 1, -0.0F});
}

TEST_F(gpu_runs, takes_the_memory_that_it_states_and_replays_in_a_graph) {
  const scoped_stream s;
  for (const std::size_t n : {std::size_t{100}, std::size_t{2000003}}) {
    const std::vector<std::uint32_t> in = make_runs<std::uint32_t>(n, 5);
    const placed<std::uint32_t, device_space> there(in);
    const guarded<std::uint32_t, device_space> out(n), lengths(n), count(1);
    const auto call = [&](auto&& on) {
      run_lengths(on, items(there.data(), n), items(out.data(), n), items(lengths.data(), n), count.data());
    };
    const plan made = explain(call, detail::current_device());
    const placed<unsigned char, device_space> buffer(std::vector<unsigned char>(made.temporary_bytes + 1, 0xEE));
    arena mine(buffer.data(), made.temporary_bytes);
    call(gpu{.memory = &mine});
    EXPECT_EQ(mine.high_water(), made.temporary_bytes) << to_string(made);
    const std::vector<std::uint32_t> wanted = out.read(), wanted_lengths = lengths.read();

    const captured_call captured(s, call);
    for (int round = 0; round < 2; ++round) {
      captured.replay();
      EXPECT_TRUE(same(wanted, out.read()));
      EXPECT_TRUE(same(wanted_lengths, lengths.read()));
    }
  }
}

}  // namespace peneira::test
