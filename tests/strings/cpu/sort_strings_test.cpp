// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort_strings on the CPU, every strategy against the reference on inputs that hurt.
#include "peneira/sort_strings.hpp"
#include "peneira/strings/published.hpp"
#include "tests/strings/inputs.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using every_strategy = joined<sort_strings_cpu_strategies, sort_strings_published_cpu_strategies>;

/// Every strategy, ascending and descending, against the reference.
template <class Offset, class Index>
void expect_sorted(const words& given, unsigned threads, const std::string& what, std::string_view only = {}) {
  const auto all = strings_of<Offset>(given);
  for (const bool descending : {false, true}) {
    std::vector<Index> wanted(given.size());
    reference::sort_strings(all.view(), wanted.data(), descending);
    every_strategy::for_each([&](auto strategy) {
      if (!only.empty() && strategy.name != only) return;
      SCOPED_TRACE(what + ", " + std::to_string(given.size()) + " strings, " + std::string(strategy.name) + ", " +
                   std::to_string(threads) + " threads, seed " + std::to_string(seed()) +
                   (descending ? ", descending" : ""));
      const sort_strings_options options{.descending = descending, .strategy = strategy.name};
      guarded<Index> got(given.size());
      if constexpr (requires { strategy.published; }) {
        published::sort_strings(cpu{.threads = threads}, all, items(got.data(), got.size()), options);
      } else {
        sort_strings(cpu{.threads = threads}, all, items(got.data(), got.size()), options);
      }
      EXPECT_TRUE(same(wanted, got.read()));
    });
  }
}

TEST(sort_strings, sorts_few_strings_of_every_kind) {
  random next(seed());
  for (const generator& g : generators()) {
    for (const std::size_t n : {0U, 1U, 2U, 3U, 16U, 17U, 24U, 25U, 100U, 1000U}) {
      expect_sorted<std::uint64_t, std::uint32_t>(make_words(g, n, next), 1 + static_cast<unsigned>(n % 3), g.name);
    }
  }
}

TEST(sort_strings, sorts_many_strings_of_every_kind) {
  random next(seed() + 1);
  unsigned threads = 1;
  for (const generator& g : generators()) {
    const std::size_t n = sanitized ? 40000 : 150000;
    expect_sorted<std::uint32_t, std::uint32_t>(make_words(g, n + next.below(1000), next), threads, g.name,
                                                sanitized ? "prefixes" : "");
    threads = threads % 5 + 1;
  }
}

TEST(sort_strings, numbers_strings_in_64_bits) {
  random next(seed() + 2);
  for (const generator& g : generators()) {
    expect_sorted<std::uint64_t, std::uint64_t>(make_words(g, sanitized ? 500 : 5000, next), 2, g.name);
  }
  expect_sorted<std::uint64_t, std::uint64_t>(make_words(generators().back(), sanitized ? 40000 : 100000, next), 3,
                                              "addresses", "prefixes");
}

TEST(sort_strings, sorts_long_strings_among_short_ones) {
  const std::size_t length = sanitized ? 1000000 : 10000000;
  random next(seed() + 3);
  words given = make_words(generators().front(), 3000, next);
  std::string equal(length, 'e');
  given.push_back(equal);
  given.insert(given.begin(), equal);
  given.push_back(equal + "f");
  equal.back() = 'd';
  given.push_back(equal);
  given.push_back(equal.substr(0, length / 2));
  expect_sorted<std::uint64_t, std::uint32_t>(given, 2, "long ones");
}

TEST(sort_strings, reads_lines_to_the_very_end_of_a_text) {
  random next(seed() + 4);
  for (const std::size_t size : {1U, 7U, 8U, 9U, 50U, 100000U}) {
    const std::string made = text_of(next, size, "ab\n");
    const std::vector<char> text(made.begin(), made.end());  // a sanitizer sees what is read behind it
    const auto lines = lines_of(std::string_view(text.data(), text.size()));
    std::vector<std::uint32_t> wanted(lines.size());
    std::vector<std::uint32_t> got(lines.size());
    reference::sort_strings(lines.view(), wanted.data());
    sort_strings(cpu{.threads = 2}, lines, got, {.strategy = "prefixes"});
    EXPECT_TRUE(same(wanted, got)) << size;
  }
}

TEST(sort_strings, takes_tasks_of_any_size) {
  random next(seed() + 5);
  const words given = make_words(generators()[2], 3000, next);
  const auto all = strings_of(given);
  std::vector<std::uint32_t> wanted(given.size());
  std::vector<std::uint32_t> got(given.size());
  reference::sort_strings(all.view(), wanted.data());
  for (const std::size_t task_size : {1U, 2U, 3U, 100U, 2999U, 3000U, 100000U}) {
    published::sort_strings(cpu{.threads = 3}, all, got, {.strategy = "task_merge_quicksort"}, {task_size});
    EXPECT_TRUE(same(wanted, got)) << task_size;
  }
}

