// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The plans of the published strategies are pinned for an H200 and for the 48 KiB of shared memory of the paper, whose
// thresholds must come out.
#include "peneira/multisplit/published.hpp"

#include "tests/support/common.hpp"

namespace peneira::test {

plan published_plan(const multisplit_problem& problem, const device& machine, std::string_view strategy) {
  return detail::plan_multisplit<device, multisplit_published_strategies>(problem, machine, strategy);
}

/// A published strategy's problem: `bins` bins in any order.
multisplit_problem in_any_order(std::size_t n, std::uint32_t bins, std::size_t key_bytes = 4, std::size_t values = 0) {
  return {n, bins, key_bytes, values, 4, order::any};
}

struct expected_mrbins {
  std::size_t shared;
  std::uint32_t bins;
  std::size_t key_bytes;
  std::size_t value_bytes;
  std::string_view stage_two;  // the last step: fill_or_scatter of buffer_global, fill_buffers of buffer_persistent...
  std::uint64_t at_once;
  std::uint64_t rounds;
};

std::ostream& operator<<(std::ostream& to, const expected_mrbins& c) {
  return to << c.bins << " bins, " << c.key_bytes << " + " << c.value_bytes << " bytes, " << c.shared << " shared";
}

class mrbins_choices : public ::testing::TestWithParam<expected_mrbins> {};

TEST_P(mrbins_choices, are_pinned) {
  const expected_mrbins& wanted = GetParam();
  const device machine{.shared_per_block = wanted.shared};
  const plan made =
      published_plan(in_any_order(64 * mi, wanted.bins, wanted.key_bytes, wanted.value_bytes), machine, "mrbins");
  EXPECT_EQ(made.strategy, "mrbins");
  EXPECT_EQ(made.place, "gpu");
  EXPECT_EQ(made.steps[made.steps.size() - 1].name, wanted.stage_two) << to_string(made);
  EXPECT_EQ(made.get("bins at once"), wanted.at_once) << to_string(made);
  EXPECT_EQ(made.get("rounds"), wanted.rounds) << to_string(made);
  for (const step& s : made.steps) EXPECT_LE(s.shared, wanted.shared) << s.name;
}

constexpr std::size_t paper_shared = 48 * 1024;
constexpr std::size_t h200_shared = device{}.shared_per_block;
INSTANTIATE_TEST_SUITE_P(gpu, mrbins_choices,
                         ::testing::Values(expected_mrbins{paper_shared, 1, 4, 0, "fill_or_scatter", 1, 1},
                                           expected_mrbins{paper_shared, 361, 4, 0, "fill_or_scatter", 361, 1},
                                           expected_mrbins{paper_shared, 362, 4, 0, "fill_buffers", 361, 2},
                                           expected_mrbins{paper_shared, 5000, 4, 0, "fill_buffers", 361, 14},
                                           expected_mrbins{paper_shared, 5055, 4, 0, "scatter_items", 5055, 1},
                                           expected_mrbins{paper_shared, 12288, 4, 0, "scatter_items", 12288, 1},
                                           expected_mrbins{paper_shared, 12289, 4, 0, "scatter_items", 12288, 2},
                                           expected_mrbins{h200_shared, 1709, 4, 0, "fill_or_scatter", 1709, 1},
                                           expected_mrbins{h200_shared, 1710, 4, 0, "fill_buffers", 1709, 2},
                                           expected_mrbins{h200_shared, 23926, 4, 0, "fill_buffers", 1709, 14},
                                           expected_mrbins{h200_shared, 23927, 4, 0, "scatter_items", 23927, 1},
                                           expected_mrbins{h200_shared, 1000003, 4, 0, "scatter_items", 58112, 18},
                                           expected_mrbins{h200_shared, 361, 4, 4, "fill_or_scatter", 361, 1},
                                           expected_mrbins{h200_shared, 361, 64, 64, "fill_buffers", 56, 7},
                                           expected_mrbins{h200_shared, 6000, 1, 0, "fill_buffers", 5811, 2},
                                           expected_mrbins{1024, 100, 64, 0, "scatter_items", 100, 1}));

TEST(published, refuse_what_they_cannot) {
  multisplit_published_strategies::for_each([](auto strategy) {
    if (strategy.name == "gpu_multisplit") return;  // it keeps the order
    expect_parts(message_of([&] { published_plan({.items = 10, .bins = 3}, device{}, strategy.name); }),
                 {"multisplit", "strategy", strategy.name, "does not keep the input order", "order::any"});
  });
  for (const std::string_view name : {"buffer_per_bin", "buffer_global"}) {
    EXPECT_NO_THROW(published_plan(in_any_order(mi, 361), device{.shared_per_block = paper_shared}, name));
    expect_parts(
        message_of([&] { published_plan(in_any_order(mi, 362), device{.shared_per_block = paper_shared}, name); }),
        {"multisplit", "strategy", name, "361 buffers", "4 bytes", "362"});
  }
  expect_parts(message_of([] {
                 published_plan(in_any_order(mi, 5, 64), device{.shared_per_block = 1024}, "buffer_persistent");
               }),
               {"multisplit", "strategy", "buffer_persistent", "0 buffers", "64 bytes"});
  EXPECT_NO_THROW(published_plan(in_any_order(mi, 0xFFFFFFFFU), device{}, "buffer_persistent"));
  expect_parts(message_of([] { published_plan(in_any_order(mi, 5), device{}, "tiles"); }),
               {"multisplit", "tiles", multisplit_published_strategies::names()});
}

TEST(published, plans_pin_their_grids_and_bytes) {
  const plan made = published_plan(in_any_order(64 * mi, 361), device{}, "buffer_global");
  EXPECT_EQ(made.at("count_bins").grid, made.at("fill_or_scatter").grid);
  EXPECT_EQ(made.at("fill_or_scatter").grid, 528U) << to_string(made);
  EXPECT_EQ(made.at("fill_or_scatter").block, 512U);
  EXPECT_EQ(made.at("fill_or_scatter").shared, 361U * 136);
  EXPECT_EQ(made.at("count_bins").shared, 361U * 4);
  EXPECT_EQ(made.get("counters"), 361U * 528 + 1);
  EXPECT_EQ(made.temporary_bytes, 1524992U + 768) << to_string(made);

  const plan few = published_plan(in_any_order(0, 7), device{}, "large");
  EXPECT_EQ(few.at("scatter_items").grid, 1U);
  EXPECT_EQ(few.temporary_bytes, 2U * 256);
}

TEST(published, slices_cover_the_input_and_fit_their_counters) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2049}, 64 * mi, std::size_t{1} << 45U}) {
    for (const std::uint32_t bins : {1U, 361U, 100000U, 0xFFFFFFFFU}) {
      multisplit_published_strategies::for_each([&](auto strategy) {
        if (strategy.name == "gpu_multisplit" || !strategy.refuses(in_any_order(n, bins), device{}).empty()) return;
        const plan made = published_plan(in_any_order(n, bins), device{}, strategy.name);
        const std::uint64_t blocks = made.at("count_bins").grid;
        EXPECT_GE(made.get("slice") * blocks, n) << to_string(made);
        EXPECT_LT(made.get("slice") * (blocks - 1), std::max<std::size_t>(n, 1)) << to_string(made);
        EXPECT_LE(made.get("slice"), 0xFFFFFFFFU);
        EXPECT_EQ(made.get("cursor bytes"), n > 0xFFFFFFFFU ? 8U : 4U);
        EXPECT_GE(made.get("counted at once"), 1U);
      });
    }
  }
}

