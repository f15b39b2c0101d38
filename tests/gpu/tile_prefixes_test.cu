// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Prefixes of tiles by themselves, and a pipeline of tiles that find theirs: whatever the order in which blocks get on,
// each tile finds what those before it combine to, in their order, and of floats the same bits every time.
#include "peneira/gpu/exchange/tile_prefixes.cuh"

#include "peneira/gpu/exchange/tile_pipeline.cuh"

#include "tests/gpu/delay.cuh"
#include "tests/reduce/monoids.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

/// A tile a block of two warps; the values of both are one value of the tile.
template <class T, class Op>
__global__ void find_prefixes(const T* values, T* found, Op op, detail::prefix_words words, std::uint32_t tiles,
                              std::uint64_t round) {
  __shared__ detail::tile_room<T, 64> room;
  detail::wait_for_kernels_before();
  const std::uint32_t tile = room.take(words, tiles);
  delay_block(mix64(round) + tile);
  const std::size_t at = 2 * std::size_t{tile} + threadIdx.x / 32;
  const auto place = room.find_place(values[at], words, tile, tiles, op);
  if (threadIdx.x % 32 == 0) found[at] = op(place.before_tile, place.before_warp);
}

/// The same of several tiles a block; what a tile needs later is staged.
template <class T, class Op>
struct prefix_work {
  const T* values;
  T* found;
  Op op;
  std::uint64_t round;
  detail::warp_values<T, 64>* staged;
  std::uint32_t tile = 0;

  __device__ void load(std::uint32_t number) { tile = number; }
  __device__ T rank() const {
    delay_block(mix64(round) + tile);
    return values[2 * std::size_t{tile} + threadIdx.x / 32];
  }
  __device__ void stage(unsigned half, const T& before_warp, const T& /*of_tile*/) const {
    if (threadIdx.x % 32 == 0) staged[half].get()[threadIdx.x / 32] = before_warp;
  }
  __device__ void write(unsigned half, std::uint32_t number, const T& before_tile, const T& /*of_tile*/) const {
    const unsigned warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) found[2 * std::size_t{number} + warp] = op(before_tile, staged[half].get()[warp]);
  }
};
template <class T, class Op>
__global__ void pipe_prefixes(const T* values, T* found, Op op, detail::prefix_words words, std::uint32_t tiles,
                              std::uint64_t round) {
  __shared__ detail::tile_pipeline<T, 64> pipeline;
  __shared__ detail::warp_values<T, 64> staged[2];
  detail::wait_for_kernels_before();
  prefix_work<T, Op> work{values, found, op, round, staged};
  pipeline.run(words, tiles, op, work);
}

class gpu_tile_prefixes : public gpu_test {
 protected:
  random next_{seed()};

  /// What is found for so many tiles, each a block's own or several of a block by turns.
  template <class T, class Op>
  std::vector<T> find(const std::vector<T>& values, const Op& op, std::uint64_t round, bool by_turns) {
    const std::size_t tiles = values.size() / 2;
    const auto planned = detail::prefix_plan::of(tiles, sizeof(T));
    const std::size_t bytes = planned.words() * sizeof(detail::stamped_word);
    const placed<unsigned char, device_space> slots(std::vector<unsigned char>(bytes, 0xEE));
    const placed<std::uint32_t, device_space> taken(std::vector<std::uint32_t>{77});
    const detail::prefix_words words{reinterpret_cast<detail::stamped_word*>(slots.data()), taken.data()};
    const placed<T, device_space> in(values);
    const guarded<T, device_space> found(values.size());
    detail::clear(gpu{}, planned, words);
    const std::size_t blocks = by_turns ? std::min<std::size_t>(tiles, 1 + next_.below(300)) : tiles;
    detail::launch(gpu{}, planned.early(), step{"find_prefixes", blocks, 64},
                   by_turns ? pipe_prefixes<T, Op> : find_prefixes<T, Op>, in.data(), found.data(), op, words,
                   static_cast<std::uint32_t>(tiles), round);
    must(cudaDeviceSynchronize());
    return found.read();
  }
  template <class T, class Op>
  void check(std::size_t tiles, const Op& op, const std::vector<T>& values) {
    SCOPED_TRACE(tiles);
    std::vector<T> wanted(values.size());
    T so_far = op.template identity<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      wanted[i] = so_far;
      so_far = op(so_far, values[i]);
    }
    for (std::uint64_t round = 0; round < 6; ++round)
      EXPECT_TRUE(same(wanted, find(values, op, round, round % 2 == 1)));
  }
};

TEST_F(gpu_tile_prefixes, keep_the_order_of_values_of_every_size) {
  for (const std::size_t tiles : {1U, 2U, 31U, 127U, 128U, 129U, 256U, 257U, 4095U, 4096U, 4097U, 9000U}) {
    std::vector<affine> functions(2 * tiles);
    for (affine& f : functions) f = {static_cast<std::uint32_t>(next_()) | 1U, static_cast<std::uint32_t>(next_())};
    check(tiles, then{}, functions);
    std::vector<matrix> matrices(2 * tiles);
    for (matrix& m : matrices) m = make_item<matrix, product>(next_);
    check(tiles, product{}, matrices);
    std::vector<std::uint8_t> bytes(2 * tiles);
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(next_());
    check(tiles, plus{}, bytes);
  }
}

TEST_F(gpu_tile_prefixes, of_floats_have_the_same_bits_every_time) {
  std::vector<float> values(2 * 10000);
  for (float& x : values) x = static_cast<float>(next_.unit());
  const std::vector<float> first = find(values, plus{}, 0, false);
  for (std::uint64_t round = 1; round < 8; ++round) {
    EXPECT_TRUE(same(first, find(values, plus{}, round, round % 2 == 1)));
  }
}

}  // namespace peneira::test
