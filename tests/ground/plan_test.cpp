// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The choice among strategies is pinned here for machines that are merely described: a change of the choice or of a
// tuning number shows up as a change of this table.
#include "peneira/plan.hpp"
#include "peneira/multisplit.hpp"

#include "peneira/multisplit/published.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

struct expected_choice {
  std::size_t n;
  std::uint32_t bins;
  std::size_t key_bytes;
  std::size_t value_bytes;
  unsigned threads;
  std::size_t l2;
  std::string_view strategy;
  std::string_view parameter;  // one that the strategy decided, with its value
  std::uint64_t value;
};

std::ostream& operator<<(std::ostream& to, const expected_choice& c) {
  return to << c.n << " items of " << c.key_bytes << " + " << c.value_bytes << " bytes, " << c.bins << " bins, "
            << c.threads << " threads, l2 " << c.l2 << ": " << c.strategy << ' ' << c.parameter << ' ' << c.value;
}

class choices : public ::testing::TestWithParam<expected_choice> {};

TEST_P(choices, are_pinned) {
  const expected_choice& wanted = GetParam();
  const multisplit_problem problem{wanted.n, wanted.bins, wanted.key_bytes, wanted.value_bytes};
  const host machine{.threads = wanted.threads, .l2 = wanted.l2};
  const plan made = detail::plan_multisplit(problem, machine, {});
  EXPECT_EQ(made.strategy, wanted.strategy) << to_string(made);
  EXPECT_EQ(made.primitive, "multisplit");
  EXPECT_EQ(made.place, "cpu");
  EXPECT_FALSE(made.why.empty());
  if (!wanted.parameter.empty()) {
    EXPECT_EQ(made.get(wanted.parameter), wanted.value) << to_string(made);
  }
}

// As this processor's tuning has it, and its instructions.
constexpr bool defers = tuning::cpu_deferred_bins <= 4096;
const bool has_vectors = detail::has_avx512();
constexpr std::uint64_t way(detail::scatter_way which) {
  return static_cast<std::uint64_t>(which);
}
const std::uint64_t many_bins_way =
    way(tuning::cpu_least_lines > 1 ? detail::scatter_way::carried : detail::scatter_way::indexed);
const std::uint64_t some_bins_way = has_vectors ? way(detail::scatter_way::placed) : way(detail::scatter_way::indexed);

INSTANTIATE_TEST_SUITE_P(
    cpu, choices,
    ::testing::Values(
        expected_choice{0, 16, 4, 0, 8, mi, "sequential", "", 0},
        expected_choice{65535, 256, 4, 0, 8, mi, "sequential", "", 0},
        expected_choice{65536, 256, 4, 0, 8, mi, "buffered", "threads", 8},
        expected_choice{100 * mi, 2, 4, 0, 2, mi, "buffered", "items a buffer", has_vectors ? 512U : 128U},
        expected_choice{100 * mi, 16, 4, 0, 2, mi, tuning::cpu_direct_columns >= 16 ? "direct" : "buffered", "threads",
                        2},
        expected_choice{100 * mi, 256, 4, 0, 2, mi, "buffered", "items a buffer", has_vectors ? 64U : 128U},
        expected_choice{100 * mi, 361, 4, 0, 2, mi, "buffered", "items a buffer", 64},
        expected_choice{100 * mi, 256, 4, 0, 2, mi, "buffered", "slices", 1},
        expected_choice{100 * mi, 256, 4, 0, 8, mi, "buffered", "slices", has_vectors ? 8U : 1U},
        expected_choice{100 * mi, 2048, 4, 0, 8, mi, "buffered", "slices", has_vectors ? 6U : 1U},
        expected_choice{100 * mi, 4096, 4, 0, 8, mi, "buffered", "slices", 1},
        expected_choice{mi, 256, 4, 0, 8, mi, "buffered", "slices", 1},
        expected_choice{100 * mi, 4097, 4, 0, 2, mi, "buffered", "items a buffer", defers ? 32 : 16},
        expected_choice{100 * mi, 4096, 4, 0, 2, mi, "buffered", "items a buffer", defers ? 64 : 16},
        expected_choice{100 * mi, 4097, 4, 0, 2, mi, "buffered", "deferred", defers ? 1 : 0},
        expected_choice{mi, 4097, 4, 0, 2, mi, "buffered", "deferred", 0},
        expected_choice{100 * mi, 1024, 4, 0, 2, mi, "buffered", "deferred", 0},
        expected_choice{100 * mi, 4097, 4, 0, 2, mi, "buffered", "way", many_bins_way},
        expected_choice{100 * mi, 256, 4, 0, 2, mi, "buffered", "way", some_bins_way},
        expected_choice{100 * mi, 256, 2, 0, 2, mi, "buffered", "way", way(detail::scatter_way::indexed)},
        expected_choice{100 * mi, 2048, 4, 0, 2, mi, "buffered", "way", has_vectors ? some_bins_way : many_bins_way},
        expected_choice{100 * mi, 2049, 4, 0, 2, mi, "buffered", "way", many_bins_way},
        expected_choice{100 * mi, 256, 4, 0, 2, mi, "buffered", "streaming", 1},
        expected_choice{mi, 256, 4, 0, 2, mi, "buffered", "streaming", 0},
        expected_choice{100 * mi, 32768, 4, 0, 2, mi, "two_level", "coarse bins", 256},
        expected_choice{100 * mi, 32768, 4, 0, 2, 2 * mi, "buffered", "items a buffer", defers ? 32 : 16},
        expected_choice{100 * mi, 1000003, 4, 0, 2, mi, "two_level", "fine bins", 1024},
        expected_choice{200000, 1000003, 4, 0, 2, mi, "direct", "threads", 2},
        expected_choice{10 * mi, 256, 64, 0, 2, mi, "direct", "threads", 2},
        expected_choice{10 * mi, 256, 33, 0, 2, mi, "direct", "threads", 2},
        expected_choice{10 * mi, 256, 8, 8, 2, mi, "buffered", "items a buffer", 32},
        expected_choice{10 * mi, 256, 1, 32, 2, mi, "direct", "threads", 2}));

