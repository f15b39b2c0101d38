// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Bins that the caller has computed already, one for each item.
#pragma once

#include <concepts>
#include <ranges>
#include <type_traits>

#include "peneira/bins.hpp"

namespace peneira {

/// The bin of item i is labels[i], whatever its key: bins that a caller computed before, such as the clusters of a
/// k-means. There are `bins` of them; labels are integers or enums of 8 to 64 bits, as many as there are items. Does
/// not own them. On the CPU a label out of range is an error that names the item and the label; on a GPU, where labels
/// are in device memory, its item is left out.
///
/// ```cpp
/// const std::vector<std::uint8_t> clusters{2, 0, 2, 1};           // one for each key
/// std::vector<float> keys{0.5F, 1.5F, 2.5F, 3.5F}, out(4);
/// std::vector<std::uint32_t> offsets(4);
/// pn::multisplit(pn::cpu{}, keys, out, pn::labels{3, clusters}, offsets);          // out: 1.5 3.5 0.5 2.5
/// ```
template <class Label>
class labels {
 public:
  /// `count` labels below `bins`.
  labels(std::integral auto bins, const Label* of, std::size_t count)
      : labels_(of), size_(count), bins_(detail::require_bins("labels", bins)) {}
  /// The labels of a range.
  template <std::ranges::contiguous_range Range>
  labels(std::integral auto bins, const Range& of) : labels(bins, std::ranges::data(of), std::ranges::size(of)) {}

  [[nodiscard]] std::uint32_t bins() const { return bins_; }
  /// The first label.
  [[nodiscard]] const Label* data() const { return labels_; }
  /// How many there are.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  const Label* labels_;
  std::size_t size_;
  std::uint32_t bins_;
};
template <std::integral Bins, std::ranges::contiguous_range Range>
labels(Bins, const Range&) -> labels<std::ranges::range_value_t<Range>>;

namespace detail {

template <class F>
inline constexpr bool is_labels = false;
template <class Label>
inline constexpr bool is_labels<labels<Label>> = true;
/// Bytes of a label; 0 of any other bin function.
template <class F>
inline constexpr std::size_t label_bytes_of = 0;
template <class Label>
inline constexpr std::size_t label_bytes_of<labels<Label>> = sizeof(Label);

/// Labels as the engines take them: an item's number is how far from the first key its own lies. So they may be asked
/// only about keys where these were when the call began.
template <class Label, class Key>
struct labels_of_items {
  const Label* labels;
  const Key* keys;
  std::uint32_t count;

  [[nodiscard]] std::uint32_t bins() const { return count; }
  template <std::size_t Count>
  void many(const Key* at, std::uint32_t* bins) const {
    const Label* const from = labels + (at - keys);
    for (std::size_t k = 0; k < Count; ++k) bins[k] = as_bin(from[k]);
  }
  PENEIRA_HD Label operator()(const Key& key) const { return labels[__builtin_addressof(key) - keys]; }
};

/// Labels as the keys of items on a GPU, where they go along with them: each is its own bin.
struct label_is_bin {
  std::uint32_t count;

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return count; }
  template <class Label>
  PENEIRA_HD Label operator()(const Label& label) const {
    return label;
  }
};

template <class Key, class Label>
labels_of_items<Label, Key> for_items(const labels<Label>& f, const Key* keys) {
  return {f.data(), keys, f.bins()};
}

}  // namespace detail
}  // namespace peneira
