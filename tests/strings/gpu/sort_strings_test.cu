// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort_strings on a GPU, ours and the published one against the reference on inputs that hurt.
#include "peneira/strings/published.hpp"
#include "tests/strings/inputs.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {
namespace {

/// Strings in device memory, their characters off any alignment and not a byte longer than they are.
template <class Offset>
class device_strings {
 public:
  explicit device_strings(const strings<Offset>& from, std::size_t shift = 0)
      : chars_(bytes_of(from), shift),
        starts_(std::vector<Offset>(from.starts, from.starts + from.size + 1)),
        all_(chars_.data(), starts_.data(), from.size, from.trailing) {}

  [[nodiscard]] const strings<Offset>& all() const { return all_; }

 private:
  static std::vector<char> bytes_of(const strings<Offset>& from) {
    if (from.size == 0) return {};
    return {from.chars, from.chars + from.starts[from.size] - from.trailing};  // behind the last there may be nothing
  }

  placed<char, device_space> chars_;
  placed<Offset, device_space> starts_;
  strings<Offset> all_;
};

template <class Offset, class Index>
void call(const gpu& on, const strings<Offset>& all, Index* permutation, bool descending, std::string_view strategy) {
  const sort_strings_options options{.descending = descending, .strategy = strategy};
  if (strategy == sort_strings_strategies::doubling_merge::name) {
    published::sort_strings(on, all, items(permutation, all.size), options);
  } else {
    sort_strings(on, all, items(permutation, all.size), options);
  }
}

template <class Offset, class Index>
void expect_sorted_by(std::string_view strategy, const strings<Offset>& all, const std::string& what, bool descending,
                      std::size_t shift) {
  SCOPED_TRACE(what + ", " + std::to_string(all.size) + " strings, " + std::string(strategy) + ", seed " +
               std::to_string(seed()) + (descending ? ", descending" : ""));
  std::vector<Index> wanted(all.size);
  reference::sort_strings(all, wanted.data(), descending);
  const device_strings<Offset> there(all, shift);
  const guarded<Index, device_space> got(all.size, shift % 4);
  call(gpu{}, there.all(), got.data(), descending, strategy);
  EXPECT_TRUE(same(wanted, got.read()));
}

/// Ours in both directions, and the published one too where there are few.
template <class Offset, class Index>
void expect_sorted(const words& given, const std::string& what, std::size_t most_published = 1000) {
  const auto all = strings_of<Offset>(given);
  std::size_t shift = given.size() % 8;
  for (const bool descending : {false, true}) {
    for (const std::string_view strategy : {"rounds", "doubling_merge"}) {
      if (strategy != "rounds" && given.size() > most_published) continue;
      expect_sorted_by<Offset, Index>(strategy, all.view(), what, descending, shift++);
    }
  }
}

class gpu_strings : public gpu_test {};

TEST_F(gpu_strings, few_of_every_kind_are_sorted) {
  random next(seed());
  for (const generator& g : generators()) {
    for (const std::size_t n : {0U, 1U, 2U, 3U, 32U, 33U, 1000U}) {
      expect_sorted<std::uint64_t, std::uint32_t>(make_words(g, n, next), g.name);
    }
  }
}

TEST_F(gpu_strings, many_of_every_kind_are_sorted) {
  random next(seed() + 1);
  for (const generator& g : generators()) {
    expect_sorted<std::uint32_t, std::uint32_t>(make_words(g, 100000 + next.below(1000), next), g.name);
  }
}

TEST_F(gpu_strings, starts_and_numbers_may_have_either_width) {
  random next(seed() + 2);
  for (const generator& g : generators()) {
    const words given = make_words(g, 5000 + next.below(100), next);
    expect_sorted<std::uint64_t, std::uint64_t>(given, g.name);
    expect_sorted<std::uint32_t, std::uint64_t>(given, g.name);
  }
}

TEST_F(gpu_strings, around_the_tiles_of_a_round_and_the_largest_cluster) {
  random next(seed() + 3);
  const generator& two_letters = generators()[2];
  for (const std::size_t n : {2047U, 2048U, 2049U, 4096U, 65535U, 65536U, 65537U, 300001U}) {
    expect_sorted<std::uint64_t, std::uint32_t>(make_words(two_letters, n, next), "two letters", 5000);
  }
}

TEST_F(gpu_strings, long_ones_are_sorted_among_short_ones) {
  constexpr std::size_t length = 10000000;
  random next(seed() + 4);
  words given = make_words(generators().front(), 3000, next);
  std::string equal(length, 'e');
  given.push_back(equal);
  given.insert(given.begin(), equal);
  given.push_back(equal + "f");
  equal.back() = 'd';
  given.push_back(equal);
  given.push_back(equal.substr(0, length / 2));
  expect_sorted<std::uint64_t, std::uint32_t>(given, "long ones", 0);
}

/// Groups whose strings part far behind what one thread compares, at every place.
TEST_F(gpu_strings, strings_that_part_late_are_sorted) {
  random next(seed() + 5);
  words given;
  for (std::size_t i = 0; i < 4000; ++i) {
    std::string one = text_of(next, 2, "ab") + std::string(60 + next.below(1500), 'k');
    if (next.below(2) == 0) one[next.below(one.size())] = 'j';
    given.push_back(one);
  }
  expect_sorted<std::uint64_t, std::uint32_t>(given, "late", 5000);
}

TEST_F(gpu_strings, lines_are_read_to_the_very_end_of_a_text) {
  random next(seed() + 6);
  for (const std::size_t size : {1U, 7U, 8U, 9U, 50U, 100000U}) {
    const std::string text = text_of(next, size, "ab\n");
    const auto lines = lines_of(text);
    for (std::size_t shift = 0; shift < 3; ++shift) {
      expect_sorted_by<std::uint64_t, std::uint32_t>("rounds", lines.view(), "lines", false, shift);
      expect_sorted_by<std::uint64_t, std::uint32_t>("doubling_merge", lines.view(), "lines", true, shift);
    }
  }
}

TEST_F(gpu_strings, blocks_may_have_any_number_of_threads) {
  random next(seed() + 7);
  const auto all = strings_of(make_words(generators()[2], 3000, next));
  std::vector<std::uint32_t> wanted(all.size());
  reference::sort_strings(all.view(), wanted.data());
  const device_strings<std::uint64_t> there(all.view());
  for (const std::size_t threads : {1U, 2U, 32U, 100U, 1024U}) {
    const guarded<std::uint32_t, device_space> got(all.size());
    published::sort_strings(gpu{}, there.all(), items(got.data(), got.size()), {.strategy = "doubling_merge"},
                            {.block_threads = threads});
    EXPECT_TRUE(same(wanted, got.read())) << threads;
  }
}

/// Merges that several threads share, of as many strings as leave runs without a partner too.
TEST_F(gpu_strings, splits_merges_of_any_size) {
  random next(seed() + 17);
  for (const std::size_t n : {1U, 2U, 3U, 1000U, 1025U, 40001U}) {
    const auto all = strings_of(make_words(generators()[2], n, next));
    const device_strings<std::uint64_t> there(all.view());
    for (const bool descending : {false, true}) {
      std::vector<std::uint32_t> wanted(n);
      reference::sort_strings(all.view(), wanted.data(), descending);
      for (const std::size_t share : {2U, 3U, 32U, 1000U, 100000U}) {
        for (const std::size_t threads : {1U, 100U}) {
          const guarded<std::uint32_t, device_space> got(n);
          published::sort_strings(gpu{}, there.all(), items(got.data(), n),
                                  {.descending = descending, .strategy = "doubling_merge"},
                                  {.block_threads = threads, .merge_items = share});
          EXPECT_TRUE(same(wanted, got.read())) << n << " strings, " << share << " a thread, " << threads << " a block";
        }
      }
    }
  }
}

TEST_F(gpu_strings, runs_on_a_stream_in_the_memory_that_explain_tells) {
  random next(seed() + 8);
  const scoped_stream s;
  for (const std::size_t n : {1000U, 70000U, 500000U}) {
    const auto all = strings_of(make_words(generators().back(), n, next));
    std::vector<std::uint32_t> wanted(n);
    reference::sort_strings(all.view(), wanted.data());
    const device_strings<std::uint64_t> there(all.view());
    const guarded<std::uint32_t, device_space> got(n);
    const auto sort_them = [&](auto&& on) { sort_strings(on, there.all(), items(got.data(), n)); };
    const plan made = explain([&](auto& on) { sort_them(on); }, detail::current_device());
    const guarded<unsigned char, device_space> buffer(made.temporary_bytes + memory_alignment);
    arena memory(buffer.data(), buffer.size());
    sort_them(gpu{.stream = s, .memory = &memory});
    s.wait();
    EXPECT_TRUE(same(wanted, got.read()));
    EXPECT_LE(memory.high_water(), buffer.size());
    static_cast<void>(buffer.read());
    counted_pool none;
    EXPECT_THROW(sort_them(gpu{.stream = s, .memory = &none}), std::bad_alloc);
    counted_pool one;
    one.left = 1;
    sort_them(gpu{.stream = s, .memory = &one});
    EXPECT_EQ(one.outstanding, 0);
  }
}

TEST_F(gpu_strings, what_cannot_be_right_is_rejected) {
  const std::string text = "brangrainoat";
  std::vector<std::uint64_t> starts{0, 4, 9, 12};
  const auto message = [&](std::size_t trailing, std::string_view strategy) {
    const device_strings<std::uint64_t> there(strings<std::uint64_t>(text.data(), starts.data(), 3, trailing));
    const guarded<std::uint32_t, device_space> got(3);
    return message_of([&] { call(gpu{}, there.all(), got.data(), false, strategy); });
  };
  for (const std::string_view strategy : {"rounds", "doubling_merge"}) {
    expect_parts(message(4, strategy), {"sort_strings", "starts", "string 2", "4 trailing"});
    std::swap(starts[1], starts[2]);
    expect_parts(message(0, strategy), {"sort_strings", "starts", "string 1", "9", "4"});
    std::swap(starts[1], starts[2]);
  }
  expect_parts(message(0, "by_hand"), {"sort_strings", "strategy", "by_hand", "rounds"});
  const device_strings<std::uint64_t> there(strings<std::uint64_t>(text.data(), starts.data(), 3));
  auto* const among = reinterpret_cast<std::uint32_t*>(const_cast<char*>(there.all().chars));
  expect_parts(message_of([&] { sort_strings(gpu{}, there.all(), items(among, 3)); }),
               {"permutation", "overlaps the characters"});
}

}  // namespace
}  // namespace peneira::test
