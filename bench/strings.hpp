// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The benchmark of sort_strings: its axes, its inputs and how an answer is checked, whatever the place.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness.hpp"
#include "peneira/sort_strings.hpp"

namespace peneira::bench {

/// One row for each combination.
struct strings_axes {
  std::vector<std::uint64_t> n;
  std::vector<std::string> inputs;
  std::vector<std::string> strategies;  ///< names, "auto", or "all"
  std::vector<std::uint64_t> task_sizes;
  std::vector<std::uint64_t> block_threads;
  std::vector<std::uint64_t> merge_items{0};  ///< of the published strategies; 0: no merge is split
  std::size_t merge_runs = 1;                 ///< of doubling_merge, which takes seconds where no merge is split
  bool copies = false;      ///< on a GPU: also with the copies of the strings there, and of the permutation back
  bool sequential = false;  ///< on a GPU: the published quicksort by one thread of the CPU, too
  bool peers = true;
  unsigned threads = 1;
  std::size_t runs = 7;
  double seconds = 0;  ///< on a CPU, see effort
  std::uint64_t seed = 1;
};

/// What rows of a published strategy are called: its name, its one knob, and how its merges are split.
inline std::string merging_name(const std::string& name, std::uint64_t knob, std::uint64_t merge_items) {
  return name + "(" + std::to_string(knob) + ")" +
         (merge_items == 0 ? "" : " (merges split by " + std::to_string(merge_items) + ")");
}
/// The row of the sequential sort, and what names end with where the copies are timed.
inline constexpr const char* sequential_quicksort = "quicksort by one thread";
inline constexpr const char* with_copies = " with the copies";

/// Measures on the CPU; returns whether every output was right.
bool bench_strings_cpu(const strings_axes& axes, const row_sink& sink);
/// The same on the GPU; only in programs that nvcc had a part in.
bool bench_strings_gpu(const strings_axes& axes, const row_sink& sink);

/// The inputs that the benchmark knows: those of `peneira gen --text`.
std::string all_strings_inputs();

/// Appends line i of a seed without its newline.
using append_line = void (*)(std::string& to, std::uint64_t seed, std::uint64_t i);

/// The generator of a name; throws std::invalid_argument with the list where there is none.
append_line strings_input(std::string_view name);

/// n lines of a kind, in memory of the team's, and where they start.
class strings_text {
 public:
  strings_text(std::string_view kind, std::size_t n, std::uint64_t seed, unsigned threads)
      : parts_(make(strings_input(kind), n, seed, threads)),
        bytes_(sum(parts_)),
        chars_(bytes_, threads),
        starts_(n + 1, threads) {
    std::vector<std::size_t> first(threads + 1);
    for (unsigned m = 0; m < threads; ++m) first[m + 1] = first[m] + parts_[m].size();
    peneira::detail::on_each(
        threads, [&](unsigned m) { std::memcpy(chars_.data() + first[m], parts_[m].data(), parts_[m].size()); });
    parts_.clear();
    const auto lines = lines_of(std::string_view(chars_.data(), bytes_), '\n', cpu{.threads = threads});
    std::copy(lines.view().starts, lines.view().starts + n + 1, starts_.data());
  }

  [[nodiscard]] strings<std::uint64_t> all() const { return {chars_.data(), starts_.data(), starts_.size() - 1, 1}; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  using texts = std::vector<std::string>;
  static texts make(append_line append, std::size_t n, std::uint64_t seed, unsigned threads) {
    texts parts(threads);
    peneira::detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = peneira::detail::slice(n, m, threads);
      for (std::size_t i = begin; i < end; ++i) {
        append(parts[m], seed, i);
        parts[m] += '\n';
      }
    });
    return parts;
  }
  static std::size_t sum(const texts& parts) {
    std::size_t all = 0;
    for (const std::string& part : parts) all += part.size();
    return all;
  }

  texts parts_;
  std::size_t bytes_;
  array<char> chars_;
  array<std::uint64_t> starts_;
};

/// Whether a permutation has every string once, and in order, equal ones in that of the input.
inline bool is_stable_order(const strings<std::uint64_t>& all, const std::uint32_t* permutation, unsigned threads) {
  std::vector<bool> seen(all.size);
  for (std::size_t i = 0; i < all.size; ++i) {
    if (permutation[i] >= all.size || seen[permutation[i]]) return false;
    seen[permutation[i]] = true;
  }
  std::atomic<bool> right{true};
  peneira::detail::on_each(threads, [&](unsigned m) {
    const auto [begin, end] = peneira::detail::slice(all.size, m, threads);
    for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i) {
      const int order = all[permutation[i - 1]].compare(all[permutation[i]]);
      if (order > 0 || (order == 0 && permutation[i - 1] > permutation[i])) right = false;
    }
  });
  return right;
}

/// The characters and the starts are read, the permutation is written.
inline double string_bytes(const strings<std::uint64_t>& all) {
  return static_cast<double>(all.starts[all.size] + all.size * (sizeof(std::uint64_t) + sizeof(std::uint32_t)));
}

/// A row with all that does not depend on the measurement.
inline row describe_strings(const strings_axes& axes, const std::string& input, const strings_text& text) {
  row r;
  r.primitive = "sort_strings";
  r.type = "lines";
  r.distribution = input;
  r.order = "stable";
  r.n = text.all().size;
  r.threads = axes.threads;
  r.runs = axes.runs;
  r.bytes = string_bytes(text.all());
  return r;
}

}  // namespace peneira::bench
