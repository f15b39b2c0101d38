// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The reductions of reduce.hpp. What does not depend on the sign of an integer is compiled for unsigned ones alone.
#pragma once

#include <peneira/place.hpp>
#include <peneira/reduce.hpp>
#include <peneira/segmented_reduce.hpp>
#include <type_traits>
#include <vector>

#include "reduce.hpp"

namespace peneira::python {

/// An item whose sign does not matter.
template <class T>
struct bits_alone {
  using type = T;
};
template <std::integral T>
struct bits_alone<T> {
  using type = std::make_unsigned_t<T>;
};
template <class T>
using bits_alone_t = typename bits_alone<T>::type;

/// Items as they are added and multiplied: of 64 bits the sign does not matter.
template <class T>
using summed_t = std::conditional_t<sizeof(T) == 8, bits_alone_t<T>, T>;
/// What their sums are.
template <class T>
using sum_t = std::conditional_t<std::is_floating_point_v<T>, T,
                                 std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class Item, class Place, class Result, class Op>
void reduce_to(const Place& on, const reduce_call& call, Result* out, const Op& op) {
  const auto in = items(static_cast<const Item*>(call.items), call.size);
  if (call.offsets == nullptr) return reduce(on, in, out, op);
  segmented_reduce(on, in, items(call.offsets, call.segments + 1), items(out, call.segments), op);
}

template <class Item, class Result, class Place, class Op>
void reduce_into(const Place& on, const reduce_call& call, const Op& op) {
  reduce_to<Item>(on, call, static_cast<Result*>(call.out), op);
}

/// Positions; where there are no items, -1.
template <class T, class Place, class Op>
void reduce_to_positions(const Place& on, const reduce_call& call, const Op& op) {
  if constexpr (std::is_same_v<Place, gpu>) return reduce_to<T>(on, call, static_cast<indexed<T>*>(call.out), op);
  std::vector<indexed<T>> found(call.segments);
  reduce_to<T>(on, call, found.data(), op);
  auto* const out = static_cast<std::int64_t*>(call.out);
  for (std::size_t s = 0; s < call.segments; ++s) out[s] = static_cast<std::int64_t>(found[s].index);
}

template <class T, class Place>
void reduce_bits(const Place& on, const reduce_call& call) {
  using bits = bits_alone_t<T>;
  switch (call.by) {
    case op::any:
      return reduce_into<bits, bool>(on, call, logical_or{});
    case op::all:
      return reduce_into<bits, bool>(on, call, logical_and{});
    default:
      break;
  }
  if constexpr (std::is_integral_v<bits>) {
    if (call.by == op::bit_and) return reduce_into<bits, bits>(on, call, bit_and{});
    if (call.by == op::bit_or) return reduce_into<bits, bits>(on, call, bit_or{});
    if (call.by == op::bit_xor) return reduce_into<bits, bits>(on, call, bit_xor{});
  }
  refuse_code("reduction");
}

template <class T, class Place>
void reduce_numbers(const Place& on, const reduce_call& call) {
  using summed = summed_t<T>;
  switch (call.by) {
    case op::sum:
      return reduce_into<summed, sum_t<summed>>(on, call, plus{});
    case op::prod:
      return reduce_into<summed, sum_t<summed>>(on, call, multiplies{});
    case op::min:
      return reduce_into<T, T>(on, call, min{});
    case op::max:
      return reduce_into<T, T>(on, call, max{});
    case op::argmin:
      return reduce_to_positions<T>(on, call, arg_min{});
    case op::argmax:
      return reduce_to_positions<T>(on, call, arg_max{});
    default:
      reduce_bits<T>(on, call);
  }
}

}  // namespace peneira::python
