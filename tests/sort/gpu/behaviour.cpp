// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How sort behaves on a GPU beyond its answer: streams, graphs, memory, arguments; and argsort.
#include "tests/sort/gpu/support.hpp"

namespace peneira::test {

using u32 = std::uint32_t;
using sorted_pairs = device_sort<u32, u32>;

sorted_pairs some_pairs(std::size_t n, std::uint64_t from, sort_shape s = sort_shape::zipf) {
  random next(from);
  return {make_sort_keys<u32>(s, n, next), {}, next};
}

/// Calls work(call, prepare, expect, plan) for every strategy, in both orders of equal keys, in place and not: call(on)
/// makes the call, prepare() makes ready for one, expect() checks it.
template <class Work>
void for_each_call(const sorted_pairs& items, Work&& work) {
  for (const bool in_place : {false, true}) {
    for (const order equal_keys : {order::stable, order::any}) {
      sort_gpu_strategies::for_each([&](auto strategy) {
        if (!strategy.refuses(items.problem(equal_keys, in_place), detail::current_device()).empty()) return;
        SCOPED_TRACE(strategy.name);
        SCOPED_TRACE(in_place ? "in place" : "to another array");
        SCOPED_TRACE(equal_keys == order::any ? "any order" : "stable");
        work([&](const gpu& on) { items.call(on, strategy.name, equal_keys, in_place); },
             [&] { items.prepare(in_place); }, [&] { items.expect_right(equal_keys); },
             items.explained(strategy.name, equal_keys, in_place));
      });
    }
  }
}

class gpu_sort : public gpu_test {};

TEST_F(gpu_sort, runs_on_a_stream_of_the_callers) {
  const scoped_stream s;
  for (const std::size_t n : {100U, 30000U, 2000000U}) {
    const sorted_pairs items = some_pairs(n, 1);
    for_each_call(items, [&](auto&& call, auto&& prepare, auto&& expect, const plan& /*made*/) {
      prepare();
      call(gpu{.stream = s});
      s.wait();
      expect();
    });
  }
}

TEST_F(gpu_sort, runs_on_two_streams_at_once) {
  const scoped_stream first;
  const scoped_stream second;
  const sorted_pairs a = some_pairs(3000000, 1);
  const sorted_pairs b = some_pairs(1000000, 2, sort_shape::uniform);
  a.prepare(false);
  b.prepare(false);
  for (int round = 0; round < 20; ++round) {
    a.call(gpu{.stream = first}, {}, round % 2 == 0 ? order::any : order::stable);
    b.call(gpu{.stream = second}, {}, round % 2 == 0 ? order::any : order::stable);
  }
  first.wait();
  second.wait();
  a.expect_right();
  b.expect_right();
}

/// Replayed in the same memory, on keys of other shapes: nothing of the first run is in the graph.
TEST_F(gpu_sort, replays_captured_calls) {
  const scoped_stream s;
  for (const std::size_t n : {1000U, 30000U, 1000000U}) {
    random next(seed());
    sorted_pairs items = some_pairs(n, 3, sort_shape::equal);
    for_each_call(items, [&](auto&& call, auto&& prepare, auto&& expect, const plan& /*made*/) {
      const captured_call graph(s, call);
      for (const sort_shape shape : {sort_shape::uniform, sort_shape::uniform, sort_shape::equal, sort_shape::halves}) {
        items.refill(make_sort_keys<u32>(shape, n, next));
        prepare();
        graph.replay();
        expect();
      }
    });
  }
}

/// Replays in flight, one behind the other, with nothing between them.
TEST_F(gpu_sort, replays_back_to_back) {
  const scoped_stream s;
  const sorted_pairs items = some_pairs(1000000, 4);
  items.prepare(false);
  const captured_call graph(s, [&](const gpu& on) { items.call(on); });
  for (int k = 0; k < 50; ++k) graph.launch();
  s.wait();
  items.expect_right();
}

/// Segments that go on through every level, each time with a key below and a key above what goes on: more tasks than
/// any other keys make.
TEST_F(gpu_sort, has_room_for_the_most_tasks) {
  using u64 = std::uint64_t;
  constexpr unsigned segments = 500;
  constexpr unsigned levels = 9;  // of 6 bits, below the 10 that tell the segments apart
  std::vector<u64> keys(8388 * segments);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const u64 level = i / segments / 2;
    u64 key = i % segments * 2;
    for (unsigned l = 0; l < levels; ++l) key = key << 6U | (l == level ? i / segments % 2 * 63 : 32);
    keys[i] = key;
  }
  random next(seed());
  const device_sort<u64> items(std::move(keys), {}, next);
  items.prepare(false);
  items.call(gpu{}, "msd");
  must(cudaDeviceSynchronize());
  items.expect_right();
}

