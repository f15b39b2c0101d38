// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of `peneira sort` on text: the grammar of -k, and encodings whose bytes are in the order of what they
// encode.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/common.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/sort/text/keys.hpp"
#include "tools/peneira/sort/text/keys_encode.hpp"
#include "tools/peneira/sort/text/options.hpp"

namespace peneira::tool {
namespace {

using namespace std::string_literals;

std::string encode(const std::vector<sort_key>& keys, std::string_view line, std::optional<char> separator = {}) {
  key_encoder encoder(keys, separator);
  std::string to(encoder.most_bytes(line.size()), '?');
  const char* const end = encoder.encode(line, to.data());
  EXPECT_LE(end, to.data() + to.size()) << line;
  to.resize(static_cast<std::size_t>(end - to.data()));
  return to;
}

sort_key key_with(std::string_view options) {
  sort_key key;
  for (const char option : options) EXPECT_TRUE(key.set(option, sort_key::side::both));
  return key;
}

/// The groups are in ascending order, and the lines of a group are alike; alone, before another key, and reversed.
void expect_order(std::string_view options, const std::vector<std::vector<std::string>>& groups) {
  const sort_key forward = key_with(options);
  sort_key backward = forward;
  backward.reverse = true;
  const std::vector<std::vector<sort_key>> settings{{forward}, {forward, key_with("")}, {backward}};
  for (std::size_t s = 0; s < settings.size(); ++s) {
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = 0; b < groups.size(); ++b) {
        for (const std::string& left : groups[a]) {
          for (const std::string& right : groups[b]) {
            const std::string x = encode(settings[s], left);
            const std::string y = encode(settings[s], right);
            const bool less = s == 2 ? a > b : a < b;
            const bool same = a == b && (s != 1 || left == right);
            if (same) {
              EXPECT_EQ(x, y) << options << ": " << left << " and " << right;
            } else if (a != b) {
              EXPECT_EQ(x < y, less) << options << ": " << left << " and " << right << ", setting " << s;
            }
          }
        }
      }
    }
  }
}

TEST(SortKeys, Numbers) {
  const std::string long_number(300, '7');
  expect_order("n", {{"-" + long_number + "1"},
                     {"-" + long_number},
                     {"-100"},
                     {"-99.5", " -99.50", "-099.500x"},
                     {"-99"},
                     {"-1.01"},
                     {"-1", "-1.", "-01"},
                     {"-.5", "-0.5"},
                     {"-.05"},
                     {"", "0", "-0", "x", "+5", "-", ".", "-.0", "- 1", "00.00"},
                     {".001"},
                     {".05"},
                     {".5", "0.5", "\t .50"},
                     {"1", "1.0", "01", "1e9", "1,000"},
                     {"1.01"},
                     {"9"},
                     {"9.99"},
                     {"10"},
                     {"99"},
                     {"100", "100.0"},
                     {std::string(100, '9')},
                     {"1" + std::string(100, '0')},
                     {"1" + std::string(101, '0')},
                     {long_number, "000" + long_number + ".000"},
                     {long_number + ".5"},
                     {long_number + "0"}});
}

TEST(SortKeys, Sizes) {
  expect_order("h", {{"-1G"},
                     {"-2M"},
                     {"-1M"},
                     {"-5K", "-5k"},
                     {"-1000000"},
                     {"", "0", "0K", "0T", "-0G", "K"},
                     {"1", "1m", "1 K"},
                     {"999999"},
                     {"1K", "1k", "01.0K"},
                     {"5K", "5.K"},
                     {"1M"},
                     {"1.5M"},
                     {"1G"},
                     {"1T"},
                     {"1P"},
                     {"1E"},
                     {"1Z"},
                     {"1Y"}});
}

TEST(SortKeys, Months) {
  expect_order("M", {{"", "x", "ja", "13"},
                     {"JAN", " jan", "January"},
                     {"feb"},
                     {"Mar"},
                     {"apr"},
                     {"MAY"},
                     {"jun"},
                     {"jul"},
                     {"aug"},
                     {"sep"},
                     {"oct"},
                     {"nov"},
                     {"dec"}});
}

TEST(SortKeys, Reals) {
  if (!peneira::test::long_doubles_are_long()) GTEST_SKIP() << "valgrind computes with double instead of long double";
  expect_order("g", {{"", "x", "e5", "."},
                     {"nan", "NaN", " nan"},
                     {"-inf", "-Infinity"},
                     {"-1e4000"},
                     {"-1e400"},
                     {"-10", "-1e1"},
                     {"-9.999"},
                     {"-1e-4000"},
                     {"0", "-0", "0.0", "0x0", "0e5", "-0x"},
                     {"1e-4000"},
                     {".1", "0.1", "1e-1"},
                     {"0.1000000000000000001"},
                     {"1", "+1", "1.0", "0x1", "1x"},
                     {"999999999999999999", "999999999999999999.0"},
                     {"1000000000000000000", "1e18"},
                     {"1e400"},
                     {"inf"}});
}

