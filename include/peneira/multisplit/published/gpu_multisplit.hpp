// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// gpu_multisplit: the method that the other published strategies are held against.
//
//   bins:  1 ............ 8 ............ 256 ............ any
//          warp multisplit | block multisplit | sort by reduced bits
//
// Up to 256 bins, tiles of a warp or a block are counted by ballots, the counts of bins and tiles are scanned, and each
// tile is ordered in shared memory and written (gpu_multisplit.cuh). Beyond, bins are labels that are sorted by their
// bits (reduced_bits.cuh), here by the strategy lsd of sort. Keeps the input order. Reads each key twice and each value
// once, writes each item once; a count of each bin and tile is written, scanned and read. Labels beyond 256 bins move
// once a pass of 8 bits, with one label more than bins, for items that have none.
//
// Ashkiani, Davidson, Meyer, Owens: GPU Multisplit: an extended study of a parallel algorithm, 2017. Tiles have the
// sizes that shared memory and registers of today's GPUs are for; the number of bins need not be a power of two.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "peneira/multisplit/published/gpu_multisplit.cuh"
#include "peneira/multisplit/published/histograms.hpp"
#include "peneira/multisplit/published/reduced_bits.cuh"
#include "peneira/sort/gpu/lsd.hpp"

namespace peneira::multisplit_strategies {

struct gpu_multisplit {
  static constexpr std::string_view name = "gpu_multisplit";
  static constexpr std::string_view about = "published: tiles split by ballots; past 256 bins, labels sorted by bits";

  enum class form { warps, blocks, reduced_bits };
  friend constexpr std::string_view name_of(form by) {
    return by == form::warps ? "warps" : by == form::blocks ? "blocks" : "reduced bits";
  }

  static constexpr std::uint32_t warp_bins = 8;  ///< that tiles of a warp are split into; with more, those of a block
  static constexpr std::uint32_t block_bins = 256;  ///< beyond which labels are sorted

  struct parameters {
    multisplit_problem problem;
    form by{};
    unsigned bits = 0;
    std::optional<std::size_t> tile;
    std::size_t tiles = 0;
    bool wide = false;
    std::optional<bool> carries_keys;
    step count;
    std::optional<detail::scan_steps> scan;
    std::optional<sort_strategies::lsd::parameters> sort;
    step write_offsets;
    std::optional<step> split;

    static constexpr std::tuple fields{
        detail::field{&parameters::by, "form",
                      "warps, blocks: of whose items tiles are; reduced bits: labels are sorted"},
        detail::field{&parameters::bits, "bits", "of a bin"},
        detail::field{&parameters::tile, "tile", "items that are ordered at a time"},
        detail::field{&parameters::carries_keys, "keys along", "with the labels; or else indices"},
        detail::members{&parameters::count, &parameters::scan, &parameters::sort, &parameters::write_offsets,
                        &parameters::split},
    };
  };

  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    if (problem.bins > block_bins) return sort_strategies::lsd::refuses(sort_of(problem), machine);
    const parameters p = decide(problem, machine);
    if (p.split->shared <= machine.shared_per_block) return {};
    return "needs " + std::to_string(p.split->shared) + " bytes of shared memory a block";
  }

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.bits = bits_of_bins(problem.bins);
    p.wide = problem.items > 0xFFFFFFFFU;
    p.by = problem.bins <= warp_bins ? form::warps : problem.bins <= block_bins ? form::blocks : form::reduced_bits;
    if (p.by == form::reduced_bits) {
      decide_sort(p, machine);
    } else {
      decide_tiles(p);
    }
    return p;
  }

  struct arrays {
    void* counts;  ///< of the bins and tiles, and one more
    std::uint64_t* sums;
    std::uint32_t* labels;
    std::uint32_t* sorted;
    void* carried;
    void* sorted_along;  ///< where the keys do not go along
    sort_strategies::lsd::arrays for_sort;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.by != form::reduced_bits) {
      a.counts = memory.take_bytes(entries_of(p) * (p.wide ? 8 : 4));
      a.sums = memory.template take<std::uint64_t>(detail::scan_tiles_of(entries_of(p)));
      return a;
    }
    const std::size_t n = p.problem.items;
    a.labels = memory.template take<std::uint32_t>(n);
    a.sorted = memory.template take<std::uint32_t>(n);
    a.carried = memory.take_bytes(n * p.sort->problem.value_bytes);
    if (!*p.carries_keys) a.sorted_along = memory.take_bytes(n * p.sort->problem.value_bytes);
    a.for_sort = sort_strategies::lsd::lay_out(memory, *p.sort);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    const detail::temporary<gpu_multisplit> a(on, p);
    if (p.by != form::reduced_bits) {
      with_bits<1>(p.bits, [&](auto bits) { run_tiles<decltype(bits)::value>(on, p, a, in, out, f, offsets); });
    } else if (p.sort->problem.value_bytes == 4) {
      run_sort<std::uint32_t>(on, p, a, in, out, f, offsets);
    } else {
      run_sort<std::uint64_t>(on, p, a, in, out, f, offsets);
    }
    if (checked) detail::report_dropped(on, offsets + f.bins(), in.size, f.bins());
  }
