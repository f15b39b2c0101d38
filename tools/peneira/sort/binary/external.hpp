// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of a file. What fits the memory, of the CPU or of the GPU, is read, sorted and written. What does not is
// partitioned first:
//
//   sample the ranks, spread over the file, for bins that will fit
//   block by block: read, split into the bins, write the block to a temporary file, remember where its bins begin
//   bin by bin: gather it from the blocks and sort it in the same way; its place in the output follows the bins before
//
// so every item is read twice and written twice, with long reads and writes, however many bins there are. Equal items
// keep their order: blocks and splits do.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "peneira/hash.hpp"
#include "tools/peneira/cli/phases.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/io/temporary_file.hpp"
#include "tools/peneira/sort/binary/files.hpp"
#include "tools/peneira/sort/binary/memory.hpp"
#include "tools/peneira/sort/binary/split.hpp"

namespace peneira::tool {

template <class Kind, class Sorted>
class file_sort {
 public:
  file_sort(const Kind& kind, const sort_request& o, item_output& out, std::uint64_t bytes, phase_times& times)
      : kind_(kind),
        o_(o),
        times_(times),
        team_(o.team()),
        out_(out),
        limit_(o.limit()),
        buffer_bytes_(std::clamp<std::size_t>(limit_ / 16 / team_, kind.bytes(), std::max(most_buffer, kind.bytes()))),
        for_items_(limit_ - limit_ / tables - std::min(limit_ / 2, std::uint64_t{buffer_bytes_} * team_)),
        sorted_(kind, o, memory_, times),
        fits_(most_that_fit(bytes / kind.bytes())),
        memory_(bytes / kind.bytes() <= fits_ ? sorted_.need(bytes / kind.bytes()) : for_items_),
        writer_(team_, buffer_bytes_, kind.bytes()),
        bar_("sort", bytes * (bytes / kind.bytes() <= fits_ ? 2 : 3), progress::unit::bytes, o.quiet) {}

  void run(const item_source& input) { sort(input, 0, true); }

