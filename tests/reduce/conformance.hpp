// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One suite for every strategy of reduce and of segmented_reduce, at every place: all of them must give what the
// references give, and leave alone what lies around their outputs. Items are such that any grouping gives the same
// bits. Strategies come from the lists of the space, so a new one is covered without an edit here. A translation unit
// chooses a space and a list of combos and instantiates the suite.
#pragma once

#include <sstream>

#include "peneira/reduce.hpp"
#include "peneira/segmented_reduce.hpp"
#include "peneira/segmented_reduce/reference.hpp"
#include "tests/reduce/monoids.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// The CPU as the place to test.
struct host_reduce_space : host_space {
  using reduces = reduce_cpu_strategies;
  using segmented_reduces = segmented_reduce_cpu_strategies;
};

/// One instantiation of reduce, and of segmented_reduce with offsets of a type.
template <class Item, class Result, class Op, class Offset>
struct reduce_combo {
  using item = Item;
  using result = Result;
  using op = Op;
  using offset = Offset;
};

/// Items, and what is right for them.
template <class Combo, class Space>
class reduce_example {
  using T = typename Combo::item;
  using Result = typename Combo::result;
  using Op = typename Combo::op;
  using Offset = typename Combo::offset;

 public:
  reduce_example(std::size_t n, std::uint64_t from)
      : next_(from), items_(make_items(n, next_)), there_(items_, next_.below(5)) {}

  /// Every strategy of reduce.
  void check_reduce(unsigned threads) {
    const auto wanted = reference::reduce<Result>(items_.data(), 0, items_.size(), op_);
    Space::reduces::for_each([&](auto strategy) {
      std::ostringstream where;
      where << strategy.name << ", " << threads << " threads, " << items_.size() << " items";
      const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());
      const guarded<Result, Space> got(1, next_.below(3));
      const auto call = [&] {
        reduce(Space::place(threads), items(there_.data(), there_.size()), got.data(), op_,
               {.strategy = strategy.name});
      };
      const reduce_problem problem{items_.size(), sizeof(T), sizeof(Result), detail::is_commutative<Op>};
      if (refused(strategy, problem, threads, "reduce", call)) return;
      ASSERT_NO_THROW(call());
      EXPECT_TRUE(equal({wanted}, got.read()));
    });
  }

  /// Every strategy of segmented_reduce, with offsets that are valid.
  void check_segments(unsigned threads, const std::vector<std::uint64_t>& bounds, const std::string& what) {
    const std::vector<Offset> offsets(bounds.begin(), bounds.end());
    const std::size_t count = offsets.size() - 1;
    std::vector<Result> wanted(count);
    reference::segmented_reduce(items_.data(), detail::offset_segments<Offset>{offsets.data()}, count, wanted.data(),
                                op_);
    const placed<Offset, Space> table(offsets, next_.below(3));
    check(threads, items(table.data(), table.size()), sizeof(Offset), 0, wanted, what);
    EXPECT_TRUE(same(offsets, table.read())) << "in the offsets";
  }

  /// The same with segments of one size.
  void check_every(unsigned threads, std::size_t size) {
    const detail::even_segments even{size, items_.size()};
    std::vector<Result> wanted(even.count());
    reference::segmented_reduce(items_.data(), even, wanted.size(), wanted.data(), op_);
    check(threads, every{size}, 0, size, wanted, "every " + std::to_string(size));
  }

  [[nodiscard]] random& next() { return next_; }

 private:
  static std::vector<T> make_items(std::size_t n, random& next) {
    std::vector<T> made(n);
    for (T& item : made) item = make_item<T, Op>(next);
    return made;
  }

  template <class Segments>
  void check(unsigned threads, const Segments& segments, std::size_t offset_bytes, std::size_t size,
             const std::vector<Result>& wanted, const std::string& what) {
    Space::segmented_reduces::for_each([&](auto strategy) {
      std::ostringstream where;
      where << strategy.name << ", " << threads << " threads, " << items_.size() << " items, " << wanted.size()
            << " segments, " << what;
      const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());
      const guarded<Result, Space> got(wanted.size(), next_.below(3));
      const auto call = [&] {
        segmented_reduce(Space::place(threads), items(there_.data(), there_.size()), segments,
                         items(got.data(), got.size()), op_, {.strategy = strategy.name});
      };
      const segmented_reduce_problem problem{.items = items_.size(),
                                             .segments = wanted.size(),
                                             .item_bytes = sizeof(T),
                                             .result_bytes = sizeof(Result),
                                             .offset_bytes = offset_bytes,
                                             .commutative = detail::is_commutative<Op>,
                                             .segment_items = size};
      if (refused(strategy, problem, threads, "segmented_reduce", call)) return;
      ASSERT_NO_THROW(call());
      EXPECT_TRUE(equal(wanted, got.read()));
      EXPECT_TRUE(equal_items(there_.read())) << "in the input";
    });
  }

  template <class Strategy, class Problem, class Call>
  bool refused(Strategy strategy, const Problem& problem, unsigned threads, std::string_view primitive,
               const Call& call) {
    const std::string refusal = strategy.refuses(problem, Space::machine(threads));
    if (refusal.empty()) return false;
    expect_parts(message_of(call), {primitive, "strategy", strategy.name, refusal});
    return true;
  }

  [[nodiscard]] ::testing::AssertionResult equal_items(const std::vector<T>& now) const { return same(items_, now); }

  Op op_{};
  random next_;
  std::vector<T> items_;
  placed<T, Space> there_;
};

