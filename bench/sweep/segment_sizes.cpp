// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/segment_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "peneira/bits.hpp"
#include "peneira/cpu/team.hpp"

namespace peneira::bench::sweep {
namespace {

constexpr std::uint64_t unit = std::uint64_t{1} << 20U;  // the mean weight of most shapes

/// How large segment s is; only the ratios count.
std::uint64_t weight_of(const segments_recipe& r, std::uint64_t seed, std::uint64_t s) {
  draws from(seed ^ 0x5E65, s);
  if (from.below(256) < r.empties) return 0;
  switch (r.of) {
    case sizes::equal:
      return unit;
    case sizes::uniform:
      return from.below(2 * unit) + 1;
    case sizes::exponential:
      return bench::detail::exponential(from) >> 39U;  // whose unit is 2^59
    case sizes::power_law: {
      // e to the power of an exponential variate over alpha; 1.4427 to the base of two, at most 2^32.
      const std::uint64_t exponent = (bench::detail::exponential(from) >> 35U) * 14427 / 10000 * 8 / r.alpha;
      return power_of_two(std::min(exponent, std::uint64_t{32} << exponent_bits));
    }
    case sizes::mixture:
      return from.below(256) < r.larger ? r.ratio * 16 : 16;
  }
  return unit;
}

}  // namespace

segments_recipe draw_segments(draws& from, std::uint64_t n) {
  constexpr std::uint64_t most = std::uint64_t{1} << 24U;
  segments_recipe r;
  r.count = log_uniform_to(from, std::min(n, most));
  if (one_in(from, 16)) r.count = std::min(most, r.count * 4);  // perhaps more than items
  r.of = static_cast<sizes>(from.below(sizes_names.size()));
  r.alpha = between(from, 4, 24);
  r.ratio = log_uniform(from, 1, 16);
  r.larger = static_cast<unsigned>(log_uniform(from, 0, 8));
  if (one_in(from, 3)) r.empties = static_cast<unsigned>(between(from, 1, 250));
  if (one_in(from, 4)) {
    r.giants = static_cast<unsigned>(between(from, 1, 3));
    r.share = static_cast<unsigned>(between(from, 1, 15));
  }
  return r;
}

std::string describe(const segments_recipe& r) {
  std::string text =
      fmt::format("{} segment{} {}", r.count, r.count == 1 ? "" : "s", sizes_names[static_cast<std::size_t>(r.of)]);
  if (r.of == sizes::power_law) text += fmt::format(" of {}/8", r.alpha);
  if (r.of == sizes::mixture) text += fmt::format(" {}/256 {} times larger", r.larger, r.ratio);
  if (r.empties != 0) text += fmt::format(" {}/256 empty", r.empties);
  if (r.giants != 0) text += fmt::format(" {} giant{} of {}/16", r.giants, r.giants == 1 ? "" : "s", r.share);
  return text;
}

std::vector<std::uint32_t> make_offsets(const segments_recipe& r, std::uint64_t n, std::uint64_t seed,
                                        unsigned threads) {
  std::vector<std::uint64_t> weights(r.count);
  peneira::detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = peneira::detail::slice(weights.size(), m, threads);
    for (std::size_t s = begin; s < end; ++s) weights[s] = weight_of(r, seed, s);
  });
  using wide = peneira::detail::uint128;
  wide all = 0;
  for (const std::uint64_t w : weights) all += w;
  draws places(seed ^ 0x61A7, 0);
  for (unsigned g = 0; g < r.giants; ++g) {
    const auto more = static_cast<std::uint64_t>(std::max<wide>(all, 1) * r.share / (16 - r.share) / r.giants);
    weights[places.below(r.count)] += std::max<std::uint64_t>(more, 1);
  }
  all = 0;
  for (const std::uint64_t w : weights) all += w;
  std::vector<std::uint32_t> offsets(r.count + 1);
  wide before = 0;
  for (std::size_t s = 0; s < r.count; ++s) {
    offsets[s] = static_cast<std::uint32_t>(all == 0 ? 0 : before * n / all);
    before += weights[s];
  }
  offsets[r.count] = static_cast<std::uint32_t>(n);
  return offsets;
}

}  // namespace peneira::bench::sweep
