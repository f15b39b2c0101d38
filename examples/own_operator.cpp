// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// An operator of your own: the longest run of sunny days, of a whole year and of each week. What is combined is not a
// day but a stretch of days, which lift makes of one; and since the order of days matters, the operator does not say
// that it is commutative.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "peneira/peneira.hpp"

/// A stretch of days: how many are sunny at its start, at its end, and in a row at most.
struct stretch {
  std::uint32_t days, first, last, longest;
};

struct longest_sun {
  PENEIRA_HD static std::uint32_t longer(std::uint32_t a, std::uint32_t b) { return a < b ? b : a; }
  PENEIRA_HD stretch operator()(const stretch& a, const stretch& b) const {
    return {a.days + b.days, a.first == a.days ? a.days + b.first : a.first,
            b.last == b.days ? a.last + b.days : b.last, longer(a.last + b.first, longer(a.longest, b.longest))};
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return {};
  }
  PENEIRA_HD static stretch lift(bool sunny, std::uint64_t /*day*/) {
    const std::uint32_t one = sunny ? 1 : 0;
    return {1, one, one, one};
  }
};

int main() {
  std::vector<std::uint8_t> sunny(364);
  for (std::size_t day = 0; day < sunny.size(); ++day) sunny[day] = pn::mix32(static_cast<std::uint32_t>(day)) % 4 != 0;

  stretch year{};
  pn::reduce(pn::cpu{}, sunny, &year, longest_sun{});
  std::vector<stretch> weeks(sunny.size() / 7);
  pn::segmented_reduce(pn::cpu{}, sunny, pn::every{7}, weeks, longest_sun{});

  // A function with an identity is an operator, too: here, how many days were sunny in all.
  const auto adds = [](std::uint32_t a, std::uint32_t b) { return a + b; };
  const auto days = pn::reduce<std::uint32_t>(pn::cpu{}, sunny, pn::op{0, adds, pn::commutative});

  // The same by a loop.
  std::uint32_t longest = 0;
  std::uint32_t row = 0;
  for (const std::uint8_t day : sunny) longest = std::max(longest, row = day != 0 ? row + 1 : 0);

  std::uint32_t best_week = 0;
  for (const stretch& week : weeks) best_week = std::max(best_week, week.longest);
  std::printf("%u sunny days, %u in a row, %u within a week\n", days, year.longest, best_week);
  const auto sunny_days = std::count(sunny.begin(), sunny.end(), 1);
  return days == sunny_days && year.longest == longest && year.days == 364 && weeks[0].days == 7 && best_week <= 7 ? 0
                                                                                                                   : 1;
}