TEST(published, limits_are_those_of_the_paper) {
  const auto last_step = [](std::string_view strategy, std::uint32_t bins, const published_multisplit_limits& limits) {
    multisplit_problem problem = in_any_order(64 * mi, bins);
    problem.published = limits;
    const plan made = published_plan(problem, device{}, strategy);
    for (const step& s : made.steps) EXPECT_LE(s.shared, paper_shared) << s.name;
    return std::string(made.steps.back().name) + " " + std::to_string(made.get("bins at once"));
  };
  const published_multisplit_limits printed{paper_shared, 361, 5000};
  EXPECT_EQ(last_step("mrbins", 361, printed), "fill_or_scatter 361");
  EXPECT_EQ(last_step("mrbins", 362, printed), "fill_buffers 361");
  EXPECT_EQ(last_step("mrbins", 5000, printed), "fill_buffers 361");
  EXPECT_EQ(last_step("mrbins", 5001, printed), "scatter_items 5001");
  EXPECT_EQ(last_step("mrbins", 12289, printed), "scatter_items 12288");
  EXPECT_EQ(last_step("mrbins", 200, {paper_shared, 0, 100}), "scatter_items 200");
  EXPECT_EQ(last_step("multipartition", 361, printed), "fill_buffers 361");
  EXPECT_EQ(last_step("multipartition", 362, printed), "scatter_items 362");
  EXPECT_EQ(last_step("buffer_per_warp", 100, {.shared_bytes = paper_shared}), "fill_buffers 100");
  EXPECT_EQ(last_step("buffer_persistent", 100, {paper_shared, 7, 0}), "fill_buffers 7");
  for (const std::size_t wrong : {std::size_t{1}, std::size_t{1023}, h200_shared + 1}) {
    expect_parts(message_of([&] { last_step("mrbins", 5, {.shared_bytes = wrong}); }),
                 {"multisplit", "mrbins", "limits.shared_bytes = " + std::to_string(wrong), "1024"});
  }
}

