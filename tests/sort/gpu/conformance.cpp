// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Every strategy of sort on the GPU against the reference, bit by bit: types, orders, shapes, and sizes around what
// tiles, tasks and segments hold. Strategies come from the list, so a new one is covered without an edit here.
#include "peneira/hash.hpp"
#include "tests/sort/gpu/support.hpp"

namespace peneira::test {

template <class Key, class Value>
struct gpu_sort_combo {
  using key = Key;
  using value = Value;
};

template <class Combo>
class gpu_sort_conformance : public gpu_test {
 protected:
  using key = typename Combo::key;
  static constexpr auto width = static_cast<unsigned>(8 * sizeof(key));

  static void check(const std::vector<key>& keys, const sort_options& options, random& next, const std::string& what) {
    device_sort<key, typename Combo::value>(keys, options, next).check(what);
  }
  static void check(sort_shape s, std::size_t n, const sort_options& options, random& next) {
    check(make_sort_keys<key>(s, n, next), options, next, "shape " + std::to_string(static_cast<int>(s)));
  }
  static void each_shape(auto&& f) {
    for (int s = 0; s <= static_cast<int>(last_sort_shape); ++s) f(static_cast<sort_shape>(s));
  }
  static sort_options any_direction(random& next) { return {.descending = next.below(2) == 0}; }

  /// Keys made of a 64-bit rank for each item, of which a key takes the highest bits.
  static std::vector<key> keys_by_rank(std::size_t n, auto&& rank) {
    std::vector<key> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = detail::key_of_bits<key>(static_cast<detail::bits_of<key>>(rank(i) >> (64 - width)));
    }
    return keys;
  }
};

using gpu_sort_combos =
    ::testing::Types<gpu_sort_combo<std::uint8_t, no_value>, gpu_sort_combo<std::int16_t, no_value>,
                     gpu_sort_combo<std::uint32_t, no_value>, gpu_sort_combo<float, no_value>,
                     gpu_sort_combo<std::int64_t, no_value>, gpu_sort_combo<double, no_value>,
                     gpu_sort_combo<std::uint32_t, std::uint32_t>, gpu_sort_combo<float, std::uint32_t>,
                     gpu_sort_combo<std::int64_t, std::uint64_t>, gpu_sort_combo<double, std::uint64_t>,
                     gpu_sort_combo<std::uint32_t, bytes16>, gpu_sort_combo<std::uint8_t, std::uint8_t>>;
TYPED_TEST_SUITE(gpu_sort_conformance, gpu_sort_combos);

TYPED_TEST(gpu_sort_conformance, few_items) {
  random next(seed());
  for (const std::size_t n : {0U, 1U, 2U, 3U, 31U, 32U, 33U, 255U, 257U, 511U, 513U, 2303U, 2305U, 4096U, 4097U}) {
    if (this->under_checker() && n != 1 && n != 33 && n != 2305) continue;
    this->each_shape([&](sort_shape s) { this->check(s, n, this->any_direction(next), next); });
  }
}

TYPED_TEST(gpu_sort_conformance, sizes_around_thresholds) {
  random next(seed() + 1);
  for (const std::size_t at : {4608U, 8192U, 10240U, 12288U, 65536U}) {
    for (const std::size_t n : {at - 1, at, at + 1}) {
      for (const bool descending : {false, true}) {
        this->check(sort_shape::uniform, n, {.descending = descending}, next);
        this->check(sort_shape::special, n, {.descending = descending}, next);
      }
      this->check(static_cast<sort_shape>(next.below(static_cast<std::uint64_t>(last_sort_shape) + 1)), n,
                  this->any_direction(next), next);
    }
  }
}

TYPED_TEST(gpu_sort_conformance, every_shape) {
  random next(seed() + 2);
  for (const std::size_t n : {20011U, 65537U, 300007U}) {
    this->each_shape([&](sort_shape s) { this->check(s, n, this->any_direction(next), next); });
  }
}

TYPED_TEST(gpu_sort_conformance, many_items) {
  random next(seed() + 3);
  for (const sort_shape s : {sort_shape::uniform, sort_shape::zipf, sort_shape::few_values, sort_shape::sparse,
                             sort_shape::halves, sort_shape::special}) {
    this->check(s, 1000003, this->any_direction(next), next);
  }
}

/// So many that a sample is looked at first: keys that are spread, and keys that crowd, which are sorted the other way.
TYPED_TEST(gpu_sort_conformance, items_that_are_surveyed) {
  random next(seed() + 8);
  for (const sort_shape s : {sort_shape::uniform, sort_shape::sparse, sort_shape::few_values, sort_shape::equal}) {
    this->check(s, (std::size_t{4} << 20U) + 4321, this->any_direction(next), next);
  }
}

