// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the GPU's tests of reduce and segmented_reduce share.
#pragma once

#include <string_view>

#include "peneira/reduce.hpp"
#include "peneira/segmented_reduce.hpp"
#include "tests/reduce/monoids.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

/// The GPU as the place to test.
struct device_reduce_space : device_space {
  using reduces = reduce_gpu_strategies;
  using segmented_reduces = segmented_reduce_gpu_strategies;
};

/// An input array between canaries on the device: neither it nor what lies around it may change.
template <class T>
class watched {
 public:
  explicit watched(const std::vector<T>& from, std::size_t shift = 0) : from_(from), there_(from.size(), shift) {
    write(from);
  }

  /// Other items at the same place.
  void write(const std::vector<T>& from) {
    from_ = from;
    device_space::copy(there_.data(), from_.data(), from_.size() * sizeof(T));
  }
  [[nodiscard]] view<const T> get() const { return items(static_cast<const T*>(there_.data()), there_.size()); }
  [[nodiscard]] const std::vector<T>& host() const { return from_; }
  void expect_unchanged() const { EXPECT_TRUE(same(from_, there_.read())) << "in an input"; }

 private:
  std::vector<T> from_;
  guarded<T, device_space> there_;
};

/// Calls work(name) for every strategy of a list that takes all commutative operators and all segments, or all but
/// those that one strategy refuses.
template <class List, class Work>
void for_each_name(Work&& work, std::string_view refusing = {}) {
  List::for_each([&](auto strategy) {
    if (strategy.name == "ordered" || strategy.name == "even") return;  // which the conformance suite tests
    if (strategy.name == refusing) return;
    SCOPED_TRACE(strategy.name);
    work(strategy.name);
  });
}

/// What offsets of any kind should give: the valid segments, and the identity for the others.
template <class Result, class T, class Offset, class Op>
std::vector<Result> wanted_of(const std::vector<T>& from, const std::vector<Offset>& offsets, const Op& op) {
  std::vector<Result> wanted(offsets.size() - 1, op.template identity<Result>());
  for (std::size_t s = 0; s < wanted.size(); ++s) {
    const auto begin = static_cast<std::size_t>(offsets[s]);
    const auto end = static_cast<std::size_t>(offsets[s + 1]);
    if (begin <= end && end <= from.size()) wanted[s] = reference::reduce<Result>(from.data(), begin, end, op);
  }
  return wanted;
}

inline std::vector<std::uint32_t> random_words(std::size_t n, random& next) {
  std::vector<std::uint32_t> words(n);
  for (std::uint32_t& w : words) w = static_cast<std::uint32_t>(next());
  return words;
}

}  // namespace peneira::test
