// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/sort/text/place.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "peneira/error.hpp"
#include "peneira/sort_strings.hpp"
#include "tools/peneira/cli/gpu.hpp"
#include "tools/peneira/sort/text/gpu.hpp"

namespace peneira::tool {
namespace {

using sort_at = sort_text_options::place;

}  // namespace

bool gpu_pays(std::uint64_t bytes, unsigned team) {
  // Seconds. A thread takes 0.6 ns (random lines) to 1.7 ns (addresses) a byte:
  // bench/results/neoverse-v1-2/strings-2.json. Those of the GPU are estimates: its start, and copies from memory that
  // is not pinned, beside which its sort is short.
  constexpr double cpu_byte = 1e-9;
  constexpr double gpu_byte = 0.15e-9;
  constexpr double gpu_start = 0.4;
  return static_cast<double>(bytes) * (cpu_byte / team - gpu_byte) > gpu_start;
}

sort_place::sort_place(sort_at asked, std::uint64_t known_bytes, unsigned team) : asked_(asked), team_(team) {
  if (asked_ == sort_at::gpu) require_gpu();
  if (asked_ == sort_at::gpu || (asked_ == sort_at::automatic && gpu_pays(known_bytes, team_))) wake();
}

void sort_place::wake() {
  free_ = std::async(std::launch::async, [] {
            std::string why_not;
            return find_gpus(why_not).empty() ? 0 : wake_gpu();
          }).share();
}

bool sort_place::is_gpu(std::size_t strings, std::size_t chars) {
  if (asked_ == sort_at::cpu || (asked_ == sort_at::automatic && !gpu_pays(chars, team_))) return false;
  try {
    if (!free_.valid()) wake();
    const std::size_t free = free_.get();
    const std::size_t needed = free == 0 ? 0 : gpu_bytes_to_sort(strings, chars);
    if (asked_ == sort_at::automatic) return needed < free;
    if (needed < free) return true;
    throw std::runtime_error(fmt::format(
        "--place gpu: {} lines with {} bytes to compare take {} MiB of its memory, of which {} are free; a smaller -S "
        "sorts fewer at a time",
        strings, chars, needed >> 20U, free >> 20U));
  } catch (const pn::cuda_error&) {
    if (asked_ == sort_at::gpu) throw;
    asked_ = sort_at::cpu;  // it was worth a try
    return false;
  }
}

template <class Offset>
void sort_place::sort(const strings<Offset>& all, std::uint32_t* rows, const sort_strings_options& options) {
  if (is_gpu(all.size, all.starts[all.size])) {
    gpu_sort_strings(all, rows, options);
  } else {
    pn::sort_strings(pn::cpu{.threads = team_}, all, pn::items(rows, all.size), options);
  }
}

template void sort_place::sort(const strings<std::uint32_t>&, std::uint32_t*, const sort_strings_options&);
template void sort_place::sort(const strings<std::uint64_t>&, std::uint32_t*, const sort_strings_options&);

}  // namespace peneira::tool
