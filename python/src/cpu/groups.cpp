// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "groups.hpp"

#include <peneira/group_by.hpp>

#include "number_folding.hpp"

namespace peneira::python {
namespace {

template <class K, class V>
std::size_t group_by_with(const group_by_call& call) {
  cpu on{.threads = call.threads};
  const view<const K> keys{static_cast<const K*>(call.keys), nullptr, call.size};
  const view<K> unique_keys{static_cast<K*>(call.unique_keys), nullptr, call.room};
  const detail::group_call<cpu, K, 0> checked("group_by", keys, unique_keys, "unique_keys");
  return detail::group_by_plan(on, checked, static_cast<const V*>(call.values), number_folding<V>(call), {});
}

template <class K>
std::size_t group_by_values(const group_by_call& call) {
  switch (call.value_bytes) {
    case 0:
      return group_by_with<K, no_value>(call);
    case 4:
      return group_by_with<K, std::uint32_t>(call);
    case 8:
      return group_by_with<K, std::uint64_t>(call);
    default:
      refuse_code("value");
  }
}

}  // namespace

std::size_t group_by_words(const group_by_call& call) {
  return call.key_bytes == 4 ? group_by_values<std::uint32_t>(call) : group_by_values<std::uint64_t>(call);
}

}  // namespace peneira::python
