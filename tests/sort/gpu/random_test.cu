// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts of random configurations too large for the reference, made and checked on the device: an input is a function of
// its seed and the position, so that an output can be held against it even where it has replaced it.
//
// By default 20 configurations of 2^20 to 2^26 items; PENEIRA_HUGE=1 in the environment: 100 of up to 2^30 items, and
// more keys than 32 bits can count. PENEIRA_SEED repeats a run.
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/sort/gpu/calls.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {
namespace {

enum class made_shape {
  uniform,
  and3,
  and5,
  equal,
  sorted,
  reversed,
  zipf,
  few,
  low_bits,
  high_bits,
  organ,
  huge_bin,
  turns
};
constexpr unsigned made_shapes = 13;

/// Keys as a pure function of the position.
struct made_keys {
  made_shape shape;
  std::uint64_t seed;
  std::uint64_t items;
  unsigned width;  ///< bits of a key

  PENEIRA_HD std::uint64_t draw(std::uint64_t i, std::uint64_t k) const {
    return mix64(mix64(seed + k) + i * 0x9E3779B97F4A7C15U);
  }
  /// The bits of key i.
  PENEIRA_HD std::uint64_t operator()(std::uint64_t i) const { return rank(i) >> (64 - width); }

 private:
  PENEIRA_HD std::uint64_t rank(std::uint64_t i) const {
    const std::uint64_t step = ~std::uint64_t{0} / items;
    const std::uint64_t random = draw(i, 0);
    switch (shape) {
      case made_shape::uniform:
        return random;
      case made_shape::and3:
        return random & draw(i, 1) & draw(i, 2);
      case made_shape::and5:
        return random & draw(i, 1) & draw(i, 2) & draw(i, 3) & draw(i, 4);
      case made_shape::equal:
        return draw(0, 1);
      case made_shape::sorted:
        return i * step;
      case made_shape::reversed:
        return (items - 1 - i) * step;
      case made_shape::zipf:  // numbers of every length equally often
        return draw(random >> 11U >> draw(i, 1) % 53U, 2);
      case made_shape::few:
        return draw(random % 100, 1);
      case made_shape::low_bits:
        return (draw(0, 1) >> (64 - width) >> 8U << 8U | random >> 56U) << (64 - width);
      case made_shape::high_bits:
        return random >> 56U << 56U | draw(0, 1) >> 8U;
      case made_shape::organ:
        return (i < items / 2 ? i : items - 1 - i) * step * 2;
      case made_shape::huge_bin:
        return random % 1000 == 0 ? draw(i, 1) : draw(0, 1) >> 48U << 48U | draw(i, 1) >> 16U;
      case made_shape::turns:  // 256 top digits in turn, each as often as the others
        return i << 56U | random >> 8U;
    }
    return 0;
  }
};

constexpr unsigned made_blocks = 4096;
constexpr unsigned made_threads = 256;

template <class F>
__device__ void for_each_item(std::uint64_t items, F&& f) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < items; i += stride) f(i);
}

template <class U, class V>
__global__ void make_items(made_keys keys, view<U, V> out) {
  for_each_item(out.size, [&](std::uint64_t i) {
    out.keys[i] = static_cast<U>(keys(i));
    if constexpr (view<U, V>::has_values) out.values[i] = static_cast<V>(i);
  });
}

/// By how much an output's items miss those of the input, as sums of hashes, and how many are wrong where they stand.
struct misses {
  unsigned long long keys;
  unsigned long long positions;
  unsigned long long wrong;
};

template <class U, class V>
__global__ void inspect_items(made_keys keys, view<const U, const V> out, detail::key_order<U> by, bool stable,
                              misses* found) {
  misses mine{};
  for_each_item(out.size, [&](std::uint64_t i) {
    const U key = out.keys[i];
    mine.keys += mix64(key) - mix64(static_cast<U>(keys(i)));
    bool right = i == 0 || by(out.keys[i - 1]) <= by(key);
    if constexpr (view<U, V>::has_values) {
      const std::uint64_t from = out.values[i];
      right = right && from < out.size && static_cast<U>(keys(from)) == key;
      if (stable && i != 0 && out.keys[i - 1] == key) right = right && out.values[i - 1] < out.values[i];
      mine.positions += mix64(from) - mix64(i);
    }
    if (!right) ++mine.wrong;
  });
  if (mine.keys != 0) atomicAdd(&found->keys, mine.keys);
  if (mine.positions != 0) atomicAdd(&found->positions, mine.positions);
  if (mine.wrong != 0) atomicAdd(&found->wrong, mine.wrong);
}

