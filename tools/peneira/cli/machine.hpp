// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The machine that `peneira info` shows and that result files name.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "peneira/host.hpp"
#include "tools/peneira/cli/gpu.hpp"

namespace peneira::tool {

struct machine_info {
  std::string version;
  std::string cpu;
  unsigned cores = 0;
  host caches;
  std::size_t memory = 0;
  std::vector<gpu_info> gpus;
  std::string why_no_gpu;
};

machine_info examine_machine();

/// The same as JSON.
nlohmann::ordered_json machine_json();

}  // namespace peneira::tool
