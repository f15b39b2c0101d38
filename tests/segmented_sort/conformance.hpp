// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One suite for every strategy of segmented_sort on the CPU: all must give what the reference gives, bit by bit, and
// leave alone what belongs to no segment. A machine with caches of a few KiB has long segments and giants at work on
// few items.
#pragma once

#include <sstream>
#include <type_traits>

#include "peneira/segmented_sort.hpp"
#include "peneira/segmented_sort/reference.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/sort/conformance.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// An input with segments, and what is right for it. What belongs to no segment is a mark of its own in the output.
template <class Combo, class Segments>
class segmented_sort_example {
  using K = typename Combo::key;
  using V = typename Combo::value;
  static constexpr bool has_values = view<K, V>::has_values;

 public:
  segmented_sort_example(std::vector<K> keys, const Segments& segments, std::size_t count, const sort_options& options)
      : keys_(std::move(keys)), segments_(segments), count_(count), options_(options), marked_keys_(keys_.size()) {
    const std::size_t n = keys_.size();
    if constexpr (has_values) {
      for (std::size_t i = 0; i < n; ++i) values_.push_back(make_value<V>(i));
    }
    for (std::size_t i = 0; i < n; ++i) marked_keys_[i] = make_key<K>(mix64(i), i);
    marked_values_ = values_;
    std::reverse(marked_values_.begin(), marked_values_.end());
    wanted_keys_ = marked_keys_;
    wanted_values_ = marked_values_;
    reference::segmented_sort<K, V>(source(), segments, count, {wanted_keys_.data(), wanted_values_.data(), n},
                                    options);
  }

  /// A call, as most make it.
  template <class Given>
  void check(const Given& given, unsigned threads, bool in_place) {
    compare("call", threads, in_place, [&](const auto& in, const auto& out) {
      if (in_place) {
        segmented_sort(cpu{.threads = threads}, out, given, options_);
      } else {
        segmented_sort(cpu{.threads = threads}, in, given, out, options_);
      }
    });
  }

  /// Every strategy as it would be planned for a machine with tiny caches.
  void check_tiny(unsigned threads, bool in_place, std::size_t offset_bytes, std::size_t size) {
    const host tiny{threads, 1024, 8192, 16384};
    const unsigned last = options_.last_bit == 0 ? 8 * sizeof(K) : options_.last_bit;
    const segmented_sort_problem problem{
        keys_.size(), count_,       sizeof(K), has_values ? sizeof(V) : 0, options_.first_bit, last,
        in_place,     offset_bytes, size};
    const detail::bit_range<detail::bits_of<K>> part{options_.first_bit, last - options_.first_bit};
    segmented_sort_cpu_strategies::for_each([&](auto strategy) {
      auto decided = strategy.decide(problem, tiny);
      compare(std::string("tiny ").append(strategy.name), threads, in_place, [&](const auto& in, const auto& out) {
        const view<const K, const V> from = in_place ? view<const K, const V>(out) : in;
        strategy.template run<K, V>(cpu{}, decided, from, segments_, out, detail::order_of<K>(options_.descending),
                                    part);
      });
    });
  }

  /// Positions, which are the same as where the pairs' values of a stable sort come from.
  template <class Given>
  void check_positions(const Given& given, unsigned threads) {
    const std::size_t n = keys_.size();
    std::vector<std::uint32_t> wanted(n);
    for (std::size_t i = 0; i < n; ++i) wanted[i] = static_cast<std::uint32_t>(n + i);
    const guarded<std::uint32_t> positions(n);
    host_space::copy(positions.data(), wanted.data(), n * sizeof(std::uint32_t));
    for (std::size_t s = 0; s < count_; ++s) {
      const std::size_t begin = segments_.begin(s);
      const auto from = reference::argsort(keys_.data() + begin, segments_.end(s) - begin, options_);
      for (std::size_t i = 0; i < from.size(); ++i) wanted[begin + i] = static_cast<std::uint32_t>(begin + from[i]);
    }
    segmented_argsort(cpu{.threads = threads}, keys_, given, items(positions.data(), n), options_);
    EXPECT_TRUE(same(wanted, positions.read()));
  }

 private:
  [[nodiscard]] view<const K, const V> source() const {
    return {keys_.data(), has_values ? values_.data() : nullptr, keys_.size()};
  }

