// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/sort/text/rounds.hpp"

#include <algorithm>

#include "tools/peneira/io/descriptors.hpp"
#include "tools/peneira/sort/text/merge.hpp"

namespace peneira::tool {

merge_source source_of(const std::shared_ptr<sorted_run>& run, std::size_t longest, const sort_text_options& o) {
  return {[run] { return run->open(); }, longest, !o.compress.empty(), run->bytes()};
}

std::uint64_t merge_rounds::bytes() const {
  std::uint64_t all = 0;
  for (const merge_source& source : sources_) all += source.bytes;
  return all;
}

std::size_t merge_rounds::most_at_once() const {
  // A program for each source, which compresses, takes memory as well.
  const std::size_t usual = o_.compress.empty() ? 128 : 16;
  return o_.batch != 0 ? o_.batch : usual;
}

std::size_t merge_rounds::end_of_some(std::size_t first, std::size_t others) const {
  const std::size_t most = std::min(sources_.size() - first, most_at_once());
  const std::size_t room = room_for_files(most + others);
  std::size_t files = others;
  std::size_t bytes = 2 * memory_.merge_output();
  // With hardly a descriptor one input is copied into a run, which needs none of its own.
  const std::size_t least = o_.compress.empty() && sources_[first].takes_file ? 1 : 2;
  std::size_t last = first;
  for (; last < first + most; ++last) {
    bytes += memory_.least_cursor(sources_[last].longest);
    if (sources_[last].takes_file) ++files;
    if ((last >= first + 2 && bytes > memory_.limit) || (last >= first + least && files > room)) break;
  }
  return last;
}

void merge_rounds::merge_to(std::size_t first, std::size_t last, byte_sink& to, progress& bar) {
  std::vector<std::unique_ptr<byte_source>> some;
  std::size_t long_lines = 0;
  for (std::size_t s = first; s < last; ++s) {
    some.push_back(sources_[s].open());
    long_lines += memory_.for_long_lines(sources_[s].longest);
  }
  merge_lines(std::move(some), o_, memory_, memory_.cursor_buffer(last - first, long_lines), to, bar);
}

merge_source merge_rounds::merge(std::size_t first, std::size_t last, run_store& to, progress& bar) {
  std::size_t longest = 0;
  for (std::size_t s = first; s < last; ++s) longest = std::max(longest, sources_[s].longest);
  const std::shared_ptr<sorted_run> run = to.next();
  merge_to(first, last, *run, bar);
  run->close();
  for (std::size_t s = first; s < last; ++s) sources_[s] = {};  // gives its temporary file back
  return source_of(run, longest, o_);
}

void merge_rounds::replace(std::size_t first, std::size_t last, merge_source by) {
  sources_[first] = std::move(by);
  sources_.erase(sources_.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                 sources_.begin() + static_cast<std::ptrdiff_t>(last));
}

std::size_t merge_rounds::smallest(std::size_t count) const {
  std::size_t best = 0;
  std::uint64_t best_bytes = ~std::uint64_t{0};
  for (std::size_t first = 0; first + count <= sources_.size(); ++first) {
    std::uint64_t bytes = 0;
    for (std::size_t s = first; s < first + count; ++s) bytes += sources_[s].bytes;
    if (bytes < best_bytes) best = first;
    best_bytes = std::min(best_bytes, bytes);
  }
  return best;
}

void merge_rounds::keep_few_open() {
  if (o_.compress.empty()) return;
  const std::size_t enough = most_at_once() + files_of_a_run();
  const std::size_t least = 3 + files_of_a_run();
  while (sources_.size() > 2) {
    const std::size_t room = room_for_files(enough);
    if (room >= std::max(least, std::min(enough, (room + sources_.size()) / 2))) return;
    const std::size_t fit = room - std::min(room, files_of_a_run());
    const std::size_t count = std::clamp<std::size_t>(fit, 2, std::min(sources_.size(), most_at_once()));
    const std::size_t first = smallest(count);
    run_store store(o_.folders, o_.compress);
    progress unseen("merge", 0, progress::unit::bytes, true);
    replace(first, first + count, merge(first, first + count, store, unseen));
  }
}

void merge_rounds::finish(byte_sink& to, progress& bar) {
  run_store store(o_.folders, o_.compress);
  std::size_t at = 0;
  for (;;) {
    const std::size_t fit = end_of_some(0, files_of_a_run() - 1);
    if (fit == sources_.size()) break;
    if (at + 1 >= sources_.size()) {
      // A round is over. Each has files of its own, so that those of the one before are gone by now.
      at = 0;
      store = run_store(o_.folders, o_.compress);
    }
    std::size_t last = end_of_some(at, files_of_a_run());
    last = std::min(last, at + 1 + sources_.size() - fit);     // no more than must be
    if (last + 1 == sources_.size() && last > at + 2) --last;  // none is left alone
    replace(at, last, merge(at, last, store, bar));
    ++at;
  }
  merge_to(0, sources_.size(), to, bar);
}

}  // namespace peneira::tool
