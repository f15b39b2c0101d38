// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What `tables` does, phase by phase: look, split, cut, fold, merge, and write the groups in their order. A phase that
// finds a table too small gives up, and the caller goes another way.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "peneira/cpu/scatter/split.hpp"
#include "peneira/group_by/cpu/sample.hpp"
#include "peneira/group_by/cpu/sorted.hpp"
#include "peneira/group_by/cpu/table.hpp"

namespace peneira::detail {

/// The partition of a key: the highest bits of its hash.
struct group_partitions {
  unsigned bits;

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return 1U << bits; }
  template <class Key>
  PENEIRA_HD std::uint32_t operator()(const Key& key) const {
    return static_cast<std::uint32_t>(group_hash(group_bits(key)) >> (64U - bits));
  }
};
template <>
inline constexpr bool never_misses<group_partitions> = true;

/// A part of the items that one table takes, and the list of its groups.
struct group_piece {
  std::size_t begin;
  std::size_t end;
  std::size_t list;   ///< where its groups begin
  std::size_t count;  ///< how many there are
};

/// The numbers that `tables` decides.
struct table_shape {
  unsigned threads = 1;
  host machine;
  std::size_t slots = 0;          ///< of a table, at most
  std::size_t sample = 0;         ///< keys that are looked at
  unsigned most_bits = 0;         ///< of a hash that name a partition
  std::size_t listed = 0;         ///< groups that all lists together have room for
  std::size_t table_bytes = 0;    ///< of a thread
  std::size_t scratch_bytes = 0;  ///< of lists and sorts
  order groups = order::stable;
};

/// Its memory.
struct table_memory {
  item_arrays between;  ///< items in partitions
  split_scratch split;
  std::uint64_t* partitions;  ///< where they begin, and the end
  group_piece* pieces;
  std::size_t* first_pieces;  ///< of the partitions, and the end
  std::size_t* first_groups;  ///< the same
  std::byte* tables;
  std::byte* scratch;  ///< lists, and what sorts take
};

/// How partitions are made, by what a sample tells.
struct partitioning {
  unsigned bits;            ///< 0: all items are one
  std::size_t expected;     ///< groups of each
  std::size_t piece_items;  ///< of a piece, at most
};

template <class K, class Folding>
class table_job {
 public:
  using moved = typename Folding::moved;
  using table = group_table<bits_of<K>, Folding>;
  using entry = typename table::entry;

  table_job(const table_shape& shape, const table_memory& memory, const group_arrays<K, moved>& given,
            const Folding& by)
      : shape_(shape), memory_(memory), given_(given), by_(by), lists_(reinterpret_cast<entry*>(memory.scratch)) {}

  /// What the sample proposes; nothing: a sort.
  [[nodiscard]] std::optional<partitioning> look() const {
    const std::size_t n = given_.items;
    if (shape_.sample == 0) return partitioning{0, n, piece_of_all(n)};
    auto* const sample = reinterpret_cast<bits_of<K>*>(memory_.scratch);
    take_sample(given_.keys, n, sample, shape_.sample);
    const view<bits_of<K>> all{sample, nullptr, shape_.sample};
    const std::size_t used = workspace::footprint<bits_of<K>>(shape_.sample);
    group_sort::run<bits_of<K>, no_value>(all, all, shape_.machine, memory_.scratch + used,
                                          shape_.scratch_bytes - used);
    return choose(estimate_groups(sample, shape_.sample, n));
  }

  /// Partitions for the most groups that tables can take; nothing: there cannot be any.
  [[nodiscard]] std::optional<partitioning> most_partitions() const {
    if (shape_.most_bits == 0) return std::nullopt;
    return partitioning{shape_.most_bits, shape_.slots / 16, piece_of_one()};
  }

  /// Groups the items so; nothing: a table or the lists were too small.
  std::optional<std::size_t> run(const partitioning& how) {
    overflow_ = false;
    listed_ = 0;
    split(how);
    cut(how);
    fold(how);
    if (overflow_) return std::nullopt;
    merge(how);
    if (overflow_) return std::nullopt;
    const std::size_t groups = number_groups(how);
    given_.check_room(groups);
    write_groups(how, groups);
    return groups;
  }

 private:
  /// Pieces of all items, each with so many items that merging its groups is little work beside.
  [[nodiscard]] std::size_t piece_of_all(std::size_t groups) const {
    const std::size_t least = (given_.items + tuning::cpu_group_pieces - 1) / tuning::cpu_group_pieces;
    return std::max({shape_.slots, least, 32 * groups});
  }
  /// Pieces of a partition that has very many items.
  [[nodiscard]] std::size_t piece_of_one() const {
    return std::max(shape_.slots, 4 * given_.items / tuning::cpu_group_pieces);
  }

