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
// memory holds counters for are gone through in groups. A caller of run() may have what is too large for itself, which
// is how the benchmark measures the report's way; the library does not depend on Thrust.
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

#include "peneira/sort/problem.hpp"
#include "peneira/sort/published/mpp_local.hpp"
#include "peneira/sort/published/mpp_round.hpp"
#include "peneira/strategy.hpp"

namespace peneira::sort_strategies {

struct mpp_sort {
  static constexpr std::string_view name = "mpp_sort";
  static constexpr std::string_view about = "published: partitions of equal widths, each by a bitonic sort";

  /// A caller that wants to know of the launches: gets the name of each kernel behind it, and "begin" before the first.
  struct unwatched {
    void operator()(std::string_view /*kernel*/) const {}
  };

  /// What becomes of partitions that are too large: they are partitioned again. Anything else that a caller has in its
  /// place gets the first round behind its launches, and is to sort what that left in `next_segments`, from `to` to
  /// `out`.
  struct partitions_them_again {};

  static std::string refuses(const sort_problem& problem, const device& machine) {
    if (!problem.whole_key()) return "looks at whole keys only";
    if (problem.equal_keys == order::stable) return "does not keep the order of equal keys; allow order::any";
    if (problem.mpp.partitions > 0xFFFFFFFFU) {
      return "takes at most 4294967295 partitions, not " + std::to_string(problem.mpp.partitions);
    }
    if (problem.mpp.blocks > most_blocks) {
      return "takes at most 2147483647 blocks, not " + std::to_string(problem.mpp.blocks);
    }
    if (problem.mpp.run_items != 0 && !std::has_single_bit(problem.mpp.run_items)) {
      return "needs run_items that are a power of two, or 0, not " + std::to_string(problem.mpp.run_items);
    }
    if (room_of(machine) < least_room) return "needs " + std::to_string(least_room) + " bytes of shared memory a block";
    return "";
  }

  struct parameters {
    sort_problem problem;
    std::size_t partitions = 0;
    std::size_t partitions_again = 0;
    std::size_t rounds = 0;
    std::size_t capacity = 0;
    std::size_t run_items = 0;
    std::size_t slice = 0;
    std::size_t segments = 0;
    std::size_t counted_at_once = 0;
    std::size_t placed_at_once = 0;
    step find_range;  ///< of each round, as the others; no items have no steps
    step histogram;
    step scan_histogram;
    step scan_block_histograms;
    step partition;
    step sort_partitions;

    static constexpr std::tuple fields{
        detail::field{&parameters::partitions, "partitions", "of equal widths, in the first round"},
        detail::field{&parameters::partitions_again, "partitions again", "the same in further rounds"},
        detail::field{&parameters::rounds, "rounds", "at most; those that find nothing left end at once"},
        detail::field{&parameters::capacity, "capacity", "items that a block sorts in shared memory"},
        detail::field{&parameters::run_items, "run items", "that the network sorts before runs are merged; 0: all"},
        detail::field{&parameters::slice, "slice", "items of a block"},
        detail::field{&parameters::segments, "segments", "room for what a round leaves too large"},
        detail::field{&parameters::counted_at_once, "counted at once", "partitions whose counters fit shared memory"},
        detail::field{&parameters::placed_at_once, "placed at once", "partitions whose places fit shared memory"},
        detail::members{&parameters::find_range, &parameters::histogram, &parameters::scan_histogram,
                        &parameters::scan_block_histograms, &parameters::partition, &parameters::sort_partitions},
    };

    /// Slices of the input: rows of the matrix of histograms, in the first round.
    [[nodiscard]] std::size_t slices() const { return (problem.items + slice - 1) / slice; }
    /// Partitions of all segments of a round, at most.
    [[nodiscard]] std::size_t columns() const { return std::max(partitions, segments * partitions_again); }
  };

  static parameters decide(const sort_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    if (problem.items == 0) return p;
    decide_rounds(p, machine);
    decide_slices(p, machine);
    decide_steps(p, machine);
    return p;
  }

