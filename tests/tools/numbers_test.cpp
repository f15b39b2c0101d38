// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers in text: as std::from_chars reads them, and sums come out as on paper, whatever the order.
#include "tools/peneira/text/numbers.hpp"

#include <random>
#include <string>

#include "tests/support/common.hpp"
#include "tools/peneira/text/exact.hpp"

namespace peneira::test {
namespace {

using tool::decimal;
using tool::number_error;

number_error parse(const std::string& text, decimal& to) {
  return tool::parse_number(text.data(), text.data() + text.size(), to);
}

decimal parsed(const std::string& text) {
  decimal value{};
  EXPECT_EQ(parse(text, value), number_error::none) << text;
  return value;
}

std::string printed(const decimal& value) {
  std::string text;
  EXPECT_TRUE(tool::append_number(text, value));
  return text;
}

void expect_like_from_chars(const std::string& text) {
  double want = 0;
  const char* const first = text.data() + (text.front() == '+' ? 1 : 0);
  const auto read = std::from_chars(first, text.data() + text.size(), want);
  ASSERT_EQ(read.ptr, text.data() + text.size()) << text;
  decimal have{};
  const number_error error = parse(text, have);
  if (read.ec != std::errc()) {  // too large, or too small
    const bool tiny = text.find("e-") != std::string::npos;
    EXPECT_EQ(error, tiny ? number_error::none : number_error::out_of_range) << text;
    EXPECT_TRUE(!tiny || have.to_double() == 0) << text;
    return;
  }
  ASSERT_EQ(error, number_error::none) << text;
  EXPECT_EQ(have.to_double(), want) << text;
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
                                 "9223372036854775808",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "-9223372036854775808",
                                 "-9223372036854775809",
                                 "99999999999999999999999999999999",
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
                                 "2.4703282292062327e-324",
                                 "2.4703282292062328e-324",
                                 "3e-324",
                                 "1e-323",
                                 "1e-400",
                                 "-1e-99999999999999999999",
                                 "1e99999999999999999999",
                                 "0e99999999999999999999",
                                 "1.7976931348623158e308",
                                 "1.7976931348623159e308",
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
  decimal value{};
  for (const char* const text : {"100000000000000000000000000000000", "999999999999999999999999999999999",
                                 "-99999999999999999999999999999999999999"}) {
    EXPECT_EQ(parse(text, value), number_error::integer_too_large) << text;
  }
}

TEST(numbers, all_else_is_malformed) {
  decimal value{};
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
    decimal have{};
    const bool plus = !text.empty() && text.front() == '+';
    double want = 0;
    const auto read = std::from_chars(text.data() + (plus ? 1 : 0), end, want);
    const bool whole_text = read.ptr == end && read.ec == std::errc() && !(plus && text.size() > 1 && text[1] == '-');
    const number_error error = tool::parse_number(text.data(), end, have);
    if (error == number_error::none) {
      const bool tiny = read.ec == std::errc::result_out_of_range && have.to_double() == 0;
      EXPECT_TRUE(tiny || (whole_text && have.to_double() == want)) << std::string(text.data(), text.size());
    } else if (error == number_error::malformed) {
      EXPECT_FALSE(whole_text) << std::string(text.data(), text.size());
    }
  }
}

namespace {

decimal sum_of(const std::vector<std::string>& terms) {
  decimal sum(0, 0);
  for (const std::string& term : terms) sum = tool::decimal_plus{}(sum, parsed(term));
  return sum;
}

std::string text_of(tool::int128 value) {
  return fmt::format("{}", value);
}

}  // namespace

TEST(decimal, sums_decimals_as_on_paper) {
  decimal sum(0, 0);
  for (int i = 0; i < 1'000'000; ++i) sum = tool::decimal_plus{}(sum, parsed("0.1"));
  EXPECT_EQ(printed(sum), "100000");
  EXPECT_EQ(printed(sum_of({"0.1", "0.2"})), "0.3");
  EXPECT_EQ(printed(sum_of({"0.1234567890123456", "-0.1234567890123455"})), "1e-16");
  std::mt19937_64 draw(4);
  std::int64_t cents = 0;
  sum = {0, 0};
  for (int i = 0; i < 100'000; ++i) {
    const auto one = static_cast<std::int64_t>(draw() % 20'000'000) - 10'000'000;
    cents += one;
    const std::string text = (one < 0 ? "-" : "") + std::to_string(std::abs(one) / 100) +
                             (std::abs(one) % 100 < 10 ? ".0" : ".") + std::to_string(std::abs(one) % 100);
    sum = tool::decimal_plus{}(sum, parsed(text));
  }
  EXPECT_EQ(sum.to_double(), static_cast<double>(cents) / 100);
}

TEST(decimal, sums_integers_exactly) {
  std::mt19937_64 draw(5);
  tool::int128 want = 0;
  decimal sum(0, 0);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = static_cast<std::int64_t>(draw()) >> (draw() % 3 == 0 ? 0U : draw() % 64);
    want += value;
    sum = tool::decimal_plus{}(sum, parsed(std::to_string(value)));
    ASSERT_EQ(printed(sum), text_of(want));
  }
}