TEST(sort_strings, splits_merges_of_any_size) {
  random next(seed() + 15);
  for (const std::size_t kind : {0U, 2U, 4U}) {
    const auto all = strings_of(make_words(generators()[kind], 3000, next));
    std::vector<std::uint32_t> wanted(all.size());
    std::vector<std::uint32_t> got(all.size());
    for (const bool descending : {false, true}) {
      reference::sort_strings(all.view(), wanted.data(), descending);
      for (const std::size_t merge_items : {0U, 2U, 3U, 100U, 1499U, 2999U, 3000U, 100000U}) {
        published::sort_strings(cpu{.threads = 3}, all, got,
                                {.descending = descending, .strategy = "task_merge_quicksort"},
                                {.task_size = 7, .merge_items = merge_items});
        EXPECT_TRUE(same(wanted, got)) << generators()[kind].name << ", " << merge_items;
      }
    }
  }
}

TEST(sort_strings, rejects_what_cannot_be_right) {
  std::vector<std::uint64_t> starts{0, 4, 9, 12};
  const std::string chars = "brangrainoat";
  std::vector<std::uint32_t> two(2);
  std::vector<std::uint32_t> three(3);
  const auto message = [&](auto&&... arguments) { return message_of([&] { sort_strings(cpu{}, arguments...); }); };
  EXPECT_NO_THROW(sort_strings(cpu{}, strings{chars.data(), starts}, three));
  expect_parts(message(strings{chars.data(), starts}, two), {"sort_strings", "permutation", "2", "3 strings"});
  expect_parts(message(strings{chars.data(), starts}, three, sort_strings_options{.strategy = "by_hand"}),
               {"sort_strings", "strategy", "by_hand", sort_strings_cpu_strategies::names()});
  expect_parts(message(strings{chars.data(), starts, 4}, three), {"sort_strings", "starts", "string 2", "4 trailing"});
  std::swap(starts[1], starts[2]);
  expect_parts(message(strings{chars.data(), starts}, three), {"sort_strings", "starts", "string 1", "9", "4"});
  std::swap(starts[1], starts[2]);
  expect_parts(message(strings{chars.data(), starts}, items(starts.data(), 3)), {"permutation", "overlaps the starts"});
  expect_parts(message(strings{reinterpret_cast<const char*>(three.data()), starts}, three),
               {"permutation", "overlaps the characters"});
  expect_parts(message_of([&] {
                 published::sort_strings(cpu{}, strings{chars.data(), starts}, three, {});
               }),
               {"strategy", "task_merge_quicksort"});
  expect_parts(message_of([&] {
                 published::sort_strings(cpu{}, strings{chars.data(), starts}, three,
                                         {.strategy = "task_merge_quicksort"}, {.task_size = 0});
               }),
               {"task_merge_quicksort", "task_size", "0"});
  expect_parts(message_of([&] {
                 published::sort_strings(cpu{}, strings{chars.data(), starts}, three,
                                         {.strategy = "task_merge_quicksort"}, {.merge_items = 1});
               }),
               {"task_merge_quicksort", "merge_items", "not 1"});
}

TEST(sort_strings, says_what_it_will_do) {
  const host machine{.threads = 16};
  const auto planned = [&](std::size_t n, std::string_view strategy) {
    return explain(
        [&](auto& on) {
          sort_strings(on, strings<std::uint64_t>(nullptr, nullptr, n), items(static_cast<std::uint32_t*>(nullptr), n),
                       {.strategy = strategy});
        },
        machine);
  };
  const plan many = planned(10000000, "");
  EXPECT_EQ(many.strategy, "prefixes");
  EXPECT_EQ(many.get("threads"), 16U);
  EXPECT_GT(many.temporary_bytes, 2 * 12 * 10000000U);
  EXPECT_LT(many.temporary_bytes, 30 * 10000000U);
  EXPECT_EQ(planned(15, "").strategy, "sequential");
  EXPECT_EQ(planned(16, "").strategy, "prefixes");
  EXPECT_EQ(planned(1000, "prefixes").get("threads"), 1U);
  EXPECT_LT(planned(1000, "prefixes").temporary_bytes, 64 * 1024U);
  EXPECT_EQ(planned(1000, "sequential").temporary_bytes, 0U);
  expect_parts(message_of([&] { planned(std::size_t{1} << 33U, ""); }), {"permutation", "32-bit"});
}

TEST(sort_strings, takes_its_memory_at_once_and_gives_it_back) {
  random next(seed() + 6);
  const auto all = strings_of(make_words(generators().back(), 50000, next));
  std::vector<std::uint32_t> got(all.size());
  counting_memory memory;
  const cpu on{.threads = 2, .memory = &memory};
  sort_strings(on, all, got, {.strategy = "prefixes"});
  EXPECT_EQ(memory.calls, 1U);
  EXPECT_EQ(memory.outstanding, 0);
  const plan made = explain([&](auto& there) { sort_strings(there, all, got, {.strategy = "prefixes"}); },
                            host::here().with_threads(2));
  EXPECT_EQ(memory.total, made.temporary_bytes);
  memory.fail_at = 2;
  EXPECT_THROW(sort_strings(on, all, got, {.strategy = "prefixes"}), std::bad_alloc);
  EXPECT_EQ(memory.outstanding, 0);
}

TEST(strings, a_null_pointer_among_them_is_told) {
  const std::vector<const char*> some{"z", nullptr};
  std::vector<std::uint32_t> got(2);
  EXPECT_THROW(sort_strings(cpu{}, some, got), std::invalid_argument);
}

}  // namespace peneira::test
