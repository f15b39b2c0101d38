// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// mpp_sort (CUDA-mppSort in the report): partition the keys by equal widths, then sort each partition in shared memory.
//
//   in --histograms, scans, partition--> between, by partitions --sort_partitions, those that fit--> out
//       the others: between --again, each by its own least and greatest key--> out --again--> between ... --> out
//
// Reads each key five times and writes it twice where all partitions fit; a key of a partition that is too large is
// read three times and written once more in each further round. The report hands such partitions to thrust::sort, and
// says that large inputs and many partitions come out wrong; here positions have 64 bits, and partitions that no shared
// memory holds counters for are gone through in groups.
//
// It ends: a round divides the width of what is left by the number of partitions, so that after as many rounds as the
// bits of a key allow all widths are 1. Keys of such a partition are equal. The host launches that many rounds, and
// those that find nothing left end at once; where all items fit shared memory, the first is the only one.
//
// Bizio: Relatório Técnico: CUDA-mppSort, 2025.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "peneira/plan.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/sort/published/mpp_local.hpp"
#include "peneira/sort/published/mpp_round.hpp"

namespace peneira::sort_strategies {

struct mpp_sort {
  static constexpr std::string_view name = "mpp_sort";
  static constexpr std::string_view about = "published: partitions of equal widths, each by a bitonic sort";

  /// A caller that wants to know of the launches: gets the name of each kernel behind it, and "begin" before the first.
  struct unwatched {
    void operator()(std::string_view /*kernel*/) const {}
  };

  static std::string refuses(const sort_problem& problem, const device& machine) {
    if (!problem.whole_key()) return "looks at whole keys only";
    if (problem.equal_keys == order::stable) return "does not keep the order of equal keys; allow order::any";
    if (problem.mpp.partitions > 0xFFFFFFFFU) {
      return "takes at most 4294967295 partitions, not " + std::to_string(problem.mpp.partitions);
    }
    if (room_of(machine) < least_room) return "needs " + std::to_string(least_room) + " bytes of shared memory a block";
    return "";
  }