TEST(decimal, sums_do_not_depend_on_the_order) {
  EXPECT_EQ(printed(sum_of({"1e308", "1e308", "-1e308"})), "1e+308");
  EXPECT_EQ(printed(sum_of({"1e308", "-1e308", "1e308"})), "1e+308");
  EXPECT_EQ(printed(sum_of({"1e300", "1e100", "1", "1e-300", "-1e100", "-1e300", "-1e-300"})), "1");
  EXPECT_EQ(printed(sum_of({"-5e-324", "1.7e308", "-1.7e308"})), "-5e-324");
  EXPECT_EQ(printed(sum_of({"1e40", "9007199254740993", "-1e40"})), "9007199254740993");
  EXPECT_EQ(printed(sum_of({"-1e40", "1e-40", "1e40", "-1e-40"})), "0");
  std::string none;
  EXPECT_FALSE(tool::append_number(none, sum_of({"1e308", "1e308"})));
  std::mt19937_64 draw(6);
  for (int i = 0; i < 2'000; ++i) {
    std::vector<std::string> terms;
    for (std::uint64_t k = 0; k < 2 + draw() % 12; ++k) {
      std::string term = draw() % 2 == 0 ? "" : "-";
      for (std::uint64_t d = 0; d < 1 + draw() % 20; ++d) term += static_cast<char>('0' + draw() % 10);
      term += "." + std::to_string(draw() % 1000) + "e" + std::to_string(static_cast<int>(draw() % 560) - 290);
      terms.push_back(term);
      if (draw() % 3 == 0) terms.push_back(term.front() == '-' ? term.substr(1) : "-" + term);
    }
    const std::string want = printed(sum_of(terms));
    for (int k = 0; k < 4; ++k) {
      std::shuffle(terms.begin(), terms.end(), draw);
      const auto half = terms.begin() + static_cast<std::ptrdiff_t>(terms.size() / 2);
      const decimal sum = sum_of({terms.begin(), half}) + sum_of({half, terms.end()});
      ASSERT_EQ(printed(sum), want);
    }
  }
}

TEST(decimal, orders_what_doubles_cannot_tell_apart) {
  EXPECT_TRUE(parsed("9223372036854775806") < parsed("9223372036854775807"));
  EXPECT_FALSE(parsed("9223372036854775807") < parsed("9223372036854775806"));
  EXPECT_TRUE(parsed("18446744073709551614") < parsed("18446744073709551615"));
  EXPECT_EQ(parsed("0.1"), parsed("0.10"));
  EXPECT_EQ(parsed("1"), parsed("1.00"));
  EXPECT_EQ(parsed("0"), parsed("0.000"));
  const std::vector<std::string> ascend{"-1e308", "-1e300", "-10.01", "-10",   "-9.99", "-0.001", "-1e-300", "0",
                                        "1e-300", "0.0009", "0.001",  "0.010", "1",     "1.5",    "15e-1",   "1.51",
                                        "2",      "10",     "1e2",    "101",   "1e300", "1e308"};
  for (std::size_t a = 0; a < ascend.size(); ++a) {
    const decimal one = parsed(ascend[a]);
    EXPECT_TRUE(one < tool::decimal_min::identity<decimal>() && tool::decimal_max::identity<decimal>() < one);
    for (std::size_t b = 0; b < ascend.size(); ++b) {
      const bool same = ascend[a] == ascend[b] || (ascend[a].substr(0, 2) == "15" && ascend[b] == "1.5") ||
                        (ascend[b].substr(0, 2) == "15" && ascend[a] == "1.5");
      EXPECT_EQ(one < parsed(ascend[b]), a < b && !same) << ascend[a] << " " << ascend[b];
    }
  }
}

TEST(decimal, prints_the_shortest_text) {
  EXPECT_EQ(printed(parsed("0.10")), "0.1");
  EXPECT_EQ(printed(parsed("100000.00")), "100000");
  EXPECT_EQ(printed(parsed("1e5")), "100000");
  EXPECT_EQ(printed(parsed("0.0001")), "0.0001");
  EXPECT_EQ(printed(parsed("-2.5")), "-2.5");
  EXPECT_EQ(printed(parsed("-0.0")), "0");
  EXPECT_EQ(printed(parsed("1e300")), "1e+300");
  EXPECT_EQ(printed(parsed("1152921504606846977")), "1152921504606846977");
  EXPECT_EQ(printed(parsed("1e31")), "1" + std::string(31, '0'));
  EXPECT_EQ(printed(parsed("1e32")), "1e+32");
  EXPECT_EQ(printed(parsed("1.000000000000000000000000000001")), "1");
}

TEST(decimal, divides_as_on_paper) {
  EXPECT_EQ(printed(tool::divide(parsed("10"), 4)), "2.5");
  EXPECT_EQ(printed(tool::divide(parsed("0.3"), 3)), "0.1");
  EXPECT_EQ(printed(tool::divide(parsed("0"), 3)), "0");
  EXPECT_EQ(printed(tool::divide(parsed("1"), 3)), "0.3333333333333333");
  EXPECT_EQ(printed(tool::divide(parsed("-2"), 3)), "-0.6666666666666666");
  EXPECT_EQ(printed(tool::divide(sum_of({"9007199254740993", "9007199254740993"}), 2)), "9007199254740993");
  EXPECT_EQ(printed(tool::divide(sum_of({"1e308", "1e308"}), 2)), "1e+308");
  EXPECT_EQ(printed(tool::divide(sum_of({"1e300", "1", "-1e300"}), 8)), "0.125");
  std::mt19937_64 draw(7);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = static_cast<std::int32_t>(draw()) >> (draw() % 31);
    const std::uint64_t n = 1 + draw() % (std::uint64_t{1} << (draw() % 20));
    ASSERT_EQ(tool::divide({value, 0}, n).to_double(), static_cast<double>(value) / static_cast<double>(n));
  }
}

}  // namespace peneira::test
