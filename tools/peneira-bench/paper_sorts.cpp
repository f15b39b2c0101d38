// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The report and the paper on sorts.
#include "bench/mpp_sort.hpp"
#include "bench/strings.hpp"
#include "tools/peneira-bench/papers.hpp"

namespace peneira::tool {

paper mppsort() {
  const std::string five = "mpp_sort: all but find_range";
  const paper_table kernels{
      .layout = {.paper = "mppsort",
                 .table = "Tabela 1",
                 .about = "time of each kernel, 16 partitions",
                 .measures = {"us"},
                 .note = "The report has no kernel that finds the range of the keys; the sum leaves ours out."},
      .by = measured_by::mpp_sort,
      .n = {10'000},
      .inputs = {"uniform"},
      .strategies = {"mpp_sort: find_range", "mpp_sort: block_and_global_histogram", "mpp_sort: scan_histogram",
                     "mpp_sort: scan_block_histograms", "mpp_sort: partition", "mpp_sort: sort_partitions", five},
      .runs = 100,
      .beside = {{"Kernel 1 (blockAndGlobalHistogram)", "mpp_sort: block_and_global_histogram"},
                 {"Kernel 2 (globalHistogramScan)", "mpp_sort: scan_histogram"},
                 {"Kernel 3 (verticalScanHH)", "mpp_sort: scan_block_histograms"},
                 {"Kernel 4 (partitionKernel)", "mpp_sort: partition"},
                 {"Kernel 5 (bitonicSort + merge)", "mpp_sort: sort_partitions"},
                 {"Tempo total do mppSort", five}},
  };
  paper_table whole = kernels;
  whole.layout = {.paper = "mppsort",
                  .table = "Tabela 2",
                  .about = "beside thrust::sort, 16 partitions",
                  .measures = {"us", "G items/s", "x"},
                  .over = "thrust::sort",
                  .note = "The report's time is the sum of its kernels; that of a whole call stands above it."};
  whole.strategies = {five, "mpp_sort", "auto"};
  whole.peers = {"thrust::sort"};
  whole.beside = {{"Thrust sort", "thrust::sort"}, {"mppSort", five}};

  // The report names both knobs and gives figures of neither.
  paper_table fifth = kernels;
  fifth.layout = {.paper = "mppsort",
                  .table = "Kernel 5",
                  .about = "bitonicSort + merge: its merge and its blocks, 16 partitions",
                  .measures = {"us"},
                  .note =
                      "Without a number of blocks, a block a partition here; without a merge, the bitonic network "
                      "sorts a whole partition. The report does not say which it measured."};
  fifth.mpp = {{.partitions = 16}};
  for (const std::size_t run_items : {32U, 128U, 512U}) fifth.mpp.push_back({16, 0, run_items});
  for (const std::size_t blocks : {1U, 2U, 4U, 8U}) fifth.mpp.push_back({16, blocks});
  fifth.strategies.clear();
  for (const mpp_sort_limits& knobs : fifth.mpp) {
    fifth.strategies.push_back("mpp_sort: sort_partitions" + bench::knobs_of(knobs));
  }
  fifth.beside.clear();

  paper_table large = whole;
  large.layout = {.paper = "mppsort",
                  .table = "Seção 3",
                  .about = "16 partitions, of 10,000 and 100,000 keys such as shared memory holds, and larger ones",
                  .columns = "n",
                  .measures = {"us"},
                  .over = "thrust::sort",
                  .ratios = {"mpp_sort", bench::mpp_sort_and_thrust, "auto"},
                  .note =
                      "The report hands such partitions to thrust::sort, regrets what that costs, and gives no "
                      "figures; mpp_sort partitions them again."};
  large.n = {10'000, 100'000, 1'000'000, 10'000'000};
  large.strategies = {"mpp_sort", bench::mpp_sort_and_thrust, "auto"};
  large.runs = 30;
  large.why_runs = "the report has no such figures";
  large.beside.clear();
  return {"mppsort",
          "Bizio: Relatório Técnico: CUDA-mppSort (2025)",
          "NVIDIA GTX 750 Ti",
          {"paper-mppsort.csv"},
          {kernels, whole, fifth, large}};
}

paper string_sort() {
  const std::string not_said = "the paper does not say how many";
  const std::string copies = bench::with_copies;
  const std::string split = "doubling_merge (merges split by 32)";
  const paper_table times{
      .layout = {.paper = "strings",
                 .table = "Figura 2",
                 .about = "time over threads, tasks of 100 strings",
                 .columns = "threads",
                 .measures = {"s"},
                 .note = std::string(no_numbers) +
                         " It measured on an Intel Xeon Silver 4208 with 16 cores and 32 hardware threads; "
                         "here threads beyond the cores share them. Merges are split as a variant: the "
                         "paper's are one thread's."},
      .by = measured_by::strings_cpu,
      .n = {10'000'000},
      .threads = {1, 2, 4, 8, 16, 32},
      .merge_items = {0, 10'000},
      .inputs = {"random"},
      .strategies = {"task_merge_quicksort", "task_merge_quicksort (merges split by 10000)", "auto"},
      .runs = 3,
      .why_runs = not_said,
  };
  paper_table speedups{.layout = times.layout};
  speedups.layout.table = "Figura 3";
  speedups.layout.about = "times as fast as with one thread";
  speedups.layout.measures = {"x"};
  speedups.layout.rows_of = "Figura 2";
  const paper_table blocks{
      .layout = {.paper = "strings",
                 .table = "Tabela 1",
                 .about = "time over threads a block, and over that of one thread of the CPU",
                 .columns = "threads",
                 .measures = {"s"},
                 .over = bench::sequential_quicksort,
                 .ratios = {"doubling_merge", "doubling_merge" + copies, split, split + copies, "auto",
                            "auto" + copies},
                 .note = "How many strings the paper sorted it does not say, nor whether it timed the copies, so that "
                         "times do not compare. Its last merge, like that of doubling_merge, is one thread's, next to "
                         "which the threads a block hardly matter; to split the merges is its future work. The copies "
                         "are those of the strings to the device and of the order back; without them both are there "
                         "beforehand. The sequential sort is the paper's quicksort, here of this machine's CPU."},
      .by = measured_by::strings_gpu,
      .n = {1'000'000},
      .threads = {16, 32, 64, 128, 256},
      .merge_items = {0, 32},
      .inputs = {"random"},
      .strategies = {"doubling_merge", "doubling_merge" + copies, split, split + copies, "auto", "auto" + copies,
                     bench::sequential_quicksort},
      .runs = 3,
      .why_runs = not_said,
      .beside = {{"CUDA", "doubling_merge"}},
  };
  paper_table many = blocks;
  many.layout = {.paper = "strings",
                 .table = "Trabalhos futuros",
                 .about = "Table 1 with ten times the strings, the merges split",
                 .columns = "threads",
                 .measures = {"s"},
                 .note = "So many strings that blocks fill the device at every width, and the threads a block matter."};
  many.n = {10'000'000};
  many.merge_items = {32};
  many.strategies = {split, split + copies, "auto", "auto" + copies};
  many.beside.clear();
  return {"strings",
          "Colichio, Pimenta, Borges, Menecucci, Barros, Guardia: Ordenação Paralela com OpenMP e CUDA",
          "Intel Xeon Silver 4208 and NVIDIA Tesla T4",
          {"paper-strings.csv"},
          {times, speedups, blocks, many}};
}

}  // namespace peneira::tool
