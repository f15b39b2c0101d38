// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Stamped slots by themselves: one block gets the value of each of the others, whatever the memory held before, and
// again with the same stamp, as a graph does that is replayed.
#include "peneira/gpu/exchange/stamped_slots.cuh"

#include "tests/gpu/delay.cuh"
#include "tests/support/gpu.cuh"

namespace peneira::test {

/// Whether the first block has its threads, or its warps together, collect.
enum class collect_by { threads, warps };

/// Block b > 0 publishes values[b - 1]; the first block collects all of them.
template <collect_by By, class T>
__global__ void gather_values(detail::stamped_slots<T> slots, const T* values, T* got, unsigned round) {
  const std::size_t count = gridDim.x - 1;
  if (blockIdx.x != 0) {
    delay_block(round * 1000003ULL + blockIdx.x);
    if (threadIdx.x == 0) slots.publish(blockIdx.x - 1, values[blockIdx.x - 1]);
    return;
  }
  for (std::size_t first = 0; first < count; first += blockDim.x) {
    const std::size_t slot = first + threadIdx.x;
    if constexpr (By == collect_by::threads) {
      if (slot < count) got[slot] = slots.collect(slot);
    } else {
      const T none{};
      const T value = slots.collect_by_warp(slot, slot < count, none);
      if (slot < count) got[slot] = value;
    }
  }
}

class gpu_stamped_slots : public gpu_test {
 protected:
  template <class T>
  static std::vector<T> random_values(std::size_t n, random& next) {
    std::vector<T> values(n);
    for (T& value : values) value = make_key<T>(next(), next());
    return values;
  }

  /// Rounds in memory that holds something; the same stamp in all of them, or another each.
  template <collect_by By, class T>
  static void check(std::size_t blocks, bool same_stamp) {
    random next(seed() + blocks);
    const std::uint64_t stamp = detail::fresh_stamp();
    std::vector<detail::stamped_word> before((blocks - 1) * detail::slot_words(sizeof(T)));
    for (detail::stamped_word& w : before) {  // the stamp, but not where a stamp is; or one that is nearly right
      const std::uint64_t kind = next.below(4);
      w = {kind < 2 ? stamp : next(), kind == 0 ? 0 : kind == 1 ? stamp ^ (1ULL << next.below(64)) : next()};
    }
    const placed<detail::stamped_word, device_space> memory(before);
    for (unsigned round = 0; round < (under_checker() ? 3 : 20); ++round) {
      const auto values = random_values<T>(blocks - 1, next);
      const placed<T, device_space> there(values);
      const guarded<T, device_space> got(blocks - 1);
      const detail::stamped_slots<T> slots{memory.data(), same_stamp ? stamp : detail::fresh_stamp()};
      detail::launch(gpu{}, step{"gather", blocks, 64}, gather_values<By, T>, slots, there.data(), got.data(), round);
      must(cudaDeviceSynchronize());
      ASSERT_TRUE(same(values, got.read())) << "round " << round << " of " << blocks << " blocks";
      if (!same_stamp) continue;
      for (const detail::stamped_word& w : memory.read()) ASSERT_EQ(w.stamp, 0U) << "a slot that was not cleared";
    }
  }
  template <class T>
  static void check_all() {
    SCOPED_TRACE(std::to_string(sizeof(T)) + " bytes");
    for (const std::size_t blocks : {2U, 3U, 34U, 65U, 66U, 529U, 5000U}) {
      if (under_checker() && blocks > 66) continue;
      for (const bool same_stamp : {false, true}) {
        check<collect_by::threads, T>(blocks, same_stamp);
        check<collect_by::warps, T>(blocks, same_stamp);
      }
    }
  }
};

TEST_F(gpu_stamped_slots, carry_values_of_one_word) {
  check_all<std::uint8_t>();
  check_all<float>();
  check_all<std::uint64_t>();
}

TEST_F(gpu_stamped_slots, carry_values_of_several_words) {
  check_all<bytes12>();
  check_all<bytes24>();
  check_all<bytes33>();
}

}  // namespace peneira::test
