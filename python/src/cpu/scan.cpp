// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <peneira/ops.hpp>
#include <peneira/scan.hpp>

#include "segments.hpp"

namespace peneira::python {
namespace {

template <class T, class Op>
void scan_with(const scan_call& call, const Op& op) {
  const auto in = items(static_cast<const T*>(call.items), call.size);
  const auto out = items(static_cast<T*>(call.out), call.size);
  segmented_scan(cpu{.threads = call.threads}, in, items(call.segments.offsets, call.segments.count + 1), out, op,
                 {.inclusive = call.inclusive});
}

template <class T>
void scan_extremes(const scan_call& call) {
  if (call.by == scan_op::min) return scan_with<T>(call, min{});
  scan_with<T>(call, max{});
}

template <class T>
void scan_sums(const scan_call& call) {
  if (call.by == scan_op::sum) return scan_with<T>(call, plus{});
  scan_with<T>(call, multiplies{});
}

}  // namespace

void scan_items(const scan_call& call) {
  const bool adds = call.by == scan_op::sum || call.by == scan_op::prod;
  switch (call.of) {
    case type::f32:
      return adds ? scan_sums<float>(call) : scan_extremes<float>(call);
    case type::f64:
      return adds ? scan_sums<double>(call) : scan_extremes<double>(call);
    case type::i64:  // of sums and products the sign does not matter
      return adds ? scan_sums<std::uint64_t>(call) : scan_extremes<std::int64_t>(call);
    case type::u64:
      return adds ? scan_sums<std::uint64_t>(call) : scan_extremes<std::uint64_t>(call);
    default:
      refuse_code("number");
  }
}

}  // namespace peneira::python
