// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines that are known by their first byte: their sort against the reference, and the search for separators.
#include "peneira/strings/cpu/line_words.hpp"
#include "peneira/sort_strings.hpp"
#include "peneira/strings/reference.hpp"
#include "peneira/strings/separators.hpp"
#include "tests/strings/inputs.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {
namespace {

/// Words side by side, each but perhaps the last with a separator; those within words make more lines of them.
std::vector<char> text_with(const words& given, char separator, bool ended) {
  std::vector<char> text;  // a sanitizer sees what is read behind it
  for (const std::string& word : given) {
    text.insert(text.end(), word.begin(), word.end());
    text.push_back(separator);
  }
  if (!ended && !text.empty()) text.pop_back();
  text.shrink_to_fit();
  return text;
}

template <class Offset>
void expect_sorted(const std::vector<char>& held, char separator, unsigned threads, const std::string& what) {
  const std::string_view text(held.data(), held.size());
  const auto lines = lines_of<Offset>(text, separator);
  for (const bool descending : {false, true}) {
    SCOPED_TRACE(what + ", " + std::to_string(lines.size()) + " lines, separator " + std::to_string(int{separator}) +
                 ", " + std::to_string(threads) + " threads, seed " + std::to_string(seed()) +
                 (descending ? ", descending" : ""));
    std::vector<std::uint32_t> order(lines.size());
    reference::sort_strings(lines.view(), order.data(), descending);
    std::vector<Offset> wanted;
    wanted.reserve(order.size());
    for (const std::uint32_t row : order) wanted.push_back(lines.view().starts[row]);
    std::vector<Offset> got(lines.view().starts, lines.view().starts + lines.size());
    detail::sort_lines(cpu{.threads = threads}, text, separator, got.data(), got.size(), descending);
    EXPECT_TRUE(same(wanted, got));
  }
}

TEST(sort_lines, sorts_few_lines_of_every_kind) {
  random next(seed());
  for (const generator& g : generators()) {
    for (const std::size_t n : {0U, 1U, 2U, 3U, 17U, 25U, 100U, 1000U}) {
      for (const char separator : {'\n', '\0', '\xFF', 'a', 'q'}) {
        const words given = make_words(g, n, next);
        expect_sorted<std::uint32_t>(text_with(given, separator, n % 2 == 0), separator, 1, g.name);
      }
    }
  }
}

TEST(sort_lines, sorts_many_lines_of_every_kind) {
  random next(seed() + 1);
  unsigned threads = 1;
  for (const generator& g : generators()) {
    const words given = make_words(g, sanitized ? 40000 : 150000, next);
    expect_sorted<std::uint32_t>(text_with(given, '\n', true), '\n', threads, g.name);
    threads = threads % 5 + 1;
  }
  expect_sorted<std::uint64_t>(text_with(make_words(generators().back(), 40000, next), '\0', false), '\0', 3,
                               "64 bits");
}

TEST(sort_lines, sorts_lines_that_are_in_order_but_for_one) {
  for (const std::size_t n : {std::size_t{300}, std::size_t{100000}}) {  // of one thread and of three
    words ascending;
    for (std::size_t i = 0; i < n; ++i) ascending.push_back(std::to_string(10000000 + i / 3 * 2));
    words falling;  // no two are equal
    for (std::size_t i = 0; i < n; ++i) falling.push_back(std::to_string(20000000 - i));
    for (const words& given : {ascending, falling, words(n, "equal")}) {
      expect_sorted<std::uint32_t>(text_with(given, '\n', true), '\n', 3, "in order");
      for (const std::size_t at : {std::size_t{0}, std::size_t{64}, n / 2, n - 1}) {
        for (const std::string_view other : {"", "15"}) {
          words almost = given;
          almost[at] = other;
          expect_sorted<std::uint32_t>(text_with(almost, '\n', other.empty()), '\n', 3, "but " + std::to_string(at));
        }
      }
    }
  }
}

TEST(sort_lines, sorts_long_lines_among_short_ones) {
  random next(seed() + 2);
  words given = make_words(generators().front(), 3000, next);
  std::string equal(sanitized ? 1000000 : 10000000, 'e');
  given.push_back(equal);
  given.insert(given.begin(), equal);
  equal.back() = 'd';
  given.push_back(equal);
  given.push_back(equal.substr(0, equal.size() / 2));
  expect_sorted<std::uint32_t>(text_with(given, '\n', false), '\n', 2, "long ones");
}

TEST(separators, are_found_whatever_surrounds_them) {
  random next(seed() + 3);
  for (const std::string_view alphabet : {"\n", "ab\n", "abcdefghijklmnopqrstuvwxyz0123456789\n\x0B\x8A\x09"}) {
    for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 127U, 128U, 200U, 10000U}) {
      const std::string made = text_of(next, size, alphabet);
      const std::vector<char> text(made.begin(), made.end());
      std::vector<std::uint32_t> wanted;
      for (std::size_t i = 0; i < size; ++i) {
        if (text[i] == '\n') wanted.push_back(static_cast<std::uint32_t>(i) + 1);
      }
      std::vector<std::uint32_t> got(size + detail::separators_at_once);
      got.resize(detail::find_separators(text.data(), static_cast<std::uint32_t>(size), '\n', got.data()));
      EXPECT_TRUE(same(wanted, got)) << size;
    }
  }
}

}  // namespace
}  // namespace peneira::test
