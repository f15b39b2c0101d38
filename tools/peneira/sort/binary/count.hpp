// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of numbers of 8 and 16 bits: how often each occurs is all there is to know. Any file in one pass, with
// little memory and no temporary file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/phases.hpp"
#include "tools/peneira/sort/binary/files.hpp"
#include "tools/peneira/sort/binary/gpu.hpp"
#include "tools/peneira/sort/binary/items.hpp"
#include "tools/peneira/sort/binary/sort.hpp"

namespace peneira::tool {

template <class U>
class file_count {
 public:
  file_count(const number_items<U>& kind, const sort_request& o, item_output& out, std::uint64_t bytes,
             phase_times& times)
      : kind_(kind),
        o_(o),
        out_(out),
        times_(times),
        team_(static_cast<unsigned>(
            std::min<std::uint64_t>(o.team(), std::max<std::uint64_t>(1, o.limit() / bytes_a_thread)))),
        writer_(team_, block_bytes, sizeof(U)),
        bar_("sort", bytes * 2, progress::unit::bytes, o.quiet) {
    if (!o.strategy.empty()) throw usage_error("--strategy: items of 8 and 16 bits are always sorted by counting");
    if (o.place == "gpu") there_ = make_gpu_counter(sizeof(U), times);
  }

  void run(const item_source& input) {
    const std::vector<std::uint64_t> ends = find_ends(input);
    out_.append(writer_, ends.back(), bar_, [&](unsigned /*m*/, char* to, std::uint64_t first, std::size_t count) {
      const phase_times::scope computing(times_, phase::computing);
      auto* const items = reinterpret_cast<U*>(to);
      auto value = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), first) - ends.begin());
      for (std::size_t at = 0; at < count; ++value) {
        const auto end = static_cast<std::size_t>(std::min<std::uint64_t>(count, ends[value] - first));
        std::fill(items + at, items + end, static_cast<U>(value));
        at = end;
      }
      kind_.release(to, count);
    });
  }

  [[nodiscard]] unsigned levels() const { return 0; }
  [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

 private:
  static constexpr std::size_t block_bytes = std::size_t{1} << 18U;
  /// Counts, what is read and what is written.
  static constexpr std::size_t bytes_a_thread =
      (number_items<U>::highest_rank + 1) * sizeof(std::uint64_t) + 2 * block_bytes;

  /// Where the items of each value end in the output.
  std::vector<std::uint64_t> find_ends(const item_source& input) {
    struct member {
      std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(number_items<U>::highest_rank + 1);
      std::vector<char> data{};
      std::uint64_t checksum = 0;
    };
    std::vector<member> members(team_);
    for_each_part(input.bytes() / sizeof(U), sizeof(U), team_, bar_, [&](unsigned m, std::uint64_t at, std::size_t n) {
      member& mine = members[m];
      if (!there_) mine.data.resize(std::max(mine.data.size(), n * sizeof(U)));
      char* const data = there_ ? there_->room(m) : mine.data.data();
      {
        const phase_times::scope reading(times_, phase::reading, n * sizeof(U));
        input.read(data, at * sizeof(U), n * sizeof(U));
      }
      const phase_times::scope computing(times_, phase::computing);
      if (o_.check) mine.checksum += sum_hashes(data, n, sizeof(U));
      kind_.admit(data, n);
      if (there_) return there_->count(m, n);
      const auto* const items = reinterpret_cast<const U*>(data);
      for (std::size_t i = 0; i < n; ++i) ++mine.counts[items[i]];
    });
    std::vector<std::uint64_t> ends(number_items<U>::highest_rank + 1);
    if (there_) ends = there_->counts();
    std::uint64_t sum = 0;
    for (std::size_t value = 0; value < ends.size(); ++value) {
      sum += ends[value];
      for (const member& one : members) sum += one.counts[value];
      ends[value] = sum;
    }
    for (const member& one : members) checksum_ += one.checksum;
    return ends;
  }

  const number_items<U>& kind_;
  const sort_request& o_;
  item_output& out_;
  phase_times& times_;
  unsigned team_;
  block_writer writer_;
  progress bar_;
  std::unique_ptr<gpu_counter> there_;  ///< counts where --place says the GPU
  std::uint64_t checksum_ = 0;
};

}  // namespace peneira::tool