TEST_F(gpu_sort, takes_no_more_than_the_planned_bytes) {
  for (const std::size_t n : {1U, 100U, 30000U, 1000000U}) {
    const sorted_pairs items = some_pairs(n, 5);
    for_each_call(items, [&](auto&& call, auto&& prepare, auto&& expect, const plan& made) {
      const placed<std::byte, device_space> buffer(std::vector<std::byte>(made.temporary_bytes));
      arena exact(buffer.data(), made.temporary_bytes);
      prepare();
      call(gpu{.memory = &exact});
      must(cudaDeviceSynchronize());
      expect();
      EXPECT_EQ(exact.high_water(), made.temporary_bytes);
      if (made.temporary_bytes == 0) return;

      arena short_of_one(buffer.data(), made.temporary_bytes - 1);
      prepare();
      EXPECT_THROW(call(gpu{.memory = &short_of_one}), std::bad_alloc);
      call(gpu{.memory = &exact});
      must(cudaDeviceSynchronize());
      expect();
    });
  }
}

/// Whatever the temporary memory held before: all ones, noise, what other sorts left. What lies behind it stays.
TEST_F(gpu_sort, does_not_mind_what_its_memory_held) {
  random next(seed());
  sorted_pairs items = some_pairs(400000, 6);
  constexpr std::size_t bytes = std::size_t{8} << 20U;
  const guarded<std::byte, device_space> buffer(bytes);
  must(cudaMemset(buffer.data(), 0xFF, bytes));
  for (const sort_shape shape : {sort_shape::uniform, sort_shape::equal, sort_shape::sparse, sort_shape::halves}) {
    items.refill(make_sort_keys<u32>(shape, 400000, next));
    for_each_call(items, [&](auto&& call, auto&& prepare, auto&& expect, const plan& made) {
      ASSERT_LE(made.temporary_bytes + memory_alignment, bytes);
      arena stale(buffer.data(), bytes);
      for (const bool noisy : {false, true}) {
        if (noisy) {
          std::vector<std::uint64_t> noise(bytes / sizeof(std::uint64_t));
          for (std::uint64_t& w : noise) w = next();
          device_space::copy(buffer.data(), noise.data(), bytes);
        }
        prepare();
        call(gpu{.memory = &stale});
        must(cudaDeviceSynchronize());
        expect();
      }
    });
  }
  static_cast<void>(buffer.read());
}

TEST_F(gpu_sort, out_of_device_memory_is_a_bad_alloc_and_the_next_call_works) {
  const sorted_pairs items = some_pairs(1000000, 7);
  for_each_call(items, [&](auto&& call, auto&& prepare, auto&& expect, const plan& /*made*/) {
    prepare();
    counted_pool memory;
    EXPECT_THROW(call(gpu{.memory = &memory}), std::bad_alloc);
    EXPECT_EQ(memory.outstanding, 0);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    memory.left = 100;
    call(gpu{.memory = &memory});
    EXPECT_EQ(memory.outstanding, 0);
    must(cudaDeviceSynchronize());
    expect();
  });
  EXPECT_NO_THROW(pool::shared().trim());
}

TEST_F(gpu_sort, takes_nothing_for_nothing) {
  const view<u32, u32> none{};
  EXPECT_NO_THROW((call_sort<u32, u32>(gpu{}, none, none, {})));
  EXPECT_NO_THROW((call_argsort<u32, u32>(gpu{}, {}, {}, {})));
  must(cudaDeviceSynchronize());
}

