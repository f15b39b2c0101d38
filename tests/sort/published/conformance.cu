// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The published sort against the reference: inputs that partitions of equal widths like, and those they do not.
#include <limits>

#include "peneira/sort/published.hpp"
#include "peneira/sort/reference.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

/// What `shape` has not: keys that grow by doubling, of which every width but the lowest holds a few alone; all keys
/// at one end, but one; and a hundred values.
enum class mpp_input { doubling, outlier, few };

template <class Key, class Value>
struct mpp_types {
  using key = Key;
  using value = Value;
};

template <class Types>
class gpu_mpp_sort : public gpu_test {
 protected:
  using K = typename Types::key;
  using V = typename Types::value;
  using U = detail::bits_of<K>;
  using strategy = sort_strategies::mpp_sort;
  static constexpr bool with_values = view<K, V>::has_values;

  /// The key that comes in that place in the order of all keys of its type.
  static K key_at(std::uint64_t place) {
    return detail::key_of_bits<K>(detail::order_of<K>(false).back(static_cast<U>(place)));
  }
  std::vector<K> keys_of(mpp_input input, std::size_t n) {
    std::vector<K> keys(n);
    for (K& key : keys) {
      switch (input) {
        case mpp_input::doubling:
          key = key_at(std::uint64_t{1} << next.below(8 * sizeof(K)));
          break;
        case mpp_input::outlier:
          key = key_at(next.below(1000));
          break;
        case mpp_input::few:
          key = key_at(mix64(next.below(100)));
          break;
      }
    }
    if (input == mpp_input::outlier && n != 0) keys[next.below(n)] = key_at(~std::uint64_t{0});
    return keys;
  }
  /// Calls f(name, keys) for every input of n keys.
  template <class F>
  void for_each_input(std::size_t n, F&& f) {
    for (const shape s : all_shapes) f(to_string(s), make_keys<K>(s, n, next));
    f("doubling", keys_of(mpp_input::doubling, n));
    f("outlier", keys_of(mpp_input::outlier, n));
    f("few", keys_of(mpp_input::few, n));
    if constexpr (std::is_floating_point_v<K>) {
      using limits = std::numeric_limits<K>;
      const std::array odd{limits::quiet_NaN(),
                           -limits::quiet_NaN(),
                           limits::infinity(),
                           -limits::infinity(),
                           K(0),
                           K(-0.0),
                           limits::denorm_min(),
                           K(1)};
      std::vector<K> keys(n);
      for (K& key : keys) key = next.pick(odd);
      f("odd numbers", keys);
    }
  }

  /// Sorts by a plan for `machine`, whose shared memory may be less than the device has, and compares. Values are the
  /// positions of their keys.
  void check(const std::vector<K>& keys, const std::vector<K>& wanted, const mpp_sort_limits& limits,
             const device& machine, bool descending, bool in_place) {
    const std::size_t n = keys.size();
    std::vector<V> positions(with_values ? n : 0);
    if constexpr (with_values) {
      for (std::size_t i = 0; i < n; ++i) positions[i] = static_cast<V>(i);
    }
    const placed<K, device_space> in(keys, next.below(3));
    const placed<V, device_space> in_values(positions, next.below(3));
    const guarded<K, device_space> out(n, next.below(3));
    const guarded<V, device_space> out_values(positions.size(), next.below(3));
    const view<K, V> from{in.data(), in_values.data(), n};
    const view<K, V> to = in_place ? from : view<K, V>{out.data(), out_values.data(), n};
    const sort_problem problem{n,        sizeof(K), with_values ? sizeof(V) : 0, 0, 8 * sizeof(K), order::any,
                               in_place, limits};
    strategy::run<K, V>(gpu{}, strategy::decide(problem, machine), from, to, detail::order_of<K>(descending), {});
    must(cudaDeviceSynchronize());

    const std::vector<K> got = in_place ? in.read() : out.read();
    EXPECT_TRUE(same(wanted, got)) << to_string(detail::plan_of<strategy>(problem, machine));
    if (!in_place) {
      EXPECT_TRUE(same(keys, in.read())) << "in the input";
    }
    if constexpr (with_values) {
      std::vector<V> values = in_place ? in_values.read() : out_values.read();
      std::size_t strangers = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const bool right = values[i] < n && detail::raw_bits(keys[values[i]]) == detail::raw_bits(got[i]);
        strangers += right ? 0 : 1;
      }
      EXPECT_EQ(strangers, 0U) << "values that are not of their keys";
      std::sort(values.begin(), values.end());
      EXPECT_TRUE(same(positions, values)) << "each value once";
    }
  }
  static std::vector<K> sorted(const std::vector<K>& keys, bool descending) {
    std::vector<K> wanted(keys.size());
    reference::sort<K, no_value>({keys.data(), nullptr, keys.size()}, {wanted.data(), nullptr, keys.size()},
                                 {.descending = descending});
    return wanted;
  }

  random next{seed() + 77};
};

