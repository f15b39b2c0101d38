// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Neighbouring items that one thread moves together, by the widest accesses their bytes allow.
#pragma once

#include <type_traits>

#include "peneira/config.hpp"

namespace peneira::detail {

/// Items of these bytes that fill 16 bytes, where they do so exactly; otherwise one.
PENEIRA_HD constexpr int items_of_16_bytes(std::size_t bytes) {
  return bytes != 0 && 16 % bytes == 0 ? static_cast<int>(16 / bytes) : 1;
}

#if defined(__CUDACC__)

/// The widest word that divides a number of bytes.
template <std::size_t Bytes>
using word_of =
    std::conditional_t<Bytes % 16 == 0, uint4,
                       std::conditional_t<Bytes % 8 == 0, uint2,
                                          std::conditional_t<Bytes % 4 == 0, unsigned,
                                                             std::conditional_t<Bytes % 2 == 0, unsigned short,  //
                                                                                unsigned char>>>>;

/// The word that Count neighbouring items are moved by. Items that do not fill 16 bytes go one by one.
template <class T, int Count>
using group_word = word_of<16 % sizeof(T) == 0 ? Count * sizeof(T) : sizeof(T)>;

/// The dynamic shared memory of a block.
template <class T>
__device__ T* shared_memory() {
  extern __shared__ __align__(16) unsigned char peneira_shared[];
  return reinterpret_cast<T*>(peneira_shared);
}

/// The same, from a line of 128 bytes on: bulk copies are faster where both ends lie alike in their lines.
template <class T>
__device__ T* shared_lines() {
  extern __shared__ __align__(128) unsigned char peneira_shared_lines[];
  return reinterpret_cast<T*>(peneira_shared_lines);
}

/// Lets the compiler write through a pointer that came from memory as it writes through an argument. Not for classes,
/// where nvcc 13.0 breaks down.
template <class T>
__device__ void assume_global(T* pointer) {
  if constexpr (!std::is_class_v<T>) __builtin_assume(__isGlobal(pointer));
}

/// The same for a pointer to shared memory, which the compiler would otherwise find anew wherever it is needed.
template <class T>
__device__ T* kept_shared(T* pointer) {
  asm("" : "+l"(pointer));
  __builtin_assume(__isShared(pointer));
  return pointer;
}

/// Whether the group at an address can be moved by words.
template <class T, int Count>
__device__ bool aligned_for(const T* at) {
  return reinterpret_cast<std::uintptr_t>(at) % sizeof(group_word<T, Count>) == 0;
}

/// Copies Count items between aligned places: registers, shared or global memory.
template <int Count, class T>
__device__ void copy_group(T* to, const T* from) {
  using word = group_word<T, Count>;
#pragma unroll
  for (std::size_t w = 0; w < Count * sizeof(T) / sizeof(word); ++w) {
    reinterpret_cast<word*>(to)[w] = reinterpret_cast<const word*>(from)[w];
  }
}

/// Copies Count items from aligned global memory to registers; Streamed: by way of as little cache as can be, for what
/// is read only once.
template <int Count, bool Streamed, class T>
__device__ void load_group(T* to, const T* from) {
  using word = group_word<T, Count>;
#pragma unroll
  for (std::size_t w = 0; w < Count * sizeof(T) / sizeof(word); ++w) {
    const word* const at = reinterpret_cast<const word*>(from) + w;
    reinterpret_cast<word*>(to)[w] = Streamed ? __ldcs(at) : *at;
  }
}

/// A word past the caches, loaded where this stands: the compiler may not put it off until it is needed.
template <class Word>
__device__ Word load_at_once(const Word* from) {
  Word word;
  if constexpr (sizeof(Word) == 16) {
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "l"(from));
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile("ld.global.cs.v2.u32 {%0, %1}, [%2];" : "=r"(word.x), "=r"(word.y) : "l"(from));
  } else if constexpr (sizeof(Word) == 4) {
    asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(word) : "l"(from));
  } else if constexpr (sizeof(Word) == 2) {
    asm volatile("ld.global.cs.u16 %0, [%1];" : "=h"(word) : "l"(from));
  } else {
    unsigned wide = 0;
    asm volatile("ld.global.cs.u8 %0, [%1];" : "=r"(wide) : "l"(from));
    word = static_cast<Word>(wide);
  }
  return word;
}
/// So loads Count items.
template <int Count, class T>
__device__ void load_group_at_once(T* to, const T* from) {
  using word = group_word<T, Count>;
#pragma unroll
  for (std::size_t w = 0; w < Count * sizeof(T) / sizeof(word); ++w) {
    reinterpret_cast<word*>(to)[w] = load_at_once(reinterpret_cast<const word*>(from) + w);
  }
}

#endif

}  // namespace peneira::detail
