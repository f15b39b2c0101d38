// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Segments that a GPU could stumble over: wrong offsets of every type, millions of empty ones, giants among tiny ones.
#include <map>
#include <numeric>

#include "tests/reduce/gpu/support.cuh"

namespace peneira::test {

using u32 = std::uint32_t;
using segmented_reduces = device_reduce_space::segmented_reduces;

class gpu_segments : public gpu_test {};

/// The first segment that is wrong; as many as there are segments where none is.
template <class Offset>
std::size_t first_wrong(const std::vector<Offset>& offsets, std::size_t n) {
  std::size_t s = 0;
  for (; s + 1 < offsets.size(); ++s) {
    const auto begin = static_cast<std::size_t>(offsets[s]);
    const auto end = static_cast<std::size_t>(offsets[s + 1]);
    if (begin > end || end > n) break;
  }
  return s;
}

/// Every strategy gives the valid segments right and the identity for the others, and tells when it is asked to.
template <class Offset>
void expect_sums(const std::vector<u32>& numbers, const std::vector<Offset>& offsets, std::size_t shift = 0) {
  const std::size_t segments = offsets.size() - 1;
  const watched<u32> in(numbers, shift);
  const watched<Offset> table(offsets, shift);
  const auto wanted = wanted_of<u32>(numbers, offsets, max{});
  const std::size_t wrong = first_wrong(offsets, numbers.size());
  for_each_name<segmented_reduces>([&](std::string_view name) {
    for (const bool checked : {false, true}) {
      const guarded<u32, device_space> out(segments, shift);
      const auto call = [&] {
        segmented_reduce(gpu{}, in.get(), table.get(), items(out.data(), segments), max{},
                         {.strategy = name, .checked = checked});
      };
      if (checked && wrong < segments) {
        expect_parts(message_of(call), {"segmented_reduce", "offsets", "segment " + std::to_string(wrong) + " "});
      } else {
        ASSERT_NO_THROW(call());
      }
      must(cudaDeviceSynchronize());
      ASSERT_TRUE(same(wanted, out.read())) << (checked ? "checked" : "");
    }
    in.expect_unchanged();
    table.expect_unchanged();
  });
}

template <class Offset>
class gpu_wrong_offsets : public gpu_test {};
using offset_types = ::testing::Types<std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(gpu_wrong_offsets, offset_types);

TYPED_TEST(gpu_wrong_offsets, of_a_few_segments) {
  using list = std::vector<TypeParam>;
  random next(seed());
  const std::vector<u32> numbers = random_words(10, next);
  const auto far = static_cast<TypeParam>(~TypeParam{0});  // -1 where offsets have a sign
  for (const list& offsets :
       {list{0, 5, 3, 8}, list{0, 5, 11}, list{11, 12}, list{7, 3}, list{0, 5, far, 8}, list{far, 5}, list{0, far},
        list{0, 5, far, far}, list{far, far}, list{0, 11, 10}, list{0, 10, 0, 10}, list{10, 0, 10}}) {
    expect_sums(numbers, offsets, 1);
  }
}

TYPED_TEST(gpu_wrong_offsets, among_many_segments) {
  random next(seed() + 1);
  for (int k = 0; k < 40; ++k) {
    const std::size_t about = k % 2 == 0 ? 3000 : 400000;
    const auto bounds = make_segments(next.pick(segment_shapes), about, 1 + next.below(200), next.below(50), next);
    if (bounds.size() < 3) continue;
    const std::size_t n = bounds.back();
    std::vector<TypeParam> offsets(bounds.begin(), bounds.end());
    for (std::uint64_t some = 1 + next.below(3); some != 0; --some) {
      TypeParam& one = offsets[next.below(offsets.size())];
      switch (next.below(4)) {
        case 0:
          one = static_cast<TypeParam>(n + 1 + next.below(1U << 30U));
          break;
        case 1:
          one = static_cast<TypeParam>(~std::uint64_t{0} - next.below(100));
          break;
        case 2:
          one = 0;
          break;
        default:
          one = static_cast<TypeParam>(next.below(n + 1));
      }
    }
    SCOPED_TRACE("round " + std::to_string(k) + ", " + std::to_string(n) + " items");
    expect_sums(random_words(n, next), offsets, next.below(3));
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(gpu_wrong_offsets, of_noise) {
  random next(seed() + 2);
  for (int k = 0; k < 12; ++k) {
    const std::size_t n = k % 3 == 0 ? 1000 : 300000;
    std::vector<TypeParam> offsets(2 + next.below(k % 2 == 0 ? 100 : 3000));
    const std::uint64_t below = k % 4 < 2 ? n : ~std::uint64_t{0};
    for (TypeParam& x : offsets) x = static_cast<TypeParam>(next.below(below));
    SCOPED_TRACE("round " + std::to_string(k));
    expect_sums(random_words(n, next), offsets);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(gpu_wrong_offsets, are_not_seen_where_there_are_none) {
  random next(seed() + 3);
  for (const segment_shape shape : segment_shapes) {
    const auto bounds = make_segments(shape, 500000, 40, 77, next);
    const std::vector<TypeParam> offsets(bounds.begin(), bounds.end());
    SCOPED_TRACE(to_string(shape));
    expect_sums(random_words(bounds.back() + 1001, next), offsets, 1);
  }
}

TEST_F(gpu_segments, sixteen_million_empty_ones) {
  random next(seed() + 4);
  constexpr std::size_t many = std::size_t{16} << 20U;
  const std::vector<u32> numbers = random_words(5000, next);
  expect_sums(numbers, std::vector<u32>(many + 1, 0));
  expect_sums(numbers, std::vector<u32>(many + 1, 5000));
  std::vector<u32> around(many + 1, 17);  // and one in the middle that has all items from 17 on
  std::fill(around.begin() + many / 2, around.end(), 5000);
  expect_sums(numbers, around);
}

/// Tiny segments among which some are longer: so many that blocks take chunks of a tile that has no room.
std::vector<u32> tiny_ones_and(const std::map<std::size_t, u32>& longer, random& next) {
  constexpr std::size_t tiny = 4200000;
  std::vector<u32> offsets{5};
  for (std::size_t s = 0; s <= tiny; ++s) {
    const auto found = longer.find(s);
    offsets.push_back(offsets.back() + (found != longer.end() ? found->second : static_cast<u32>(next.below(3))));
  }
  return offsets;
}

TEST_F(gpu_segments, a_giant_among_tiny_ones) {
  random next(seed() + 5);
  for (const std::size_t giant : {0U, 1400000U, 4200000U}) {
    const std::vector<u32> offsets = tiny_ones_and({{giant, 9000001}}, next);
    expect_sums(random_words(offsets.back() + 9, next), offsets, giant == 0 ? 0 : 1);
  }
}

/// In the giant's tile, some that are long as well, more of these than one block takes, and a wrong offset; and another
/// giant elsewhere.
TEST_F(gpu_segments, others_beside_a_giant) {
  random next(seed() + 10);
  constexpr std::size_t giant = 2000000;
  std::map<std::size_t, u32> longer{{giant, 5000000}, {giant + 3, 200}, {giant + 4, 90000}, {giant + 5, 3000000}};
  std::vector<u32> offsets = tiny_ones_and(longer, next);
  const std::vector<u32> numbers = random_words(offsets.back() + std::size_t{20} * 1000, next);
  expect_sums(numbers, offsets);
  for (const u32 wrong : {0U, offsets[giant], offsets[giant + 7], ~0U}) {
    std::vector<u32> some = offsets;
    some[giant + 1] = wrong;
    expect_sums(numbers, some);
  }
  for (std::size_t k = 0; k < 20; ++k) longer[giant + 10 + k] = 1000;
  expect_sums(numbers, tiny_ones_and(longer, next));
  expect_sums(numbers, tiny_ones_and({{giant, 5000000}, {giant / 2, 3000000}}, next));
}

/// Long ones that begin and end with a chunk of their tile, or an item beside.
TEST_F(gpu_segments, whole_chunks_of_a_giant) {
  random next(seed() + 11);
  constexpr std::size_t many = 3000000;
  constexpr u32 tiny = 4;  // so that every tile begins with 16 bytes
  const segmented_reduce_problem problem{many * tiny * 2, many, sizeof(u32), sizeof(u32), sizeof(u32), true};
  const plan made = detail::plan_of<segmented_reduce_strategies::tiles>(problem, detail::current_device());
  const auto chunk = static_cast<u32>(made.get("chunk"));
  ASSERT_NE(chunk, 0U);
  const std::size_t first = made.get("segments") * 5000;
  for (const u32 more : {0U, 1U, ~0U}) {
    std::vector<u32> sizes(many, tiny);
    sizes[first] = 100 * chunk;
    sizes[first + 1] = 3 * chunk + more;
    sizes[first + 2] = chunk;
    const u32 others = std::reduce(sizes.begin(), sizes.end()) - sizes[first + 5];
    sizes[first + 5] = static_cast<u32>(problem.items) - others;
    std::vector<u32> offsets{0};
    for (const u32 x : sizes) offsets.push_back(offsets.back() + x);
    expect_sums(random_words(offsets.back(), next), offsets);
  }
}

/// Some longer ones among so many short ones that these decide the size of a tile: a lane, a warp, all blocks of a
/// second launch, or that launch for all segments takes them.
TEST_F(gpu_segments, longer_ones_among_tiny_ones) {
  random next(seed() + 9);
  for (const u32 size : {20U, 128U, 129U, 1000U, 3000U, 10000U, 25000U, 60000U}) {
    for (const std::size_t many : {1, 2, 40}) {
      std::vector<u32> sizes(150000 + next.below(3000));
      for (u32& x : sizes) x = static_cast<u32>(next.below(4));
      for (std::size_t k = 0; k < many; ++k) sizes[next.below(sizes.size())] = size + static_cast<u32>(next.below(7));
      if (many == 2) sizes.back() = size;
      std::vector<u32> offsets{static_cast<u32>(next.below(9))};
      for (const u32 x : sizes) offsets.push_back(offsets.back() + x);
      SCOPED_TRACE(std::to_string(many) + " of " + std::to_string(size));
      expect_sums(random_words(offsets.back() + next.below(9), next), offsets, next.below(3));
      if (HasFatalFailure()) return;
    }
  }
}

/// Segments of about a turn and more, with runs of short ones between them.
TEST_F(gpu_segments, many_long_ones) {
  random next(seed() + 6);
  for (const std::size_t size : {300U, 4095U, 4096U, 5000U, 20000U}) {
    std::vector<u32> offsets{0};
    while (offsets.back() < 8000000) {
      offsets.push_back(offsets.back() + static_cast<u32>(size + next.below(3)));
      for (std::uint64_t k = next.below(4 * size / 100 + 1); k != 0; --k) offsets.push_back(offsets.back() + 1);
    }
    expect_sums(random_words(offsets.back(), next), offsets);
  }
}

/// Blocks on both sides of a border look for it in different ways, which among wrong offsets need not agree.
TEST_F(gpu_segments, a_wrong_offset_beside_a_giant) {
  random next(seed() + 7);
  constexpr std::size_t many = 100000;
  for (int k = 0; k < 30; ++k) {
    const std::size_t giant = k == 0 ? 20000 : 100 + next.below(many - 100);
    std::vector<u32> offsets{0};
    for (std::size_t s = 0; s < many; ++s) offsets.push_back(offsets.back() + (s == giant ? 2000000 : 1));
    const u32 n = offsets.back();
    offsets[k == 0 ? giant - 2 : giant - next.below(30)] = k % 3 == 0 ? n + 1 : static_cast<u32>(next.below(n));
    SCOPED_TRACE("giant " + std::to_string(giant));
    expect_sums(random_words(n, next), offsets);
    if (HasFatalFailure()) return;
  }
}

/// The one segment reaches far behind the items.
TEST_F(gpu_segments, of_one_size_past_32_bits) {
  random next(seed() + 8);
  const watched<u32> in(random_words(1000, next), 1);
  const std::vector<u32> wanted{reference::reduce<u32>(in.host().data(), 0, 1000, max{})};
  constexpr std::uint64_t past = std::uint64_t{1} << 32U;
  for (const std::uint64_t size : {past, past + 5, past + 950, past + 1000, ~std::uint64_t{0}, ~std::uint64_t{3}}) {
    const guarded<u32, device_space> out(1);
    segmented_reduce(gpu{}, in.get(), every{size}, items(out.data(), 1), max{});
    EXPECT_TRUE(same(wanted, out.read())) << size;
  }
}

/// Adds items, and counts those that are not the input's at their index.
struct watching {
  static constexpr bool commutative = true;
  const u32* input;
  std::uint64_t n;
  u32* strangers;

  PENEIRA_HD u32 operator()(u32 a, u32 b) const { return a + b; }
  template <class T>
  PENEIRA_HD static T identity() {
    return 0;
  }
  __device__ u32 lift(u32 item, std::uint64_t index) const {
    if (index >= n || input[index] != item) atomicAdd(strangers, 1U);
    return item;
  }
};

TEST_F(gpu_segments, operators_meet_nothing_but_items_at_their_index) {
  random next(seed() + 9);
  for (const std::size_t n : {0U, 1U, 511U, 513U, 100001U, 3000001U}) {
    for (const std::size_t shift : {0U, 1U, 3U}) {
      const watched<u32> in(random_words(n, next), shift);
      const placed<u32, device_space> strangers(std::vector<u32>(1));
      const watching op{in.get().keys, n, strangers.data()};
      const watched<u32> table({0, static_cast<u32>(n / 3), static_cast<u32>(n / 3), static_cast<u32>(n)});
      const guarded<u32, device_space> sums(3);
      segmented_reduce(gpu{}, in.get(), table.get(), items(sums.data(), 3), op);
      const guarded<u32, device_space> eights((n + 7) / 8);
      segmented_reduce(gpu{}, in.get(), every{8}, items(eights.data(), eights.size()), op);
      std::vector<u32> mixed{0};  // short ones, and several that a tile has no room for
      while (mixed.back() + 70000 < n) {
        mixed.push_back(mixed.back() + static_cast<u32>(mixed.size() % 40000 == 9 ? 60000 : next.below(8)));
      }
      if (mixed.size() > 1) {
        const watched<u32> bounds(mixed);
        const guarded<u32, device_space> results(mixed.size() - 1);
        segmented_reduce(gpu{}, in.get(), bounds.get(), items(results.data(), results.size()), op,
                         {.strategy = "tiles"});
        EXPECT_TRUE(same(wanted_of<u32>(in.host(), mixed, plus{}), results.read()));
      }
      EXPECT_EQ(strangers.read()[0], 0U) << n << " items, shifted by " << shift;
      EXPECT_TRUE(same(wanted_of<u32>(in.host(), std::vector<u32>(table.host()), plus{}), sums.read()));
    }
  }
}

/// Few long segments, about as many items as a block has under way at a time, and very long ones: each item counts
/// once, wherever groups of 16 bytes begin.
TEST_F(gpu_segments, few_long_ones_meet_each_item_once) {
  random next(seed() + 12);
  for (const u32 size : {1U, 33U, 1024U, 2047U, 8193U, 32766U, 66000U, 131071U, 600000U}) {
    for (const std::size_t many : {1, 3, 40}) {
      if (size * many > 3000000) continue;
      std::vector<u32> offsets{static_cast<u32>(next.below(6))};
      for (std::size_t s = 0; s < many; ++s) {
        offsets.push_back(offsets.back() +
                          (s % 3 == 2 ? static_cast<u32>(next.below(40)) : size + static_cast<u32>(next.below(5))));
      }
      const std::size_t shift = next.below(4);
      SCOPED_TRACE(std::to_string(many) + " of " + std::to_string(size) + ", shifted by " + std::to_string(shift));
      const watched<u32> in(random_words(offsets.back() + next.below(6), next), shift);
      const watched<u32> table(offsets, shift);
      const placed<u32, device_space> strangers(std::vector<u32>(1));
      const watching op{in.get().keys, in.host().size(), strangers.data()};
      const auto wanted = wanted_of<u32>(in.host(), offsets, plus{});
      for_each_name<segmented_reduces>([&](std::string_view name) {
        const guarded<u32, device_space> out(many, shift);
        segmented_reduce(gpu{}, in.get(), table.get(), items(out.data(), many), op, {.strategy = name});
        EXPECT_TRUE(same(wanted, out.read()));
      });
      EXPECT_EQ(strangers.read()[0], 0U);
    }
  }
}

}  // namespace peneira::test