#endif

 private:
  static constexpr unsigned most_tile_bits = 8;
  static constexpr std::uint64_t most_blocks = 1U << 16U;  ///< of kernels that go along the items
  static constexpr std::uint32_t threads = 32 * ballot_warps;

  /// At least one.
  static unsigned bits_of_bins(std::uint32_t bins) {
    return std::max(1U, static_cast<unsigned>(std::bit_width(bins - 1)));
  }
  static std::size_t entries_of(const parameters& p) {
    return p.problem.bins * p.tiles + 1;
  }

  static void decide_tiles(parameters& p) {
    const bool by_warps = p.by == form::warps;
    const unsigned warps = by_warps ? 1 : ballot_warps;
    p.tile = std::size_t{32} * warps * ballot_rounds(p.problem.item_bytes());
    p.tiles = std::max<std::size_t>(1, (p.problem.items + *p.tile - 1) / *p.tile);
    const std::size_t parts = ballot_warps / warps;
    const std::uint64_t blocks = (p.tiles + parts - 1) / parts;
    p.count = {"count_by_ballots", blocks, threads};
    p.scan = detail::scan_steps::of(entries_of(p));
    p.write_offsets = {"write_offsets", 1, 256};
    p.split = {"split_by_ballots", blocks, threads,
               parts * ballot_tile_bytes(p.bits, warps, p.problem.key_bytes, p.problem.value_bytes)};
  }

  static void decide_sort(parameters& p, const device& machine) {
    const sort_problem labels = sort_of(p.problem);
    p.carries_keys = carries_keys(p.problem);
    const std::uint64_t blocks = std::clamp<std::uint64_t>(p.problem.items / threads + 1, 1, most_blocks);
    p.count = {"label_items", blocks, threads};
    p.sort = sort_strategies::lsd::decide(labels, machine);
    p.write_offsets = {"write_label_offsets", blocks, threads};
    if (!*p.carries_keys) p.split = {"gather_items", blocks, threads};
  }
  /// Whether keys go along with the labels, not indices: those that can be moved as numbers.
  static bool carries_keys(const multisplit_problem& problem) {
    return problem.value_bytes == 0 && (problem.key_bytes == 4 || problem.key_bytes == 8) &&
           problem.key_alignment >= problem.key_bytes;
  }
  /// The sort of the labels, of which there is one more than bins.
  static sort_problem sort_of(const multisplit_problem& problem) {
    sort_problem labels;
    labels.items = problem.items;
    const std::size_t index_bytes = problem.items > 0xFFFFFFFFU ? 8 : 4;
    labels.value_bytes = carries_keys(problem) ? problem.key_bytes : index_bytes;
    labels.last_bit = static_cast<unsigned>(std::bit_width(problem.bins));
    return labels;
  }

#if defined(__CUDACC__)
  /// Calls use(integral_constant) for a number of bits from `Bits` to most_tile_bits.
  template <unsigned Bits, class Use>
  static void with_bits(unsigned bits, const Use& use) {
    if constexpr (Bits <= most_tile_bits) {
      if (bits == Bits) return use(std::integral_constant<unsigned, Bits>{});
      with_bits<Bits + 1>(bits, use);
    }
  }

  template <unsigned Bits, class K, class V, class F, class Offset>
  static void run_tiles(const gpu& on, const parameters& p, const arrays& a, view<const K, const V> in, view<K, V> out,
                        const F& f, Offset* offsets) {
    constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
    constexpr unsigned warps = (1U << Bits) <= warp_bins ? 1 : ballot_warps;
    constexpr unsigned rounds = ballot_rounds(sizeof(K) + value_bytes);
    static_assert(sizeof(published_kernels::ballot_tile<K, V, Bits, warps, rounds>) <=
                  ballot_tile_bytes(Bits, warps, sizeof(K), value_bytes));
    const count_matrix matrix{a.counts, p.tiles, p.wide};
    detail::launch(on, p.count, published_kernels::count_by_ballots<Bits, warps, rounds, K, F>, in.keys, in.size, f,
                   matrix);
    if (p.wide) {
      scan_counts<std::uint64_t>(on, p, a, offsets);
    } else {
      scan_counts<std::uint32_t>(on, p, a, offsets);
    }
    detail::launch(on, *p.split, published_kernels::split_by_ballots<Bits, warps, rounds, K, V, F>, in, out, f, matrix);
  }
  /// The counts become positions in the output, of which the first of each bin is its offset.
  template <class Count, class Offset>
  static void scan_counts(const gpu& on, const parameters& p, const arrays& a, Offset* offsets) {
    auto* const counts = static_cast<Count*>(a.counts);
    Count* const last = counts + entries_of(p) - 1;
    detail::check(cudaMemsetAsync(last, 0, sizeof(Count), on.stream), "cudaMemsetAsync");
    detail::scan_exclusive(on, *p.scan, counts, entries_of(p), a.sums);
    detail::launch(on, p.write_offsets, published_kernels::write_offsets<Count, Offset>, counts, p.tiles,
                   p.problem.bins, offsets);
  }

  template <class Carried, class K, class V, class F, class Offset>
  static void run_sort(const gpu& on, const parameters& p, const arrays& a, view<const K, const V> in, view<K, V> out,
                       const F& f, Offset* offsets) {
    const std::size_t n = in.size;
    auto* const carried = static_cast<Carried*>(a.carried);
    auto* const sorted_along = static_cast<Carried*>(*p.carries_keys ? static_cast<void*>(out.keys) : a.sorted_along);
    detail::launch(on, p.count, published_kernels::label_items<Carried, K, F>, in.keys, n, f, !*p.carries_keys,
                   a.labels, carried);
    const detail::bit_range<std::uint32_t> part{0, p.sort->problem.last_bit};
    sort_strategies::lsd::run_with<std::uint32_t, Carried>(on, *p.sort, a.for_sort, {a.labels, carried, n},
                                                           {a.sorted, sorted_along, n}, {}, part);
    detail::launch(on, p.write_offsets, published_kernels::write_label_offsets<Offset>, a.sorted, n, p.problem.bins,
                   offsets);
    if (p.split.has_value()) {
      detail::launch(on, *p.split, published_kernels::gather_items<Carried, K, V>, in, out, a.sorted, sorted_along,
                     p.problem.bins);
    }
  }
#endif
};

}  // namespace peneira::multisplit_strategies
