// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether mpirun or its like started this program, and how many of them, without MPI.
#pragma once

#include <cstdlib>
#include <string_view>

namespace peneira::tool {

/// What a launcher says.
struct launched {
  std::string_view variable;  ///< where
  unsigned long processes = 1;
};

/// Open MPI sets the first, MPICH, Intel MPI and others the second, srun the third (and not a batch script, which runs
/// once whatever its job's number of tasks). PENEIRA_ALONE=1: each is to work for itself.
inline launched find_launcher() {
  const char* const alone = std::getenv("PENEIRA_ALONE");
  if (alone != nullptr && std::string_view(alone) == "1") return {};
  for (const char* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* const value = std::getenv(variable);
    if (value == nullptr) continue;
    if (const unsigned long processes = std::strtoul(value, nullptr, 10); processes > 1) return {variable, processes};
  }
  return {};
}

}  // namespace peneira::tool
