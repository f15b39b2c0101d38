// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "tools/peneira/group/split_rows.hpp"
#include "tools/peneira/group/table.hpp"

namespace peneira::tool {
namespace {

constexpr std::size_t word_bytes = 8;

/// The eight bytes of a key from `skip` on as a number that orders like them.
std::uint64_t prefix_of(std::string_view key, std::size_t skip) {
  return skip >= key.size() ? 0 : __builtin_bswap64(detail::load_word(key.data() + skip, key.size() - skip));
}

/// The bytes that all keys begin with.
std::size_t common_prefix(const std::vector<std::string_view>& keys, unsigned team) {
  std::vector<std::size_t> shared(team, keys.front().size());
  on_slices(team, keys.size(), [&](unsigned m, std::size_t begin, std::size_t end) {
    std::string_view common = keys.front();
    for (std::size_t i = begin; i < end && !common.empty(); ++i) {
      if (keys[i].starts_with(common)) continue;
      const auto differ = std::mismatch(common.begin(), common.end(), keys[i].begin(), keys[i].end());
      common = common.substr(0, static_cast<std::size_t>(differ.first - common.begin()));
    }
    shared[m] = common.size();
  });
  return *std::min_element(shared.begin(), shared.end());
}

/// Splitters from a sample of words.
std::vector<std::uint64_t> pivots_of(const std::vector<std::uint64_t>& words, std::size_t bins) {
  constexpr std::size_t samples_per_bin = 16;
  const std::size_t count = bins * samples_per_bin;
  std::vector<std::uint64_t> sample;
  for (std::size_t s = 0; s < count; ++s) sample.push_back(words[s * words.size() / count]);
  std::sort(sample.begin(), sample.end());
  std::vector<std::uint64_t> pivots;
  for (std::size_t b = 1; b < bins; ++b) pivots.push_back(sample[b * samples_per_bin]);
  return pivots;
}

/// A row and eight bytes of its key.
struct row_word {
  std::uint64_t word;
  std::uint32_t row;
};

/// Sorts rows by the words that they have of their keys from `skip` on; those that are many and equal in it by the next
/// word, as comparing numbers that lie here is quicker than comparing bytes that lie anywhere.
void sort_words(std::span<row_word> rows, const std::vector<std::string_view>& keys, std::size_t skip) {
  constexpr std::size_t few = 16;
  constexpr std::size_t most_skip = 256;  // behind which keys are compared as a whole, so that this ends
  std::sort(rows.begin(), rows.end(), [](const row_word& a, const row_word& b) { return a.word < b.word; });
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].word == rows[begin].word) ++end;
    const std::span<row_word> equal = rows.subspan(begin, end - begin);
    if (equal.size() == 1) continue;
    if (equal.size() <= few || skip >= most_skip) {
      std::sort(equal.begin(), equal.end(),
                [&](const row_word& a, const row_word& b) { return keys[a.row] < keys[b.row]; });
      continue;
    }
    for (row_word& r : equal) r.word = prefix_of(keys[r.row], skip + word_bytes);
    sort_words(equal, keys, skip + word_bytes);
  }
}

}  // namespace

/// Bins by splitters from a sample of the keys' first bytes where they differ; each bin is then sorted in the cache.
std::vector<std::uint32_t> sorted_rows(const std::vector<std::string_view>& keys, unsigned team) {
  constexpr std::size_t bin_rows = 1024;
  const std::size_t n = keys.size();
  std::vector<std::uint32_t> rows(n);
  if (n == 0) return rows;
  const std::size_t skip = common_prefix(keys, team);
  const std::size_t bins = std::clamp<std::size_t>(n / bin_rows, 1, 4096);
  std::vector<std::uint64_t> words(n);
  std::vector<std::uint32_t> numbers(n);
  on_slices(team, n, [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      words[i] = prefix_of(keys[i], skip);
      numbers[i] = static_cast<std::uint32_t>(i);
    }
  });
  std::vector<std::uint64_t> split_words(n);
  std::vector<std::uint32_t> offsets(bins + 1);
  split_rows(team, words, numbers, row_bins(pivots_of(words, bins)), split_words, rows, offsets);

  std::vector<std::vector<row_word>> entries(team);
  share_out(team, bins, [&](unsigned m, std::size_t bin) {
    auto& mine = entries[m];
    mine.clear();
    for (std::size_t i = offsets[bin]; i < offsets[bin + 1]; ++i) mine.push_back({split_words[i], rows[i]});
    sort_words(mine, keys, skip);
    for (std::size_t i = 0; i < mine.size(); ++i) rows[offsets[bin] + i] = mine[i].row;
  });
  return rows;
}

}  // namespace peneira::tool