TYPED_TEST_SUITE_P(gpu_mpp_sort);

TYPED_TEST_P(gpu_mpp_sort, sorts_any_size_in_any_number_of_partitions) {
  for (const std::size_t n : {0U, 1U, 2U, 1000U, 10'000U, 100'003U, 1U << 20U}) {
    this->for_each_input(n, [&](const char* name, const auto& keys) {
      const bool descending = this->next.below(2) == 0;
      const auto wanted = this->sorted(keys, descending);
      for (const std::size_t partitions : {0U, 1U, 2U, 16U, 361U, 4096U}) {
        SCOPED_TRACE(std::string(name) + (descending ? ", descending" : ""));
        this->check(keys, wanted, {partitions}, detail::current_device(), descending, this->next.below(2) == 0);
      }
    });
  }
}

/// With little shared memory nearly every partition is partitioned again, and counters go in groups.
TYPED_TEST_P(gpu_mpp_sort, sorts_where_little_fits) {
  device small = detail::current_device();
  small.shared_per_block = 1500;
  for (const std::size_t n : {1000U, 10'000U, 100'003U}) {
    this->for_each_input(n, [&](const char* name, const auto& keys) {
      const auto wanted = this->sorted(keys, false);
      for (const std::size_t partitions : {0U, 1U, 2U, 16U, 361U, 4096U}) {
        SCOPED_TRACE(name);
        this->check(keys, wanted, {partitions}, small, false, this->next.below(2) == 0);
      }
    });
  }
}

/// Runs of any size that the network leaves to the merge, and any number of blocks, with much and little room.
TYPED_TEST_P(gpu_mpp_sort, sorts_by_runs_and_any_number_of_blocks) {
  device small = detail::current_device();
  small.shared_per_block = 1500;
  for (const std::size_t n : {1U, 2U, 1000U, 10'000U, 100'003U}) {
    this->for_each_input(n, [&](const char* name, const auto& keys) {
      const auto wanted = this->sorted(keys, false);
      for (const std::size_t run_items : {1U, 2U, 64U, 1024U, 1U << 20U}) {
        SCOPED_TRACE(std::string(name) + ", runs of " + std::to_string(run_items));
        const std::size_t blocks = this->next.below(20);
        this->check(keys, wanted, {16, blocks, run_items}, detail::current_device(), false, blocks % 2 == 0);
        this->check(keys, wanted, {0, blocks, run_items}, small, false, blocks % 2 == 1);
      }
      this->check(keys, wanted, {.partitions = 16, .blocks = 1}, detail::current_device(), false, false);
    });
  }
}

REGISTER_TYPED_TEST_SUITE_P(gpu_mpp_sort, sorts_any_size_in_any_number_of_partitions, sorts_where_little_fits,
                            sorts_by_runs_and_any_number_of_blocks);

using mpp_sorts =
    ::testing::Types<mpp_types<std::uint32_t, no_value>, mpp_types<std::uint64_t, no_value>, mpp_types<float, no_value>,
                     mpp_types<std::int16_t, std::uint32_t>, mpp_types<double, std::uint64_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(types, gpu_mpp_sort, mpp_sorts);

class gpu_mpp_calls : public gpu_test {
 protected:
  static std::vector<std::uint32_t> some_keys(std::uint64_t from, std::size_t n) {
    random next(from);
    return make_keys<std::uint32_t>(shape::uniform, n, next);
  }
  static std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> keys) {
    std::sort(keys.begin(), keys.end());
    return keys;
  }
};

