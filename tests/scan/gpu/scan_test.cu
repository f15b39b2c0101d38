// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// scan on a GPU: what reference::scan gives, in place or not, of every operator, type, size and alignment; the same
// bits on every run; memory as planned; in graphs.
#include <cmath>

#include "peneira/scan.hpp"
#include "peneira/scan/reference.hpp"
#include "tests/reduce/monoids.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

class gpu_scan : public gpu_test {
 protected:
  random next_{seed()};

  template <class T, class Result, class Op>
  void check(std::size_t n, const Op& op) {
    SCOPED_TRACE(n);
    const std::vector<T> from = make_keys<T>(next_.pick(all_shapes), n, next_);
    for (const bool inclusive : {false, true}) {
      std::vector<Result> wanted(n);
      reference_scan(from, op, inclusive, wanted);
      const placed<T, device_space> in(from, next_.below(4));
      const guarded<Result, device_space> out(n, next_.below(4));
      scan(gpu{}, items(in.data(), n), items(out.data(), n), op, {.inclusive = inclusive});
      EXPECT_TRUE(same(wanted, out.read()));
      if constexpr (std::is_same_v<T, Result>) {
        scan(gpu{}, items(in.data(), n), items(in.data(), n), op, {.inclusive = inclusive});
        EXPECT_TRUE(same(wanted, in.read()));
      }
    }
  }
  template <class T, class Result, class Op>
  static void reference_scan(const std::vector<T>& from, const Op& op, bool inclusive, std::vector<Result>& wanted) {
    reference::scan(from.data(), 0, from.size(), op.template identity<Result>(), wanted.data(), op, inclusive);
  }
  /// Results of items that are in no segment stay as they are.
  template <class T, class Result, class Segments, class Given, class Op>
  void check_segments(const std::vector<T>& from, const Segments& here, std::size_t count, const Given& given,
                      const Op& op) {
    const std::size_t n = from.size();
    for (const bool inclusive : {false, true}) {
      std::vector<Result> wanted(n);
      std::memset(wanted.data(), 0x11, n * sizeof(Result));
      const placed<Result, device_space> out(wanted, next_.below(4));
      reference::segmented_scan(from.data(), here, count, wanted.data(), op, inclusive);
      const placed<T, device_space> in(from, next_.below(4));
      const scan_options options{.inclusive = inclusive};
      const auto call = [&](auto&& on) {
        segmented_scan(on, items(in.data(), n), given, items(out.data(), n), op, options);
      };
      const plan made = explain(call, detail::current_device());
      const placed<unsigned char, device_space> buffer(std::vector<unsigned char>(made.temporary_bytes + 1, 0xEE));
      arena mine(buffer.data(), made.temporary_bytes);
      call(gpu{.memory = &mine});
      EXPECT_EQ(mine.high_water(), made.temporary_bytes) << to_string(made);
      EXPECT_TRUE(same(wanted, out.read()));
    }
  }
  /// Empty segments, short ones, long ones, and items in none.
  template <class T, class Result, class Offset, class Op>
  void check_offsets(std::size_t n, const Op& op) {
    for (const std::size_t mean : {std::size_t{1}, std::size_t{5}, std::size_t{3000}, n}) {
      SCOPED_TRACE(::testing::Message() << n << " items, segments of about " << mean);
      std::vector<Offset> offsets{static_cast<Offset>(next_.below(n / 10 + 1))};
      while (static_cast<std::size_t>(offsets.back()) + 2 * mean < n - n / 10) {
        offsets.push_back(static_cast<Offset>(static_cast<std::size_t>(offsets.back()) + next_.below(2 * mean + 1)));
      }
      offsets.push_back(offsets.back());
      const placed<Offset, device_space> there(offsets);
      check_segments<T, Result>(make_keys<T>(next_.pick(all_shapes), n, next_),
                                detail::offset_segments<Offset>{offsets.data()}, offsets.size() - 1,
                                items(there.data(), offsets.size()), op);
    }
  }
  template <class T, class Result, class Op>
  void check_even(std::size_t n, std::size_t size, const Op& op) {
    SCOPED_TRACE(::testing::Message() << n << " items, segments of " << size);
    const detail::even_segments here{size, n};
    check_segments<T, Result>(make_keys<T>(next_.pick(all_shapes), n, next_), here, here.count(), every{size}, op);
  }
  template <class T, class Result, class Op>
  void check_sizes(const Op& op) {
    const std::size_t tile = detail::scan_tile_items(std::max(sizeof(T), sizeof(Result)), false);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{33}, tile - 1, tile, tile + 1, 3 * tile + 7,
                                127 * tile, 128 * tile, 128 * tile + 1, 300 * tile + 5}) {
      check<T, Result>(n, op);
    }
  }
};

TEST_F(gpu_scan, sums_of_every_width) {
  check_sizes<std::uint8_t, std::uint8_t>(plus{});
  check_sizes<std::uint8_t, std::uint64_t>(plus{});
  check_sizes<std::int16_t, std::int32_t>(plus{});
  check_sizes<std::uint32_t, std::uint32_t>(plus{});
  check_sizes<std::uint64_t, std::uint32_t>(plus{});
  check_sizes<std::int64_t, std::int64_t>(plus{});
}