  /// Whether temporary files were used.
  [[nodiscard]] unsigned levels() const { return levels_; }
  /// The sum of the input's hashes, if it is to be checked.
  [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

 private:
  static constexpr std::size_t most_buffer = std::size_t{1} << 20U;  ///< a thread's, for output: as large as its cache
  static constexpr std::size_t most_block = std::size_t{1} << 28U;   ///< more would make no read or write faster
  static constexpr std::size_t least_piece = std::size_t{1} << 14U;  ///< of a bin in a block: worth a read
  static constexpr std::size_t most_bins = split_block<Kind>::most_bins;
  static constexpr std::size_t least_bins = 4;
  static constexpr std::uint64_t tables = 16;  ///< this part of the memory is for the tables of blocks and for samples

  /// The most items, up to n, that can be sorted at a time.
  [[nodiscard]] std::size_t most_that_fit(std::size_t n) const {
    std::size_t fits = 0;
    std::size_t fails = n + 1;
    while (fits + 1 < fails) {
      const std::size_t middle = fits + (fails - fits) / 2;
      (sorted_.fits(middle, for_items_) ? fits : fails) = middle;
    }
    return fits;
  }

  [[nodiscard]] std::size_t count_of(const item_source& from) const { return from.bytes() / kind_.bytes(); }

  /// Sorts items that agree before a window and appends them to the output. The input itself is not admitted yet.
  void sort(const item_source& from, std::size_t window, bool is_input) {
    if (count_of(from) <= fits_) return sort_in_memory(from, window, is_input);
    partition(from, window, is_input);
  }

  /// Reads items, ready to be sorted, to where room(member, first) has room for a part; each(member, first, count)
  /// hears of parts while they are in a thread's cache.
  template <class Room, class Each>
  void load(const item_source& from, bool is_input, std::size_t first, std::size_t count, Room&& room, Each&& each) {
    const std::size_t size = kind_.bytes();
    std::atomic<std::uint64_t> sum{0};
    for_each_part(count, size, team_, bar_, [&](unsigned m, std::size_t at, std::size_t items) {
      char* const data = room(m, at);
      {
        const phase_times::scope reading(times_, phase::reading, items * size);
        from.read(data, std::uint64_t{first + at} * size, items * size);
      }
      const phase_times::scope computing(times_, phase::computing);
      if (is_input) {
        if (o_.check) sum += sum_hashes(data, items, size);
        kind_.admit(data, items);
      }
      each(m, at, items);
    });
    checksum_ += sum;
  }

  void sort_in_memory(const item_source& from, std::size_t window, bool is_input) {
    memory_.reset();
    sorted_.begin(count_of(from));
    load(
        from, is_input, 0, count_of(from), [&](unsigned m, std::size_t first) { return sorted_.room(m, first); },
        [&](unsigned m, std::size_t first, std::size_t count) { sorted_.loaded(m, first, count, window); });
    if (!is_input) from.discard();
    sorted_.sort(window);
    out_.append(writer_, count_of(from), bar_,
                [&](unsigned m, char* to, std::size_t first, std::size_t count) { sorted_.fill(m, to, first, count); });
  }

  /// Appends items that are all equal.
  void copy(const item_source& from) {
    const std::size_t block = std::max<std::size_t>(1, std::min<std::size_t>(most_block, for_items_) / kind_.bytes());
    memory_.reset();
    char* const data = memory_.take<char>(std::min(block, count_of(from)) * kind_.bytes());
    for (std::size_t first = 0; first < count_of(from); first += block) {
      const std::size_t count = std::min(block, count_of(from) - first);
      const auto room = [&](unsigned /*m*/, std::size_t at) { return data + at * kind_.bytes(); };
      load(from, false, first, count, room, [](unsigned, std::size_t, std::size_t) {});
      out_.append(writer_, count, bar_, [&](unsigned /*m*/, char* to, std::size_t begin, std::size_t items) {
        std::memcpy(to, data + begin * kind_.bytes(), items * kind_.bytes());
        kind_.release(to, items);
      });
    }
    from.discard();
  }

  /// The ranks of items from all over the source.
  [[nodiscard]] std::vector<std::uint64_t> sample(const item_source& from, std::size_t window, bool is_input) const {
    constexpr std::size_t read_bytes = 4096;
    constexpr std::size_t most_probes = 2048;
    constexpr std::size_t ranks_a_probe = 8;
    const std::size_t size = kind_.bytes();
    const std::size_t run = std::min(count_of(from), std::max<std::size_t>(1, read_bytes / size));
    const std::size_t probes = std::clamp<std::size_t>(limit_ / 1024, 1, std::min(most_probes, count_of(from) / run));
    const std::size_t taken = std::min(run, ranks_a_probe);
    std::vector<std::uint64_t> ranks(probes * taken);
    on_slices(team_, probes, [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
      std::vector<char> items(run * size);
      for (std::size_t p = begin; p < end; ++p) {
        const auto [first, last] =
            slice(count_of(from) - run + 1, static_cast<unsigned>(p), static_cast<unsigned>(probes));
        const std::size_t at = first + mix64(p) % (last - first);
        from.read(items.data(), std::uint64_t{at} * size, run * size);
        if (is_input) kind_.admit(items.data(), run);
        for (std::size_t k = 0; k < taken; ++k) {
          ranks[p * taken + k] = kind_.rank(items.data() + k * (run / taken) * size, window);
        }
      }
    });
    return ranks;
  }

  /// Items of a block and the most bins to split it into.
  struct block_plan {
    std::size_t items = 0;
    std::size_t bins = 0;
  };
  [[nodiscard]] block_plan plan_blocks(std::size_t count) const {
    // Bins of a few items each would be sorted one by one, with a read and a wait for every one of them.
    if (fits_ * kind_.bytes() < least_piece) sorted_.refuse(limit_, count);
    block_plan made{std::min<std::size_t>(most_block, for_items_) / kind_.bytes(), most_bins};
    for (;; made.items -= made.items / 8 + 1) {
      const std::size_t blocks = made.items == 0 ? count : count / made.items + 1;
      made.bins = std::min({most_bins, made.items * kind_.bytes() / least_piece,
                            static_cast<std::size_t>(limit_ / tables / 2 / sizeof(std::uint64_t) / blocks)});
      if (made.bins < least_bins) refuse_memory(limit_, count, kind_.bytes());
      if (split_block<Kind>::need(kind_, made.items, made.bins, team_) <= for_items_) return made;
    }
  }

  void partition(const item_source& from, std::size_t window, bool is_input) {
    const std::size_t count = count_of(from);
    const std::size_t size = kind_.bytes();
    const block_plan blocks = plan_blocks(count);
    const std::size_t block = std::min(blocks.items, count);
    // Bins turn out larger than the sample says, and every heavy rank takes one more.
    const std::size_t wanted = std::min(blocks.bins / 2, count / std::max<std::size_t>(1, fits_ * 5 / 8) + 1);
    const rank_bins bins = choose_bins(sample(from, window, is_input), wanted, Kind::highest_rank);

    // All levels share one file: this one's items lie behind those of the levels around it, until it is done.
    if (!file_) file_.emplace(o_.folder.empty() ? temporary_folder() : o_.folder);
    const std::uint64_t base = std::exchange(file_end_, file_end_ + from.bytes());
    std::vector<std::uint64_t> starts;  // of the bins of all blocks, in items; bins + 1 a block
    write_blocks(from, window, is_input, block, bins, base, starts);
    if (!is_input) from.discard();
    ++levels_;

    const std::size_t row = bins.count() + 1;
    const auto source_of = [&](std::size_t b) {
      std::vector<extent> parts;
      for (std::size_t first = 0, at = b; at < starts.size(); at += row, first += block) {
        const std::uint64_t items = starts[at + 1] - starts[at];
        if (items != 0) parts.push_back({base + (first + starts[at]) * size, items * size});
      }
      return item_source(file_->fd(), file_->name(), std::move(parts));
    };
    for (std::size_t b = 0; b < bins.count(); ++b) {
      const item_source bin = source_of(b);
      if (!bins.one_rank[b]) {
        sort(bin, window, false);
      } else if (kind_.goes_on_after(window)) {
        sort(bin, window + 1, false);
      } else {
        copy(bin);
      }
    }
    file_end_ = base;
  }

  void write_blocks(const item_source& from, std::size_t window, bool is_input, std::size_t block,
                    const rank_bins& bins, std::uint64_t base, std::vector<std::uint64_t>& starts) {
    const std::size_t size = kind_.bytes();
    memory_.reset();
    split_block<Kind> items(kind_, team_, memory_, block);
    std::vector<std::uint64_t> offsets(bins.count() + 1);
    starts.reserve((count_of(from) / block + 1) * offsets.size());
    for (std::size_t first = 0; first < count_of(from); first += block) {
      const std::size_t count = std::min(block, count_of(from) - first);
      const auto room = [&](unsigned /*m*/, std::size_t at) { return items.data() + at * size; };
      load(from, is_input, first, count, room,
           [&](unsigned /*m*/, std::size_t at, std::size_t n) { items.loaded(at, n, bins, window); });
      from.expect(std::uint64_t{first + count} * size, std::uint64_t{block} * size);
      {
        const phase_times::scope computing(times_, phase::computing, 0, team_);
        items.split(count, bins, offsets);
      }
      starts.insert(starts.end(), offsets.begin(), offsets.end());
      writer_.write(
          count, false,
          [&](unsigned /*m*/, char* to, std::size_t begin, std::size_t n) {
            const phase_times::scope computing(times_, phase::computing);
            items.fill(to, begin, n);
          },
          [&](const char* data, std::size_t bytes, std::uint64_t offset) {
            const phase_times::scope writing(times_, phase::writing, bytes);
            write_at(file_->fd(), data, bytes, base + std::uint64_t{first} * size + offset, file_->name());
          },
          [](std::uint64_t) {});
    }
  }

  const Kind& kind_;
  const sort_request& o_;
  phase_times& times_;
  unsigned team_;
  item_output& out_;
  std::uint64_t limit_;
  std::size_t buffer_bytes_;
  std::size_t for_items_;  ///< bytes of memory
  Sorted sorted_;
  std::size_t fits_;  ///< so many items are sorted at a time
  work_memory memory_;
  block_writer writer_;
  progress bar_;
  std::optional<temporary_file> file_;
  std::uint64_t file_end_ = 0;  ///< of what is in use
  unsigned levels_ = 0;
  std::uint64_t checksum_ = 0;
};

}  // namespace peneira::tool
