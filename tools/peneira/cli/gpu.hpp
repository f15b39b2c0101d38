// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPUs of this machine. Without CUDA there are none.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace peneira::tool {

struct gpu_info {
  std::string name;
  int arch = 0;
  int sms = 0;
  std::size_t memory = 0;
};

#if defined(PENEIRA_WITH_CUDA)

/// The GPUs of this machine; where there is none, why.
std::vector<gpu_info> find_gpus(std::string& why_not);
/// Starts the current GPU, of those that there are; bytes of its memory that are free.
std::size_t wake_gpu();

#else

inline std::vector<gpu_info> find_gpus(std::string& why_not) {
  why_not = "this program was built without CUDA";
  return {};
}
inline std::size_t wake_gpu() {
  return 0;
}

#endif

/// Throws where there is no GPU.
inline void require_gpu() {
  std::string why_not;
  if (find_gpus(why_not).empty()) throw std::runtime_error("cannot use a GPU: " + why_not);
}

}  // namespace peneira::tool
