// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// top_k over ranks: each finds its own k best, which keep their order; of those the first k of the whole are sorted
// into the parts of the output.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "peneira/ranks/sort.hpp"
#include "peneira/top_k.hpp"

namespace peneira {
namespace detail {

/// Throws on all ranks where k is not the same, more than there are items, or not what `out` has room for.
template <transport Transport>
void check_rank_k(Transport& between, std::size_t k, const rank_sizes& from, const rank_sizes& to) {
  const auto refuse = [](std::string_view argument, const std::string& why) { reject("top_k", argument, why); };
  agree(between, "top_k", "k", "must be the same", k);
  if (k > from.all()) {
    refuse("k", "is " + std::to_string(k) + ", but there are " + std::to_string(from.all()) + " items on all ranks");
  }
  if (to.all() != k) {
    refuse("out", "has " + std::to_string(to.all()) + " entries on all ranks together, but k is " + std::to_string(k));
  }
}

template <transport Transport, class K, class V>
void top_k_over_ranks(Transport& between, const cpu& here, view<const K, const V> in, std::size_t k, view<K, V> out,
                      const top_k_options& options) {
  const call_sizes sizes = meet(between, "top_k", in.size, out.size,
                                hash_numbers({type_number<K>(), type_number<V>(), std::uint64_t{options.least}}));
  check_rank_k(between, k, sizes.in, sizes.out);
  const room_columns<K, V> columns{std::min(k, in.size)};
  std::optional<workspace> memory;
  view<K, V> best;
  together(between, [&] {
    check_rank_arrays<K, V>("top_k", in, out);
    memory.emplace(memory_of(here), workspace::round_up(columns.bytes()), nullptr);
    best = columns.in(memory->take<std::byte>(columns.bytes()));
    top_k(here, in, columns.items, best, {.least = options.least, .sorted = false, .strategy = options.strategy});
  });
  sort_shares<Transport, K, V>(between, here, best, out, {.descending = !options.least}, sizes_of(between, best.size),
                               sizes.out);
}

}  // namespace detail

/// top_k over ranks: the k greatest items of all ranks, or the least. The sizes of `out` add up to k and say which of
/// them each rank gets; they come sorted, whatever options.sorted says. k is the same on all ranks. Ties and keys are
/// as on one machine, and errors are thrown by all ranks alike.
template <class On, class In, class Out>
requires detail::rank_place<std::remove_cvref_t<On>>
void top_k(On&& on, In&& in, std::size_t k, Out&& out, const top_k_options& options = {}) {
  if constexpr (detail::ranks_run_on_cpus<On>::good && detail::top_k_arguments<cpu, In, Out>::good) {
    using key = typename detail::array_of<In>::key;
    using value = typename detail::array_of<In>::value;
    detail::top_k_over_ranks<std::remove_cvref_t<decltype(on.between())>, key, value>(
        on.between(), on.here(), detail::as_view(in), k, detail::as_view(out), options);
  }
}

}  // namespace peneira
