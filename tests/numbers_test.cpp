// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers in text: the fast way agrees with std::from_chars, and sums come out as on paper.
#include "tools/peneira/numbers.hpp"

#include <random>
#include <string>

#include "tests/support.hpp"

namespace peneira::test {
namespace {

using tool::number_error;
using tool::twofold;

number_error parse(const std::string& text, twofold& to) {
  return tool::parse_number(text.data(), text.data() + text.size(), to);
}

twofold parsed(const std::string& text) {
  twofold value{};
  EXPECT_EQ(parse(text, value), number_error::none) << text;
  return value;
}

std::string printed(const twofold& value) {
  std::string text;
  tool::append_number(text, value);
  return text;
}

void expect_like_from_chars(const std::string& text) {
  double want = 0;
  const char* const first = text.data() + (text.front() == '+' ? 1 : 0);
  const auto read = std::from_chars(first, text.data() + text.size(), want);
  ASSERT_EQ(read.ptr, text.data() + text.size()) << text;
  twofold have{};
  const number_error error = parse(text, have);
  if (read.ec != std::errc()) {
    EXPECT_EQ(error, number_error::out_of_range) << text;
    return;
  }
  ASSERT_EQ(error, number_error::none) << text;
  EXPECT_EQ(have.high, want) << text;
  EXPECT_LE(std::fabs(have.low), std::fabs(want) * 0x1p-53) << text;
}

}  // namespace

TEST(numbers, are_what_from_chars_says) {
  for (const char* const text : {"0",
                                 "-0",
                                 "+0",
                                 "0.0",
                                 "-0.0",
                                 "1",
                                 "+1",
                                 "-1",
                                 ".5",
                                 "5.",
                                 "-.5",
                                 "-5.",
                                 "00000000000000000000000000012",
                                 "-00000000000000000000000000.125",
                                 "9007199254740992",
                                 "9007199254740993",
                                 "9007199254740993.0",
                                 "9223372036854775807",
                                 "-9223372036854775808",
                                 "1e5",
                                 "1E-5",
                                 "1.5e+300",
                                 "-2.5e-300",
                                 "0.1",
                                 "0.3",
                                 "123456789012345678901234567890.5",
                                 "0.1234567890123456789012345",
                                 "4503599627370496.5",
                                 "4503599627370497.5",
                                 "0.000000000000000001",
                                 "0.0000000000000000000000000000000001",
                                 "1e308",
                                 "4.9e-324",
                                 "1e-400",
                                 "1e400",
                                 "1.7976931348623157e308",
                                 "2.2250738585072011e-308",
                                 "8.5",
                                 "100000000000000000.5"}) {
    expect_like_from_chars(text);
  }
}

TEST(numbers, drawn_at_random_are_what_from_chars_says) {
  std::mt19937_64 draw(1);
  for (int i = 0; i < 300'000; ++i) {
    std::string text(draw() % 4 == 0 ? "-" : "");
    const std::uint64_t whole = draw() % 19;
    const std::uint64_t fraction = draw() % 3 == 0 ? draw() % 24 : draw() % 5;
    for (std::uint64_t k = 0; k < whole; ++k) text += static_cast<char>('0' + draw() % 10);
    if (whole == 0 || draw() % 2 == 0) {
      text += '.';
      for (std::uint64_t k = 0; k < fraction + (whole == 0 ? 1 : 0); ++k) text += static_cast<char>('0' + draw() % 10);
      if (draw() % 8 == 0) text += "e" + std::to_string(static_cast<int>(draw() % 700) - 350);
    }
    expect_like_from_chars(text);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(numbers, integers_are_exact) {
  std::mt19937_64 draw(2);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = static_cast<std::int64_t>(draw()) >> (draw() % 64);
    EXPECT_EQ(printed(parsed(std::to_string(value))), std::to_string(value));
  }
  EXPECT_EQ(printed(parsed("9223372036854775807")), "9223372036854775807");
  EXPECT_EQ(printed(parsed("-9223372036854775808")), "-9223372036854775808");
}

TEST(numbers, too_large_integers_are_refused) {
  twofold value{};
  for (const char* const text : {"9223372036854775808", "-9223372036854775809", "18446744073709551616",
                                 "100000000000000000000", "-99999999999999999999999999999999999999"}) {
    EXPECT_EQ(parse(text, value), number_error::integer_too_large) << text;
  }
}

TEST(numbers, all_else_is_malformed) {
  twofold value{};
  for (const char* const text :
       {"",    "+",    "-",     ".",        "-.",    "e5",    "1e",       "1e+",  "1.5e",
        "abc", "1a",   "1.2.3", "1,5",      " 1",    "1 ",    "--1",      "+-1",  "0x10",
        "inf", "-inf", "nan",   "infinity", "1e5.5", "1_000", "\xc2\xbd", "1.5x", "12345678901234567890x"}) {
    EXPECT_EQ(parse(text, value), number_error::malformed) << text;
  }
  EXPECT_EQ(parse(std::string("1\0002", 3), value), number_error::malformed);
}

TEST(numbers, of_random_bytes_never_read_past_the_end) {
  std::mt19937_64 draw(3);
  const std::string alphabet = "0123456789+-.eE x";
  for (int i = 0; i < 300'000; ++i) {
    std::vector<char> text(draw() % 24);  // on the heap, where the sanitizer sees its end
    for (char& c : text) c = alphabet[draw() % alphabet.size()];
    const char* const end = text.data() + text.size();
    twofold have{};
    const bool plus = !text.empty() && text.front() == '+';
    double want = 0;
    const auto read = std::from_chars(text.data() + (plus ? 1 : 0), end, want);
    const bool whole_text = read.ptr == end && read.ec == std::errc() && !(plus && text.size() > 1 && text[1] == '-');
    const number_error error = tool::parse_number(text.data(), end, have);
    if (error == number_error::none) {
      EXPECT_TRUE(whole_text && have.high == want) << std::string(text.data(), text.size());
    } else if (error == number_error::malformed) {
      EXPECT_FALSE(whole_text) << std::string(text.data(), text.size());
    }
  }
}

TEST(twofold, sums_decimals_as_on_paper) {
  twofold sum{};
  for (int i = 0; i < 1'000'000; ++i) sum = tool::twofold_plus{}(sum, parsed("0.1"));
  EXPECT_EQ(printed(sum), "100000");
  EXPECT_EQ(printed(tool::twofold_plus{}(parsed("0.1"), parsed("0.2"))), "0.3");
  std::mt19937_64 draw(4);
  std::int64_t cents = 0;
  sum = {};
  for (int i = 0; i < 100'000; ++i) {
    const auto one = static_cast<std::int64_t>(draw() % 20'000'000) - 10'000'000;
    cents += one;
    const std::string text = (one < 0 ? "-" : "") + std::to_string(std::abs(one) / 100) +
                             (std::abs(one) % 100 < 10 ? ".0" : ".") + std::to_string(std::abs(one) % 100);
    sum = tool::twofold_plus{}(sum, parsed(text));
  }
  EXPECT_EQ(sum.high, static_cast<double>(cents) / 100);
}

TEST(twofold, sums_integers_exactly) {
  std::mt19937_64 draw(5);
  tool::int128 want = 0;
  twofold sum{};
  for (int i = 0; i < 100'000; ++i) {
    const auto value = static_cast<std::int64_t>(draw()) >> (draw() % 3 == 0 ? 0U : draw() % 64);
    want += value;
    sum = tool::twofold_plus{}(sum, tool::to_twofold(value));
    std::string text;
    tool::append_integer(text, want);
    ASSERT_EQ(printed(sum), text);
  }
}

TEST(twofold, orders_what_doubles_cannot_tell_apart) {
  EXPECT_TRUE(parsed("9223372036854775806") < parsed("9223372036854775807"));
  EXPECT_FALSE(parsed("9223372036854775807") < parsed("9223372036854775806"));
  EXPECT_EQ(parsed("0.1"), parsed("0.10"));
  EXPECT_EQ(parsed("1"), parsed("1.00"));
}

TEST(twofold, prints_the_shortest_text) {
  EXPECT_EQ(printed({0.1, 0}), "0.1");
  EXPECT_EQ(printed({100000, 0}), "100000");
  EXPECT_EQ(printed({0.0001, 0}), "0.0001");
  EXPECT_EQ(printed({-2.5, 0}), "-2.5");
  EXPECT_EQ(printed({1e300, 0}), "1e+300");
  EXPECT_EQ(printed({0x1p60, 1}), "1152921504606846977");
  EXPECT_EQ(printed({1, 1e-30}), "1");
  EXPECT_EQ(tool::divide(parsed("10"), 4), 2.5);
  EXPECT_EQ(tool::divide(parsed("0.3"), 3), 0.1);
}

}  // namespace peneira::test