template <class ComboInSpace>
class reduce_conformance : public ::testing::Test {
 protected:
  using space = typename ComboInSpace::space;
  using combo = typename ComboInSpace::combo;
  using example = reduce_example<combo, space>;
  static constexpr std::size_t item_bytes = sizeof(typename combo::item);

  void SetUp() override {
    if (space::unavailable() != nullptr) GTEST_SKIP() << space::unavailable();
  }
  unsigned threads() { return next.pick(space::thread_counts); }

  random next{seed() + 77};
};

/// A combo as a parameter of the suite.
template <class Combo, class Space>
struct reduce_in_space {
  using combo = Combo;
  using space = Space;
};

template <class Item, class Result, class Op, class Offset>
using reduce_on_cpu = reduce_in_space<reduce_combo<Item, Result, Op, Offset>, host_reduce_space>;

TYPED_TEST_SUITE_P(reduce_conformance);

TYPED_TEST_P(reduce_conformance, reduces_every_size) {
  for (std::size_t n :
       {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000}) {
    typename TestFixture::example(n, this->next()).check_reduce(this->threads());
  }
  for (const std::size_t bytes : {4096U, 65536U, 131072U, 262144U, 1000000U}) {
    const std::size_t n = bytes / TestFixture::item_bytes + this->next.below(3) - 1;
    typename TestFixture::example(n, this->next()).check_reduce(this->threads());
  }
}

TYPED_TEST_P(reduce_conformance, reduces_random_sizes) {
  for (int k = 0; k < (sanitized ? 10 : 40); ++k) {
    const std::size_t n = this->next.below(std::size_t{1} << this->next.below(18));
    typename TestFixture::example(n, this->next()).check_reduce(this->threads());
  }
}

TYPED_TEST_P(reduce_conformance, segments_of_every_shape) {
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {1U, 2U, 5U, 13U, 40U, 300U, 9000U}) {
      const bool large = size == 5 || size == 40;
      const std::size_t about = (large ? (sanitized ? 40000 : 150000) : 3000) + this->next.below(1000);
      const std::uint64_t first = this->next.below(2) * this->next.below(100);
      const auto bounds = make_segments(shape, about, size, first, this->next);
      typename TestFixture::example made(bounds.back() + this->next.below(2) * this->next.below(100), this->next());
      made.check_segments(this->threads(), bounds, to_string(shape));
      if (large) made.check_segments(TestFixture::space::thread_counts.back(), bounds, to_string(shape));
    }
  }
}

TYPED_TEST_P(reduce_conformance, segments_of_one_size) {
  for (std::size_t size :
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100, 128, 256, 512, 1000, 2048, 4096, 70000}) {
    typename TestFixture::example small(this->next.below(2000), this->next());
    small.check_every(this->threads(), size);
    if (sanitized && size > 9) continue;
    typename TestFixture::example large(size * (60000 / size) + this->next.below(size), this->next());
    large.check_every(this->threads(), size);
  }
}

/// No items, no segments, or neither.
TYPED_TEST_P(reduce_conformance, nothing_at_all) {
  typename TestFixture::example none(0, this->next());
  none.check_reduce(3);
  none.check_every(3, 7);
  none.check_segments(3, {0}, "no segments");
  none.check_segments(3, {0, 0}, "an empty one");
  none.check_segments(3, std::vector<std::uint64_t>(100001), "empty ones");
  typename TestFixture::example some(1000, this->next());
  some.check_segments(3, {0}, "no segments");
  some.check_segments(3, {1000}, "no segments at the end");
  some.check_segments(3, {1000, 1000}, "an empty one at the end");
  some.check_segments(3, {17, 17}, "an empty one");
  some.check_segments(3, {0, 1000}, "one of all");
  some.check_segments(3, {999, 1000}, "the last item");
}

REGISTER_TYPED_TEST_SUITE_P(reduce_conformance, reduces_every_size, reduces_random_sizes, segments_of_every_shape,
                            segments_of_one_size, nothing_at_all);

}  // namespace peneira::test