  [[nodiscard]] std::optional<partitioning> choose(const group_estimate& e) const {
    if (!e.skewed && e.groups <= shape_.slots / 4) return partitioning{0, e.groups, piece_of_all(e.groups)};
    if (e.groups > given_.items / tuning::cpu_items_a_group || shape_.most_bits == 0) return std::nullopt;
    const std::size_t wanted = (e.groups - 1) / (shape_.slots / 8) + 1;
    const unsigned bits = std::min(shape_.most_bits, std::max(4U, static_cast<unsigned>(std::bit_width(wanted - 1))));
    if (e.skewed) return most_partitions();
    if (e.groups >> bits > shape_.slots / 3) return std::nullopt;
    return partitioning{bits, e.groups >> bits, piece_of_one()};
  }

  /// Items by their partitions.
  void split(const partitioning& how) {
    source_ = {given_.keys, given_.values, given_.items};
    memory_.partitions[0] = 0;
    if (how.bits != 0) {
      const group_partitions f{how.bits};
      const view<K, moved> to = memory_.between.as<K, moved>(given_.items);
      view<const K, const moved> from = source_;
      if constexpr (Folding::by_position) {
        auto* const positions = reinterpret_cast<moved*>(memory_.scratch);
        on_each(shape_.threads, [&](unsigned m) {
          const auto [begin, end] = slice(given_.items, m, shape_.threads);
          std::iota(positions + begin, positions + end, static_cast<moved>(begin));
        });
        from.values = positions;
      }
      constexpr std::size_t moved_bytes = view<K, moved>::has_values ? sizeof(moved) : 0;
      const bool stream = given_.items * (sizeof(K) + moved_bytes) >= tuning::cpu_stream_bytes;
      split_level(shape_.threads, from, to, f, 0, 0, memory_.partitions, memory_.split,
                  buffer_shape(f.bins(), sizeof(K), moved_bytes, stream));
      source_ = to;
    }
    memory_.partitions[std::size_t{1} << how.bits] = given_.items;
  }

  /// Partitions into pieces.
  void cut(const partitioning& how) {
    const std::size_t partitions = std::size_t{1} << how.bits;
    pieces_ = 0;
    for (std::size_t p = 0; p < partitions; ++p) {
      memory_.first_pieces[p] = pieces_;
      const std::size_t end = memory_.partitions[p + 1];
      for (std::size_t at = memory_.partitions[p]; at < end;) {
        const std::size_t until = std::min(end, at + how.piece_items);
        memory_.pieces[pieces_++] = {at, until, 0, 0};
        at = until;
      }
    }
    memory_.first_pieces[partitions] = pieces_;
  }

  [[nodiscard]] table table_of(unsigned member, const partitioning& how) const {
    return {reinterpret_cast<entry*>(memory_.tables + member * shape_.table_bytes), shape_.slots, how.bits, by_};
  }

  /// Each piece into a table, and what that has into a list.
  void fold(const partitioning& how) {
    on_each_part(shape_.threads, static_cast<unsigned>(pieces_), [&](unsigned number, unsigned member) {
      if (overflow_) return;
      group_piece& piece = memory_.pieces[number];
      table groups = table_of(member, how);
      groups.clear(std::min(how.expected, piece.end - piece.begin));
      if (!fold_piece_into(groups, piece, how.bits != 0) || !list(groups, piece)) overflow_ = true;
    });
  }

  bool fold_piece_into(table& groups, const group_piece& piece, [[maybe_unused]] bool split) const {
    if constexpr (Folding::by_position) {
      if (!split) return fold_items(groups, piece, [](std::size_t i) { return static_cast<moved>(i); });
    }
    if constexpr (view<K, moved>::has_values) {
      return fold_items(groups, piece, [values = source_.values](std::size_t i) { return values[i]; });
    } else {
      return fold_items(groups, piece, [](std::size_t) { return moved{}; });
    }
  }

  template <class Item>
  bool fold_items(table& groups, const group_piece& piece, const Item& item) const {
    constexpr std::size_t some = 4096;  // after which others are asked whether they have given up
    const K* const keys = source_.keys;
    for (std::size_t at = piece.begin; at < piece.end; at += some) {
      const std::size_t end = std::min(piece.end, at + some);
      for (std::size_t i = at; i < end; ++i) {
        if (!groups.add(group_bits(keys[i]), item(i))) return false;
      }
      if (overflow_) return true;
    }
    return true;
  }

