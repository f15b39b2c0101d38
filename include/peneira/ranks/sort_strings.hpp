// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort_strings over ranks: each sorts its own, exact cuts are found (string_cuts.hpp), whole strings go to the rank
// whose share they are, in their order, and are sorted there.
#pragma once

#include <limits>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "peneira/ranks/calls.hpp"
#include "peneira/ranks/string_cuts.hpp"
#include "peneira/sort_strings.hpp"

namespace peneira {

/// A rank's share of the strings of all ranks, in order: what sorted_strings returns.
class string_share {
 public:
  [[nodiscard]] std::size_t size() const { return order.size(); }
  /// The string that comes i-th in this rank's share.
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return all()[order[i]]; }
  /// Its number in the whole.
  [[nodiscard]] std::uint64_t number(std::size_t i) const { return numbers[order[i]]; }

  /// The strings as they came from other ranks.
  [[nodiscard]] strings<std::uint64_t> all() const { return {chars.data(), starts.data(), starts.size() - 1}; }

  std::vector<char> chars;               ///< of all of them
  std::vector<std::uint64_t> starts{0};  ///< as strings has them
  std::vector<std::uint64_t> numbers;    ///< of each in the whole
  std::vector<std::uint64_t> order;      ///< which of them comes where
};

namespace detail {

/// A room that holds strings in order: characters, lengths and numbers.
struct string_room {
  std::vector<std::uint64_t> ends;  ///< of the characters of each, and 0 before them
  std::size_t lengths_at = 0;
  std::size_t numbers_at = 0;
  std::size_t bytes = 0;

  explicit string_room(std::vector<std::uint64_t> all_ends) : ends(std::move(all_ends)) {
    const std::size_t n = ends.size() - 1;
    lengths_at = workspace::round_up(ends.back());
    numbers_at = lengths_at + workspace::round_up(n * sizeof(std::uint64_t));
    bytes = numbers_at + n * sizeof(std::uint64_t);
  }
};

/// Copies strings in order into the room, with their lengths, and their numbers from `first` on.
template <class Offset, class Index>
void fill_string_room(const strings<Offset>& all, const std::vector<Index>& order, const string_room& layout,
                      std::uint64_t first, std::byte* room) {
  auto* const lengths = reinterpret_cast<std::uint64_t*>(room + layout.lengths_at);
  auto* const numbers = reinterpret_cast<std::uint64_t*>(room + layout.numbers_at);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string_view one = all[order[i]];
    if (!one.empty()) std::memcpy(room + layout.ends[i], one.data(), one.size());
    lengths[i] = one.size();
    numbers[i] = first + order[i];
  }
}

/// Exchanges what lies in the rooms: characters, lengths, numbers.
template <transport Transport>
void exchange_strings(Transport& between, const string_room& layout, const std::vector<std::uint64_t>& cuts,
                      string_share& share) {
  std::vector<room_part> parts(between.ranks());
  const auto send = [&](auto&& begin_of, void* to) {
    for (std::size_t r = 0; r < parts.size(); ++r) parts[r] = {begin_of(r), begin_of(r + 1) - begin_of(r)};
    between.exchange(parts, to);
  };
  send([&](std::size_t r) { return layout.ends[cuts[r]]; }, share.chars.data());
  send([&](std::size_t r) { return layout.lengths_at + cuts[r] * sizeof(std::uint64_t); }, share.starts.data() + 1);
  send([&](std::size_t r) { return layout.numbers_at + cuts[r] * sizeof(std::uint64_t); }, share.numbers.data());
  std::inclusive_scan(share.starts.begin(), share.starts.end(), share.starts.begin());
}

/// The share of this rank of all strings, in order, with numbers in the whole.
template <class Index, transport Transport, class Offset>
string_share share_strings(Transport& between, const cpu& here, const strings<Offset>& all, const rank_sizes& from,
                           const rank_sizes& to, const sort_strings_options& options) {
  const unsigned me = between.rank();
  std::vector<Index> order;
  together(between, [&] {
    order.resize(all.size);
    sort_strings(here, all, order, options);
  });
  const auto cuts = string_cut_finder<Transport, Offset, Index>(between, all, order, options.descending).find(to);
  std::optional<string_room> layout;
  std::vector<std::uint64_t> bytes(between.ranks());
  together(between, [&] {
    std::vector<std::uint64_t> ends(all.size + 1, 0);
    for (std::size_t i = 0; i < all.size; ++i) ends[i + 1] = ends[i] + all.length_of(order[i]);
    for (std::size_t r = 0; r < bytes.size(); ++r) bytes[r] = ends[cuts[r + 1]] - ends[cuts[r]];
    layout.emplace(std::move(ends));
  });
  between.sum_all(bytes);
  string_share share;
  together(between, [&] {
    const std::size_t n = to.begins[me + 1] - to.begins[me];
    share.chars.resize(bytes[me]);
    share.starts.resize(n + 1);
    share.numbers.resize(n);
    share.order.resize(n);
  });
  auto* const room = static_cast<std::byte*>(between.make_room(layout->bytes));
  fill_string_room(all, order, *layout, from.begins[me], room);
  exchange_strings(between, *layout, cuts, share);
  together(between, [&] { sort_strings(here, share.all(), share.order, options); });
  return share;
}

