// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What reduce will launch on an H200 and on smaller devices, without one.
#include "peneira/reduce.hpp"
#include "tests/reduce/monoids.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

/// A reduce of n promised items.
template <class T, class Result, class Op>
plan plan_of_reduce(std::size_t n, const Op& op, std::string_view strategy = {}) {
  return explain(
      [&](auto& on) {
        reduce(on, items(static_cast<const T*>(nullptr), n), static_cast<Result*>(nullptr), op, {.strategy = strategy});
      },
      device{});
}

/// One launch that a device can make, whose blocks all run at the same time, since one of them waits for the others. It
/// takes a slot for each of those, and along the number of items its kernels follow one another.
TEST(gpu_reduce_plan, is_one_launch_for_every_size) {
  for (const device& machine : devices_to_plan_for) {
    for (const std::size_t item : {1U, 2U, 3U, 4U, 8U, 16U}) {
      for (const std::size_t result : {1U, 8U, 24U, 32U}) {
        choices_in_turn kernels;
        for (const std::size_t n : sizes_to_plan({16384, 128 * 128 * 16, 132 * 4 * 512 * 4})) {
          const reduce_problem problem{n, item, result};
          const plan made = detail::plan_by<reduce_gpu_strategies>("reduce", problem, machine, {"persistent", "asked"});
          ASSERT_EQ(made.steps.size(), 1U);
          const step& launched = made.steps[0];
          ASSERT_EQ(fault_of(made, machine), "") << n << "\n" << to_string(made);
          ASSERT_LE(launched.grid * launched.block, std::size_t{2048} * static_cast<std::size_t>(machine.sms));
          ASSERT_TRUE(kernels.take(launched.name)) << n << "\n" << to_string(made);
          const std::size_t slots = (launched.grid - 1) * detail::slot_words(result) * sizeof(detail::stamped_word);
          ASSERT_EQ(made.temporary_bytes, detail::workspace::round_up(slots)) << n << "\n" << to_string(made);
          ASSERT_TRUE(text_says_it_all(made));
        }
      }
    }
  }
}

/// Who reads a tile each has one; who strides over tiles has one at least; a block alone has all.
TEST(gpu_reduce_plan, gives_every_block_a_tile) {
  for (const std::size_t n : sizes_to_plan({16384, 3 * 65536, 132 * 4 * 512 * 4})) {
    const plan made = plan_of_reduce<float, float>(n, plus{});
    const std::size_t tile = made.get("tile");
    const std::size_t workers = std::max<std::size_t>(made.steps[0].grid - 1, 1);
    ASSERT_TRUE(made.steps[0].name == "reduce_tiles" || workers * tile >= n) << to_string(made);
    ASSERT_TRUE(n == 0 || (workers - 1) * tile < n) << to_string(made);
    ASSERT_FALSE(made.why.empty());
  }
}

/// Nobody asks whether a group of a row is there, but for the last row, wherever the groups begin.
TEST(gpu_reduce_plan, has_full_rows_before_the_last) {
  for (const int sms : {2, 20, 40, 132, 200}) {
    for (const std::size_t item : {1U, 2U, 3U, 4U, 8U, 12U, 16U}) {
      const std::size_t group = 16 % item == 0 ? 16 / item : 1;
      for (std::size_t n = 1; n < 5 * mi; n += n / 16 + 1) {
        const plan made =
            detail::plan_of<reduce_strategies::persistent>(reduce_problem{n, item, 8}, device{.arch = 90, .sms = sms});
        if (made.steps[0].name != "reduce_rows") continue;
        const std::size_t threads = (made.steps[0].grid - 1) * made.steps[0].block;
        ASSERT_LE(made.steps[0].grid, std::size_t{129}) << to_string(made);
        ASSERT_LE(made.steps[0].grid, static_cast<std::size_t>(sms)) << to_string(made);
        ASSERT_LE((made.get("loads") - 1) * threads, (n - 2 * (group - 1)) / group) << n << "\n" << to_string(made);
        ASSERT_GE(made.get("loads") * threads * group, n) << to_string(made);
      }
    }
  }
}

/// An operator that does not say that it is commutative.
TEST(gpu_reduce_plan, keeps_the_order_for_those_who_need_it) {
  const plan made = plan_of_reduce<affine, affine>(64 * mi, then{});
  EXPECT_EQ(made.strategy, "ordered") << to_string(made);
  expect_parts(message_of([&] { plan_of_reduce<affine, affine>(64 * mi, then{}, "persistent"); }),
               {"reduce", "strategy", "persistent", "commutative"});
  expect_parts(message_of([&] { plan_of_reduce<std::uint32_t, std::uint32_t>(mi, plus{}, "ordered"); }),
               {"reduce", "strategy", "ordered", "commutative"});
}

}  // namespace peneira::test
