// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The published reductions against the references. Items are such that any grouping gives the same bits.
#include "peneira/reduce/published.hpp"
#include "peneira/segmented_reduce/published.hpp"
#include "peneira/segmented_reduce/reference.hpp"
#include "tests/reduce/monoids.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

template <class Item, class Result, class Op>
struct published_types {
  using item = Item;
  using result = Result;
  using op = Op;
};

/// Two bytes of a sum and two of a greatest one in one word: commutative, and no instruction has it.
struct packed_both {
  static constexpr bool commutative = true;
  template <class T>
  PENEIRA_HD T operator()(const T& a, const T& b) const {
    const T most = (a >> 16U) < (b >> 16U) ? b >> 16U : a >> 16U;
    return static_cast<T>((most << 16U) | ((a + b) & 0xFFFFU));
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return 0;
  }
};

template <class Types>
class gpu_published_reduce : public gpu_test {
 protected:
  using T = typename Types::item;
  using Result = typename Types::result;
  using Op = typename Types::op;

  std::vector<T> make_items(std::size_t n) {
    std::vector<T> made(n);
    for (T& item : made) item = make_item<T, Op>(next);
    return made;
  }

  /// best_reduce with these limits, over offsets that may be wrong.
  template <class Offset>
  void check_segments(const std::vector<T>& numbers, const std::vector<Offset>& offsets, best_reduce_limits limits) {
    std::vector<Result> wanted;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const std::size_t begin = offsets[s];
      const std::size_t end = offsets[s + 1];
      const bool valid = begin <= end && end <= numbers.size();
      wanted.push_back(reference::reduce<Result>(numbers.data(), begin, valid ? end : begin, Op{}));
    }
    const placed<T, device_space> there(numbers, next.below(5));
    const placed<Offset, device_space> table(offsets, next.below(3));
    const guarded<Result, device_space> got(wanted.size(), next.below(3));
    published::segmented_reduce(gpu{}, items(there.data(), there.size()), items(table.data(), table.size()),
                                items(got.data(), got.size()), Op{},
                                {.grouping = order::any, .strategy = "best_reduce"}, limits);
    EXPECT_TRUE(equal(wanted, got.read())) << numbers.size() << " items, " << wanted.size() << " segments, limits "
                                           << limits.warp_items << " and " << limits.block_items;
    EXPECT_TRUE(same(numbers, there.read())) << "in the input";
  }

  random next{seed() + 99};
};

/// Limits that bring all granularities into play, and each alone.
constexpr std::array limits_to_try{best_reduce_limits{100, 5000}, best_reduce_limits{~std::size_t{0}, 0},
                                   best_reduce_limits{1, ~std::size_t{0}}, best_reduce_limits{1, 1},
                                   best_reduce_limits{}};

TYPED_TEST_SUITE_P(gpu_published_reduce);

TYPED_TEST_P(gpu_published_reduce, reduces_every_size) {
  using Result = typename TestFixture::Result;
  using Op = typename TestFixture::Op;
  for (const std::size_t n : {0U, 1U, 3U, 31U, 1000U, 4097U, 65537U, 999'999U, 3'000'001U}) {
    if (std::is_floating_point_v<Result> && std::is_same_v<Op, plus> && n > 1'000'000) continue;  // not exact
    const auto numbers = this->make_items(n);
    const auto wanted = reference::reduce<Result>(numbers.data(), 0, n, Op{});
    for (const std::size_t shift : {0U, 1U, 3U}) {
      const placed<typename TestFixture::T, device_space> there(numbers, shift);
      reduce_published_strategies::for_each([&](auto strategy) {
        const guarded<Result, device_space> got(1, shift);
        published::reduce(gpu{}, items(there.data(), n), got.data(), Op{},
                          {.grouping = order::any, .strategy = strategy.name});
        EXPECT_TRUE(equal({wanted}, got.read())) << strategy.name << ", " << n << " items, shift " << shift;
      });
    }
  }
}

TYPED_TEST_P(gpu_published_reduce, segments_of_every_shape) {
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {2U, 40U, 300U, 9000U}) {
      SCOPED_TRACE(std::string(to_string(shape)) + " of about " + std::to_string(size));
      const auto bounds = make_segments(shape, 150'000, size, this->next.below(100), this->next);
      const auto numbers = this->make_items(bounds.back() + this->next.below(100));
      const std::vector<std::uint32_t> narrow(bounds.begin(), bounds.end());
      this->check_segments(numbers, narrow, {100, 5000});
      this->check_segments(numbers, bounds, {100, 5000});
      if (size >= 300) {  // the grid alone goes through the list one by one
        for (const best_reduce_limits& limits : limits_to_try) this->check_segments(numbers, narrow, limits);
      }
    }
  }
}

