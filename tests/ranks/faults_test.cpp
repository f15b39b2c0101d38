// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong on one rank is thrown by all, and none waits for one that left.
#include <gtest/gtest.h>

#include <atomic>

#include "peneira/ranks/multisplit.hpp"
#include "peneira/ranks/reduce.hpp"
#include "peneira/ranks/sort.hpp"
#include "peneira/ranks/top_k.hpp"
#include "tests/ranks/ranks.hpp"

namespace peneira::test {
namespace {

/// Makes a call on four ranks, which all must throw an error of this type that says so.
template <class Error, class Call>
void expect_all_throw(std::string_view says, Call&& call) {
  std::atomic<int> thrown = 0;
  detail::on_ranks(4, [&](detail::loop_transport& between) {
    loop_ranks on(between);
    try {
      call(on, between.rank());
    } catch (const Error& error) {
      ++thrown;
      EXPECT_NE(std::string_view(error.what()).find(says), std::string_view::npos) << error.what();
    }
  });
  EXPECT_EQ(thrown, 4) << says;
}

TEST(rank_faults, a_null_pointer_on_one_rank_is_told_to_all) {
  expect_all_throw<std::invalid_argument>("rank 2: sort: in is a null pointer", [](loop_ranks& on, unsigned rank) {
    std::vector<std::uint32_t> keys(10, 1);
    sort(on, items(rank == 2 ? static_cast<std::uint32_t*>(nullptr) : keys.data(), 10));
  });
}

TEST(rank_faults, sizes_that_do_not_add_up_are_refused) {
  expect_all_throw<std::invalid_argument>("out has 43 entries on all ranks together, but there are 40",
                                          [](loop_ranks& on, unsigned rank) {
                                            std::vector<std::uint32_t> keys(10, 1);
                                            std::vector<std::uint32_t> out(rank == 3 ? 13 : 10);
                                            sort(on, keys, out);
                                          });
  expect_all_throw<std::invalid_argument>("out has 3 entries on all ranks together, but there are 40",
                                          [](loop_ranks& on, unsigned rank) {
                                            std::vector<std::uint32_t> keys(10, 1);
                                            std::vector<std::uint32_t> out(rank == 3 ? 3 : 0);
                                            std::vector<std::uint64_t> offsets(6);
                                            multisplit(on, keys, out, hashed{5}, offsets);
                                          });
}

TEST(rank_faults, arrays_that_overlap_in_part_are_refused) {
  expect_all_throw<std::invalid_argument>("rank 0: sort: out overlaps the input in part", [](loop_ranks& on, unsigned) {
    std::vector<std::uint32_t> keys(11, 1);
    sort(on, items(keys.data(), 10), items(keys.data() + 1, 10));
  });
}

TEST(rank_faults, options_are_looked_at) {
  expect_all_throw<std::invalid_argument>("rank 0: sort: last_bit is 40", [](loop_ranks& on, unsigned) {
    std::vector<std::uint32_t> keys(10, 1);
    sort(on, keys, {.last_bit = 40});
  });
}

TEST(rank_faults, other_options_on_one_rank_are_refused) {
  expect_all_throw<std::invalid_argument>("sort: options or types of ranks 0 and 2 differ",
                                          [](loop_ranks& on, unsigned rank) {
                                            std::vector<std::uint32_t> keys(10, 1);
                                            sort(on, keys, {.descending = rank == 2});
                                          });
  expect_all_throw<std::invalid_argument>("sort: options or types of ranks 0 and 3 differ",
                                          [](loop_ranks& on, unsigned rank) {
                                            std::vector<std::uint32_t> keys(10, 1);
                                            std::vector<std::int32_t> others(10, 1);
                                            rank == 3 ? sort(on, others) : sort(on, keys);
                                          });
  expect_all_throw<std::invalid_argument>("top_k: k must be the same on all ranks, but is 5 on rank 0 and 6 on rank 1",
                                          [](loop_ranks& on, unsigned rank) {
                                            std::vector<std::uint32_t> keys(10, 1);
                                            std::vector<std::uint32_t> out(rank == 0 ? 5 : 0);
                                            top_k(on, keys, rank == 1 ? 6 : 5, out);
                                          });
}

TEST(rank_faults, other_calls_and_other_segments_on_one_rank_are_refused) {
  expect_all_throw<std::invalid_argument>("rank 0 calls sort, but rank 1 calls reduce",
                                          [](loop_ranks& on, unsigned rank) {
                                            std::vector<std::uint32_t> keys(10, 1);
                                            std::uint32_t sum = 0;
                                            rank == 1 ? reduce(on, keys, &sum, plus{}) : sort(on, keys);
                                          });
  expect_all_throw<std::invalid_argument>("segments' hash must be the same", [](loop_ranks& on, unsigned rank) {
    const std::vector<std::uint32_t> keys(10, rank);
    const std::vector<std::uint32_t> offsets{0, rank == 3 ? 7U : 8U, 40};
    std::vector<std::uint32_t> out(rank == 0 ? 2 : 0);
    segmented_reduce(on, keys, offsets, out, plus{});
  });
  expect_all_throw<std::invalid_argument>("segments must be as many", [](loop_ranks& on, unsigned rank) {
    const std::vector<std::uint32_t> keys(10, rank);
    const std::vector<std::uint32_t> offsets(rank == 1 ? 3 : 4, 0);
    std::vector<std::uint32_t> out(rank == 0 ? 3 : 0);
    segmented_reduce(on, keys, offsets, out, plus{});
  });
}

TEST(rank_faults, a_bin_out_of_range_on_one_rank_is_told_to_all) {
  expect_all_throw<std::invalid_argument>("rank 1: multisplit: bin function returned bin 5",
                                          [](loop_ranks& on, unsigned rank) {
                                            const std::vector<std::uint32_t> keys(10, rank);
                                            std::vector<std::uint32_t> out(10);
                                            std::vector<std::uint64_t> offsets(6);
                                            const auto f = [](std::uint32_t key) { return key == 1 ? 5U : 0U; };
                                            multisplit(on, keys, out, binned{5, f}, offsets);
                                          });
}

TEST(rank_faults, other_numbers_of_bins_are_refused) {
  expect_all_throw<std::invalid_argument>("must be as many on all ranks, but is 5 on rank 0 and 6 on rank 3",
                                          [](loop_ranks& on, unsigned rank) {
                                            const std::vector<std::uint32_t> keys(10, rank);
                                            std::vector<std::uint32_t> out(10);
                                            std::vector<std::uint64_t> offsets(9);
                                            multisplit(on, keys, out, hashed{rank == 3 ? 6U : 5U}, offsets);
                                          });
}

TEST(rank_faults, offsets_past_the_items_of_all_ranks_name_their_segment) {
  expect_all_throw<std::invalid_argument>("offsets give segment 1 the items from 7 to 41, but there are 40",
                                          [](loop_ranks& on, unsigned rank) {
                                            const std::vector<std::uint32_t> keys(10, rank);
                                            const std::vector<std::uint32_t> offsets{0, 7, 41};
                                            std::vector<std::uint32_t> out(rank == 0 ? 2 : 0);
                                            segmented_reduce(on, keys, offsets, out, plus{});
                                          });
}

TEST(rank_faults, too_little_memory_on_one_rank_is_a_bad_alloc_on_all) {
  expect_all_throw<std::bad_alloc>("", [](loop_ranks& on, unsigned rank) {
    class none : public memory {
      void* allocate(std::size_t /*bytes*/, stream /*on*/) override { throw std::bad_alloc(); }
      void deallocate(void* /*block*/, std::size_t /*bytes*/, stream /*on*/) noexcept override {}
    } nothing;
    struct poor : loop_ranks {
      memory* from;
      [[nodiscard]] cpu here() const { return {.threads = 1, .memory = from}; }
    } there{on, rank == 2 ? &nothing : nullptr};
    std::vector<std::uint64_t> keys(400'000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = mix64(i + rank);
    sort(there, keys);
  });
}

TEST(rank_faults, a_rank_that_leaves_is_noticed) {
  std::atomic<int> lost = 0;
  const auto work = [&](detail::loop_transport& between) {
    loop_ranks on(between);
    if (between.rank() == 1) throw std::runtime_error("gone");
    std::vector<std::uint32_t> keys(10, 1);
    try {
      sort(on, keys);
    } catch (const rank_lost&) {
      ++lost;
      throw;
    }
  };
  EXPECT_THROW(detail::on_ranks(4, work), std::runtime_error);
  EXPECT_EQ(lost, 3);
}

}  // namespace
}  // namespace peneira::test
