// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/number_folding.hpp"
#include "ranks.hpp"

namespace peneira::python {
namespace {

template <class K, class V>
std::size_t group_with(const ranks_place& on, const group_by_call& call) {
  using folding = number_folding<V>;
  const detail::call_sizes sizes = detail::meet(on.between(), "group_by", call.size, call.room,
                                                detail::type_number<K>() * 64 + static_cast<unsigned>(call.by));
  const auto check = [&] {
    const view<const K> keys{static_cast<const K*>(call.keys), nullptr, call.size};
    const view<K> unique_keys{static_cast<K*>(call.unique_keys), nullptr, call.room};
    const detail::group_call<cpu, K, 0> checked("group_by", keys, unique_keys, "unique_keys");
    return detail::rank_group_by<K, folding>{checked, static_cast<const V*>(call.values), folding(call)};
  };
  return detail::group_over_ranks<detail::mpi_transport, K, folding>(on.between(), on.here(), sizes.out, check, {});
}

}  // namespace

std::size_t group_over_ranks(const ranks_place& on, const group_by_call& call) {
  std::size_t groups = 0;
  with_word(call.key_bytes, [&]<class K>(K) {
    if (call.value_bytes == 0) {
      groups = group_with<K, no_value>(on, call);
    } else {
      with_word(call.value_bytes, [&]<class V>(V) { groups = group_with<K, V>(on, call); });
    }
  });
  return groups;
}

}  // namespace peneira::python
