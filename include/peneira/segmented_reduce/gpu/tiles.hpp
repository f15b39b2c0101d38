// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tiles: short segments, so many neighbouring ones a block, through shared memory; two launches, of which the second
// mostly finds nothing left to do.
//
//   offsets, items |--tile 0--|--tile 1--|--tile 2--|...  --shared memory, a lane a segment-->  results
//   flags          a tile does not fit, or an offset is wrong  --reduce_leftovers, as merged-->  results
//
// Reads each item and each offset once and writes each result once. One tile that does not fit, such as one with a
// giant, is reduced in chunks that some blocks take beside their own tiles, or, where there are few tiles or the
// operator is not commutative, by all blocks of the second launch; if there are more, the first launch stops and the
// second reduces all. Otherwise items are combined in their order.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "peneira/segmented_reduce/gpu/merged.hpp"
#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu_reduce.hpp"

#if defined(__CUDACC__)
#include "peneira/segmented_reduce/gpu/segment_tiles.cuh"
#endif

namespace peneira::segmented_reduce_strategies {

struct tiles {
  static constexpr std::string_view name = "tiles";
  static constexpr std::string_view about =
      "short segments, so many a block, a lane each; long ones among them as merged";

  static std::string refuses(const segmented_reduce_problem& problem, const device& machine) {
    if (problem.offset_bytes == 0) return "needs segments that offsets bound";
    if (!takes(problem.item_bytes, problem.result_bytes)) {
      return "takes no items of " + std::to_string(problem.item_bytes) + " bytes for results of " +
             std::to_string(problem.result_bytes);
    }
    constexpr std::size_t most = std::size_t{1} << 31U;  // they are counted by 32 bits
    if (problem.segments / 32 >= most) return "takes fewer than " + std::to_string(32 * most) + " segments";
    return merged::refuses(problem, machine);
  }
  /// Whether segments are short enough for it, and enough that a second launch is worth its time.
  static bool suits(const segmented_reduce_problem& problem) {
    return problem.items + problem.segments >= tuning::segment_tile_least &&
           problem.items * problem.item_bytes <= problem.segments * tuning::segment_tile_segment_bytes;
  }

  /// What tiles are like.
  struct tiling {
    std::uint32_t segments = 0;
    std::uint32_t room = 0;
    std::size_t chunk = 0;  ///< 0: such tiles are not cut into chunks
    step reduce;

    static constexpr std::tuple fields{
        detail::field{&tiling::segments, "segments", "of a tile"},
        detail::field{&tiling::room, "room", "items that it may have to fit at once"},
        detail::field{&tiling::chunk, "chunk", "items that a block takes of a tile that does not fit"},
        detail::members{&tiling::reduce},
    };
  };
  struct parameters {
    merged::parameters leftovers;
    std::optional<tiling> tiles;  ///< none where there are no segments

    static constexpr std::tuple fields{detail::members{&parameters::tiles, &parameters::leftovers}};
  };

  static parameters decide(const segmented_reduce_problem& problem, const device& machine) {
    parameters p;
    p.leftovers = merged::decide(problem, machine);
    if (problem.segments == 0) return p;
    p.leftovers.reduce->name = "reduce_leftovers";
    const std::size_t segments = segments_of(problem);
    const std::size_t room = room_of(problem, segments);
    const std::size_t tiles = (problem.segments + segments - 1) / segments;
    // Items lie in a line as they do in memory, so they may begin anywhere in the first.
    const std::size_t shared = room * problem.item_bytes + line + ends_bytes(segments, problem.offset_bytes);
    p.tiles = {static_cast<std::uint32_t>(segments), static_cast<std::uint32_t>(room),
               chunk_of(problem, tiles, machine), step{"reduce_tiles", tiles, tuning::segment_tile_threads, shared}};
    return p;
  }

  struct arrays {
    merged::arrays leftovers;
    std::uint64_t* state;  ///< state_words
    void* parts;           ///< results of parts of a tile that does not fit; nullptr where it is not cut into chunks
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.leftovers = merged::lay_out(memory, p.leftovers);
    if (!p.tiles.has_value()) return a;
    const segmented_reduce_problem& problem = p.leftovers.problem;
    a.state = memory.template take<std::uint64_t>(state_words);
    if (p.tiles->chunk != 0) {
      a.parts = memory.take_bytes((problem.items / p.tiles->chunk + tuning::segment_most_long) * problem.result_bytes);
    }
    return a;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Segments, class Op>
  static void run(const gpu& on, const parameters& p, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op, bool checked) {
    if constexpr (!Segments::regular && takes(sizeof(T), sizeof(Result))) {
      if (count == 0) return;
      const detail::temporary<tiles> a(on, p);
      const auto rest = merged::kernel_work(p.leftovers, a.leftovers, items, n, segments, count, results, op);
      const auto work = kernel_work(*p.tiles, a, rest);
      using offset = std::remove_const_t<std::remove_pointer_t<decltype(segments.offsets)>>;
      detail::launch(on, p.tiles->reduce, detail::reduce_tiles<T, Result, offset, Op>, work);
      detail::launch(on, detail::start::early, *p.leftovers.reduce, detail::reduce_leftovers<T, Result, Segments, Op>,
                     rest, work.state, work.segments);
      if (checked) detail::report_invalid(on, rest.first_invalid, segments, count, n);
    }
  }
#endif