  static plan make_plan(const sort_problem& problem, const device& machine) {
    plan p;
    if (problem.items == 0) return p;
    const std::size_t n = problem.items;
    const auto key_bits = static_cast<unsigned>(8 * problem.key_bytes);
    const std::size_t resident = blocks_a_processor * static_cast<std::size_t>(machine.sms);
    const std::size_t capacity = std::min(n, (room_of(machine) - 16) / problem.item_bytes());
    const std::size_t asked = problem.mpp.partitions;
    const std::size_t partitions = asked != 0 ? asked : fitting_partitions(n, capacity, resident, key_bits);

    // A round leaves widths of a number of bits, the next one as many fewer as its partitions have.
    const auto first_bits = static_cast<unsigned>(std::bit_width(partitions)) - 1;
    const unsigned left = n <= capacity || first_bits >= key_bits ? 0 : key_bits - first_bits;
    const unsigned rounds = 1 + (left + bits_again - 1) / bits_again;
    const std::size_t again = rounds == 1 ? 0 : partitions_again;
    const std::size_t segments = n / (capacity + 1);  // that a round can leave to the next

    // The matrix takes no more entries than twice the items, or 4 Mi where the items are few. A slice is short enough
    // for counters of 32 bits.
    const std::size_t most_entries = std::max<std::size_t>(std::size_t{1} << 22U, 2 * n);
    const std::size_t wanted = std::min({resident, n / least_slice + 1, most_entries / partitions});
    const std::size_t parts = std::max({std::size_t{1}, wanted, (n >> 31U) + 1});
    const std::size_t slice = (n + parts - 1) / parts;
    const std::size_t rows = (n + slice - 1) / slice;

    const std::size_t columns = std::max(partitions, segments * again);
    const std::size_t counters = std::max(partitions, again);
    const std::size_t counted = std::min(counters, machine.shared_per_block / sizeof(std::uint32_t));
    const std::size_t placed = std::min(counters, machine.shared_per_block / place_bytes);
    p.set("partitions", partitions, "of equal widths, in the first round");
    p.set("partitions again", again, "the same in further rounds");
    p.set("rounds", rounds, "at most; those that find nothing left end at once");
    p.set("capacity", capacity, "items that a block sorts in shared memory");
    p.set("slice", slice, "items of a block");
    p.set("segments", segments, "room for what a round leaves too large");
    p.set("counted at once", counted, "partitions whose counters fit shared memory");
    p.set("placed at once", placed, "partitions whose places fit shared memory");
    p.steps.push_back({"find_range", rows, mpp_threads});
    p.steps.push_back({"block_and_global_histogram", rows, mpp_threads, counted * sizeof(std::uint32_t)});
    p.steps.push_back({"scan_histogram", std::clamp<std::size_t>(segments, 1, resident), mpp_scan_threads});
    p.steps.push_back({"scan_block_histograms",
                       std::clamp<std::size_t>((columns + mpp_scan_threads - 1) / mpp_scan_threads, 1, 4 * resident),
                       mpp_scan_threads});
    p.steps.push_back({"partition", rows, mpp_threads, placed * place_bytes});
    p.steps.push_back({"sort_partitions", std::min(columns, resident), mpp_threads,
                       mpp_key_bytes(capacity, problem.key_bytes) + capacity * problem.value_bytes});
    p.reserve<unsigned long long>(header_words(rounds, segments));
    p.reserve<mpp_segment>(2 * segments);
    p.reserve<unsigned long long>(columns);
    p.reserve<unsigned long long>(std::max(rows * partitions, (rows + segments) * again));
    p.temporary_bytes +=
        detail::workspace::round_up(n * problem.key_bytes) + detail::workspace::round_up(n * problem.value_bytes);
    return p;
  }

#if defined(__CUDACC__)
  template <class K, class V, class U = detail::bits_of<K>, class Watch = unwatched>
  static void run(const gpu& on, const plan& made, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& /*part*/, const Watch& watch = {}) {
    if (in.size == 0) return;
    const std::size_t n = in.size;
    const std::size_t rounds = made.get("rounds");
    const std::size_t segments = made.get("segments");
    const auto partitions = static_cast<std::uint32_t>(made.get("partitions"));
    const auto again = static_cast<std::uint32_t>(made.get("partitions again"));
    const std::size_t rows = made.at("partition").grid;

    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    auto* const header = memory.take<unsigned long long>(header_words(rounds, segments));
    auto* const lists = memory.take<mpp_segment>(2 * segments);
    mpp_round<U, V> round{};
    round.totals = memory.take<unsigned long long>(std::max<std::size_t>(partitions, segments * again));
    round.rows = memory.take<unsigned long long>(std::max(rows * partitions, (rows + segments) * again));
    const auto unsigned_keys = [](auto* keys) { return reinterpret_cast<U*>(const_cast<K*>(keys)); };
    const view<const U, const V> source{unsigned_keys(in.keys), in.values, n};
    const view<U, V> target{unsigned_keys(out.keys), out.values, n};
    view<U, V> between{memory.take<U>(n), nullptr, n};
    if constexpr (view<K, V>::has_values) between.values = memory.take<V>(n);

    round.out = target;
    round.by = by;
    round.slice = made.get("slice");
    round.capacity = static_cast<std::uint32_t>(made.get("capacity"));
    round.counted_at_once = static_cast<std::uint32_t>(made.get("counted at once"));
    round.placed_at_once = static_cast<std::uint32_t>(made.get("placed at once"));
    auto* const ranges = reinterpret_cast<mpp_range*>(header + rounds + 1);
    const auto launch = [&](std::string_view kernel, auto* code) {
      detail::launch(on, made.at(kernel), code, round);
      watch(kernel);
    };
    // The counts of all rounds' segments, and the first range.
    detail::check(cudaMemsetAsync(header, 0, (rounds + 3) * sizeof(*header), on.stream), "cudaMemsetAsync");
    watch("begin");
    for (std::size_t r = 0; r < rounds; ++r) {
      round.first = r == 0;
      round.from = r == 0 ? source : r % 2 == 1 ? view<const U, const V>(between) : view<const U, const V>(target);
      round.to = r % 2 == 0 ? between : target;
      round.partitions = r == 0 ? partitions : again;
      round.count = header + r;
      round.next_count = header + r + 1;
      round.segments = lists + r % 2 * segments;
      round.next_segments = lists + (r + 1) % 2 * segments;
      round.ranges = ranges + r % 2 * range_room(segments);
      round.next_ranges = ranges + (r + 1) % 2 * range_room(segments);
      launch("find_range", published_kernels::find_range<U, V>);
      launch("block_and_global_histogram", published_kernels::block_and_global_histogram<U, V>);
      launch("scan_histogram", published_kernels::scan_histogram<U, V>);
      launch("scan_block_histograms", published_kernels::scan_block_histograms<U, V>);
      launch("partition", published_kernels::partition<U, V>);
      launch("sort_partitions", published_kernels::sort_partitions<U, V>);
    }
  }
#endif

 private:
  static constexpr std::size_t blocks_a_processor = 2;
  static constexpr unsigned bits_again = 8;
  static constexpr std::size_t partitions_again = std::size_t{1} << bits_again;
  static constexpr std::size_t least_slice = 2048;
  static constexpr std::size_t least_partition = 512;  // items of a partition on average, where there is a choice
  static constexpr std::size_t place_bytes = sizeof(unsigned long long) + sizeof(std::uint32_t);
  static constexpr std::size_t least_room = 1024;

  /// Shared memory that leaves room for the other blocks of a processor; each costs 1 KiB beside its own.
  static std::size_t room_of(const device& machine) {
    const std::size_t share = machine.shared_per_sm / blocks_a_processor;
    return std::min(machine.shared_per_block, share - std::min<std::size_t>(share, 1024));
  }
  /// As many as make partitions of uniform keys fit by six deviations, and keep all blocks busy.
  static std::size_t fitting_partitions(std::size_t n, std::size_t capacity, std::size_t resident, unsigned key_bits) {
    const double root = std::sqrt(9.0 + static_cast<double>(capacity)) - 3;  // of x, where x + 6 sqrt(x) is capacity
    const auto fit = static_cast<std::size_t>(std::ceil(static_cast<double>(n) / (root * root)));
    const std::size_t keys = std::size_t{1} << std::min(key_bits, 31U);
    return std::min(keys, std::max(n <= capacity ? 1 : fit, std::min(resident, n / least_partition + 1)));
  }
  /// The counts of the rounds' segments and of what the last would leave; the ranges of two rounds' segments.
  static std::size_t header_words(std::size_t rounds, std::size_t segments) {
    return rounds + 1 + 2 * range_room(segments) * sizeof(mpp_range) / sizeof(unsigned long long);
  }
  static std::size_t range_room(std::size_t segments) {
    return std::max<std::size_t>(segments, 1);
  }
};

}  // namespace peneira::sort_strategies