/// Arrays that are nothing but sizes, as explain allows.
template <class K>
plan explained(std::size_t n, std::uint32_t bins, std::string_view strategy, const auto& machine) {
  return explain(
      [&](auto& on) {
        multisplit(on, items(static_cast<const K*>(nullptr), n), items(static_cast<K*>(nullptr), n), hashed{bins},
                   items(static_cast<std::uint64_t*>(nullptr), bins + std::size_t{1}), {.strategy = strategy});
      },
      machine);
}

TEST(explain, touches_no_data) {
  const plan here = explained<std::uint32_t>(std::size_t{1} << 40U, 361, "", host{.threads = 64});
  EXPECT_EQ(here.place, "cpu");
  const plan there = explained<std::uint32_t>(std::size_t{1} << 40U, 361, "", device{.arch = 90, .sms = 132});
  EXPECT_EQ(there.place, "gpu");
  EXPECT_FALSE(there.steps.empty());
}

TEST(explain, without_a_machine_plans_for_this_one) {
  std::vector<int> keys(100000);
  std::vector<int> out(keys.size());
  std::vector<int> offsets(8);
  const plan made = explain([&](auto& on) { multisplit(on, keys, out, hashed{7}, offsets); });
  EXPECT_EQ(made.get("threads"), host::here().threads);
}

TEST(explain, wants_exactly_one_call) {
  const auto none = [](auto&) {};
  const auto two = [](auto& on) {
    std::array<int, 1> a{};
    std::array<int, 1> b{};
    std::array<int, 2> offsets{};
    multisplit(on, a, b, hashed{1}, offsets);
    multisplit(on, a, b, hashed{1}, offsets);
  };
  expect_parts(message_of([&] { explain(none); }), {"explain", "one call"});
  expect_parts(message_of([&] { explain(two); }), {"explain", "one call"});
}

TEST(explain, tells_the_same_refusals_as_the_call) {
  expect_parts(message_of([] { detail::plan_multisplit({.items = 10, .bins = 3}, host{}, "two_level"); }),
               {"multisplit", "strategy", "two_level", "4 bins"});
  expect_parts(message_of([] { detail::plan_multisplit({.bins = 0xFFFFFFFFU}, host{}, "buffered"); }),
               {"multisplit", "strategy", "buffered", "4294967295"});
}

