// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of floating-point weights on a GPU.
#include <cmath>

#include "tests/histogram/gpu/conformance.cuh"

namespace peneira::test {

using gpu_histogram_weights = ::testing::Types<counted_on_gpu<std::uint32_t, float, by_hash, float>,
                                               counted_on_gpu<std::int8_t, std::int8_t, by_digit, double>>;
INSTANTIATE_TYPED_TEST_SUITE_P(of_weights, gpu_histogram_conformance, gpu_histogram_weights);

class gpu_histogram_sums : public gpu_test {
 protected:
  random next_{seed()};
};

/// Keys are not asked; a label that is no bin is not counted.
TEST_F(gpu_histogram_sums, takes_labels) {
  constexpr std::size_t n = 200003;
  std::vector<std::int16_t> labels_here(n);
  for (auto& label : labels_here) label = static_cast<std::int16_t>(static_cast<int>(next_.below(110)) - 5);
  const std::vector<float> weights = make_weights<float>(n, next_);
  std::vector<std::uint32_t> wanted(100);
  std::vector<double> sums_wanted(100);
  for (std::size_t i = 0; i < n; ++i) {
    if (labels_here[i] < 0 || labels_here[i] >= 100) continue;
    ++wanted[static_cast<std::size_t>(labels_here[i])];
    sums_wanted[static_cast<std::size_t>(labels_here[i])] += static_cast<double>(weights[i]);
  }
  const placed<std::int16_t, device_space> there(labels_here, 1);
  const placed<float, device_space> weights_there(weights);
  const placed<std::uint64_t, device_space> keys(std::vector<std::uint64_t>(n, 0));
  const guarded<std::uint32_t, device_space> counts(100);
  const guarded<double, device_space> sums(100);
  const labels by{100, there.data(), n};
  histogram(gpu{}, items(keys.data(), n), by, items(counts.data(), 100));
  EXPECT_TRUE(same(wanted, counts.read()));
  for (const order grouping : {order::stable, order::any}) {
    histogram(gpu{}, pairs(keys.data(), weights_there.data(), n), by, items(sums.data(), 100), {.grouping = grouping});
    EXPECT_TRUE(same(sums_wanted, sums.read()));
  }
}

/// Weights of all magnitudes give the same bits on every run unless any will do.
TEST_F(gpu_histogram_sums, sums_floats_the_same_way_on_every_run) {
  constexpr std::size_t n = 1000003;
  std::vector<float> weights(n);
  for (float& w : weights)
    w = static_cast<float>((next_.unit() - 0.5) * std::exp2(static_cast<double>(next_.below(60))));
  const placed<std::uint32_t, device_space> keys(make_keys<std::uint32_t>(shape::uniform, n, next_));
  const placed<float, device_space> there(weights);
  std::vector<float> first;
  for (int round = 0; round < 3; ++round) {
    const guarded<float, device_space> sums(50);
    histogram(gpu{}, pairs(keys.data(), there.data(), n), hashed{50}, items(sums.data(), 50));
    if (round == 0) first = sums.read();
    EXPECT_TRUE(same(first, sums.read()));
  }
}

TEST_F(gpu_histogram_sums, takes_the_memory_that_it_states_and_replays_in_a_graph) {
  constexpr std::size_t n = 300007;
  const scoped_stream s;
  const placed<std::uint32_t, device_space> keys(make_keys<std::uint32_t>(shape::uniform, n, next_));
  const placed<float, device_space> weights(make_weights<float>(n, next_));
  for (const bool weighted : {false, true}) {
    const guarded<std::uint32_t, device_space> counts(100);
    const guarded<float, device_space> sums(100);
    const auto call = [&](auto&& on) {
      if (weighted) return histogram(on, pairs(keys.data(), weights.data(), n), hashed{100}, items(sums.data(), 100));
      histogram(on, items(keys.data(), n), hashed{100}, items(counts.data(), 100));
    };
    const plan made = explain(call, detail::current_device());
    const placed<unsigned char, device_space> buffer(std::vector<unsigned char>(made.temporary_bytes + 1));
    arena mine(buffer.data(), made.temporary_bytes);
    call(gpu{.memory = &mine});
    EXPECT_EQ(mine.high_water(), made.temporary_bytes) << to_string(made);
    const std::vector<std::uint32_t> wanted = counts.read();
    const std::vector<float> sums_wanted = sums.read();

    const captured_call captured(s, call);
    must(cudaMemset(counts.data(), 0xFF, 100 * sizeof(std::uint32_t)));
    must(cudaMemset(sums.data(), 0xFF, 100 * sizeof(float)));
    must(cudaDeviceSynchronize());
    for (int round = 0; round < 2; ++round) captured.replay();
    if (weighted) {
      EXPECT_TRUE(same(sums_wanted, sums.read()));
    } else {
      EXPECT_TRUE(same(wanted, counts.read()));
    }
  }
}

}  // namespace peneira::test