  struct arrays {
    unsigned long long*
        header;             ///< of each round and of one more: its mpp_count; then ranges. Its begin is zero before
    mpp_segment* segments;  ///< of two rounds
    unsigned long long* totals;  ///< as mpp_round has them
    unsigned long long* rows;
    detail::item_arrays between;  ///< where items are between two rounds
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.problem.items == 0) return a;
    a.header = memory.template take<unsigned long long>(header_words(p.rounds, p.segments));
    a.segments = memory.template take<mpp_segment>(2 * p.segments);
    a.totals = memory.template take<unsigned long long>(p.columns());
    a.rows = memory.template take<unsigned long long>(
        std::max(p.slices() * p.partitions, (p.slices() + p.segments) * p.partitions_again));
    a.between = detail::item_arrays::take(memory, p.problem, p.problem.items);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class U = detail::bits_of<K>, class Watch = unwatched,
            class Large = partitions_them_again>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by, const detail::bit_range<U>& /*part*/, const Watch& watch = {},
                  const Large& large = {}) {
    if (in.size == 0) return;
    const detail::temporary<mpp_sort> a(on, p);
    const auto unsigned_keys = [](auto* keys) { return reinterpret_cast<U*>(const_cast<K*>(keys)); };
    const view<const U, const V> source{unsigned_keys(in.keys), in.values, in.size};
    const view<U, V> target{unsigned_keys(out.keys), out.values, in.size};
    const view<U, V> between = a.between.as<U, V>(in.size);

    // The counts of all rounds' segments, and the first range.
    detail::check(cudaMemsetAsync(a.header, 0, (p.rounds + 3) * sizeof(*a.header), on.stream), "cudaMemsetAsync");
    watch("begin");
    for (std::size_t r = 0; r < p.rounds; ++r) {
      mpp_round<U, V> round = round_of<U, V>(p, a, r);
      round.from = r == 0 ? source : r % 2 == 1 ? view<const U, const V>(between) : view<const U, const V>(target);
      round.to = r % 2 == 0 ? between : target;
      round.out = target;
      round.by = by;
      launch_round(on, p, round, watch);
      if constexpr (!std::is_same_v<Large, partitions_them_again>) {
        large(round);
        return;
      }
    }
  }
#endif

 private:
  static constexpr std::size_t blocks_a_processor = 2;
  static constexpr unsigned bits_again = 8;
  static constexpr std::size_t least_slice = 2048;
  static constexpr std::size_t least_partition = 512;  // items of a partition on average, where there is a choice
  static constexpr std::size_t place_bytes = sizeof(unsigned long long) + sizeof(std::uint32_t);
  static constexpr std::size_t least_room = 1024;
  static constexpr std::size_t most_blocks = 0x7FFFFFFF;

  static std::size_t resident_blocks(const device& machine) {
    return blocks_a_processor * static_cast<std::size_t>(machine.sms);
  }

  /// A round leaves widths of a number of bits, the next one as many fewer as its partitions have.
  static void decide_rounds(parameters& p, const device& machine) {
    const std::size_t n = p.problem.items;
    const auto key_bits = static_cast<unsigned>(8 * p.problem.key_bytes);
    const std::size_t asked = p.problem.mpp.partitions;
    const bool merges = p.problem.mpp.run_items != 0;
    const std::size_t room = merges ? room_of(machine) / 2 - 32 : room_of(machine) - 16;
    p.capacity = std::min(n, room / p.problem.item_bytes());
    if (merges) p.run_items = std::min(p.problem.mpp.run_items, std::bit_ceil(std::max<std::size_t>(p.capacity, 1)));
    p.partitions = asked != 0 ? asked : fitting_partitions(n, p.capacity, resident_blocks(machine), key_bits);
    const auto first_bits = static_cast<unsigned>(std::bit_width(p.partitions)) - 1;
    const unsigned left = n <= p.capacity || first_bits >= key_bits ? 0 : key_bits - first_bits;
    p.rounds = 1 + (left + bits_again - 1) / bits_again;
    p.partitions_again = p.rounds == 1 ? 0 : std::size_t{1} << bits_again;
    p.segments = n / (p.capacity + 1);  // that a round can leave to the next
  }

