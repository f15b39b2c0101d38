// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The items of a warp's share as it meets them, tile by tile.
#pragma once

#include "peneira/gpu/primitives/lane_rows.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"

namespace peneira::detail {

/// The items of a share, tile by tile, as a warp loads them side by side.
template <class T, unsigned Count>
class warp_tile_items {
 public:
  static constexpr unsigned tile = 32 * Count;
  using rows = lane_rows<T, Count>;

  /// Of n items those from `first` on; tiles begin where a group can be loaded at once, if there is such a place.
  __device__ warp_tile_items(const T* items, std::size_t n, std::size_t first) : items_(items), n_(n) {
    const auto address = reinterpret_cast<std::uintptr_t>(items);
    const std::size_t shift = n == 0 ? 0 : (address / sizeof(T) + first) % rows::group;
    base_ = first - shift;
    const bool aligns = aligned_for<T, rows::group>(items + (first - shift));
    whole_begin_ = shift <= first ? 0 : 1;
    whole_end_ = aligns ? static_cast<unsigned>(::min((n - base_) / tile, std::size_t{0xFFFFFFFFU})) : 0;
  }
  /// The position of the first tile's first item; may lie before the input.
  [[nodiscard]] __device__ std::size_t base() const { return base_; }

  /// The position of item k of a tile, or that of the first or last item where it lies before or after the input.
  [[nodiscard]] __device__ std::size_t position(unsigned tile_number, unsigned k) const {
    const std::size_t at = base_ + std::size_t{tile_number} * tile + k;
    return at < n_ ? at : at + tile < tile ? 0 : n_ - 1;
  }
  /// The items of a tile. Before and after the input lie copies of its first and last item.
  __device__ void load(unsigned tile_number, T (&to)[Count]) const {
    const std::size_t first = base_ + std::size_t{tile_number} * tile;
    if (tile_number >= whole_begin_ && tile_number < whole_end_) {
      const T* const mine = items_ + first + rows::striped(0);
#pragma unroll
      for (unsigned k = 0; k < Count; k += rows::group) load_group<rows::group, true>(to + k, mine + k * 32);
    } else if (n_ != 0) {
#pragma unroll
      for (unsigned k = 0; k < Count; ++k) {
        to[k] = items_[position(tile_number, rows::striped(k))];
      }
    }
  }

 private:
  const T* items_;
  std::size_t n_;
  std::size_t base_;
  unsigned whole_begin_;  // tiles from here on lie within the input and can be loaded by groups,
  unsigned whole_end_;    // up to here
};

}  // namespace peneira::detail
