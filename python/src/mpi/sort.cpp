// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

namespace peneira::python {
namespace {

template <class U, class V>
void sort_with(const ranks_place& on, const rank_sort_call& call) {
  const view<const U, const V> in{static_cast<const U*>(call.words), static_cast<const V*>(call.values), call.size};
  const view<U, V> out{static_cast<U*>(call.out_words), static_cast<V*>(call.out_values), call.out_size};
  sort(on, in, out);
}

}  // namespace

void sort_over_ranks(const ranks_place& on, const rank_sort_call& call) {
  with_word(call.word_bytes, [&]<class U>(U) {
    if (call.value_bytes == 0) return sort_with<U, no_value>(on, call);
    with_word(call.value_bytes, [&]<class V>(V) { sort_with<U, V>(on, call); });
  });
}

void argsort_over_ranks(const ranks_place& on, const rank_sort_call& call, std::uint64_t* positions) {
  with_word(call.word_bytes, [&]<class U>(U) {
    argsort(on, items(static_cast<const U*>(call.words), call.size), items(positions, call.out_size));
  });
}

}  // namespace peneira::python
