// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The split of items on the CPU: once for each width, since nothing but the bin function needs their type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "peneira/place.hpp"
#include "peneira/view.hpp"
#include "tools/peneira/split/split.hpp"
#include "tools/peneira/split/watched_bins.hpp"

namespace peneira::tool {

/// Items as words of their width, and where they go.
template <class U>
struct split_call {
  const split_options& o;
  const U* in;
  U* to;
  std::size_t n;
  std::vector<std::uint64_t>& offsets;
};

/// Splits by bins that tell how far it has come, or that may.
template <class U>
void split_by(const cpu& on, std::string_view strategy, view<const U> in, view<U> to, const watched_bins<U>& by,
              std::vector<std::uint64_t>& offsets);

/// Splits by bins that tell `seen` how far it has come, which is shown.
template <class U>
void split_watched(const split_call<U>& call, const watched_bins<U>& by, const seen_bytes& seen);

/// Splits by a function of keys of T.
template <class U, class T, class F>
void split_words(const split_call<U>& call, std::type_identity<T> keys, const F& by) {
  seen_bytes seen;
  split_watched(call, watched_bins<U>(keys, by, seen), seen);
}

}  // namespace peneira::tool