/// A crowd too small for a sample to matter, yet too large for a task: further levels split it.
TYPED_TEST(gpu_sort_conformance, a_small_crowd_among_many_items) {
  random next(seed() + 9);
  for (const unsigned shared_bits : {12U, 30U}) {
    const std::uint64_t high = next() >> (64 - shared_bits) << (64 - shared_bits);
    const auto keys = this->keys_by_rank((std::size_t{3} << 20U) + 77, [&](std::size_t i) {
      return i % 64 == 0 ? high | next() >> shared_bits : next();
    });
    this->check(keys, this->any_direction(next), next, std::to_string(shared_bits) + " bits shared by a crowd");
  }
}

/// Keys all over the range that have copies, which share a bucket of a task: too few to matter, a crowd, more than a
/// block takes.
TYPED_TEST(gpu_sort_conformance, copies_that_share_buckets) {
  random next(seed() + 11);
  for (const std::size_t copies : {3U, 12U, 60U, 200U, 6000U}) {
    const std::size_t n = 700001;
    const std::uint64_t salt = next();
    const auto keys = this->keys_by_rank(n, [&](std::size_t) { return mix64(next.below(n / copies) ^ salt); });
    this->check(keys, this->any_direction(next), next, std::to_string(copies) + " copies of each key");
  }
}

/// Around what warps and blocks have of few items, what one block sorts in place, and the most that are counted; keys
/// with many copies, whose order counts, and the keys that come last.
TYPED_TEST(gpu_sort_conformance, items_that_are_counted) {
  random next(seed() + 14);
  const device& machine = detail::current_device();
  const std::size_t sms = static_cast<std::size_t>(machine.sms);
  using value = typename TypeParam::value;
  constexpr std::size_t value_bytes = view<typename TypeParam::key, value>::has_values ? sizeof(value) : 0;
  const std::size_t most =
      sort_strategies::enumeration::most_items(sort_problem::by_whole_keys(0, this->width / 8, value_bytes), machine);
  for (const std::size_t at : {std::size_t{8}, std::size_t{64}, std::size_t{128}, std::size_t{1024}, sms * 8, sms * 16,
                               sms * 32, sms * 64, most}) {
    if (at > most || (this->under_checker() && at > 128)) continue;
    for (const std::size_t n : {at - 1, at, at + 1}) {
      for (const std::uint64_t values : {1U, 2U, 50U}) {
        const std::uint64_t from = next();
        const auto keys = this->keys_by_rank(n, [&](std::size_t) {
          const std::uint64_t which = next.below(values);
          return which == 0 ? ~std::uint64_t{0} : mix64(from + which);
        });
        this->check(keys, this->any_direction(next), next, std::to_string(values) + " values");
      }
      this->check(sort_shape::uniform, n, this->any_direction(next), next);
    }
  }
}

/// In each task a key with many copies, and among them, in its bucket, a few others: smaller ones, larger ones, some
/// twice; now and then one of these comes first.
TYPED_TEST(gpu_sort_conformance, a_few_others_among_copies) {
  random next(seed() + 15);
  constexpr std::size_t n = 300007;
  for (const std::size_t copies : {100U, 385U, 2000U}) {
    for (const std::uint64_t others : {3U, 40U}) {
      const std::uint64_t from = next();
      const auto keys = this->keys_by_rank(n, [&](std::size_t i) {
        if (next.below(2) == 0) return next();
        const std::uint64_t value = mix64(from + i % (n / copies + 1)) >> (64 - this->width);
        const bool other = next.below(copies) < others;
        return (other ? value - 3 + next.below(7) : value) << (64 - this->width);
      });
      this->check(keys, this->any_direction(next), next,
                  std::to_string(others) + " others among " + std::to_string(copies) + " copies");
    }
  }
}

/// As many as each block of a processor can have a tile of, for each size of a tile: one item less and one more.
TYPED_TEST(gpu_sort_conformance, a_tile_a_block) {
  random next(seed() + 10);
  const auto blocks = static_cast<std::size_t>(detail::current_device().sms);
  for (const std::size_t items : {8U, 12U, 16U, 24U, 32U, 40U}) {
    for (const sort_shape s : {sort_shape::uniform, sort_shape::sparse}) {
      const std::size_t n = blocks * tuning::row_threads * items + next.below(3) - 1;
      this->check(s, n, this->any_direction(next), next);
    }
  }
}

