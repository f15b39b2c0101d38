// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// multipartition: buffer_per_bin (buffer-per-warp there) while the shared memory of a block has a buffer of 32 items
// for every bin, large beyond.
//
//   bins:  1 ........... buffers ......... any
//          buffer_per_bin |  large
//
// 361 buffers of 32-bit keys in the 48 KiB that the paper's GPU gave a block, 1,709 in an H200's 227 KiB. Bytes as for
// the chosen one.
//
// Cordeiro, Nunan Zola: Multiparticionamento de Dados em GPU (Multipartition), 2025, section 2.
#pragma once

#include "peneira/multisplit/published/buffer_per_bin.hpp"
#include "peneira/multisplit/published/large.hpp"
#include "peneira/multisplit/published/one_of.hpp"

namespace peneira::multisplit_strategies {

struct multipartition : one_of<buffer_per_bin, large> {
  static constexpr std::string_view name = "multipartition";
  static constexpr std::string_view about = "published: buffer_per_bin while buffers fit shared memory, large beyond";

  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    return refuse_all(problem, machine);
  }

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    const bool fit = problem.bins <= buffers_of(problem, machine);
    return decide_for(fit ? buffer_per_bin::name : large::name, problem, machine);
  }
};

}  // namespace peneira::multisplit_strategies