TEST(SortKeys, Versions) {
  expect_order("V", {{""},
                     {"."},
                     {".."},
                     {".a"},
                     {"0", "00"},
                     {"a~"},
                     {"a", "a0"},
                     {"a0.1"},
                     {"a1", "a01"},
                     {"a1b"},
                     {"a2"},
                     {"a10"},
                     {"aa"},
                     {"b"},
                     {"-"}});
}

TEST(SortKeys, Text) {
  expect_order("", {{""},
                    {"\0"s},
                    {"\0\0"s},
                    {"\0\1"s},
                    {"\1"s},
                    {"\1\1"s},
                    {"\2"s},
                    {"a"},
                    {"a\0"s},
                    {"ab"},
                    {"b"},
                    {"\xff"},
                    {"\xff\xff"}});
  expect_order("f", {{""}, {"A", "a"}, {"AB", "ab", "aB"}, {"[", "["}});
  expect_order("d", {{"", "-", "--", "\xff"}, {" "}, {"a", "-a", "a-"}, {"a b"}, {"ab", "a.b"}});
  expect_order("i", {{"", "\1", "\xff"}, {"-"}, {"a", "a\1"}});
}

TEST(SortKeys, Fields) {
  const auto find = [](const std::string& key, std::string_view line, std::optional<char> separator = {}) {
    return std::string(key_finder(separator).find(line, parse_sort_key(key)));
  };
  EXPECT_EQ(find("2", "a b c"), " b c");
  EXPECT_EQ(find("2,2", "a  b c"), "  b");
  EXPECT_EQ(find("2b,2", "a  b c"), "b");
  EXPECT_EQ(find("2.2,2.3", "a bcd"), "bc");
  EXPECT_EQ(find("2,2", "a,b,c", ','), "b");
  EXPECT_EQ(find("2,3.1", "a,b,cd", ','), "b,c");
  EXPECT_EQ(find("2,3.0", "a,b,cd,e", ','), "b,cd");
  EXPECT_EQ(find("2,2", "a,,c", ','), "");
  EXPECT_EQ(find("4", "a,b,c", ','), "");
  EXPECT_EQ(find("3,1", "a,b,c", ','), "");
  EXPECT_EQ(find("1.3", "ab"), "");
  EXPECT_EQ(find("1,1.9", "ab"), "ab");
  EXPECT_EQ(find("99999999999999999999999", "ab"), "");
  EXPECT_EQ(find("1,99999999999999999999999", "ab"), "ab");
}

TEST(SortKeys, RandomKeysNeverCrash) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 draw(seed);
  const auto text = [&](std::string_view alphabet, std::size_t most) {
    std::string s;
    for (std::size_t n = draw() % (most + 1); n > 0; --n) s += alphabet[draw() % alphabet.size()];
    return s;
  };
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string spec = i % 2 == 0 ? text("0123456789.,bdfghiMnrVx +-", 12)
                                        : text("123", 1) + text(".1bn", 2) + "," + text("123.bn", 3);
    try {
      const std::vector<sort_key> keys = complete_keys({parse_sort_key(spec)}, sort_key{});
      ++accepted;
      encode(keys, text("ab 01.-~e\t,K", 20), draw() % 2 == 0 ? std::optional<char>(',') : std::nullopt);
    } catch (const usage_error& e) {
      EXPECT_FALSE(std::string_view(e.what()).empty());
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(SortKeys, RandomCommandLinesNeverCrash) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 draw(seed);
  const std::vector<std::string> pieces{
      "-n",   "-k",           "1",  "2,2n", "-t", ",",       "--key=3",       "--s", "--sort=month",
      "-bdf", "--",           "-",  "-o",   "x",  "--check", "--check=quiet", "-S",  "1M",
      "50%",  "--parallel=2", "+1", "-2",   "",   "--help",  "--=",           "-ru"};
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::string> arguments;
    for (std::size_t n = draw() % 5; n > 0; --n) arguments.push_back(pieces[draw() % pieces.size()]);
    try {
      EXPECT_FALSE(parse_sort_text(arguments).inputs.empty());
      ++accepted;
    } catch (const usage_error&) {
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(SortKeys, BufferSizes) {
  EXPECT_EQ(parse_buffer_size("5"), 5U * 1024);
  EXPECT_EQ(parse_buffer_size("5b"), 5U);
  EXPECT_EQ(parse_buffer_size("3m"), 3U << 20U);
  EXPECT_EQ(parse_buffer_size("2G"), std::uint64_t{2} << 30U);
  EXPECT_EQ(parse_buffer_size("1T"), std::uint64_t{1} << 40U);
  EXPECT_GT(parse_buffer_size("50%"), parse_buffer_size("10%"));
  for (const char* bad : {"", "x", "-1", "1x", "5.5M", "5kB", "1MM", "%", "1p"}) {
    EXPECT_THROW(parse_buffer_size(bad), usage_error) << bad;
  }
}

}  // namespace
}  // namespace peneira::tool