/// The positions that the reference finds, with the planned memory and no more; the keys stay.
template <class K, class P>
void expect_argsort(sort_shape shape, std::size_t n, bool descending) {
  SCOPED_TRACE(std::to_string(n) + " keys, shape " + std::to_string(static_cast<int>(shape)));
  random next(seed() + n);
  const std::vector<K> keys = make_sort_keys<K>(shape, n, next);
  const sort_options options{.descending = descending};
  const std::vector<std::size_t> from = reference::argsort(keys.data(), n, options);
  const placed<K, device_space> in(keys, next.below(3));
  const guarded<P, device_space> got(n, next.below(3));
  const view<const K> in_view{in.data(), nullptr, n};
  const view<P> out_view{got.data(), nullptr, n};
  const plan made = explain([&](auto& on) { argsort(on, in_view, out_view, options); }, detail::current_device());
  const placed<std::byte, device_space> buffer(std::vector<std::byte>(made.temporary_bytes));
  arena exact(buffer.data(), made.temporary_bytes);
  ASSERT_NO_THROW((call_argsort<K, P>(gpu{.memory = &exact}, in_view, out_view, options)));
  must(cudaDeviceSynchronize());
  EXPECT_EQ(exact.high_water(), made.temporary_bytes);
  EXPECT_TRUE(same(std::vector<P>(from.begin(), from.end()), got.read()));
  EXPECT_TRUE(same(keys, in.read())) << "in the keys";
}

TEST_F(gpu_sort, argsort_finds_the_positions_of_the_reference) {
  for (const std::size_t n : {0U, 1U, 2U, 100U, 4609U, 65537U, 1000003U}) {
    for (const sort_shape shape : {sort_shape::uniform, sort_shape::few_values, sort_shape::equal}) {
      expect_argsort<u32, u32>(shape, n, false);
      expect_argsort<double, std::uint64_t>(shape, n, true);
    }
    expect_argsort<float, u32>(sort_shape::special, n, false);
  }
}

TEST_F(gpu_sort, argsort_can_be_captured) {
  random next(seed());
  const scoped_stream s;
  const std::vector<u32> keys = make_sort_keys<u32>(sort_shape::zipf, 200000, next);
  const std::vector<std::size_t> from = reference::argsort(keys.data(), keys.size());
  const placed<u32, device_space> in(keys);
  const guarded<u32, device_space> got(keys.size());
  const captured_call graph(s, [&](const gpu& on) {
    call_argsort<u32, u32>(on, {in.data(), nullptr, keys.size()}, {got.data(), nullptr, keys.size()}, {});
  });
  for (int k = 0; k < 10; ++k) graph.launch();
  s.wait();
  EXPECT_TRUE(same(std::vector<u32>(from.begin(), from.end()), got.read()));
}

TEST_F(gpu_sort, refuses_bad_arguments_like_the_cpu) {
  const placed<u32, device_space> in(std::vector<u32>(100, 1));
  const placed<u32, device_space> out(std::vector<u32>(100));
  const auto error_of = [&](u32* from, u32* to, std::size_t room, const sort_options& options) {
    return message_of([&] { call_sort<u32, no_value>(gpu{}, {from, nullptr, 100}, {to, nullptr, room}, options); });
  };
  expect_parts(error_of(in.data(), out.data(), 99, {}), {"sort", "out", "99", "100"});
  expect_parts(error_of(in.data(), in.data() + 1, 100, {}), {"sort", "out", "overlaps"});
  expect_parts(error_of(in.data(), out.data(), 100, {.last_bit = 33}), {"sort", "last_bit", "33", "32"});
  expect_parts(error_of(in.data(), out.data(), 100, {.first_bit = 8, .last_bit = 8}), {"sort", "first_bit", "8"});
  expect_parts(error_of(in.data(), out.data(), 100, {.strategy = "by_hand"}),
               {"sort", "by_hand", sort_gpu_strategies::names()});
  EXPECT_TRUE(same(std::vector<u32>(100), out.read()));
}

}  // namespace peneira::test
