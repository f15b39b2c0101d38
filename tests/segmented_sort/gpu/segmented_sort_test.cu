// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// segmented_sort on a GPU: what reference::segmented_sort gives, bit by bit, of every type, shape of segments and of
// keys; sizes around those of tasks; offsets that are wrong; memory as planned; in graphs.
#include "peneira/segmented_sort.hpp"

#include "peneira/segmented_sort/reference.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/sort/inputs.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

template <class Key, class Value>
struct segment_combo {
  using key = Key;
  using value = Value;
};

template <class Combo>
class gpu_segmented_sort : public gpu_test {
 protected:
  using K = typename Combo::key;
  using V = typename Combo::value;
  static constexpr bool has_values = view<K, V>::has_values;
  random next_{seed()};

  static V value_at(std::size_t i) {
    if constexpr (is_block<V>) {
      return make_key<V>(mix64(i), i);
    } else {
      return static_cast<V>(i);
    }
  }
  static std::vector<V> values_from(std::size_t first, std::size_t n) {
    std::vector<V> values;
    if constexpr (has_values) {
      for (std::size_t i = 0; i < n; ++i) values.push_back(value_at(first + i));
    }
    return values;
  }
  static view<K, V> view_of(K* keys, V* values, std::size_t n) { return {keys, has_values ? values : nullptr, n}; }

  sort_shape any_shape() {
    return static_cast<sort_shape>(next_.below(static_cast<std::uint64_t>(last_sort_shape) + 1));
  }
  sort_options any_options() {
    sort_options options{.descending = next_.below(2) == 0};
    if (next_.below(4) == 0) {
      options.first_bit = static_cast<unsigned>(next_.below(8 * sizeof(K)));
      options.last_bit = options.first_bit + 1 + static_cast<unsigned>(next_.below(8 * sizeof(K) - options.first_bit));
    }
    return options;
  }

  /// Any strategy that takes the problem, of which "" is the automatic choice.
  std::string_view any_strategy(std::size_t n, std::size_t count, const sort_options& options) {
    segmented_sort_problem problem{n, count, sizeof(K), has_values ? sizeof(V) : 0};
    problem.first_bit = options.first_bit;
    problem.last_bit = options.last_bit == 0 ? 8 * sizeof(K) : options.last_bit;
    const auto strategy = next_.pick(std::array<std::string_view, 4>{"", "enumeration", "tasks", "tasks"});
    bool takes = true;
    if (!strategy.empty()) {
      segmented_sort_gpu_strategies::with("segmented_sort", strategy, [&](auto chosen) {
        takes = chosen.refuses(problem, detail::current_device()).empty();
      });
    }
    return takes ? strategy : "";
  }

  /// Sorts keys in segments, which `given` says on the device, and compares all that there is afterwards.
  template <class Segments, class Given>
  void compare(const std::vector<K>& keys, const Segments& segments, std::size_t count, const Given& given,
               sort_options options, bool in_place) {
    options.strategy = any_strategy(keys.size(), count, options);
    SCOPED_TRACE(std::string(options.strategy) + ": " + std::to_string(keys.size()) + " items, " +
                 std::to_string(count) + " segments" + (options.descending ? ", descending" : "") +
                 (in_place ? ", in place" : "") + ", bits " + std::to_string(options.first_bit) + " to " +
                 std::to_string(options.last_bit));
    const std::size_t n = keys.size();
    const std::vector<V> values = values_from(0, n);
    std::vector<K> wanted = in_place ? keys : make_sort_keys<K>(sort_shape::uniform, n, next_);
    std::vector<V> moved = in_place ? values : values_from(n, n);
    const placed<K, device_space> in(keys, next_.below(4));
    const placed<V, device_space> beside(values, next_.below(4));
    const guarded<K, device_space> out(n, next_.below(4));
    const guarded<V, device_space> out_values(values.size(), next_.below(4));
    device_space::copy(out.data(), wanted.data(), n * sizeof(K));
    device_space::copy(out_values.data(), moved.data(), moved.size() * sizeof(V));
    const view<K, V> to = view_of(out.data(), out_values.data(), n);
    if (in_place) {
      segmented_sort(gpu{}, to, given, options);
    } else {
      const view<const K, const V> from = view_of(in.data(), beside.data(), n);
      segmented_sort(gpu{}, from, given, to, options);
    }
    reference::segmented_sort<K, V>({keys.data(), has_values ? values.data() : nullptr, n}, segments, count,
                                    view_of(wanted.data(), moved.data(), n), options);
    EXPECT_TRUE(same(wanted, out.read())) << "in the keys";
    if constexpr (has_values) {
      EXPECT_TRUE(same(moved, out_values.read())) << "in the values";
    }
  }

