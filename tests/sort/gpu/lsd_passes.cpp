// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The passes of a sort from the lowest digit up: items go to and fro between two arrays, and the last pass must leave
// them in the output. How many passes there are depends on the bits that count and on those in which keys differ, and
// where the first goes on that and on whether the output is the input. By each of the kernels.
#include <set>

#include "tests/sort/gpu/support.hpp"

namespace peneira::test {

class gpu_lsd_passes : public gpu_test {
 protected:
  /// One tile a block, and more than that: the first size and the other take different kernels.
  static std::array<std::size_t, 2> sizes() {
    return {5003, static_cast<std::size_t>(detail::current_device().sms) * tuning::row_threads * 40 + 1};
  }

  /// Out of place and in place; the kernel's name.
  template <class K, class V>
  static std::string_view check(const std::vector<K>& keys, const sort_options& options, random& next) {
    const device_sort<K, V> sorting(keys, options, next);
    for (const bool in_place : {false, true}) {
      SCOPED_TRACE(std::to_string(keys.size()) + (in_place ? " items in place, bits " : " items, bits ") +
                   std::to_string(options.first_bit) + " to " + std::to_string(options.last_bit));
      sorting.prepare(in_place);
      sorting.call({}, "lsd", order::stable, in_place);
      must(cudaDeviceSynchronize());
      sorting.expect_right();
    }
    return sorting.explained("lsd").steps[0].name;
  }

  /// Keys that differ in some of their digits alone: none, one, two and so on, and not only the lowest ones.
  template <class K, class V>
  static void check_digits() {
    random next(seed() + sizeof(K));
    constexpr unsigned all = 1U << sizeof(K);
    std::set<std::string_view> kernels;
    for (const std::size_t n : sizes()) {
      for (const unsigned digits : {0U, 1U, 1U << (sizeof(K) - 1), 5U % all, 6U % all, 7U % all, all - 2, all - 1}) {
        if (under_checker() && digits != 0 && digits != 5U % all) continue;
        K mask = 0;
        for (unsigned d = 0; d < sizeof(K); ++d) mask |= (digits >> d & 1U) != 0 ? K{0xFF} << (8 * d) : K{0};
        const auto rest = static_cast<K>(next() & ~mask);
        std::vector<K> keys(n);
        for (K& key : keys) key = static_cast<K>((next() & mask) | rest);
        SCOPED_TRACE("digits " + std::to_string(digits));
        kernels.insert(check<K, V>(keys, {.descending = next.below(2) == 0}, next));
      }
    }
    EXPECT_EQ(kernels.size(), 2U) << "kernels that were to be tested";
  }

  /// Digits of fewer bits than 8, from any bit on; one pass, two, and as many as the key has.
  template <class K, class V>
  static void check_ranges() {
    random next(seed() + sizeof(K) + 1);
    constexpr auto width = static_cast<unsigned>(8 * sizeof(K));
    for (const std::size_t n : sizes()) {
      for (const unsigned bits : {1U, 7U, 8U, 9U, 15U, 17U, 24U, width - 1}) {
        if (under_checker() && bits != 7 && bits != 9) continue;
        const auto first = static_cast<unsigned>(next.below(width - bits + 1));
        check<K, V>(make_keys<K>(shape::uniform, n, next), {.first_bit = first, .last_bit = first + bits}, next);
      }
    }
  }
};

TEST_F(gpu_lsd_passes, of_keys_that_differ_in_some_digits_end_in_the_output) {
  check_digits<std::uint32_t, no_value>();
  check_digits<std::uint64_t, no_value>();
  check_digits<std::uint32_t, std::uint32_t>();
}

TEST_F(gpu_lsd_passes, of_any_range_of_bits_end_in_the_output) {
  check_ranges<std::uint32_t, no_value>();
  check_ranges<std::uint64_t, no_value>();
  check_ranges<std::uint64_t, std::uint64_t>();
}

}  // namespace peneira::test