TEST_F(gpu_mpp_calls, tells_of_each_kernel) {
  const std::vector<std::uint32_t> keys = some_keys(seed(), 10'000);
  const placed<std::uint32_t, device_space> there(keys);
  const view<std::uint32_t> all = items(there.data(), keys.size());
  using strategy = sort_strategies::mpp_sort;
  const sort_problem problem{keys.size(), sizeof(std::uint32_t), 0, 0, 32, order::any, true, {16}};
  std::vector<std::string> seen;
  strategy::run<std::uint32_t, no_value>(gpu{}, strategy::decide(problem, detail::current_device()), all, all,
                                         detail::order_of<std::uint32_t>(false), {},
                                         [&](std::string_view kernel) { seen.emplace_back(kernel); });
  must(cudaDeviceSynchronize());
  EXPECT_EQ(seen, (std::vector<std::string>{"begin", "find_range", "block_and_global_histogram", "scan_histogram",
                                            "scan_block_histograms", "partition", "sort_partitions"}));
  EXPECT_TRUE(same(sorted(keys), there.read()));
}

/// What is too large can be another's: the first round says where it lies, and leaves the rest in order.
TEST_F(gpu_mpp_calls, leaves_what_is_too_large_to_its_caller) {
  using strategy = sort_strategies::mpp_sort;
  const std::size_t n = 200'000;
  std::vector<std::uint32_t> keys = some_keys(seed() + 5, n);
  for (std::size_t i = 0; i < n / 2; ++i) keys[i] %= 1U << 20U;  // one partition has half of them
  const placed<std::uint32_t, device_space> in(keys);
  const guarded<std::uint32_t, device_space> out(n);
  const sort_problem problem{n, sizeof(std::uint32_t), 0, 0, 32, order::any, false, {64}};
  std::size_t left = 0;
  const auto sort_them = [&](const auto& round) {
    must(cudaDeviceSynchronize());
    sort_strategies::mpp_count count{};
    must(cudaMemcpy(&count, round.next_count, sizeof count, cudaMemcpyDeviceToHost));
    std::vector<sort_strategies::mpp_segment> segments(count.segments());
    must(cudaMemcpy(segments.data(), round.next_segments, segments.size() * sizeof(segments[0]),
                    cudaMemcpyDeviceToHost));
    for (const auto& s : segments) {
      std::vector<std::uint32_t> some(s.size);
      must(cudaMemcpy(some.data(), round.to.keys + s.begin, s.size * sizeof(some[0]), cudaMemcpyDeviceToHost));
      std::sort(some.begin(), some.end());
      must(cudaMemcpy(round.out.keys + s.begin, some.data(), s.size * sizeof(some[0]), cudaMemcpyHostToDevice));
      left += s.size;
    }
  };
  strategy::run<std::uint32_t, no_value>(gpu{}, strategy::decide(problem, detail::current_device()),
                                         items(static_cast<const std::uint32_t*>(in.data()), n), items(out.data(), n),
                                         detail::order_of<std::uint32_t>(false), {}, strategy::unwatched{}, sort_them);
  must(cudaDeviceSynchronize());
  EXPECT_GE(left, n / 2);
  EXPECT_LT(left, n);
  EXPECT_TRUE(same(sorted(keys), out.read()));
}

/// Nothing waits and nothing is read on the host, so that a graph can hold the call and sort other keys with it.
TEST_F(gpu_mpp_calls, replays_in_a_graph) {
  const std::size_t n = 300'000;
  const placed<std::uint32_t, device_space> in(some_keys(1, n));
  const guarded<std::uint32_t, device_space> out(n);
  const scoped_stream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  published::sort(gpu{.stream = stream}, items(in.data(), n), items(out.data(), n), {.strategy = "mpp_sort"});
  must(cudaStreamEndCapture(stream, &graph));
  must(cudaGraphInstantiate(&ready, graph, 0));
  for (const std::uint64_t from : {2U, 3U}) {
    std::vector<std::uint32_t> keys = some_keys(from, n);
    if (from == 3) std::fill(keys.begin() + 10, keys.end(), 17);  // one large partition
    device_space::copy(in.data(), keys.data(), n * sizeof(keys[0]));
    must(cudaDeviceSynchronize());
    must(cudaGraphLaunch(ready, stream));
    stream.wait();
    EXPECT_TRUE(same(sorted(keys), out.read())) << from;
  }
  must(cudaGraphExecDestroy(ready));
  must(cudaGraphDestroy(graph));
}

/// The report's failure: large inputs and many partitions.
TEST_F(gpu_mpp_calls, sorts_large_inputs_in_many_partitions) {
  const std::size_t n = (std::size_t{1} << 26U) + 12'345;
  const std::vector<std::uint32_t> keys = some_keys(4, n);
  const std::vector<std::uint32_t> wanted = sorted(keys);
  const placed<std::uint32_t, device_space> in(keys);
  const guarded<std::uint32_t, device_space> out(n);
  for (const std::size_t partitions : {std::size_t{0}, std::size_t{50'000}, std::size_t{1'000'000}}) {
    published::sort(gpu{}, items(in.data(), n), items(out.data(), n), {.strategy = "mpp_sort"}, {partitions});
    must(cudaDeviceSynchronize());
    EXPECT_TRUE(same(wanted, out.read())) << partitions << " partitions";
  }
}

}  // namespace peneira::test
