// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a survey of a sort's keys shows, without a GPU: as the kernel counts it, but by maps instead of tables of
// hashes.
#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "peneira/sort/gpu/survey.cuh"

namespace peneira::test {

/// A sample of keys, as it goes down the levels.
class surveyed_sample {
 public:
  surveyed_sample(const std::vector<std::uint64_t>& keys, const detail::sort_survey& survey)
      : keys_(keys), survey_(survey), equal_(keys.size()), others_(keys.size()), left_(keys.size()) {
    for (const std::uint64_t key : keys) differing_ |= key ^ keys.front();
    look_first();
  }

  /// Whether passes are chosen in the end.
  [[nodiscard]] bool goes_upwards() {
    for (unsigned l = 0; l < detail::survey_levels && crowds() && !upwards(); ++l) descend();
    return upwards();
  }

 private:
  using segment = std::pair<std::uint64_t, unsigned>;  ///< the bits that its keys share, and those that they do not

  static std::uint64_t above(std::uint64_t key, unsigned bits) { return bits >= 64 ? 0 : key >> bits; }

  [[nodiscard]] segment segment_of(std::size_t i) const { return {above(keys_[i], left_[i]), left_[i]}; }
  [[nodiscard]] bool upwards() const {
    unsigned digits = 0;
    for (std::uint64_t left = differing_; left != 0; ++digits) {
      const int end = std::countr_zero(left) + static_cast<int>(tuning::level_bits);
      left = end >= 64 ? 0 : left >> end << end;
    }
    return detail::goes_upwards(found_, survey_, static_cast<std::uint32_t>(keys_.size()), differing_, digits);
  }
  [[nodiscard]] bool crowds() const {
    const auto many = keys_.size() / (survey_.keys_a_thread * std::size_t{detail::survey_few});
    return static_cast<std::size_t>(std::count_if(left_.begin(), left_.end(), [](auto l) { return l != 0; })) >= many;
  }

  void look_first() {
    const unsigned bits = detail::expected_depth(survey_, differing_).bits;
    std::map<std::uint64_t, std::uint32_t> whole;
    std::map<std::uint64_t, std::uint32_t> high;
    for (const std::uint64_t key : keys_) {
      ++whole[key];
      ++high[above(key, bits)];
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::uint32_t equal = whole[keys_[i]];
      const std::uint32_t others = high[above(keys_[i], bits)] - equal;
      const bool hottest = 16 * equal >= keys_.size();
      const bool crowd = bits != 0 && others >= survey_.crowd;
      found_.equal += equal;
      found_.hot += !hottest && equal >= std::max(survey_.crowd, detail::survey_hot) ? 1 : 0;
      found_.hottest += hottest ? 1 : 0;
      found_.single += equal == 1 ? 1 : 0;
      found_.alike += static_cast<std::int32_t>(std::min(others, survey_.crowd));
      found_.crowded += crowd ? 1 : 0;
      equal_[i] = equal;
      others_[i] = crowd ? others : 0;
      left_[i] = crowd ? bits : 0;
    }
    for (const auto& [key, count] : whole) found_.copies += count < detail::survey_hot ? count - 1 : 0;
  }

  void descend() {
    std::map<segment, std::pair<std::uint64_t, std::uint64_t>> segments;  // some key, and the bits in which keys differ
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (left_[i] == 0) continue;
      auto& [first, differ] = segments.try_emplace(segment_of(i), keys_[i], 0).first->second;
      differ |= first ^ keys_[i];
    }
    std::map<segment, std::uint32_t> counts;
    std::vector<std::size_t> moved;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (left_[i] == 0) continue;
      const auto top = static_cast<unsigned>(std::bit_width(segments.at(segment_of(i)).second));
      const unsigned below = left_[i] - std::min(left_[i], tuning::further_level_bits);
      left_[i] = std::min(top, below);
      if (top > below) moved.push_back(i);
    }
    for (const std::size_t i : moved) ++counts[segment_of(i)];
    for (const std::size_t i : moved) {
      const std::uint32_t there = counts[segment_of(i)] - equal_[i];
      ++found_.moved;
      found_.before += others_[i];
      found_.after += others_[i] == 0 ? 0 : there;
      others_[i] = 0;
      if (there < survey_.crowd) left_[i] = 0;
    }
  }

  const std::vector<std::uint64_t>& keys_;
  const detail::sort_survey& survey_;
  std::uint64_t differing_ = 0;
  detail::survey_counts found_{};
  std::vector<std::uint32_t> equal_;
  std::vector<std::uint32_t> others_;
  std::vector<unsigned> left_;
};

}  // namespace peneira::test
