// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira-bench/papers.hpp"

#include <algorithm>

#include "bench/multisplit.hpp"
#include "bench/segmented_reduce.hpp"

namespace peneira::tool {
namespace {

using numbers = std::vector<std::uint64_t>;
using names = std::vector<std::string>;

constexpr std::uint64_t K = 1024;
constexpr std::uint64_t M = K * K;

/// All powers of two from 2 to `last`.
numbers powers_to(std::uint64_t last) {
  numbers all;
  for (std::uint64_t p = 2; p <= last; p *= 2) all.push_back(p);
  return all;
}

const numbers few_bins{40, 64, 100, 128, 200, 256, 361};
const numbers many_bins{512, 1024, 2048, 3000, 4096, 5000, 8192, 12288};
const std::string quoted_too =
    "gpu_multisplit is the method of Ashkiani et al. (2017), written from its paper; quoted are what the authors "
    "measured of it, and a port of its own code to an H200, with a warm L2.";
/// With what the paper's GPU had: 48 KiB of shared memory a block.
const std::string mrbins_as_printed = std::string("mrbins") + bench::by_paper;
const std::string multipartition_as_printed = std::string("multipartition") + bench::by_paper;

paper mrbins() {
  const auto table = [](const std::string& name, const std::string& part, const std::string& input,
                        const numbers& bins) {
    return paper_table{
        .layout = {.paper = "mrbins",
                   .table = name,
                   .part = part,
                   .about = input + " keys",
                   .columns = "bins",
                   .groups = "n",
                   .measures = {"G items/s"},
                   .over = "gpu_multisplit",
                   .best_of = {"large", "buffer_per_bin", "buffer_global", "buffer_persistent"},
                   .note = quoted_too},
        .by = measured_by::multisplit,
        .n = {M, 8 * M, 16 * M, 32 * M, 64 * M},
        .bins = bins,
        .inputs = {input},
        .strategies = {"large", "buffer_per_bin", "buffer_global", "buffer_persistent", "gpu_multisplit", "auto"},
        .runs = 30,
        .beside = {{"large", "large"},
                   {"buffer-per-bin", "buffer_per_bin"},
                   {"buffer+global", "buffer_global"},
                   {"buffer-persistent", "buffer_persistent"},
                   {"GPU Multisplit", "gpu_multisplit"},
                   {"Speedup", "best of them over gpu_multisplit"}},
    };
  };
  const auto figure = [](const std::string& name, const std::string& part, const std::string& columns, const numbers& n,
                         const numbers& bins) {
    return paper_table{
        .layout =
            {.paper = "mrbins",
             .table = name,
             .part = part,
             .about = columns == "bins" ? "mrBins over bins" : "mrBins over keys, 256 bins",
             .columns = columns,
             .groups = "distribution",
             .measures = {"G items/s"},
             .over = "gpu_multisplit",
             .ratios = {"mrbins", mrbins_as_printed},
             .note =
                 "The paper shows a picture without numbers; what is quoted is a port of GPU Multisplit to an H200."},
        .by = measured_by::multisplit,
        .n = n,
        .bins = bins,
        .inputs = {"normal", "exponential", "uniform"},
        .strategies = {"mrbins", mrbins_as_printed, "gpu_multisplit", "auto"},
        .runs = 30,
    };
  };
  return {"mrbins",
          "Cordeiro, Nunan Zola: Superando Limites no Multiparticionamento em GPU (2025)",
          "NVIDIA RTX A4500",
          {"paper-mrbins.csv", "gpu_multisplit_h200.csv"},
          {table("Tabela 1", "40 to 361 bins", "uniform", few_bins),
           table("Tabela 1", "512 to 12288 bins", "uniform", many_bins), table("Tabela 2", "left", "normal", few_bins),
           table("Tabela 2", "right", "exponential", few_bins),
           // The figure's bins begin with 8; which there are below 40 it does not say.
           figure("Figura 1", "8 to 361 bins", "bins", {64 * M}, {8, 16, 32, 40, 64, 100, 128, 200, 256, 361}),
           figure("Figura 1", "512 to 12288 bins", "bins", {64 * M}, many_bins),
           figure("Figura 2", "", "n", {M, 8 * M, 16 * M, 32 * M, 64 * M}, {256})}};
}

paper multipartition() {
  const auto table = [](const std::string& part, const numbers& bins) {
    return paper_table{
        .layout = {.paper = "multipartition",
                   .table = "Tabela 1",
                   .part = part,
                   .about = "uniform keys; on an H200 buffers fit for up to 1,709 bins, as printed for 361",
                   .columns = "bins",
                   .groups = "n",
                   .measures = {"G items/s"},
                   .over = "gpu_multisplit",
                   .ratios = {"multipartition", multipartition_as_printed},
                   .note = quoted_too},
        .by = measured_by::multisplit,
        .n = {M, 8 * M, 16 * M, 32 * M},
        .bins = bins,
        .inputs = {"uniform"},
        .strategies = {"multipartition", multipartition_as_printed, "buffer_per_bin", "large", "gpu_multisplit",
                       "auto"},
        .runs = 100,
        .beside = {{"Multipartition", multipartition_as_printed},
                   {"GPU Multisplit", "gpu_multisplit"},
                   {"Speedup", multipartition_as_printed + " over gpu_multisplit"}},
    };
  };
  return {"multipartition",
          "Cordeiro, Nunan Zola: Multiparticionamento de Dados em GPU (2025)",
          "NVIDIA RTX A4500",
          {"paper-multipartition.csv", "gpu_multisplit_h200.csv"},
          {table("40 to 361 bins", few_bins), table("512 to 12288 bins", many_bins)}};
}

paper bestreduce() {
  const std::string cub = "cub::DeviceReduce::Max";
  const std::string cub_segments = "cub::DeviceSegmentedReduce";
  const std::string paper_limits = bench::best_reduce_by_paper;
  const paper_table reduce{
      .layout = {.paper = "bestreduce",
                 .table = "Tabela 1",
                 .about = "maximum of u32, no segments",
                 .columns = "n",
                 .measures = {"G items/s"},
                 .over = cub,
                 .ratios = {"vector4", "auto"},
                 .note = "The paper has 1.77x at 128K. On an H200 a call of so few items is little more than its "
                         "launches, of which vector4 has two, and they make 32 blocks of 1,024 threads for 132 "
                         "processors; auto has one launch."},
      .by = measured_by::reduce,
      .n = {128 * K, 256 * K, 512 * K, M, 2 * M, 4 * M, 8 * M, 16 * M, 32 * M, 64 * M},
      .inputs = {"uniform"},
      .strategies = {"shared_memory", "atomic", "shuffle", "vector4", "auto"},
      .peers = {"thrust::reduce", cub},
      .runs = 30,
      .beside = {{"Thrust", "thrust::reduce"},
                 {"CUB", cub},
                 {"ui32_sh_mem", "shared_memory"},
                 {"ui32_atomic_op", "atomic"},
                 {"ui32_shfl", "shuffle"},
                 {"ui32x4", "vector4"},
                 {"speedup (CUB/ui32x4)", "vector4 over " + cub}},
  };
  const paper_table granularity{
      .layout = {.paper = "bestreduce",
                 .table = "Figura 1",
                 .about = "levels of granularity, equal segments",
                 .columns = "segments",
                 .measures = {"G items/s"},
                 .note = std::string(no_numbers) +
                         " Its text: a warp is the best up to 32 thousand items a segment, a block up to "
                         "about 512 thousand, the whole grid beyond. best_reduce has the limits that were "
                         "found for the device, as the paper asks. What takes long gets fewer runs."},
      .by = measured_by::granularity,
      .n = {16 * M},
      .segments = powers_to(8 * M),
      .inputs = {"equal"},
      .strategies = {"best_reduce by warps", "best_reduce by blocks", "best_reduce by the grid", "best_reduce",
                     paper_limits, "auto"},
      .runs = 30,
  };
  const auto figure = [&](const std::string& name, const std::string& shape, const std::string& says) {
    return paper_table{
        .layout = {.paper = "bestreduce",
                   .table = name,
                   .about = "segments of " + shape + " sizes",
                   .columns = "segments",
                   .measures = {"G items/s"},
                   .over = cub_segments,
                   .ratios = {"best_reduce", paper_limits, "auto"},
                   .note = says + " The paper leaves to future work to hand mid-size segments to CUB, a block each; "
                                  "auto does without: it shares items and ends of segments out evenly, whatever their "
                                  "sizes."},
        .by = measured_by::segmented_reduce,
        .n = {32 * M},
        .segments = powers_to(16 * M),
        .inputs = {shape},
        .strategies = {"best_reduce", paper_limits, "auto"},
        .peers = {cub_segments, "thrust::reduce_by_key"},
        .runs = 30,
        .beside = {{"speedup (bestReduce/CUB)", "best_reduce over " + cub_segments}},
    };
  };
  return {"bestreduce",
          "Cordeiro, Nunan Zola: Redução Paralela Otimizada para Segmentos Regulares e Irregulares em GPU (2024)",
          "NVIDIA RTX A4500",
          {"paper-bestreduce.csv"},
          {reduce, granularity,
           figure("Figura 2", "equal",
                  std::string(no_numbers) + " Its text: bestReduce is up to 12.62 times as fast as CUB."),
           figure("Figura 3", "normal", "The paper shows a picture; the one figure that its text gives is quoted."),
           figure("Figura 4", "exponential", no_numbers)}};
}

}  // namespace

const std::vector<paper>& all_papers() {
  static const std::vector<paper> all{mrbins(), multipartition(), bestreduce(), mppsort(), string_sort()};
  return all;
}

paper quick(paper full) {
  for (paper_table& t : full.tables) {
    for (std::uint64_t& n : t.n) n = n > 10'000 ? n / 64 : n;
    const std::uint64_t most = t.n.empty() ? 0 : t.n.back() / 2;
    t.segments.erase(std::remove_if(t.segments.begin(), t.segments.end(), [&](std::uint64_t s) { return s > most; }),
                     t.segments.end());
    t.runs = 2;
    t.why_runs = "--quick";
  }
  return full;
}

}  // namespace peneira::tool