TEST(published, gpu_multisplit_goes_by_bins) {
  const auto form_of = [](std::uint32_t bins, std::size_t key_bytes = 4, std::size_t value_bytes = 0) {
    multisplit_problem problem{64 * mi, bins, key_bytes, value_bytes, 4, order::stable};
    const plan made = published_plan(problem, device{}, "gpu_multisplit");
    for (const step& s : made.steps) {
      EXPECT_LE(s.shared, h200_shared) << s.name;
      EXPECT_GE(s.grid, 1U) << s.name;
    }
    std::string names;
    for (const step& s : made.steps) names.append(s.name).append(" ");
    return names;
  };
  const std::string tiles = "count_by_ballots sum_tiles scan_sums scan_tiles write_offsets split_by_ballots ";
  for (const std::uint32_t bins : {1U, 2U, 8U, 9U, 100U, 256U}) {
    EXPECT_EQ(form_of(bins), tiles);
    EXPECT_EQ(form_of(bins, 64, 64), tiles);
  }
  EXPECT_EQ(form_of(257), "label_items sort_by_tiles write_label_offsets ");
  EXPECT_EQ(form_of(257, 4, 4), "label_items sort_by_tiles write_label_offsets gather_items ");
  multisplit_problem unaligned{mi, 300, 8, 0, 4, order::stable};
  unaligned.key_alignment = 4;
  EXPECT_EQ(published_plan(unaligned, device{}, "gpu_multisplit").steps.back().name, "gather_items");
  EXPECT_EQ(form_of(0xFFFFFFFFU, 64), "label_items sort_by_tiles write_label_offsets gather_items ");
}

TEST(published, call_plans_like_any_other) {
  const auto planned = [](std::string_view strategy) {
    return explain(
        [&](auto& on) {
          published::multisplit(on, items(static_cast<const int*>(nullptr), mi), items(static_cast<int*>(nullptr), mi),
                                hashed{100}, items(static_cast<int*>(nullptr), 101),
                                {.within_bin = order::any, .strategy = strategy});
        },
        device{});
  };
  EXPECT_EQ(planned("mrbins").strategy, "mrbins");
  expect_parts(message_of([&] { planned(""); }), {"multisplit", "strategy", multisplit_published_strategies::names()});
}

}  // namespace peneira::test
