// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The gather and the histograms of moves.hpp, for a CPU and for a GPU.
#pragma once

#include <peneira/gather.hpp>
#include <peneira/histogram.hpp>

#include "key_bins.hpp"
#include "moves.hpp"

namespace peneira::python {

/// An item of 16 bytes.
struct sixteen {
  std::uint64_t words[2];
};

template <class T, class Place>
void gather_with(const Place& on, const gather_call& call) {
  const auto in = items(static_cast<const T*>(call.items), call.size);
  const auto out = items(static_cast<T*>(call.out), call.count);
  with_word(call.position_bytes,
            [&]<class P>(P) { gather(on, in, items(static_cast<const P*>(call.positions), call.count), out); });
}

template <class Place>
void gather_items(const Place& on, const gather_call& call) {
  if (call.item_bytes == sizeof(sixteen)) return gather_with<sixteen>(on, call);
  with_width(call.item_bytes, [&]<class T>(T) { gather_with<T>(on, call); });
}

template <class U, class W, class Count, class Place>
void histogram_with(const Place& on, const histogram_call& call, const key_bins<U>& f) {
  const view<const U, const W> in{static_cast<const U*>(call.of.keys), static_cast<const W*>(call.weights),
                                  call.of.size};
  histogram(on, in, f, items(static_cast<Count*>(call.counts), call.of.bins));
}

template <class U, class Place>
void histogram_bits(const Place& on, const histogram_call& call) {
  const compared_table<U, Place> table(call.of);
  const key_bins<U> f(call.of, table.data());
  switch (call.by) {
    case weighed::count:
      return histogram_with<U, no_value, std::int64_t>(on, call, f);
    case weighed::whole:
      return histogram_with<U, std::int64_t, std::int64_t>(on, call, f);
    case weighed::real:
      return histogram_with<U, double, double>(on, call, f);
  }
}

}  // namespace peneira::python