  template <class Offset = std::uint32_t>
  void check(const std::vector<std::uint64_t>& bounds, sort_shape shape, const sort_options& options) {
    const std::vector<Offset> offsets(bounds.begin(), bounds.end());
    const placed<Offset, device_space> there(offsets);
    const std::size_t n = bounds.back() + next_.below(9);
    compare(make_sort_keys<K>(shape, n, next_), detail::offset_segments<Offset>{offsets.data()}, offsets.size() - 1,
            items(there.data(), offsets.size()), options, next_.below(2) == 0);
  }
};
TYPED_TEST_SUITE_P(gpu_segmented_sort);

TYPED_TEST_P(gpu_segmented_sort, segments_of_every_shape) {
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {1, 30, 200, 3000, 15000}) {
      if (this->under_checker() && this->next_.below(3) != 0) continue;
      SCOPED_TRACE(std::string(to_string(shape)) + ", about " + std::to_string(size));
      const std::size_t items = this->under_checker() ? 20000 : 100000;
      const auto bounds = make_segments(shape, items, size, this->next_.below(9), this->next_);
      this->check(bounds, this->any_shape(), this->any_options());
    }
  }
}

/// Every shape of keys in segments of one packed task, of several, of a large task and of levels.
TYPED_TEST_P(gpu_segmented_sort, keys_of_every_shape) {
  for (int s = 0; s <= static_cast<int>(last_sort_shape); ++s) {
    for (const std::size_t size : {20, 1000, 4000, 9000, 40000}) {
      SCOPED_TRACE("keys " + std::to_string(s) + " in segments of about " + std::to_string(size));
      const auto bounds = make_segments(segment_shape::nearly_equal, 45000, size, 0, this->next_);
      this->check(bounds, static_cast<sort_shape>(s), {.descending = this->next_.below(2) == 0});
    }
  }
}

TYPED_TEST_P(gpu_segmented_sort, sizes_around_those_of_tasks) {
  const std::size_t packed = detail::packed_size;
  for (const std::size_t at : {packed / 2, packed, std::size_t{4608}, std::size_t{8192}, std::size_t{12288}}) {
    std::vector<std::uint64_t> bounds{3};
    for (int k = 0; k < 12; ++k) {
      bounds.push_back(bounds.back() + at - 1 + this->next_.below(3));
      if (this->next_.below(3) == 0) bounds.push_back(bounds.back() + this->next_.below(2));
    }
    this->check(bounds, this->any_shape(), this->any_options());
    this->check({0, at}, sort_shape::uniform, {});
    this->check({0, at + 1}, sort_shape::uniform, {});
  }
  this->check({7, 7}, sort_shape::uniform, {});
}

/// Sizes of a segment up to which so many lanes of a warp sort it.
constexpr std::array<std::uint64_t, 9> sizes_of_lanes{1, 2, 4, 8, 16, 32, 64, 128, detail::short_segment};

TYPED_TEST_P(gpu_segmented_sort, sizes_around_those_of_lanes) {
  for (const std::uint64_t size : sizes_of_lanes) {
    std::vector<std::uint64_t> bounds{this->next_.below(5)};
    while (bounds.back() < 20000) bounds.push_back(bounds.back() + size - 1 + this->next_.below(3));
    this->check(bounds, this->any_shape(), this->any_options());
  }
}

/// Keys of every shape in segments of all sizes that lanes take, in tasks of their own, and where some are too long.
TYPED_TEST_P(gpu_segmented_sort, mixtures_of_short_segments) {
  for (int s = 0; s <= static_cast<int>(last_sort_shape); ++s) {
    if (this->under_checker() && this->next_.below(3) != 0) continue;
    SCOPED_TRACE("keys " + std::to_string(s));
    for (const std::uint64_t one_in : {0U, 20U, 500U}) {
      std::vector<std::uint64_t> bounds{this->next_.below(5)};
      while (bounds.back() < 40000) {
        std::uint64_t size = this->next_.below(this->next_.pick(sizes_of_lanes) + 1);
        if (one_in != 0 && this->next_.below(one_in) == 0) size = this->next_.below(2 * detail::packed_size);
        bounds.push_back(bounds.back() + size);
      }
      this->check(bounds, static_cast<sort_shape>(s), {.descending = this->next_.below(2) == 0});
    }
  }
}