  template <class Sort>
  void compare(std::string_view how, unsigned threads, bool in_place, Sort&& sort_it) {
    const std::size_t n = keys_.size();
    std::ostringstream where;
    where << how << ", " << threads << " threads, " << n << " items, " << count_ << " segments"
          << (options_.descending ? ", descending" : "") << (in_place ? ", in place" : "") << ", bits "
          << options_.first_bit << " to " << options_.last_bit;
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());
    const guarded<K> keys(n);
    const guarded<V> values(values_.size());
    host_space::copy(keys.data(), (in_place ? keys_ : marked_keys_).data(), n * sizeof(K));
    host_space::copy(values.data(), (in_place ? values_ : marked_values_).data(), values_.size() * sizeof(V));
    const view<K, V> out{keys.data(), has_values ? values.data() : nullptr, n};
    ASSERT_NO_THROW(sort_it(source(), out));
    std::vector<K> wanted_keys = wanted_keys_;
    std::vector<V> wanted_values = wanted_values_;
    if (in_place) keep_unlisted(wanted_keys, wanted_values);
    EXPECT_TRUE(same(wanted_keys, keys.read())) << "in the keys";
    if constexpr (has_values) {
      EXPECT_TRUE(same(wanted_values, values.read())) << "in the values";
    }
  }

  /// In place, what belongs to no segment is the input.
  void keep_unlisted(std::vector<K>& keys, std::vector<V>& values) const {
    const std::size_t first = count_ == 0 ? 0 : segments_.begin(0);
    const std::size_t last = count_ == 0 ? 0 : segments_.end(count_ - 1);
    for (std::size_t i = 0; i < keys.size(); i = i + 1 == first ? std::max(last, i + 1) : i + 1) {
      if (i >= first && i < last) continue;
      keys[i] = keys_[i];
      if constexpr (has_values) values[i] = values_[i];
    }
  }

  std::vector<K> keys_;
  Segments segments_;
  std::size_t count_;
  sort_options options_;
  std::vector<V> values_;
  std::vector<K> marked_keys_;
  std::vector<V> marked_values_;
  std::vector<K> wanted_keys_;
  std::vector<V> wanted_values_;
};

template <class Combo>
class segmented_sort_conformance : public sort_conformance<Combo> {
 protected:
  using K = typename Combo::key;
  /// Wide offsets, of one kind for some types and of the other for the rest: a call is compiled for each.
  using wide = std::conditional_t<std::is_unsigned_v<K>, std::uint64_t, std::int64_t>;

  /// Keys over all the items of some offsets and a few more, sorted in all ways.
  template <class Offset>
  static void check(const std::vector<std::uint64_t>& bounds, sort_shape shape, random& next) {
    const std::vector<Offset> offsets(bounds.begin(), bounds.end());
    const std::size_t n = bounds.back() + next.below(9);
    const std::size_t count = offsets.size() - 1;
    const detail::offset_segments<Offset> segments{offsets.data()};
    const auto threads = static_cast<unsigned>(1 + next.below(5));
    const bool in_place = next.below(2) == 0;
    const sort_options options = next.below(2) == 0 ? sort_options{} : segmented_sort_conformance::any_options(next);
    segmented_sort_example<Combo, detail::offset_segments<Offset>> example(make_sort_keys<K>(shape, n, next), segments,
                                                                           count, options);
    example.check(offsets, threads, in_place);
    example.check_tiny(threads, in_place, sizeof(Offset), 0);
    example.check_positions(offsets, threads);
  }
};
TYPED_TEST_SUITE_P(segmented_sort_conformance);

TYPED_TEST_P(segmented_sort_conformance, segments_of_every_shape) {
  random next(seed());
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {1, 3, 7, 30, 65, 200, 3000}) {
      if (sanitized && next.below(2) == 0) continue;
      const auto bounds = make_segments(shape, sanitized ? 6000 : 30000, size, next.below(9), next);
      const auto keys = static_cast<sort_shape>(next.below(static_cast<std::uint64_t>(last_sort_shape) + 1));
      SCOPED_TRACE(std::string(to_string(shape)) + ", about " + std::to_string(size) + ", keys " +
                   std::to_string(static_cast<int>(keys)));
      this->template check<std::uint32_t>(bounds, keys, next);
      this->template check<typename TestFixture::wide>(bounds, keys, next);
    }
  }
}

TYPED_TEST_P(segmented_sort_conformance, every_size) {
  random next(seed() + 1);
  for (const std::size_t size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 64, 65, 128, 129, 1000, 5000}) {
    const std::size_t n = next.below(2) == 0 ? next.below(20000) : next.below(3 * size);
    const detail::even_segments segments{size, n};
    const auto keys = static_cast<sort_shape>(next.below(static_cast<std::uint64_t>(last_sort_shape) + 1));
    segmented_sort_example<TypeParam, detail::even_segments> example(
        make_sort_keys<typename TypeParam::key>(keys, n, next), segments, segments.count(), this->any_options(next));
    const auto threads = static_cast<unsigned>(1 + next.below(4));
    example.check(every{size}, threads, next.below(2) == 0);
    example.check_tiny(threads, next.below(2) == 0, 0, size);
    example.check_positions(every{size}, threads);
  }
}

TYPED_TEST_P(segmented_sort_conformance, enough_for_a_team_of_this_machine) {
  random next(seed() + 2);
  for (int k = 0; k < (sanitized ? 1 : 4); ++k) {
    this->template check<std::uint32_t>(stretches(next), next.pick(std::array{sort_shape::uniform, sort_shape::zipf}),
                                        next);
  }
  const auto giant = make_segments(segment_shape::giant_among_tiny, sanitized ? 100000 : 700000, 20, 3, next);
  this->template check<typename TestFixture::wide>(giant, sort_shape::uniform, next);
}

REGISTER_TYPED_TEST_SUITE_P(segmented_sort_conformance, segments_of_every_shape, every_size,
                            enough_for_a_team_of_this_machine);

}  // namespace peneira::test