/// Device memory for some items.
template <class T>
class device_items {
 public:
  explicit device_items(std::size_t n) : data_(static_cast<T*>(device_space::allocate(n * sizeof(T)))) {}
  device_items(const device_items&) = delete;
  device_items& operator=(const device_items&) = delete;
  ~device_items() { device_space::deallocate(data_); }
  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_;
};

struct made_sort {
  made_keys keys;
  bool descending;
  bool in_place;
  order equal_keys;
};

/// Every strategy on one configuration. Types of one size share the kernels that make and check their items.
template <class K, class V>
void expect_sorted(const made_sort& what) {
  using U = detail::bits_of<K>;
  constexpr bool has_values = view<K, V>::has_values;
  const std::size_t n = what.keys.items;
  const std::size_t others = what.in_place ? 0 : n;
  const device_items<K> keys(n);
  const device_items<V> values(has_values ? n : 0);
  const device_items<K> in_keys(others);
  const device_items<V> in_values(has_values ? others : 0);
  const view<K, V> out{keys.data(), has_values ? values.data() : nullptr, n};
  const view<K, V> in = what.in_place ? out : view<K, V>{in_keys.data(), has_values ? in_values.data() : nullptr, n};
  const auto raw = [](const view<K, V>& items) {
    return view<U, V>{reinterpret_cast<U*>(items.keys), items.values, items.size};
  };
  const sort_problem problem{n,
                             sizeof(K),
                             has_values ? sizeof(V) : 0,
                             0,
                             8 * sizeof(K),
                             has_values ? what.equal_keys : order::any,
                             what.in_place};
  sort_gpu_strategies::for_each([&](auto strategy) {
    if (!strategy.refuses(problem, detail::current_device()).empty()) return;
    SCOPED_TRACE(strategy.name);
    if (!what.in_place) {
      must(cudaMemset(out.keys, 0xEE, n * sizeof(K)));
      if (has_values) must(cudaMemset(out.values, 0xEE, n * sizeof(V)));
    }
    make_items<U, V><<<made_blocks, made_threads>>>(what.keys, raw(in));
    must(cudaGetLastError());
    call_sort<K, V>(gpu{}, in, out,
                    {.descending = what.descending, .equal_keys = what.equal_keys, .strategy = strategy.name});
    const placed<misses, device_space> found(std::vector<misses>(1));
    inspect_items<U, V><<<made_blocks, made_threads>>>(what.keys, raw(out), detail::order_of<K>(what.descending),
                                                       what.equal_keys == order::stable, found.data());
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    const misses missed = found.read()[0];
    EXPECT_EQ(missed.wrong, 0U) << "items are wrong where they stand";
    EXPECT_EQ(missed.keys, 0U) << "other keys than those of the input";
    EXPECT_EQ(missed.positions, 0U) << "other values than those of the input";
  });
}

bool huge() {
  const char* const asked = std::getenv("PENEIRA_HUGE");
  return asked != nullptr && std::string_view(asked) == "1";
}

/// A kind of items that the configurations choose from.
struct kind {
  const char* name;
  std::size_t key_bytes;
  std::size_t value_bytes;
  void (*expect)(const made_sort&);
};
constexpr std::array kinds{kind{"u8", 1, 0, expect_sorted<std::uint8_t, no_value>},
                           kind{"i16", 2, 0, expect_sorted<std::int16_t, no_value>},
                           kind{"u32", 4, 0, expect_sorted<std::uint32_t, no_value>},
                           kind{"f32", 4, 0, expect_sorted<float, no_value>},
                           kind{"i64", 8, 0, expect_sorted<std::int64_t, no_value>},
                           kind{"f64", 8, 0, expect_sorted<double, no_value>},
                           kind{"u32+u32", 4, 4, expect_sorted<std::uint32_t, std::uint32_t>},
                           kind{"f32+u32", 4, 4, expect_sorted<float, std::uint32_t>},
                           kind{"u64+u64", 8, 8, expect_sorted<std::uint64_t, std::uint64_t>},
                           kind{"f64+u64", 8, 8, expect_sorted<double, std::uint64_t>}};