  /// The matrix takes no more entries than twice the items, or 4 Mi where the items are few. A slice is short enough
  /// for counters of 32 bits.
  static void decide_slices(parameters& p, const device& machine) {
    const std::size_t n = p.problem.items;
    const std::size_t most_entries = std::max<std::size_t>(std::size_t{1} << 22U, 2 * n);
    const std::size_t wanted = std::min({resident_blocks(machine), n / least_slice + 1, most_entries / p.partitions});
    const std::size_t parts = std::max({std::size_t{1}, wanted, (n >> 31U) + 1});
    p.slice = (n + parts - 1) / parts;
    const std::size_t counters = std::max(p.partitions, p.partitions_again);
    p.counted_at_once = std::min(counters, machine.shared_per_block / sizeof(std::uint32_t));
    p.placed_at_once = std::min(counters, machine.shared_per_block / place_bytes);
  }

  static void decide_steps(parameters& p, const device& machine) {
    const std::size_t resident = resident_blocks(machine);
    const std::size_t slices = p.slices();
    const std::size_t column_blocks = (p.columns() + mpp_scan_threads - 1) / mpp_scan_threads;
    p.find_range = {"find_range", slices, mpp_threads};
    p.histogram = {"block_and_global_histogram", slices, mpp_threads, p.counted_at_once * sizeof(std::uint32_t)};
    p.scan_histogram = {"scan_histogram", std::clamp<std::size_t>(p.segments, 1, resident), mpp_scan_threads};
    p.scan_block_histograms = {"scan_block_histograms", std::clamp<std::size_t>(column_blocks, 1, 4 * resident),
                               mpp_scan_threads};
    p.partition = {"partition", slices, mpp_threads, p.placed_at_once * place_bytes};
    const std::size_t asked = p.problem.mpp.blocks;
    const std::size_t value_bytes = p.problem.value_bytes;
    const std::size_t first = p.run_items != 0 ? mpp_item_bytes(p.capacity, p.problem.key_bytes, value_bytes) : 0;
    p.sort_partitions = {"sort_partitions", std::min(p.columns(), asked != 0 ? asked : resident), mpp_threads,
                         first + mpp_key_bytes(p.capacity, p.problem.key_bytes) + p.capacity * value_bytes};
  }

#if defined(__CUDACC__)
  /// What a round knows, but for the items.
  template <class U, class V>
  static mpp_round<U, V> round_of(const parameters& p, const arrays& a, std::size_t r) {
    auto* const ranges = reinterpret_cast<mpp_range*>(a.header + p.rounds + 1);
    mpp_round<U, V> round{};
    round.first = r == 0;
    round.segments = a.segments + r % 2 * p.segments;
    round.next_segments = a.segments + (r + 1) % 2 * p.segments;
    round.ranges = ranges + r % 2 * range_room(p.segments);
    round.next_ranges = ranges + (r + 1) % 2 * range_room(p.segments);
    round.count = a.header + r;
    round.next_count = a.header + r + 1;
    round.totals = a.totals;
    round.rows = a.rows;
    round.slice = p.slice;
    round.partitions = static_cast<std::uint32_t>(r == 0 ? p.partitions : p.partitions_again);
    round.capacity = static_cast<std::uint32_t>(p.capacity);
    round.run_items = static_cast<std::uint32_t>(p.run_items);
    round.counted_at_once = static_cast<std::uint32_t>(p.counted_at_once);
    round.placed_at_once = static_cast<std::uint32_t>(p.placed_at_once);
    return round;
  }

  template <class U, class V, class Watch>
  static void launch_round(const gpu& on, const parameters& p, const mpp_round<U, V>& round, const Watch& watch) {
    const auto launch = [&](const step& planned, auto* kernel) {
      detail::launch(on, planned, kernel, round);
      watch(planned.name);
    };
    launch(p.find_range, published_kernels::find_range<U, V>);
    launch(p.histogram, published_kernels::block_and_global_histogram<U, V>);
    launch(p.scan_histogram, published_kernels::scan_histogram<U, V>);
    launch(p.scan_block_histograms, published_kernels::scan_block_histograms<U, V>);
    launch(p.partition, published_kernels::partition<U, V>);
    if (p.run_items == 0) {
      launch(p.sort_partitions, published_kernels::sort_partitions<false, U, V>);
    } else {
      launch(p.sort_partitions, published_kernels::sort_partitions<true, U, V>);
    }
  }
#endif

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