 private:
#if defined(__CUDACC__)
  /// What the kernel of tiles gets, by what the one behind it gets.
  template <class T, class Result, class Offset, class Op>
  static detail::tile_work<T, Result, Offset, Op> kernel_work(
      const tiling& t, const arrays& a,
      const detail::share_work<T, Result, detail::offset_segments<Offset>, Op>& rest) {
    static_assert(sizeof(detail::tile_state) == state_words * sizeof(std::uint64_t));
    const Offset* const offsets = rest.segments.offsets;
    const std::size_t chunks = t.chunk == 0 ? 0 : rest.n / t.chunk;
    const std::size_t takers = t.reduce.grid / (2 * tuning::segment_chunk_blocks) + 1;
    return {.items = rest.items,
            .n = rest.n,
            .offsets = offsets,
            .count = rest.count,
            .op = rest.op,
            .results = rest.results,
            .state = reinterpret_cast<detail::tile_state*>(a.state),
            .stamp = rest.slots.stamp,
            .tiles = static_cast<unsigned>(t.reduce.grid),
            .segments = t.segments,
            .room = t.room,
            .ends_units = static_cast<unsigned>(ends_bytes(t.segments, sizeof(Offset)) / 16),
            .finders = static_cast<unsigned>((t.reduce.grid + t.reduce.block - 1) / t.reduce.block),
            .aligned = reinterpret_cast<std::uintptr_t>(offsets) % 16 == 0,
            .parts = static_cast<Result*>(a.parts),
            .chunk = static_cast<unsigned>(t.chunk),
            .most_taken = static_cast<unsigned>((chunks + takers - 1) / takers)};
  }
#endif

  /// Words of the state that blocks share: lines of 128 bytes, one of them beside the flags.
  static constexpr std::size_t state_words = 16 * (tuning::segment_flag_copies + 1);

  static constexpr std::size_t line = 128;
  /// Shared memory for the offsets of so many segments.
  static constexpr std::size_t ends_bytes(std::size_t segments, std::size_t offset_bytes) {
    return ((segments + 1) * offset_bytes + line - 1) / line * line;
  }
  /// Items of a chunk of a tile that does not fit; 0 where there are so few tiles that these are done before it is
  /// known.
  static std::size_t chunk_of(const segmented_reduce_problem& problem, std::size_t tiles, const device& machine) {
    const std::size_t at_once = tuning::segment_tile_blocks_a_processor * static_cast<std::size_t>(machine.sms);
    if (!problem.commutative || tiles < tuning::segment_chunk_tiles * at_once) return 0;
    std::size_t bytes = tuning::segment_chunk_bytes;
    while (problem.items * problem.item_bytes / bytes > tuning::segment_most_chunks) bytes *= 2;
    return bytes / problem.item_bytes;
  }
  /// Items that fill 16 bytes, and results that a lane can hold.
  static constexpr bool takes(std::size_t item_bytes, std::size_t result_bytes) {
    return 16 % item_bytes == 0 && result_bytes <= 16;
  }
  /// Segments of a tile: whole warps have one each.
  static std::size_t segments_of(const segmented_reduce_problem& problem) {
    const std::size_t bytes = std::max<std::size_t>(problem.items * problem.item_bytes, 1);
    const double wanted = static_cast<double>(tuning::segment_tile_bytes) * static_cast<double>(problem.segments) /
                          static_cast<double>(bytes);
    const auto most = static_cast<double>(tuning::segment_tile_most_segments);
    return std::max<std::size_t>(static_cast<std::size_t>(std::min(wanted, most)) / 32, 1) * 32;
  }
  /// Items of a tile: those of sizes that vary as their average, six deviations more, and what a group has before; and
  /// more where offsets leave room in what as many blocks as can run at once have for each.
  static std::size_t room_of(const segmented_reduce_problem& problem, std::size_t segments) {
    const double average = static_cast<double>(problem.items) / static_cast<double>(problem.segments);
    const auto some = static_cast<double>(segments);
    const double bytes = average * (some + 6 * std::sqrt(some)) * static_cast<double>(problem.item_bytes);
    const auto most = static_cast<double>(tuning::segment_tile_most_bytes);
    const std::size_t left = tuning::segment_tile_shared_bytes - ends_bytes(segments, problem.offset_bytes);
    return (std::max(static_cast<std::size_t>(std::min(bytes, most)), left) + 256) / 128 * 128 / problem.item_bytes;
  }
};

}  // namespace peneira::segmented_reduce_strategies