TEST_F(gpu_scan, other_operators) {
  check_sizes<float, float>(max{});
  check_sizes<std::uint32_t, std::uint32_t>(bit_xor{});
  check_sizes<std::int64_t, indexed<std::int64_t>>(arg_min{});
  check_sizes<std::uint32_t, std::uint8_t>(logical_or{});
}

/// Affine functions, of which the order matters.
TEST_F(gpu_scan, keeps_the_order) {
  const std::size_t tile = detail::scan_tile_items(sizeof(affine), false);
  for (const std::size_t n : {std::size_t{1}, tile - 1, tile + 1, 5 * tile + 3, 200 * tile + 1}) {
    std::vector<affine> from(n);
    for (affine& f : from) f = {static_cast<std::uint32_t>(next_()) | 1U, static_cast<std::uint32_t>(next_())};
    std::vector<affine> wanted(n);
    reference_scan(from, then{}, true, wanted);
    const placed<affine, device_space> in(from);
    const guarded<affine, device_space> out(n);
    scan(gpu{}, items(in.data(), n), items(out.data(), n), then{}, {.inclusive = true});
    EXPECT_TRUE(same(wanted, out.read()));
  }
}

TEST_F(gpu_scan, by_segments_of_any_shape) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{4097}, std::size_t{1000003}}) {
    check_offsets<std::uint32_t, std::uint32_t, std::uint32_t>(n, plus{});
    check_offsets<std::uint8_t, std::uint64_t, std::int64_t>(n, plus{});
    check_offsets<std::int64_t, std::int64_t, std::uint64_t>(n, max{});
    check_offsets<std::uint16_t, std::uint8_t, std::int32_t>(n, bit_xor{});
  }
}

TEST_F(gpu_scan, by_segments_of_one_size) {
  constexpr std::size_t n = 300007;
  for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{4096}, n - 1, n, n + 1}) {
    check_even<std::uint32_t, std::uint32_t>(n, size, plus{});
    check_even<std::uint8_t, std::uint16_t>(n, size, plus{});
  }
  std::vector<affine> from(10007);
  for (affine& f : from) f = {static_cast<std::uint32_t>(next_()) | 1U, static_cast<std::uint32_t>(next_())};
  check_segments<affine, affine>(from, detail::even_segments{100, from.size()}, 101, every{100}, then{});
}

TEST_F(gpu_scan, ten_million) {
  check<std::uint32_t, std::uint64_t>(under_checker() ? 300007 : 10000019, plus{});
}

/// Sums of floats have the same bits on every run, and are as close as a tree of them should be.
TEST_F(gpu_scan, sums_floats_the_same_way_on_every_run) {
  constexpr std::size_t n = 3000017;
  std::vector<float> from(n);
  for (float& x : from) x = static_cast<float>(next_.unit());
  const placed<float, device_space> in(from);
  std::vector<float> first;
  for (int round = 0; round < 4; ++round) {
    const guarded<float, device_space> out(n);
    scan(gpu{}, items(in.data(), n), items(out.data(), n), plus{}, {.inclusive = true});
    if (round == 0) first = out.read();
    EXPECT_TRUE(same(first, out.read()));
  }
  double exact = 0;
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    exact += static_cast<double>(from[i]);
    worst = std::max(worst, std::abs(static_cast<double>(first[i]) - exact) / exact);
  }
  EXPECT_LT(worst, 64 * 0x1p-24);
}

TEST_F(gpu_scan, takes_the_memory_that_it_states_and_replays_in_a_graph) {
  const scoped_stream s;
  for (const std::size_t n : {std::size_t{100}, std::size_t{3000017}}) {
    const std::vector<std::uint32_t> from = make_keys<std::uint32_t>(shape::uniform, n, next_);
    const placed<std::uint32_t, device_space> in(from);
    const guarded<std::uint32_t, device_space> out(n);
    const auto call = [&](auto&& on) { scan(on, items(in.data(), n), items(out.data(), n), plus{}); };
    const plan made = explain(call, detail::current_device());
    const placed<unsigned char, device_space> buffer(std::vector<unsigned char>(made.temporary_bytes + 1, 0xEE));
    arena mine(buffer.data(), made.temporary_bytes);
    call(gpu{.memory = &mine});
    EXPECT_EQ(mine.high_water(), made.temporary_bytes) << to_string(made);
    std::vector<std::uint32_t> wanted(n);
    reference_scan(from, plus{}, false, wanted);
    EXPECT_TRUE(same(wanted, out.read()));

    const captured_call captured(s, call);
    for (int round = 0; round < 3; ++round) {
      must(cudaMemset(out.data(), 0xFF, n * sizeof(std::uint32_t)));
      captured.replay();
      EXPECT_TRUE(same(wanted, out.read()));
    }
  }
}

}  // namespace peneira::test
