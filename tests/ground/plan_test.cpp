// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans by themselves: what explain makes of a call, how a plan is shown, and how its memory is counted.
#include "peneira/plan.hpp"

#include "peneira/multisplit.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

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
  step dig{"dig"};
  static constexpr std::tuple fields{
      detail::field{&inner_parameters::depth, "depth", "of it"},
      detail::members{&inner_parameters::dig},
  };
};
struct outer_parameters {
  std::size_t tiles = 42;
  bool large = true;
  color paint = color::green;
  std::optional<unsigned> missing;
  std::optional<unsigned> there = 7;
  std::optional<inner_parameters> inner = inner_parameters{};
  step begin{"begin"};
  step undecided;
  std::optional<step> skipped;
  std::vector<step> several{{"one"}, {"two"}};
  using self = outer_parameters;
  static constexpr std::tuple fields{
      detail::field{&self::tiles, "tiles", "a"},
      detail::field{&self::large, "large", "b"},
      detail::field{&self::paint, "paint", "c"},
      detail::field{&self::missing, "missing", "d"},
      detail::field{&self::there, "there", "e"},
      detail::members{&self::begin, &self::inner, &self::undecided, &self::skipped, &self::several},
  };
  template <class Add>
  void each_step(const Add& add) const {
    add(step{"last"});
  }
};

TEST(plan, shows_the_fields_of_parameters) {
  plan p;
  detail::show(outer_parameters{}, p);
  expect_parts(to_string(p),
               {"tiles             42     a\n", "large             yes    b\n", "paint             green  c\n",
                "there             7      e\n", "depth             3      of it\n"});
  EXPECT_EQ(p.parameters.size(), 5U);
  EXPECT_EQ(p.get("large"), 1U);
  EXPECT_EQ(p.get("paint"), 1U);
  std::string steps;
  for (const step& s : p.steps) steps.append(s.name).append(" ");
  EXPECT_EQ(steps, "begin dig one two last ");
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

/// What other tests of plans rely on: a plan that is wrong is found.
TEST(plan, that_no_device_could_launch_is_found) {
  const step fine{"some", 264, 512, 64 * 1024, 1, true};
  EXPECT_EQ(fault_of(fine, device{}), "");
  const auto fault = [&](auto change) {
    step s = fine;
    change(s);
    return fault_of(s, device{});
  };
  EXPECT_NE(fault([](step& s) { s.grid = 0; }), "");
  EXPECT_NE(fault([](step& s) { s.grid = 0x80000000U; }), "");
  EXPECT_NE(fault([](step& s) { s.block = 1025; }), "");
  EXPECT_NE(fault([](step& s) { s.shared = 228 * 1024; }), "");
  EXPECT_NE(fault([](step& s) { s.cluster = 16; }), "");  // of 264 blocks
  EXPECT_NE(fault([](step& s) { s.shared = 114 * 1024; }), "");
  EXPECT_NE(fault([](step& s) { s.grid = 4 * 132; }), "");
  plan p;
  p.steps = {fine, fine};
  EXPECT_TRUE(text_says_it_all(p));
  p.steps[1].grid = 0;
  EXPECT_NE(fault_of(p, device{}), "");
}

}  // namespace peneira::test
