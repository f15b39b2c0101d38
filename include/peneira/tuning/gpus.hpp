// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUs that people have, as plans see them: what explain() can be asked about without one. Shared memory, threads and
// caches are those of the CUDA C++ Programming Guide's table of compute capabilities and of NVIDIA's data sheets.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "peneira/place.hpp"

namespace peneira::tuning {

/// A GPU by the name that it is sold under.
struct known_gpu {
  std::string_view name;  ///< in lower case, without blanks
  device like;            ///< what a plan sees of it
};

/// By ascending compute capability; of those with the same one, the one that stands for it comes first.
inline constexpr std::array known_gpus{
    known_gpu{"t4", {75, 40, 64 * 1024, 64 * 1024, 4 * 1024 * 1024}},
    known_gpu{"a100", {80, 108, 163 * 1024, 164 * 1024, 40 * 1024 * 1024}},
    known_gpu{"rtx-a4500", {86, 56, 99 * 1024, 100 * 1024, 6 * 1024 * 1024}},
    known_gpu{"rtx-4090", {89, 128, 99 * 1024, 100 * 1024, 72 * 1024 * 1024}},
    known_gpu{"l4", {89, 58, 99 * 1024, 100 * 1024, 48 * 1024 * 1024}},
    known_gpu{"h200", device{}},
    known_gpu{"h100", {90, 132, 227 * 1024, 228 * 1024, 50 * 1024 * 1024}},
    known_gpu{"b200", {100, 148, 227 * 1024, 228 * 1024, 126 * 1024 * 1024}},
    known_gpu{"rtx-5090", {120, 170, 99 * 1024, 100 * 1024, 96 * 1024 * 1024}},
};

/// A device of that compute capability, times ten: like the first known one of the greatest that is no greater.
constexpr device device_of_arch(int arch) {
  device like = known_gpus.front().like;
  for (const known_gpu& one : known_gpus) {
    if (one.like.arch <= arch && one.like.arch > like.arch) like = one.like;
  }
  like.arch = arch;
  return like;
}

/// Threads that a multiprocessor holds at most. What is not known here holds as few as its neighbours.
constexpr std::uint32_t threads_a_processor(int arch) {
  switch (arch) {
    case 75:
      return 1024;
    case 80:
    case 90:
    case 100:
    case 103:
      return 2048;
    default:
      return arch < 75 ? 2048 : 1536;
  }
}

}  // namespace peneira::tuning