TEST(explain, states_the_bytes_that_the_call_takes) {
  std::vector<std::uint32_t> keys(70000);
  std::vector<std::uint32_t> out(keys.size());
  random next(seed());
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(next());
  for (const std::uint32_t bins : {1U, 5U, 257U, 5000U}) {
    std::vector<std::uint32_t> offsets(bins + 1);
    for (const unsigned threads : host_space::thread_counts) {
      multisplit_cpu_strategies::for_each([&](auto strategy) {
        const multisplit_problem problem{keys.size(), bins};
        const host machine = host::here().with_threads(threads);
        if (!strategy.refuses(problem, machine).empty()) return;
        const auto call = [&](auto&& on) {
          multisplit(on, keys, out, hashed{bins}, offsets, {.strategy = strategy.name});
        };
        const plan made = explain(call, machine);
        counting_memory memory;
        call(cpu{.threads = threads, .memory = &memory});
        EXPECT_EQ(memory.total, made.temporary_bytes) << to_string(made);
        EXPECT_EQ(memory.outstanding, 0);

        std::vector<std::byte> buffer(made.temporary_bytes + memory_alignment);
        void* at = buffer.data();
        std::size_t room = buffer.size();
        std::align(memory_alignment, made.temporary_bytes, at, room);
        arena exact(at, made.temporary_bytes);
        EXPECT_NO_THROW(call(cpu{.threads = threads, .memory = &exact})) << to_string(made);
        EXPECT_EQ(exact.high_water(), made.temporary_bytes);
        if (made.temporary_bytes == 0) return;
        arena short_of_one(at, made.temporary_bytes - 1);
        EXPECT_THROW(call(cpu{.threads = threads, .memory = &short_of_one}), std::bad_alloc) << to_string(made);
      });
    }
  }
}

TEST(plan, as_text_has_a_line_a_fact) {
  plan p;
  p.primitive = "multisplit";
  p.place = "gpu";
  p.strategy = "some";
  p.why = "it is Tuesday";
  p.temporary_bytes = 768;
  p.parameters.push_back({"tiles", 42, "", ""});
  p.parameters.push_back({"buckets", 8, "that hold", ""});
  p.steps.push_back({"count_tiles", 264, 512, 49152});
  EXPECT_EQ(to_string(p),
            "primitive         multisplit\n"
            "place             gpu\n"
            "strategy          some\n"
            "because           it is Tuesday\n"
            "tiles             42\n"
            "buckets           8   that hold\n"
            "count_tiles       <<<264, 512, 49152>>>\n"
            "temporary bytes   768\n");
  p.steps.push_back({"a_step_of_a_long_name", 16, 32, 0, 8, true});
  expect_parts(to_string(p), {"place                 gpu\n",
                              "a_step_of_a_long_name <<<16, 32, 0>>>  clusters of 8 blocks  all blocks at once\n"});
  p.place = "cpu";
  expect_parts(to_string(p), {"count_tiles           264 threads, 49152 bytes of buffers each\n"});
}

TEST(plan, names_what_it_does_not_have) {
  plan p;
  p.strategy = "some";
  expect_parts(message_of<std::out_of_range>([&] { static_cast<void>(p.get("tiles")); }), {"some", "tiles"});
  expect_parts(message_of<std::out_of_range>([&] { static_cast<void>(p.at("count")); }), {"some", "count"});
}

enum class color { red, green };
constexpr std::string_view name_of(color c) {
  return c == color::red ? "red" : "green";
}

struct inner_parameters {
  std::uint32_t depth = 3;
  static constexpr auto fields() { return std::tuple{detail::field{&inner_parameters::depth, "depth", "of it"}}; }
};
struct outer_parameters {
  std::size_t tiles = 42;
  bool large = true;
  color paint = color::green;
  std::optional<unsigned> missing;
  std::optional<unsigned> there = 7;
  std::optional<inner_parameters> inner = inner_parameters{};
  static constexpr auto fields() {
    using self = outer_parameters;
    return std::tuple{detail::field{&self::tiles, "tiles", "a"}, detail::field{&self::large, "large", "b"},
                      detail::field{&self::paint, "paint", "c"}, detail::field{&self::missing, "missing", "d"},
                      detail::field{&self::there, "there", "e"}, detail::field{&self::inner, "", ""}};
  }
};

TEST(plan, shows_the_fields_of_parameters) {
  plan p;
  detail::show_fields(outer_parameters{}, p.parameters);
  expect_parts(to_string(p),
               {"tiles             42     a\n", "large             yes    b\n", "paint             green  c\n",
                "there             7      e\n", "depth             3      of it\n"});
  EXPECT_EQ(p.parameters.size(), 5U);
  EXPECT_EQ(p.get("large"), 1U);
  EXPECT_EQ(p.get("paint"), 1U);
}

TEST(plan, counts_memory_as_it_is_taken) {
  const auto lay_out = [](auto& memory) {
    static_cast<void>(memory.template take<std::uint64_t>(3));
    return memory.take_bytes(1000);
  };
  detail::workspace_size size;
  lay_out(size);
  EXPECT_EQ(size.used(), 256U + 1024U);
  detail::workspace enough(heap::shared(), size.used(), nullptr);
  EXPECT_NO_THROW(lay_out(enough));
  detail::workspace little(heap::shared(), size.used() - 1, nullptr);
  EXPECT_THROW(lay_out(little), std::logic_error);
}

}  // namespace peneira::test