/// A block that packs has no items, one, or as many as a task or two have room for.
TYPED_TEST_P(gpu_segmented_sort, borders_of_short_tasks) {
  const std::uint64_t packed = detail::packed_size;
  for (const std::uint64_t items : {std::uint64_t{1}, packed - detail::short_segment, packed, 2 * packed}) {
    for (const std::uint64_t size : {1, 3, 255, 256, 257}) {
      std::vector<std::uint64_t> bounds{0};
      const std::uint64_t end = items - 1 + this->next_.below(3);
      while (bounds.back() < end) bounds.push_back(std::min(end, bounds.back() + size));
      bounds.insert(bounds.begin() + static_cast<std::ptrdiff_t>(bounds.size() / 2), this->next_.below(5000),
                    bounds[bounds.size() / 2]);
      this->check(bounds, this->any_shape(), {});
    }
  }
}

TYPED_TEST_P(gpu_segmented_sort, every_size) {
  for (const std::size_t size : {1, 2, 31, 129, 256, 257, 4096, 4097, 13000}) {
    const std::size_t n = this->next_.below(2) == 0 ? 50021 : this->next_.below(3 * size);
    const detail::even_segments segments{size, n};
    this->compare(make_sort_keys<typename TypeParam::key>(this->any_shape(), n, this->next_), segments,
                  segments.count(), every{size}, this->any_options(), this->next_.below(2) == 0);
  }
}

REGISTER_TYPED_TEST_SUITE_P(gpu_segmented_sort, segments_of_every_shape, keys_of_every_shape,
                            sizes_around_those_of_tasks, sizes_around_those_of_lanes, mixtures_of_short_segments,
                            borders_of_short_tasks, every_size);

using segment_combos = ::testing::Types<segment_combo<std::uint32_t, no_value>, segment_combo<double, std::uint32_t>,
                                        segment_combo<std::uint8_t, no_value>, segment_combo<std::int16_t, bytes16>,
                                        segment_combo<float, std::uint32_t>, segment_combo<std::int64_t, no_value>,
                                        segment_combo<std::uint64_t, bytes16>>;
INSTANTIATE_TYPED_TEST_SUITE_P(of, gpu_segmented_sort, segment_combos);

using gpu_segmented_words = gpu_segmented_sort<segment_combo<std::uint32_t, no_value>>;

/// Many segments, so that each packs as many as it can, and giants that take several levels.
TEST_F(gpu_segmented_words, millions) {
  if (under_checker()) GTEST_SKIP() << "as of others, but for the number of keys";
  for (const segment_shape shape : {segment_shape::equal, segment_shape::exponential, segment_shape::giant_among_tiny,
                                    segment_shape::mixed_with_empty, segment_shape::power_law}) {
    SCOPED_TRACE(to_string(shape));
    check(make_segments(shape, 5000000, 4, 5, next_), sort_shape::uniform, {});
  }
  check<std::uint64_t>(make_segments(segment_shape::two_huge, 9000000, 1, 1, next_), sort_shape::uniform, {});
  check<std::int32_t>(make_segments(segment_shape::two_huge, 3000000, 1, 1, next_), sort_shape::zipf, {});
}

TEST_F(gpu_segmented_words, offsets_that_are_wrong_write_nothing) {
  const auto keys = make_sort_keys<std::uint32_t>(sort_shape::uniform, 50000, next_);
  const placed<std::uint32_t, device_space> in(keys);
  const auto expect_untouched = [&](std::size_t n, const std::vector<std::int64_t>& offsets,
                                    const sort_options& options) {
    const placed<std::int64_t, device_space> there(offsets);
    const std::vector<std::uint32_t> before(n, 77);
    const guarded<std::uint32_t, device_space> out(n);
    device_space::copy(out.data(), before.data(), before.size() * sizeof(std::uint32_t));
    segmented_sort(gpu{}, items(in.data(), n), items(there.data(), offsets.size()), items(out.data(), n), options);
    EXPECT_TRUE(same(before, out.read())) << options.strategy;
  };
  const auto expect_unsorted = [&](const std::vector<std::int64_t>& offsets) {
    for (const unsigned last_bit : {0U, 9U}) expect_untouched(keys.size(), offsets, {.last_bit = last_bit});
    expect_untouched(keys.size(), offsets, {.strategy = "tasks"});
  };
  for (const std::string_view strategy : {"enumeration", "tasks"}) {
    expect_untouched(4000, {0, 500, 300, 1000}, {.strategy = strategy});
    expect_untouched(4000, {0, 2000, 4001}, {.strategy = strategy});
    expect_untouched(4000, {20, -1, 40}, {.strategy = strategy});
    expect_untouched(1, {0, 2}, {.strategy = strategy});
  }
  expect_unsorted({0, 500, 300, 1000});
  expect_unsorted({0, 20000, 50001});
  expect_unsorted({-1, 20});
  expect_unsorted({20, -1, 40});
  std::vector<std::int64_t> again;  // all items, again and again
  for (int k = 0; k < 9000; ++k) again.push_back(k % 2 == 0 ? 0 : 50000);
  expect_unsorted(again);
  for (auto& x : again) x = static_cast<std::int64_t>(next_.below(50001));
  expect_unsorted(again);
}

