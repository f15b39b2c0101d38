// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The scans of segments.hpp, for a CPU and for a GPU.
#pragma once

#include <peneira/ops.hpp>
#include <peneira/scan.hpp>
#include <type_traits>

#include "segments.hpp"

namespace peneira::python {

template <class T, class Place, class Op>
void scan_with(const Place& on, const scan_call& call, const Op& op) {
  const auto in = items(static_cast<const T*>(call.items), call.size);
  const auto out = items(static_cast<T*>(call.out), call.size);
  const scan_options options{.inclusive = call.inclusive};
  if constexpr (std::is_same_v<Place, gpu>) {
    scan(on, in, out, op, options);
  } else {
    segmented_scan(on, in, items(call.segments.offsets, call.segments.count + 1), out, op, options);
  }
}

template <class T, class Place>
void scan_extremes(const Place& on, const scan_call& call) {
  if (call.by == scan_op::min) return scan_with<T>(on, call, min{});
  scan_with<T>(on, call, max{});
}

template <class T, class Place>
void scan_sums(const Place& on, const scan_call& call) {
  if (call.by == scan_op::sum) return scan_with<T>(on, call, plus{});
  scan_with<T>(on, call, multiplies{});
}

template <class Place>
void scan_items(const Place& on, const scan_call& call) {
  const bool adds = call.by == scan_op::sum || call.by == scan_op::prod;
  switch (call.of) {
    case type::f32:
      return adds ? scan_sums<float>(on, call) : scan_extremes<float>(on, call);
    case type::f64:
      return adds ? scan_sums<double>(on, call) : scan_extremes<double>(on, call);
    case type::i64:  // of sums and products the sign does not matter
      return adds ? scan_sums<std::uint64_t>(on, call) : scan_extremes<std::int64_t>(on, call);
    case type::u64:
      return adds ? scan_sums<std::uint64_t>(on, call) : scan_extremes<std::uint64_t>(on, call);
    default:
      refuse_code("number");
  }
}

}  // namespace peneira::python
