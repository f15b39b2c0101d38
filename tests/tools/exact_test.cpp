// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Products, variances and roots of decimals, and the bytes that order them.
#include "tools/peneira/text/exact.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/support/common.hpp"
#include "tools/peneira/group/sortable.hpp"
#include "tools/peneira/text/numbers.hpp"

namespace peneira::test {
namespace {

using tool::decimal;

decimal decimal_of(const std::string& text) {
  decimal value{};
  EXPECT_EQ(tool::parse_number(text.data(), text.data() + text.size(), value), tool::number_error::none) << text;
  return value;
}

std::string text_of(const decimal& value) {
  std::string text;
  EXPECT_TRUE(tool::append_number(text, value));
  return text;
}

tool::cut_number spread_of(const std::vector<std::string>& texts) {
  decimal sum{0, 0};
  decimal squares{0, 0};
  for (const std::string& text : texts) {
    sum = sum + decimal_of(text);
    squares = squares + tool::product(decimal_of(text), decimal_of(text));
  }
  return tool::variance(sum, squares, texts.size(), texts.size() - 1);
}

/// Of a sample, as the program prints them.
std::string variance_of(const std::vector<std::string>& texts) {
  return text_of(spread_of(texts).rounded());
}
std::string root_of(const std::vector<std::string>& texts) {
  return text_of(tool::square_root(spread_of(texts)));
}

TEST(exact, products_have_all_digits) {
  EXPECT_EQ(text_of(tool::product(decimal_of("1.5"), decimal_of("-0.2"))), "-0.3");
  EXPECT_EQ(text_of(tool::product(decimal_of("0"), decimal_of("1e300"))), "0");
  // (10^20 + 1)^2 - 10^40 - 2 * 10^20 is 1: each of 41 digits counts.
  const decimal square = tool::product(decimal_of("100000000000000000001"), decimal_of("100000000000000000001"));
  EXPECT_EQ(text_of(square + decimal_of("-1e40") + decimal_of("-2e20")), "1");
  const decimal other =
      tool::product(decimal_of("-99999999999999999999999999999999"), decimal_of("99999999999999999999999999999999"));
  EXPECT_EQ(text_of(other + decimal_of("1e64") + decimal_of("-2e32")), "-1");
}

TEST(exact, variances_do_not_cancel) {
  EXPECT_EQ(variance_of({"2", "4"}), "2");
  EXPECT_EQ(variance_of({"1", "1", "1"}), "0");
  EXPECT_EQ(root_of({"1", "1", "1"}), "0");
  EXPECT_EQ(variance_of({"1000000000000000000.1", "1000000000000000000.3"}), "0.02");
  EXPECT_EQ(root_of({"1e300", "-1e300", "1e300", "-1e300"}), "1.1547005383792515e+300");
  EXPECT_EQ(root_of({"1e-300", "3e-300"}), "1.414213562373095e-300");
  EXPECT_EQ(root_of({"0", "9223372036854775808", "18446744073709551616"}), "9223372036854775808");
  EXPECT_EQ(variance_of({"-3", "3", "-3", "3", "-3", "3", "-3", "3", "-3", "3"}), "10");
}

TEST(exact, roots_of_squares_are_exact) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::string root =
        std::to_string(random() >> (random() % 60)) + "e" + std::to_string(static_cast<int>(random() % 40) - 20);
    // Two numbers, x and -x, have the variance of a population x * x.
    const decimal x = decimal_of(root);
    const decimal twice = tool::product(x, x) + tool::product(x, x);
    EXPECT_EQ(text_of(tool::square_root(tool::variance({0, 0}, twice, 2, 2))), text_of(x)) << root;
  }
}

TEST(exact, bytes_order_as_the_numbers_do) {
  std::mt19937_64 random(11);
  std::vector<std::string> texts{"0",   "-0",     "1",       "-1",    "10",     "9",
                                 "0.1", "1e-320", "-1e-320", "1e308", "-1e308", "99",
                                 "100", "100.5",  "-99",     "-100",  "-100.5", "12345678901234567890123456789012"};
  for (int i = 0; i < 300; ++i) {
    texts.push_back((random() % 2 == 0 ? "-" : "") + std::to_string(random() % 2000) + "." +
                    std::to_string(random() % 100) + "e" + std::to_string(static_cast<int>(random() % 9) - 4));
  }
  std::vector<std::string> bytes;
  for (const std::string& text : texts) {
    bytes.emplace_back();
    tool::append_sortable(bytes.back(), decimal_of(text));
    EXPECT_TRUE(tool::read_sortable(bytes.back()) == decimal_of(text)) << text;
  }
  for (std::size_t a = 0; a < texts.size(); ++a) {
    for (std::size_t b = 0; b < texts.size(); ++b) {
      EXPECT_EQ(bytes[a] < bytes[b], decimal_of(texts[a]) < decimal_of(texts[b])) << texts[a] << " and " << texts[b];
      EXPECT_TRUE(a == b || !bytes[b].starts_with(bytes[a]) || bytes[a] == bytes[b]) << texts[a] << " and " << texts[b];
    }
  }
}

TEST(exact, bytes_order_as_texts_do) {
  using namespace std::string_literals;
  const std::vector<std::string> texts{""s,  "\0"s,  "\0\0"s, "\0a"s, "\0\xff"s, "\1"s,
                                       "a"s, "a\0"s, "a\0b"s, "ab"s,  "\xff"s};
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      std::string first;
      std::string second;
      tool::append_sortable(first, a);
      tool::append_sortable(second, b);
      EXPECT_EQ(first + "zzz" < second + "aaa", a < b);
      tool::invert_from(first, 0);
      tool::invert_from(second, 0);
      EXPECT_EQ(first + "zzz" < second + "aaa", b < a);
    }
  }
}

}  // namespace
}  // namespace peneira::test