/// The same for any number of strings.
template <transport Transport, class Offset>
string_share share_any_strings(Transport& between, const cpu& here, const strings<Offset>& all, const call_sizes& sizes,
                               const sort_strings_options& options) {
  const auto share_by = [&]<class Index>(Index /*type*/) {
    return share_strings<Index>(between, here, all, sizes.in, sizes.out, options);
  };
  const bool small = all.size <= std::numeric_limits<std::uint32_t>::max();
  return small ? share_by(std::uint32_t{}) : share_by(std::uint64_t{});
}

/// Throws where the arguments of this rank cannot be right.
template <class Offset, class P>
void check_rank_strings(const cpu& here, const strings<Offset>& all, view<P> to, std::size_t of_all_ranks) {
  check_address<cpu>("sort_strings", "starts", all.starts, all.size == 0 ? 0 : all.size + 1);
  check_address<cpu>("sort_strings", "permutation", to.keys, to.size);
  if (of_all_ranks != 0 && of_all_ranks - 1 > std::numeric_limits<P>::max()) {
    reject("sort_strings", "permutation",
           "has 32-bit entries, too few bits for " + std::to_string(of_all_ranks) + " strings");
  }
  if (all.size != 0 && overlap(all.starts, (all.size + 1) * sizeof(Offset), to.keys, to.size * sizeof(P))) {
    reject("sort_strings", "permutation", "overlaps the starts of the strings");
  }
  check_starts(all, view<P>{}, host::here().with_threads(here.threads).threads);
  if (all.size == 0) return;
  const auto bytes = static_cast<std::size_t>(all.starts[all.size] - all.starts[0]);
  check_apart(all.chars + all.starts[0], bytes, to.keys, to.size * sizeof(P));
}

template <transport Transport, class Offset, class P>
void sort_strings_over_ranks(Transport& between, const cpu& here, const strings<Offset>& all, view<P> to,
                             const sort_strings_options& options, const call_sizes& sizes) {
  together(between, [&] { check_rank_strings(here, all, to, sizes.in.all()); });
  check_rank_sizes("sort_strings", "permutation", sizes.in, sizes.out);
  const string_share share = share_any_strings(between, here, all, sizes, options);
  for (std::size_t i = 0; i < to.size; ++i) to.keys[i] = static_cast<P>(share.number(i));
}

}  // namespace detail

/// sort_strings over ranks: the strings of all ranks, in rank order, are one array; `permutation` gets numbers of the
/// whole, counted from 0, and the sizes of the ranks' permutations say who gets how many. Strings, order and options
/// are those of sort_strings on one machine, and so is the answer.
///
/// Each rank's share is exact in strings, whatever their lengths, so that its characters may be more than those of
/// other ranks. While the call lasts a rank has its own strings twice and those of its share once, with 16 bytes more
/// for each of either, and 8 for its place in the order. Strings go between ranks once. Errors are thrown by all ranks
/// alike.
template <class On, class Strings, class Permutation>
requires detail::rank_place<std::remove_cvref_t<On>>
void sort_strings(On&& on, const Strings& all, Permutation&& permutation, const sort_strings_options& options = {}) {
  if constexpr (detail::ranks_run_on_cpus<On>::good &&
                detail::sort_strings_arguments<cpu, Strings, Permutation>::good) {
    const auto to = detail::as_view(permutation);
    const auto start = [&](std::size_t n) {
      using position = typename decltype(to)::key_type;
      const std::uint64_t signature =
          detail::hash_numbers({detail::type_number<position>(), std::uint64_t{options.descending}});
      return detail::meet(on.between(), "sort_strings", n, to.size, signature);
    };
    if constexpr (detail::is_strings<Strings>) {
      const auto& given = detail::as_strings(all);
      detail::sort_strings_over_ranks(on.between(), on.here(), given, to, options, start(given.size));
    } else {
      const detail::call_sizes sizes = start(static_cast<std::size_t>(std::ranges::distance(all)));
      owned_strings<> copy;
      detail::together(on.between(), [&] { copy = strings_of(all); });
      detail::sort_strings_over_ranks(on.between(), on.here(), copy.view(), to, options, sizes);
    }
  }
}

/// The strings themselves: this rank's share, `count` of them, of the strings of all ranks in order. The counts of all
/// ranks add up to the strings that there are.
template <class On, class Offset>
requires detail::rank_place<std::remove_cvref_t<On>> string_share
sorted_strings(On&& on, const strings<Offset>& all, std::size_t count, const sort_strings_options& options = {}) {
  static_assert(detail::ranks_run_on_cpus<On>::good);
  const std::uint64_t signature = detail::hash_numbers({std::uint64_t{options.descending}});
  const detail::call_sizes sizes = detail::meet(on.between(), "sorted_strings", all.size, count, signature);
  detail::together(on.between(),
                   [&] { detail::check_rank_strings(on.here(), all, view<std::uint64_t>{}, sizes.in.all()); });
  detail::check_rank_sizes("sorted_strings", "count", sizes.in, sizes.out);
  return detail::share_any_strings(on.between(), on.here(), all, sizes, options);
}

}  // namespace peneira