/// Of the device, with what the pool keeps given back.
std::size_t free_bytes() {
  pool::shared().trim();
  std::size_t free = 0;
  std::size_t all = 0;
  must(cudaMemGetInfo(&free, &all));
  return free;
}

class gpu_sort_random : public gpu_test {};

TEST_F(gpu_sort_random, configurations_are_sorted) {
  random next(seed());
  const int configurations = huge() ? 100 : 20;
  const double most_bits = huge() ? 30 : 26;
  for (int c = 0; c < configurations; ++c) {
    const kind& of = kinds[next.below(kinds.size())];
    auto n = static_cast<std::uint64_t>(std::exp2(20 + next.unit() * (most_bits - 20)));
    while (n * (of.key_bytes + of.value_bytes) * 13 / 4 > free_bytes()) n /= 2;  // in, out, between and a little
    const made_sort what{
        {static_cast<made_shape>(next.below(made_shapes)), next(), n, static_cast<unsigned>(8 * of.key_bytes)},
        next.below(2) == 0,
        next.below(2) == 0,
        next.below(2) == 0 ? order::any : order::stable};
    const std::string name = std::string(of.name) + ", " + std::to_string(n) + " items, shape " +
                             std::to_string(static_cast<int>(what.keys.shape)) + ", seed " +
                             std::to_string(what.keys.seed) + (what.descending ? ", descending" : "") +
                             (what.in_place ? ", in place" : "") +
                             (what.equal_keys == order::any ? ", any order" : ", stable");
    SCOPED_TRACE("configuration " + std::to_string(c) + " of PENEIRA_SEED=" + std::to_string(seed()) + ": " + name);
    of.expect(what);
  }
}

/// Segments of a level of one size that no alignment divides: their ends, which no whole tile holds, come to more than
/// a tile.
TEST_F(gpu_sort_random, segments_of_odd_sizes) {
  for (const std::uint64_t size : {272385U, 272387U, 544769U}) {
    SCOPED_TRACE("segments of " + std::to_string(size));
    expect_sorted<std::uint32_t, no_value>({{made_shape::turns, seed(), 256 * size, 32}, false, false, order::any});
  }
}

/// More than passes split at a time: two portions and a little, of which the last has fewer tiles.
TEST_F(gpu_sort_random, portions_of_a_pass) {
  const std::uint64_t n = 2 * tuning::pass_portion + 12345;
  if (n * 2 * 13 / 4 > free_bytes()) GTEST_SKIP() << "needs " << n * 2 * 13 / 4 << " bytes of free device memory";
  expect_sorted<std::uint8_t, no_value>({{made_shape::uniform, seed(), n, 8}, false, false, order::any});
  expect_sorted<std::int16_t, no_value>({{made_shape::and3, seed(), n, 16}, true, true, order::any});
}

TEST_F(gpu_sort_random, more_than_32_bits_of_keys) {
  const std::uint64_t n = (std::uint64_t{1} << 32U) + 12345;
  if (!huge()) GTEST_SKIP() << "takes 13 GB of device memory and is asked for by PENEIRA_HUGE=1";
  if (n * 13 / 4 > free_bytes()) GTEST_SKIP() << "needs " << n * 13 / 4 << " bytes of free device memory";
  for (const made_shape shape : {made_shape::uniform, made_shape::and5, made_shape::equal, made_shape::reversed}) {
    for (const bool in_place : {false, true}) {
      SCOPED_TRACE("shape " + std::to_string(static_cast<int>(shape)) + (in_place ? ", in place" : ""));
      expect_sorted<std::uint8_t, no_value>({{shape, seed(), n, 8}, in_place, in_place, order::any});
    }
  }
}

}  // namespace
}  // namespace peneira::test
