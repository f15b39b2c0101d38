// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A call launches what its plan says, and takes the memory that it states: run against a CUDA runtime that only writes
// down, so that no GPU is needed and sizes may be any.
#include <gtest/gtest.h>

#include "peneira/gather.hpp"
#include "peneira/group.hpp"
#include "peneira/group_by.hpp"
#include "peneira/histogram.hpp"
#include "peneira/multisplit.hpp"
#include "peneira/partition.hpp"
#include "peneira/scan.hpp"
#include "peneira/segmented_reduce.hpp"
#include "peneira/sort.hpp"
#include "peneira/top_k.hpp"
#include "peneira/unique.hpp"
#include "tests/gpu/recorded/runtime.hpp"

namespace peneira::test {

/// An array that is nothing but an address.
template <class T>
T* array_at(std::uintptr_t number) {
  return reinterpret_cast<T*>((number + 1) << 42U);
}

/// Makes a call on a GPU and plans it, and compares. Whether it was not refused.
template <class Call>
bool expect_as_planned(const Call& call) {
  plan made;
  try {
    made = explain(call, device{});
  } catch (const std::invalid_argument&) {
    EXPECT_THROW(call(gpu{}), std::invalid_argument);
    return false;
  }
  static_cast<void>(take_record());
  call(gpu{});
  const recorded_call seen = take_record();
  EXPECT_EQ(seen.bytes, made.temporary_bytes) << to_string(made);
  EXPECT_LE(seen.allocations, 1U);
  EXPECT_EQ(seen.launches.size(), made.steps.size()) << to_string(made);
  for (std::size_t k = 0; k < std::min(seen.launches.size(), made.steps.size()); ++k) {
    const step& asked = seen.launches[k];
    const step& planned = made.steps[k];
    EXPECT_TRUE(asked.grid == planned.grid && asked.block == planned.block && asked.shared == planned.shared &&
                asked.cluster == planned.cluster && asked.at_once == planned.at_once)
        << "launch " << k << ", " << seen.kernels[k] << ", is " << detail::to_string(asked, true) << " of\n"
        << to_string(made);
  }
  return true;
}

constexpr std::size_t some_sizes[] = {1,       2,       1000,     4096,     4097,      65536,     65537,
                                      1000000, 2162689, 12 << 20, 64 << 20, 1U << 28U, 5000000000};

TEST(recorded, sorts_launch_what_is_planned) {
  const auto keys = [](std::uintptr_t number, std::size_t n) { return items(array_at<std::uint32_t>(number), n); };
  const auto both = [](std::uintptr_t number, std::size_t n) {
    return pairs(array_at<std::uint32_t>(number), array_at<std::uint32_t>(number + 8), n);
  };
  int taken = 0;
  for (const std::size_t n : some_sizes) {
    for (const char* strategy : {"", "enumeration", "cluster", "msd", "lsd"}) {
      for (const std::uintptr_t out : {0, 1}) {  // in place, and not
        taken += expect_as_planned([&](auto&& on) { sort(on, keys(0, n), keys(out, n), {.strategy = strategy}); });
        taken += expect_as_planned([&](auto&& on) { sort(on, both(0, n), both(out, n), {.strategy = strategy}); });
        taken += expect_as_planned([&](auto&& on) {
          sort(on, keys(0, n), keys(out, n), {.first_bit = 3, .last_bit = 20, .strategy = strategy});
        });
      }
    }
  }
  EXPECT_GT(taken, 200);
}

TEST(recorded, multisplits_launch_what_is_planned) {
  int taken = 0;
  for (const std::size_t n : some_sizes) {
    for (const std::uint32_t bins : {1U, 2U, 32U, 100U, 512U, 513U, 12288U, 65536U, 1000003U}) {
      for (const char* strategy : {"", "tiles", "two_way", "sampled", "groups"}) {
        for (const order within_bin : {order::stable, order::any}) {
          taken += expect_as_planned([&](auto&& on) {
            multisplit(on, items(array_at<std::uint32_t>(0), n), items(array_at<std::uint32_t>(1), n), hashed{bins},
                       items(array_at<std::uint64_t>(2), bins + std::size_t{1}),
                       {.within_bin = within_bin, .strategy = strategy});
          });
        }
      }
    }
  }
  EXPECT_GT(taken, 500);
}

TEST(recorded, segmented_reduces_launch_what_is_planned) {
  int taken = 0;
  for (const std::size_t n : some_sizes) {
    for (const std::size_t segments : {std::size_t{1}, n / 1000 + 1, n / 8 + 1, n + 1}) {
      for (const char* strategy : {"", "tiles", "merged"}) {
        taken += expect_as_planned([&](auto&& on) {
          segmented_reduce(on, items(array_at<const float>(0), n),
                           items(array_at<const std::uint32_t>(1), segments + 1), items(array_at<float>(2), segments),
                           max{}, {.strategy = strategy});
        });
      }
    }
  }
  EXPECT_GT(taken, 100);
}

TEST(recorded, histograms_launch_what_is_planned) {
  int taken = 0;
  for (const std::size_t n : some_sizes) {
    for (const std::uint32_t bins : {1U, 361U, 4096U, 1000003U}) {
      for (const order grouping : {order::stable, order::any}) {
        const auto keys = array_at<const std::uint32_t>(0);
        const histogram_options options{.grouping = grouping};
        taken += expect_as_planned([&](auto&& on) {
          histogram(on, items(keys, n), hashed{bins}, items(array_at<std::uint64_t>(1), bins), options);
        });
        taken += expect_as_planned([&](auto&& on) {
          histogram(on, pairs(keys, array_at<const float>(2), n), hashed{bins}, items(array_at<float>(1), bins),
                    options);
        });
        taken += expect_as_planned([&](auto&& on) {
          histogram(on, items(keys, n), labels{bins, array_at<const std::uint8_t>(3), n},
                    items(array_at<std::uint64_t>(1), bins), options);
        });
      }
    }
  }
  EXPECT_GT(taken, 200);
}

struct is_odd {
  PENEIRA_HD bool operator()(std::uint32_t key) const { return key % 2 == 1; }
};

TEST(recorded, top_ks_launch_what_is_planned) {
  const auto keys = [](std::uintptr_t number, std::size_t n) { return items(array_at<std::uint32_t>(number), n); };
  const auto both = [](std::uintptr_t number, std::size_t n) {
    return pairs(array_at<std::uint32_t>(number), array_at<std::uint32_t>(number + 8), n);
  };
  int taken = 0;
  for (const std::size_t n : some_sizes) {
    for (const std::size_t k : {std::size_t{1}, n / 100 + 1, n / 2 + 1, n}) {
      for (const char* strategy : {"", "radix_select", "sort_all"}) {
        for (const bool sorted : {false, true}) {
          const top_k_options options{.sorted = sorted, .strategy = strategy};
          taken += expect_as_planned([&](auto&& on) { top_k(on, keys(0, n), k, keys(1, k), options); });
          taken += expect_as_planned([&](auto&& on) { top_k(on, both(0, n), k, both(1, k), options); });
        }
      }
    }
  }
  EXPECT_GT(taken, 200);
}

TEST(recorded, others_launch_what_is_planned) {
  const auto words = [](std::uintptr_t number, std::size_t n) { return items(array_at<std::uint32_t>(number), n); };
  const auto wide = [](std::uintptr_t number, std::size_t n) { return items(array_at<std::uint64_t>(number), n); };
  int taken = 0;
  for (const std::size_t n : some_sizes) {
    taken += expect_as_planned([&](auto&& on) { gather(on, words(0, n), wide(1, n), words(2, n)); });
    taken += expect_as_planned([&](auto&& on) { scan(on, words(0, n), wide(1, n), plus{}); });
    taken += expect_as_planned([&](auto&& on) { segmented_scan(on, words(0, n), every{9}, wide(1, n), plus{}); });
    taken += expect_as_planned([&](auto&& on) { segmented_scan(on, words(0, n), wide(2, 99), wide(1, n), plus{}); });
    taken += expect_as_planned([&](auto&& on) { unique(on, words(0, n), words(1, n), array_at<std::uint64_t>(2)); });
    taken += expect_as_planned(
        [&](auto&& on) { run_lengths(on, words(0, n), words(1, n), wide(2, n), array_at<std::uint64_t>(3)); });
    taken += expect_as_planned([&](auto&& on) {
      multisplit(on, words(0, n), words(1, n), labels{300, array_at<const std::uint16_t>(3), n}, wide(2, 301));
    });
    for (const order within : {order::stable, order::any}) {
      taken += expect_as_planned(
          [&](auto&& on) { partition(on, words(0, n), words(1, n), is_odd{}, wide(2, 2), {.within_part = within}); });
    }
  }
  EXPECT_GT(taken, 100);
}

TEST(recorded, groups_launch_what_is_planned) {
  const auto words = [](std::uintptr_t number, std::size_t n) { return items(array_at<std::uint32_t>(number), n); };
  const auto floats = [](std::uintptr_t number, std::size_t n) { return items(array_at<float>(number), n); };
  std::uint64_t* const groups = array_at<std::uint64_t>(9);
  int taken = 0;
  for (const std::size_t n : some_sizes) {
    taken += expect_as_planned(
        [&](auto&& on) { group_by(on, words(0, n), floats(1, n), words(2, n), floats(3, n), plus{}, groups); });
    taken += expect_as_planned([&](auto&& on) {
      group_by(on, floats(0, n), floats(2, n),
               aggregates{count(words(3, n)), aggregate(floats(1, n), max{}, floats(4, n))}, groups);
    });
    taken += expect_as_planned([&](auto&& on) { distinct(on, words(0, n), words(1, n), groups); });
    taken += expect_as_planned([&](auto&& on) {
      group(on, pairs(array_at<std::uint32_t>(0), array_at<float>(1), n), words(2, n),
            items(array_at<std::uint64_t>(3), n + 1), floats(4, n), groups);
    });
  }
  EXPECT_GT(taken, 40);
}

}  // namespace peneira::test