TEST_F(gpu_segmented_words, positions) {
  for (const sort_shape shape : {sort_shape::uniform, sort_shape::zipf}) {
    const auto bounds = make_segments(segment_shape::mixed_with_empty, 100000, 300, 7, next_);
    const std::size_t n = bounds.back() + 5;
    const auto keys = make_sort_keys<std::uint32_t>(shape, n, next_);
    std::vector<std::uint64_t> wanted(n, 99);
    for (std::size_t s = 0; s + 1 < bounds.size(); ++s) {
      const auto from = reference::argsort(keys.data() + bounds[s], bounds[s + 1] - bounds[s], {.descending = true});
      for (std::size_t i = 0; i < from.size(); ++i) wanted[bounds[s] + i] = bounds[s] + from[i];
    }
    const placed<std::uint32_t, device_space> in(keys);
    const placed<std::uint64_t, device_space> offsets(bounds);
    const guarded<std::uint64_t, device_space> out(n);
    const std::vector<std::uint64_t> before(n, 99);
    device_space::copy(out.data(), before.data(), n * sizeof(std::uint64_t));
    segmented_argsort(gpu{}, items(in.data(), n), items(offsets.data(), bounds.size()), items(out.data(), n),
                      {.descending = true});
    EXPECT_TRUE(same(wanted, out.read()));
  }
}

TEST_F(gpu_segmented_words, takes_the_memory_that_it_states_and_goes_into_graphs) {
  const scoped_stream s;
  for (const sort_options& options : {sort_options{}, sort_options{.descending = true, .last_bit = 11}}) {
    const auto bounds = make_segments(segment_shape::two_sizes, 400000, 900, 3, next_);
    const std::size_t n = bounds.back() + 5;
    const auto keys = make_sort_keys<std::uint32_t>(sort_shape::uniform, n, next_);
    std::vector<std::uint32_t> wanted(n, 7);
    reference::segmented_sort<std::uint32_t, no_value>({keys.data(), nullptr, n},
                                                       detail::offset_segments<std::uint64_t>{bounds.data()},
                                                       bounds.size() - 1, {wanted.data(), nullptr, n}, options);
    const placed<std::uint32_t, device_space> in(keys);
    const placed<std::uint64_t, device_space> offsets(bounds);
    const guarded<std::uint32_t, device_space> out(n);
    const std::vector<std::uint32_t> before(n, 7);
    const auto call = [&](auto&& on) {
      segmented_sort(on, items(in.data(), n), items(offsets.data(), bounds.size()), items(out.data(), n), options);
    };
    const plan made = explain(call, detail::current_device());
    const placed<unsigned char, device_space> buffer(std::vector<unsigned char>(made.temporary_bytes + 1, 0xEE));
    arena mine(buffer.data(), made.temporary_bytes);
    device_space::copy(out.data(), before.data(), n * sizeof(std::uint32_t));
    call(gpu{.memory = &mine});
    EXPECT_EQ(mine.high_water(), made.temporary_bytes) << to_string(made);
    EXPECT_TRUE(same(wanted, out.read()));
    const captured_call captured(s, call);
    for (int turn = 0; turn < 2; ++turn) {
      device_space::copy(out.data(), before.data(), n * sizeof(std::uint32_t));
      captured.replay();
      EXPECT_TRUE(same(wanted, out.read()));
    }
  }
}

}  // namespace peneira::test
