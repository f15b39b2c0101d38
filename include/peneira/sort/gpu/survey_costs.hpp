// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a sort is going to cost either way, by levels from the highest bits down or by passes from the lowest up, going
// by what a sample of its keys shows. A pure function, with the numbers in tuning/gpu.hpp.
#pragma once

#include <bit>
#include <cmath>

#include "peneira/config.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// What a survey goes by.
struct sort_survey {
  std::size_t items;
  std::uint32_t keys_a_thread;  ///< of the sample
  std::uint32_t key_bits;
  std::uint32_t first_bits;     ///< of the first level
  std::uint32_t expected_bits;  ///< of all expected levels
  std::uint32_t crowd;          ///< as many keys of the sample, not equal, stand for more than a task
  float copies;                 ///< that each key has, where one of the sample is equal to another
  float full;                   ///< so many agree with one of them where what levels leave are full tasks
  tuning::sort_costs costs;
};

/// What a sample shows: of how many keys it is so.
struct survey_counts {
  std::uint32_t crowded;  ///< agree in the bits of the expected levels with a crowd that is not equal
  std::uint32_t moved;    ///< of them, by further levels: once for each
  std::uint32_t before;   ///< pairs of keys not equal in a segment of the first of these
  std::uint32_t after;    ///< of these, those that are still in one
  std::int32_t alike;     ///< agree there with one that is not equal; of a crowd not all
  std::uint32_t hot;      ///< have more copies than a task takes
  std::uint32_t hottest;  ///< have more than a sixteenth of all; not counted among the former
  std::uint32_t single;   ///< have none here
  std::uint32_t copies;   ///< are equal to one that was seen
  std::uint32_t equal;    ///< keys that each is equal to, itself among them: of all together
};

inline constexpr std::uint32_t survey_hot = 5;  ///< copies of a hot key at least
inline constexpr std::uint32_t survey_alone =
    400;                                           ///< others are there, where more than one key of so many has no copy
inline constexpr float survey_some_copies = 420;   ///< of a key: a task has several keys still
inline constexpr float survey_most_copies = 9800;  ///< more than a task has
inline constexpr int survey_few = 64;              ///< fewer than one thread of so many has a key that crowds: none
/// Levels are chosen where they are faster by so much: passes take what they are expected to, levels may take twice.
inline constexpr float survey_margin = 1.1F;
inline constexpr unsigned survey_levels = 4;  ///< further ones at most; more are never better than passes

/// Pairs that a further level leaves together, of those that are: a 64th where bits are uniform, twice that where the
/// highest is not. From four times that on, and up to all, bits are irregular: some of their values are far more
/// frequent, so that what levels leave crowds again in the buckets of tasks.
inline constexpr float survey_even = 0.031F;

/// How irregular the bits are that come after the expected levels, from 0 to 1.
PENEIRA_HD inline float irregular(const survey_counts& found) {
  if (found.before == 0) return 0;
  const float octaves = log2f(static_cast<float>(found.after) / static_cast<float>(found.before) / survey_even);
  return octaves <= 0 ? 0 : octaves >= 4 ? 1 : octaves / 4;
}

/// Bits up to the highest one.
PENEIRA_HD inline std::uint32_t bit_width_of(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return 64U - static_cast<std::uint32_t>(__clzll(static_cast<long long>(bits)));
#else
  return static_cast<std::uint32_t>(std::bit_width(bits));
#endif
}

/// What the expected levels come to where keys differ in some bits alone.
struct expected_depth {
  std::uint32_t bits;   ///< in which keys of a segment may differ then
  std::uint32_t moves;  ///< levels that move all keys
  std::uint32_t stays;  ///< those that find but one digit, and begin at the highest bit that differs

  PENEIRA_HD expected_depth(const sort_survey& survey, std::uint64_t differing)
      : bits(survey.key_bits), moves(0), stays(0) {
    const std::uint32_t top = bit_width_of(differing);
    for (std::uint32_t done = 0; done < survey.expected_bits; done += survey.first_bits) {
      const std::uint32_t below = bits < survey.first_bits ? 0 : bits - survey.first_bits;
      const bool moved = top > below;
      bits = moved ? below : top;
      ++(moved ? moves : stays);
    }
  }
};

/// Whether there are hot keys among others, from which levels part them: some keys have no copy, yet keys have more on
/// average than they would if each had as many.
PENEIRA_HD inline bool has_hot_among_others(const survey_counts& found, std::uint32_t sample) {
  if (survey_alone * found.single <= sample) return false;
  const float each = 1 / static_cast<float>(sample);
  const float copies = -logf(static_cast<float>(found.single) * each);  // that keys without one in the sample have
  return static_cast<float>(found.equal) * each > 2 * (1 + copies);
}

/// Picoseconds an item that sorting by levels takes.
PENEIRA_HD inline float cost_by_levels(const survey_counts& found, const sort_survey& survey, std::uint32_t sample,
                                       std::uint64_t differing) {
  const tuning::sort_costs& costs = survey.costs;
  const auto all = static_cast<float>(sample);
  const auto share = [each = 1 / all](auto keys) { return static_cast<float>(keys) * each; };
  const auto least = [](float a, float b) { return a < b ? a : b; };
  const expected_depth depth(survey, differing);
  float cost = costs.tasks + static_cast<float>(depth.moves) * costs.level +
               static_cast<float>(depth.stays) * costs.count + share(found.moved) * costs.moved +
               share(found.crowded) * irregular(found) * costs.irregular;
  const float full = share(found.alike) / survey.full;  // tasks; and what chance adds to them
  const float too_full = full - 0.95F - 60 / (all * survey.full);
  if (too_full > 0) cost += least(3 * too_full, 1) * (1 - share(found.crowded)) * costs.large;
  const float in_heaps = share(found.hot + found.hottest);
  if (has_hot_among_others(found, sample)) {
    cost += share(found.hot) * costs.hot + share(found.hottest) * costs.hottest + costs.further;
  } else {
    cost -= in_heaps * costs.equal;
  }
  const float copies = static_cast<float>(found.copies) * survey.copies;
  if (copies < survey_most_copies) {
    const float each = copies < survey_some_copies ? least(copies * costs.copy, costs.copies) : costs.many_copies;
    cost += (1 - in_heaps) * each;
  }
  return cost;
}

/// Whether keys are left to passes over so many digits.
PENEIRA_HD inline bool goes_upwards(const survey_counts& found, const sort_survey& survey, std::uint32_t sample,
                                    std::uint64_t differing, std::uint32_t digits) {
  if (digits == 0) return survey.costs.equal_upwards;
  return static_cast<float>(digits) * survey.costs.digit <
         survey_margin * cost_by_levels(found, survey, sample, differing);
}

}  // namespace peneira::detail
