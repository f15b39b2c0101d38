// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "moves.hpp"

#include <array>
#include <peneira/gather.hpp>
#include <peneira/histogram.hpp>
#include <peneira/partition.hpp>

#include "key_bins.hpp"

namespace peneira::python {
namespace {

using sixteen = std::array<std::uint64_t, 2>;

template <class T>
void gather_with(const gather_call& call) {
  const cpu on{.threads = call.threads};
  const auto in = items(static_cast<const T*>(call.items), call.size);
  const auto out = items(static_cast<T*>(call.out), call.count);
  with_word(call.position_bytes,
            [&]<class P>(P) { gather(on, in, items(static_cast<const P*>(call.positions), call.count), out); });
}

template <class U, class W, class Count>
void histogram_with(const histogram_call& call, const key_bins<U>& f) {
  const view<const U, const W> in{static_cast<const U*>(call.of.keys), static_cast<const W*>(call.weights),
                                  call.of.size};
  histogram(cpu{.threads = call.of.threads}, in, f, items(static_cast<Count*>(call.counts), call.of.bins));
}

}  // namespace

void gather_items(const gather_call& call) {
  if (call.item_bytes == sizeof(sixteen)) return gather_with<sixteen>(call);
  with_width(call.item_bytes, [&]<class T>(T) { gather_with<T>(call); });
}

void partition_items(const partition_call& call) {
  with_word(call.item_bytes, [&]<class V>(V) {
    const view<const std::uint8_t, const V> in{call.parts, static_cast<const V*>(call.items), call.size};
    const view<std::uint8_t, V> out{call.out_parts, static_cast<V*>(call.out), call.size};
    partition(
        cpu{.threads = call.threads}, in, out, [](std::uint8_t part) { return std::uint32_t{part}; },
        items(call.counts, 3));
  });
}

template <class U>
void histogram_bits(const histogram_call& call) {
  const std::vector<U> table = flipped_table<U>(call.of);
  const key_bins<U> f(call.of, table);
  switch (call.by) {
    case weighed::count:
      return histogram_with<U, no_value, std::int64_t>(call, f);
    case weighed::whole:
      return histogram_with<U, std::int64_t, std::int64_t>(call, f);
    case weighed::real:
      return histogram_with<U, double, double>(call, f);
  }
}

template void histogram_bits<std::uint32_t>(const histogram_call&);
template void histogram_bits<std::uint64_t>(const histogram_call&);

}  // namespace peneira::python