/// Parts of the keys: those that no strategy takes are refused in the call.
TYPED_TEST(gpu_sort_conformance, ranges_of_bits) {
  random next(seed() + 4);
  for (const std::size_t n : {0U, 1000U, 70001U}) {
    for (int round = 0; round < 6; ++round) {
      sort_options options = this->any_direction(next);
      options.first_bit = static_cast<unsigned>(next.below(this->width));
      options.last_bit = options.first_bit + 1 + static_cast<unsigned>(next.below(this->width - options.first_bit));
      this->check(sort_shape::uniform, n, options, next);
    }
  }
}

/// A crowd that shares its highest bits, and holds just what a task can, or one more. The others have another highest
/// bit.
TYPED_TEST(gpu_sort_conformance, crowds_of_a_tasks_size) {
  random next(seed() + 5);
  for (const std::size_t holds : {2304U, 4608U, 5120U, 8192U, 12288U}) {
    for (const std::size_t crowd : {holds, holds + 1}) {
      for (const unsigned shared_bits : {8U, 12U, 21U}) {
        const std::uint64_t high = next() >> (64 - shared_bits) << (64 - shared_bits);
        const std::uint64_t other = ~high >> 63U << 63U;
        const std::size_t n = crowd + 30000;
        const auto keys = this->keys_by_rank(n, [&](std::size_t i) {
          return i * 7919 % n < crowd ? high | next() >> shared_bits : other | next() >> 1U;
        });
        this->check(keys, this->any_direction(next), next,
                    "a crowd of " + std::to_string(crowd) + ", " + std::to_string(shared_bits) + " bits shared");
      }
    }
  }
}

/// Copies of keys that lie far apart, and copies of neighbours, which share a bucket of a task: as few as neighbours
/// are compared of, more than that, more than are counted, and large tasks of one key or of few.
TYPED_TEST(gpu_sort_conformance, copies_that_crowd_in_buckets) {
  random next(seed() + 11);
  constexpr std::size_t n = 200003;
  for (const std::size_t copies : {6U, 12U, 40U, 169U, 1500U, 7000U}) {
    for (const std::uint64_t neighbours : {1U, 2U, 9U}) {
      const std::uint64_t from = next();
      const auto keys = this->keys_by_rank(n, [&](std::size_t i) {
        const std::uint64_t value = mix64(from + i % (n / copies + 1));
        return ((value >> (64 - this->width)) + next.below(neighbours)) << (64 - this->width);
      });
      this->check(keys, this->any_direction(next), next,
                  std::to_string(copies) + " copies of " + std::to_string(neighbours) + " neighbours");
    }
  }
}

/// One key has most of the items, others are spread or lie close to it.
TYPED_TEST(gpu_sort_conformance, a_hot_key_among_others) {
  random next(seed() + 12);
  for (const unsigned shared_bits : {0U, 5U, 17U}) {
    const std::uint64_t hot = next();
    const std::uint64_t high = shared_bits == 0 ? 0 : hot >> (64 - shared_bits) << (64 - shared_bits);
    const auto keys = this->keys_by_rank((std::size_t{4} << 20U) + 99, [&](std::size_t) {
      return next.below(4) != 0 ? hot : high | next() >> shared_bits;
    });
    this->check(keys, this->any_direction(next), next, std::to_string(shared_bits) + " bits shared with a hot key");
  }
}

/// 255 bins of a few items each and a huge one; then the same again below that one.
TYPED_TEST(gpu_sort_conformance, one_huge_bin_among_tiny_ones) {
  random next(seed() + 6);
  for (const std::uint64_t bin : {0U, 100U, 255U}) {
    const auto keys = this->keys_by_rank(250000, [&](std::size_t i) {
      if (i % 500 == 0) return next();                              // any bin
      if (i % 500 < 3) return bin << 56U | next() >> 8U;            // any below the huge one
      return bin << 56U | bin << 48U | bin << 40U | next() >> 24U;  // the huge one, twice over
    });
    this->check(keys, this->any_direction(next), next, "huge bin " + std::to_string(bin));
  }
}

TYPED_TEST(gpu_sort_conformance, keys_that_differ_in_one_bit) {
  random next(seed() + 7);
  for (unsigned bit = 0; bit < this->width; bit += bit == 0 ? 1 : 5) {
    const std::uint64_t rest = next();
    const auto keys =
        this->keys_by_rank(150001, [&](std::size_t) { return rest ^ (next() & 1U) << (64 - this->width + bit); });
    this->check(keys, this->any_direction(next), next, "bit " + std::to_string(bit));
  }
}

}  // namespace peneira::test