  /// Lists a table's groups; false: there is no room.
  bool list(const table& groups, group_piece& piece) {
    piece.count = groups.size();
    piece.list = listed_.fetch_add(piece.count);
    if (piece.list + piece.count > shape_.listed) return false;
    groups.write(lists_ + piece.list);
    return true;
  }

  /// The lists of partitions that were cut, from the first piece to the last; the first then has all.
  void merge(const partitioning& how) {
    on_each_part(shape_.threads, 1U << how.bits, [&](unsigned p, unsigned member) {
      const std::size_t first = memory_.first_pieces[p];
      const std::size_t end = memory_.first_pieces[p + 1];
      if (end - first < 2 || overflow_) return;
      table groups = table_of(member, how);
      groups.clear(memory_.pieces[first].count);
      for (std::size_t number = first; number < end; ++number) {
        group_piece& piece = memory_.pieces[number];
        for (std::size_t g = 0; g < piece.count; ++g) {
          if (!groups.merge(lists_[piece.list + g])) {
            overflow_ = true;
            return;
          }
        }
        piece.count = 0;
      }
      if (!list(groups, memory_.pieces[first])) overflow_ = true;
    });
  }

  /// Numbers the groups, partition by partition; returns how many there are.
  std::size_t number_groups(const partitioning& how) {
    const std::size_t partitions = std::size_t{1} << how.bits;
    std::size_t groups = 0;
    for (std::size_t p = 0; p < partitions; ++p) {
      memory_.first_groups[p] = groups;
      const std::size_t first = memory_.first_pieces[p];
      if (first != memory_.first_pieces[p + 1]) groups += memory_.pieces[first].count;
    }
    memory_.first_groups[partitions] = groups;
    return groups;
  }

  /// Calls use(number, place in the lists) for all groups.
  template <class Use>
  void for_groups(const partitioning& how, const Use& use) {
    on_each_part(shape_.threads, 1U << how.bits, [&](unsigned p, unsigned /*member*/) {
      const std::size_t count = memory_.first_groups[p + 1] - memory_.first_groups[p];
      if (count == 0) return;
      const std::size_t list = memory_.pieces[memory_.first_pieces[p]].list;
      for (std::size_t g = 0; g < count; ++g) use(memory_.first_groups[p] + g, list + g);
    });
  }

  /// All groups, in the order that is asked for.
  void write_groups(const partitioning& how, std::size_t groups) {
    const bool ascending = shape_.groups == order::stable;
    if constexpr (!Folding::results_move) {
      if (ascending) return write_behind_keys(how, groups);
    }
    for_groups(how, [&](std::size_t number, std::size_t place) {
      given_.unique_keys[number] = key_of_bits<K>(lists_[place].key);
      by_.write(number, lists_[place].state);
    });
    if constexpr (Folding::results_move) {
      if (!ascending) return;
      const auto all = by_.with_keys(given_.unique_keys, groups);
      group_sort::run(std::as_const(all), all, shape_.machine, memory_.scratch, shape_.scratch_bytes);
    }
  }

  /// Keys sorted with where their groups are, and then what these have.
  void write_behind_keys(const partitioning& how, std::size_t groups) {
    std::byte* memory = memory_.scratch + workspace::footprint<entry>(shape_.listed);
    auto* const places = reinterpret_cast<std::uint64_t*>(memory);
    memory += workspace::footprint<std::uint64_t>(shape_.listed);
    for_groups(how, [&](std::size_t number, std::size_t place) {
      given_.unique_keys[number] = key_of_bits<K>(lists_[place].key);
      places[number] = place;
    });
    const view<K, std::uint64_t> all{given_.unique_keys, places, groups};
    const auto room = static_cast<std::size_t>(memory_.scratch + shape_.scratch_bytes - memory);
    group_sort::run(all, all, shape_.machine, memory, room);
    on_each(shape_.threads, [&](unsigned m) {
      const auto [begin, end] = slice(groups, m, shape_.threads);
      for (std::size_t g = begin; g < end; ++g) by_.write(g, lists_[places[g]].state);
    });
  }

  const table_shape& shape_;
  const table_memory& memory_;
  const group_arrays<K, moved>& given_;
  const Folding& by_;
  entry* lists_;
  view<const K, const moved> source_{};
  std::size_t pieces_ = 0;
  std::atomic<std::size_t> listed_{0};
  std::atomic<bool> overflow_{false};
};

}  // namespace peneira::detail
