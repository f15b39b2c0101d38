// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Strings as the calls take them: from lines of a text, from ranges of strings, from starts.
#include "peneira/sort_strings.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// The lines of a text, one after the other.
std::vector<std::string> plain_lines(std::string_view text, char separator) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

template <class All>
std::vector<std::string> copies(const All& all, std::size_t size) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < size; ++i) out.emplace_back(all[i]);
  return out;
}

TEST(strings, are_the_lines_of_a_text) {
  for (const std::string_view text : {"", "\n", "\n\n", "a", "a\n", "a\nb", "a\n\nb\n", "flour\r\n\nmeal\n", "\na"}) {
    const auto all = lines_of(text);
    EXPECT_EQ(copies(all, all.size()), plain_lines(text, '\n')) << ::testing::PrintToString(text);
    const auto narrow = lines_of<std::uint32_t>(text, 'a');
    EXPECT_EQ(copies(narrow, narrow.size()), plain_lines(text, 'a')) << ::testing::PrintToString(text);
  }
}

TEST(strings, are_found_by_any_number_of_threads) {
  random next(seed());
  for (const std::size_t separators_in_256 : {1U, 8U, 256U}) {
    std::string text(std::size_t{sanitized ? 1 : 3} << 20U, ' ');
    for (char& c : text) {
      const std::uint64_t drawn = next();
      c = drawn % 256 < separators_in_256 ? '\0' : static_cast<char>(drawn >> 8U);
    }
    const std::vector<std::string> wanted = plain_lines(text, '\0');
    for (const unsigned threads : {1U, 2U, 3U, 5U}) {
      const auto all = lines_of(text, '\0', cpu{.threads = threads});
      ASSERT_EQ(all.size(), wanted.size());
      EXPECT_TRUE(copies(all, all.size()) == wanted) << separators_in_256 << " separators in 256, " << threads;
    }
  }
}

TEST(strings, are_copies_of_a_range) {
  const std::vector<std::string> kinds{"husk", "", std::string("a\0b", 3), "bran", ""};
  const auto all = strings_of(kinds);
  EXPECT_EQ(copies(all, all.size()), kinds);
  const std::vector<std::string_view> views(kinds.begin(), kinds.end());
  const auto narrow = strings_of<std::uint32_t>(views);
  EXPECT_EQ(copies(narrow, narrow.size()), kinds);
  EXPECT_EQ(strings_of(std::vector<std::string>{}).size(), 0U);
}

TEST(strings, lie_between_starts) {
  const std::vector<std::uint32_t> starts{2, 3, 3, 7};
  const strings all{"--a;cd;|", starts};
  EXPECT_EQ(copies(all, all.size), (std::vector<std::string>{"a", "", ";cd;"}));
  const strings<std::uint32_t> shorter("--a;cd;|", starts.data() + 2, 1, 1);
  EXPECT_EQ(shorter[0], ";cd");
  EXPECT_EQ((strings{"", std::vector<std::uint64_t>{}}).size, 0U);
}

TEST(sort_strings, says_which_string_comes_where) {
  const std::vector<std::string> kinds{"meal", "bran", "", "branch", "bran", "\xFF", std::string("bran\0", 5)};
  std::vector<std::uint32_t> permutation(kinds.size());
  sort_strings(cpu{}, strings_of(kinds), permutation);
  EXPECT_EQ(permutation, (std::vector<std::uint32_t>{2, 1, 4, 6, 3, 0, 5}));
  sort_strings(cpu{}, strings_of(kinds), permutation, {.descending = true});
  EXPECT_EQ(permutation, (std::vector<std::uint32_t>{5, 0, 3, 6, 1, 4, 2}));
}

}  // namespace peneira::test
