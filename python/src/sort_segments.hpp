// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sorts and selections of segments.hpp, for a CPU and for a GPU.
#pragma once

#include <peneira/segmented_sort.hpp>
#include <peneira/top_k.hpp>
#include <type_traits>

#include "order.hpp"
#include "segments.hpp"

namespace peneira::python {

inline auto counted(const segment_table& segments) {
  using offsets = detail::offset_segments<std::uint64_t>;
  return detail::counted_segments<offsets>{
      {segments.offsets}, segments.count, sizeof(std::uint64_t), segments.offsets, 0};
}

template <class U, class V, class Place>
void sort_segments_with(const Place& on, const segmented_sort_call& call) {
  const auto by = order_of_bits<U>(call.of, call.descending);
  with_keys<U, Place>(call.of, [&]<class K>(K) {
    const view<const K, const V> in{static_cast<const K*>(call.keys), static_cast<const V*>(call.values), call.size};
    const view<K, V> out{static_cast<K*>(call.out_keys), static_cast<V*>(call.out_values), call.size};
    detail::segmented_sort_in_order<const Place, K, V>(on, in, counted(call.segments), out, by, {});
  });
}

template <class U, class V, class Place>
void top_k_with(const Place& on, const top_k_call& call) {
  const auto by = order_of_bits<U>(call.of, !call.least);
  const std::size_t taken = call.segments.count * call.k;
  const top_k_options options{.sorted = call.sorted};
  with_keys<U, Place>(call.of, [&]<class K>(K) {
    const view<const K, const V> in{static_cast<const K*>(call.keys), static_cast<const V*>(call.values), call.size};
    const view<K, V> out{static_cast<K*>(call.out_keys), static_cast<V*>(call.out_values), taken};
    detail::top_k_in_order<const Place, K, V>("top_k", on, in, counted(call.segments), call.k, out, by, options);
  });
}

template <class U, class Place>
void sort_segments(const Place& on, const segmented_sort_call& call) {
  if (call.value_bytes == 0) return sort_segments_with<U, no_value>(on, call);
  sort_segments_with<U, std::uint32_t>(on, call);
}

template <class U, class Place>
void top_k_of(const Place& on, const top_k_call& call) {
  if constexpr (std::is_same_v<Place, cpu>) {
    if (call.value_bytes == 0) return top_k_with<U, no_value>(on, call);
  }
  top_k_with<U, std::uint32_t>(on, call);
}

}  // namespace peneira::python