TYPED_TEST_P(gpu_published_reduce, segments_of_one_size) {
  using Result = typename TestFixture::Result;
  using Op = typename TestFixture::Op;
  for (const std::size_t size : {1U, 31U, 99U, 100U, 101U, 4999U, 5000U, 70'001U, 1'000'000U}) {
    const auto numbers = this->make_items(200'003);
    const detail::even_segments even{size, numbers.size()};
    std::vector<Result> wanted(even.count());
    reference::segmented_reduce(numbers.data(), even, wanted.size(), wanted.data(), Op{});
    const placed<typename TestFixture::T, device_space> there(numbers);
    const guarded<Result, device_space> got(wanted.size());
    published::segmented_reduce(gpu{}, items(there.data(), there.size()), every{size}, items(got.data(), got.size()),
                                Op{}, {.grouping = order::any, .strategy = "best_reduce"}, {100, 5000});
    EXPECT_TRUE(equal(wanted, got.read())) << "every " << size;
  }
}

TYPED_TEST_P(gpu_published_reduce, no_segments_and_empty_ones) {
  const std::vector<typename TestFixture::T> none;
  for (const best_reduce_limits& limits : limits_to_try) {
    this->check_segments(none, std::vector<std::uint32_t>{0}, limits);
    this->check_segments(none, std::vector<std::uint32_t>(100'001), limits);
    this->check_segments(this->make_items(1000), std::vector<std::uint32_t>{17, 17, 1000, 1000}, limits);
  }
}

/// Segments that descend or run past the items count as empty; the others among them are right, also where there are
/// more long ones than ascending offsets could give, which the list has no room for.
TYPED_TEST_P(gpu_published_reduce, wrong_offsets_are_empty_segments) {
  const auto numbers = this->make_items(20'000);
  std::vector<std::uint32_t> swings;
  for (int k = 0; k < 500; ++k) swings.insert(swings.end(), {0U, 20'000U});
  for (const best_reduce_limits& limits : limits_to_try) {
    this->check_segments(numbers, swings, limits);
    this->check_segments(numbers, std::vector<std::uint32_t>{5, 3, 20'001, 7, 0xFFFFFFFFU, 0, 6000, 6010, 20'000},
                         limits);
  }
}

/// Blocks of other devices, which have fewer threads, no power of two of them: their plans run here too.
TYPED_TEST_P(gpu_published_reduce, runs_the_plans_of_other_devices) {
  using Result = typename TestFixture::Result;
  using Op = typename TestFixture::Op;
  using best_reduce = segmented_reduce_strategies::best_reduce;
  using T = typename TestFixture::T;
  const auto numbers = this->make_items(300'001);
  const std::vector<std::uint32_t> offsets{0, 0, 10, 1000, 1100, 20'000, 150'000, 300'001};
  const placed<T, device_space> there(numbers, 1);
  const placed<std::uint32_t, device_space> table(offsets);
  const auto all = reference::reduce<Result>(numbers.data(), 0, numbers.size(), Op{});
  std::vector<Result> each;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    each.push_back(reference::reduce<Result>(numbers.data(), offsets[s], offsets[s + 1], Op{}));
  }
  for (const int arch : {75, 80, 86}) {
    const device machine{.arch = arch, .sms = 7};
    const reduce_problem problem{numbers.size(), sizeof(T), sizeof(Result), true, order::any};
    reduce_published_strategies::for_each([&]<class Strategy>(Strategy strategy) {
      const guarded<Result, device_space> got(1);
      Strategy::run(gpu{}, Strategy::decide(problem, machine), static_cast<const T*>(there.data()), numbers.size(),
                    got.data(), Op{});
      EXPECT_TRUE(equal({all}, got.read())) << strategy.name << ", architecture " << arch;
    });
    const segmented_reduce_problem segments{numbers.size(), each.size(), sizeof(T), sizeof(Result), 4,
                                            true,           order::any,  false,     {100, 5000}};
    const guarded<Result, device_space> got(each.size());
    best_reduce::run(gpu{}, best_reduce::decide(segments, machine), static_cast<const T*>(there.data()), numbers.size(),
                     detail::offset_segments<std::uint32_t>{table.data()}, each.size(), got.data(), Op{}, false);
    EXPECT_TRUE(equal(each, got.read())) << "segments, architecture " << arch;
  }
}

REGISTER_TYPED_TEST_SUITE_P(gpu_published_reduce, reduces_every_size, segments_of_every_shape, segments_of_one_size,
                            no_segments_and_empty_ones, wrong_offsets_are_empty_segments,
                            runs_the_plans_of_other_devices);

using published_reductions = ::testing::Types<
    published_types<std::uint32_t, std::uint32_t, max>, published_types<float, float, plus>,
    published_types<std::uint8_t, std::uint64_t, plus>, published_types<std::uint32_t, std::uint32_t, plus>,
    published_types<float, float, max>, published_types<std::uint64_t, std::uint64_t, plus>,
    published_types<std::int64_t, std::int64_t, min>, published_types<std::uint32_t, std::uint32_t, packed_both>>;
INSTANTIATE_TYPED_TEST_SUITE_P(types, gpu_published_reduce, published_reductions);

class gpu_best_reduce : public gpu_test {};

/// Of 8 bytes, but aligned to 4.
struct adds : then {
  static constexpr bool commutative = true;
  PENEIRA_HD static affine lift(std::uint32_t item, std::uint64_t /*index*/) { return {1, item}; }
};

TEST_F(gpu_best_reduce, reports_wrong_offsets_where_asked) {
  const placed<std::uint32_t, device_space> numbers(std::vector<std::uint32_t>(1000, 1));
  const guarded<std::uint32_t, device_space> got(4);
  const auto call = [&](const std::vector<std::uint32_t>& offsets) {
    const placed<std::uint32_t, device_space> table(offsets);
    published::segmented_reduce(gpu{}, items(numbers.data(), numbers.size()), items(table.data(), table.size()),
                                items(got.data(), got.size()), plus{},
                                {.grouping = order::any, .strategy = "best_reduce", .checked = true}, {10, 100});
  };
  EXPECT_NO_THROW(call({0, 5, 50, 500, 1000}));
  EXPECT_TRUE(equal({5, 45, 450, 500}, got.read()));
  expect_parts(message_of([&] { call({0, 5, 1001, 7, 3}); }), {"segmented_reduce", "offsets", "segment 1", "1001"});
}

TEST_F(gpu_best_reduce, refuses_results_that_are_not_aligned) {
  const placed<std::uint32_t, device_space> numbers(std::vector<std::uint32_t>(10));
  const guarded<affine, device_space> got(1);
  expect_parts(message_of([&] {
                 published::reduce(gpu{}, items(numbers.data(), numbers.size()), got.data(), adds{},
                                   {.grouping = order::any, .strategy = "atomic"});
               }),
               {"reduce", "strategy", "align"});
}

}  // namespace peneira::test
