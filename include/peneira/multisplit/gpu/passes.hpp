// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Many large items into many bins: passes by the digits of the bins' numbers, the lowest first, in one launch in which
// each pass reads the items once (gpu/scatter/lookback_passes.cuh). `tiles` goes this way where it pays.
//
//   items --count all digits--> --lowest digit--> between --next digit--> ... --> out --> where bins begin
//
// What a caller's function gives no bin is moved behind the last bin.
#pragma once

#include <bit>

#include "peneira/bins.hpp"
#include "peneira/gpu/scatter/lookback_passes.cuh"
#include "peneira/multisplit/gpu/bin_offsets.cuh"
#include "peneira/multisplit/problem.hpp"
#include "peneira/plan.hpp"
#include "peneira/tuning/gpu.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::multisplit_strategies {

struct passes {
  struct parameters {
    multisplit_problem problem;
    unsigned count = 0;
    unsigned bits = 0;
    std::size_t tile = 0;
    bool large = false;
    std::size_t tiles_at_once = 0;
    step sort;
    step begin;

    static constexpr std::tuple fields{
        detail::field{&parameters::count, "passes", "times that all items are moved"},
        detail::field{&parameters::bits, "bits", "of a bin's number that a pass goes by"},
        detail::field{&parameters::tile, "tile", "items that a block orders at a time"},
        detail::field{&parameters::large, "large", "tiles; or small ones, for few items"},
        detail::field{&parameters::tiles_at_once, "tiles at once", "whose counts there is room for"},
        detail::members{&parameters::sort, &parameters::begin},
    };
  };

  /// Whether items are such as they move.
  static constexpr bool moves(std::size_t key_bytes, std::size_t value_bytes, std::size_t key_alignment) {
    return (key_bytes == 4 || key_bytes == 8) && value_bytes <= 16 &&
           key_bytes + value_bytes >= tuning::look_back_item_bytes && key_alignment >= key_bytes;
  }
  /// Whether a pass had better not read them twice.
  static bool takes(const multisplit_problem& problem, const device& machine) {
    return problem.bins > tuning::tile_bins &&
           (problem.bins > tuning::look_back_bins || problem.items >= tuning::look_back_items) &&
           moves(problem.key_bytes, problem.value_bytes, problem.key_alignment) &&
           detail::pass_tile::of(problem.key_bytes, problem.value_bytes, false).shared() <= machine.shared_per_block;
  }
  /// How many there are.
  static unsigned count_of(const multisplit_problem& problem) {
    return (bits_of(problem) + tuning::level_bits - 1) / tuning::level_bits;
  }

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    const auto plan = detail::pass_plan::of(problem.items, problem.key_bytes, problem.value_bytes, machine);
    parameters p;
    p.problem = problem;
    p.count = count_of(problem);
    p.bits = (bits_of(problem) + p.count - 1) / p.count;
    p.tile = plan.tile.size;
    p.large = plan.large;
    p.tiles_at_once = plan.tiles_at_once;
    p.sort = {"sort_by_tiles", plan.blocks, tuning::pass_threads, plan.tile.shared(), 1, true};
    p.begin = detail::step_of_offsets(problem.items, problem.bins);
    return p;
  }

  struct arrays {
    unsigned long long* header;   ///< header_words, and the digits' totals; zero before
    std::uint32_t* published;     ///< by tiles
    detail::item_arrays between;  ///< where items are between two passes
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.header = memory.template take<unsigned long long>(zero_words(p));
    a.published = memory.template take<std::uint32_t>(p.tiles_at_once * detail::pass_bins);
    a.between = detail::item_arrays::take(memory, p.problem, p.problem.items);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, const arrays& a, const view<const K, const V>& in,
                  const view<K, V>& out, const F& f, Offset* offsets) {
    detail::check(cudaMemsetAsync(a.header, 0, zero_words(p) * sizeof(*a.header), on.stream), "cudaMemsetAsync");
    if (p.large) {
      sort<true>(on, p, a, in, out, f);
    } else {
      sort<false>(on, p, a, in, out, f);
    }
    detail::launch_offsets<K, F, Offset>(on, p.begin, out.keys, in.size, f, 0, nullptr, 0, offsets);
  }

 private:
  template <bool Large, class K, class V, class F>
  static void sort(const gpu& on, const parameters& p, const arrays& a, const view<const K, const V>& in,
                   const view<K, V>& out, const F& f) {
    using bits = detail::bits_of<K>;
    using digits = detail::bin_digits<K, F>;
    using shape = detail::pass_shape<sizeof(K), sizeof(V), Large>;
    static_assert(sizeof(detail::pass_memory<shape, bits, V, digits::most>) <=
                  detail::pass_tile::of(sizeof(K), sizeof(V), Large).shared());
    const detail::tile_passes pass{{a.header + header_words, detail::pass_plan::is_wide(in.size)},
                                   a.published,
                                   static_cast<std::uint32_t>(p.tiles_at_once),
                                   reinterpret_cast<std::uint32_t*>(a.header),
                                   reinterpret_cast<std::uint32_t*>(a.header + 1),
                                   nullptr};
    detail::launch(on, p.sort, detail::sort_by_tiles<shape, bits, V, digits>,
                   detail::sort_arrays<bits, V>::of(in, a.between, out), digits{f, p.count, p.bits}, pass);
  }
#endif

 private:
  static constexpr std::size_t header_words = 2;  ///< one for the tiles taken, one for the barrier

  /// Bits that tell bins apart, and none, which is behind the last one.
  static unsigned bits_of(const multisplit_problem& problem) {
    return static_cast<unsigned>(std::bit_width(problem.may_miss ? problem.bins : problem.bins - 1));
  }
  static std::size_t zero_words(const parameters& p) {
    return header_words + detail::pass_plan::total_words(p.count, p.problem.items);
  }
};

}  // namespace peneira::multisplit_strategies
