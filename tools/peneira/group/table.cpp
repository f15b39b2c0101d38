// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/group/table.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "peneira/segmented_reduce.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/group/sketch.hpp"
#include "tools/peneira/group/split_rows.hpp"

namespace peneira::tool {
void group_table::resize(std::size_t rows) {
  hashes.resize(rows);
  keys.resize(rows);
  for (auto& column : columns) column.resize(rows);
  for (auto& column : texts) column.resize(rows);
}

void group_table::append(group_table&& other) {
  if (size() == 0 && text.bytes() == 0) {
    *this = std::move(other);
    return;
  }
  hashes.insert(hashes.end(), other.hashes.begin(), other.hashes.end());
  keys.insert(keys.end(), other.keys.begin(), other.keys.end());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    columns[c].insert(columns[c].end(), other.columns[c].begin(), other.columns[c].end());
  }
  for (std::size_t t = 0; t < texts.size(); ++t) {
    texts[t].insert(texts[t].end(), other.texts[t].begin(), other.texts[t].end());
  }
  text.append(std::move(other.text));
}

void group_table::add_key(std::string_view key) {
  char* const kept = text.take(key.size());
  std::copy(key.begin(), key.end(), kept);
  keys.emplace_back(kept, key.size());
  hashes.push_back(hash_key(keys.back()));
}

void group_table::add_row(const group_view& group) {
  add_key(group.key);
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(group.numbers[c]);
  for (std::size_t t = 0; t < texts.size(); ++t) {
    char* const kept = text.take(group.texts[t].size());
    std::copy(group.texts[t].begin(), group.texts[t].end(), kept);
    texts[t].emplace_back(kept, group.texts[t].size());
  }
}

void group_table::forget_keys() {
  forget(hashes);
  forget(keys);
  if (texts.empty()) text.clear();
}

group_table grouper::group(const group_table& rows, group_table* consumed, const group_folds& folds) {
  group_table groups(folds.numbers.size(), folds.texts.size());
  if (rows.size() == 0) return groups;
  split_by_hash(rows);
  if (consumed != nullptr) {
    forget(consumed->hashes);
    forget(numbers_);
  }
  find_groups(rows);
  if (consumed != nullptr) forget_search();
  groups.hashes.resize(firsts_.size());
  groups.keys.resize(firsts_.size());
  copy_keys(rows, groups);
  if (consumed != nullptr) consumed->forget_keys();
  fold_columns(rows, consumed, folds, groups);
  for (auto& column : groups.texts) column.resize(firsts_.size());
  fold_texts(rows, folds, groups);
  return groups;
}

void grouper::forget_search() {
  for (auto* const column : {&split_rows_, &group_of_, &bin_firsts_, &bin_starts_}) forget(*column);
  forget(split_hashes_);
  forget(scratch_);
}

/// Bins by the highest bits of the hash, small enough that a bin's table of groups stays in the first-level cache.
void grouper::split_by_hash(const group_table& rows) {
  constexpr unsigned bin_rows_log2 = 11;
  const std::size_t n = rows.size();
  const auto bits = static_cast<unsigned>(std::clamp<std::size_t>(std::bit_width(n >> bin_rows_log2), 1, 14));
  if (numbers_.size() < n) {
    const std::size_t before = numbers_.size();
    numbers_.resize(n);
    std::iota(numbers_.begin() + static_cast<std::ptrdiff_t>(before), numbers_.end(),
              static_cast<std::uint32_t>(before));
  }
  split_hashes_.resize(n);
  split_rows_.resize(n);
  bins_.resize((std::size_t{1} << bits) + 1);
  split_rows(team_, rows.hashes, numbers_, row_bins(bits), split_hashes_, split_rows_, bins_);
}

void grouper::find_groups(const group_table& rows) {
  const std::size_t n = rows.size();
  const std::size_t bins = bins_.size() - 1;
  for (auto* const column : {&group_of_, &order_, &bin_firsts_, &bin_starts_}) column->resize(n);
  scratch_.resize(team_);
  std::vector<std::uint32_t> bases(bins + 1);
  share_out(team_, bins, [&](unsigned m, std::size_t bin) {
    bases[bin + 1] = group_bin(rows, bins_[bin], bins_[bin + 1], scratch_[m]);
  });
  std::inclusive_scan(bases.begin(), bases.end(), bases.begin());
  firsts_.resize(bases[bins]);
  starts_.resize(bases[bins] + std::size_t{1});
  on_slices(team_, bins, [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
    for (std::size_t bin = begin; bin < end; ++bin) {
      const std::size_t groups = bases[bin + 1] - bases[bin];
      std::copy_n(bin_firsts_.begin() + bins_[bin], groups, firsts_.begin() + bases[bin]);
      std::copy_n(bin_starts_.begin() + bins_[bin], groups, starts_.begin() + bases[bin]);
    }
  });
  starts_.back() = static_cast<std::uint32_t>(n);
}

/// Numbers the groups of a bin as they appear, and puts its rows in the order of their groups. Returns how many.
std::uint32_t grouper::group_bin(const group_table& rows, std::size_t begin, std::size_t end, bin_scratch& s) {
  constexpr std::size_t first_slots = 1024;
  constexpr std::size_t ahead = 8;
  s.slots.assign(first_slots, 0);
  s.hashes.clear();
  s.counts.clear();
  for (std::size_t i = begin; i < end; ++i) {
    if (i + 2 * ahead < end) __builtin_prefetch(&rows.keys[split_rows_[i + 2 * ahead]]);
    if (i + ahead < end) __builtin_prefetch(rows.keys[split_rows_[i + ahead]].data());
    const std::uint64_t hash = split_hashes_[i];
    const std::uint32_t row = split_rows_[i];
    std::size_t slot = hash & (s.slots.size() - 1);
    std::uint32_t group = 0;
    while ((group = s.slots[slot]) != 0) {
      if (s.hashes[group - 1] == hash && same_key(rows.keys[row], rows.keys[bin_firsts_[begin + group - 1]])) break;
      slot = (slot + 1) & (s.slots.size() - 1);
    }
    if (group == 0) {
      bin_firsts_[begin + s.hashes.size()] = row;
      s.hashes.push_back(hash);
      s.counts.push_back(0);
      group = s.slots[slot] = static_cast<std::uint32_t>(s.hashes.size());
      if (2 * s.hashes.size() > s.slots.size()) grow(s);
    }
    group_of_[i] = group;
    ++s.counts[group - 1];
  }
  auto at = static_cast<std::uint32_t>(begin);
  for (std::size_t g = 0; g < s.counts.size(); ++g) {
    bin_starts_[begin + g] = at;
    at += std::exchange(s.counts[g], at);
  }
  for (std::size_t i = begin; i < end; ++i) order_[s.counts[group_of_[i] - 1]++] = split_rows_[i];
  return static_cast<std::uint32_t>(s.hashes.size());
}

void grouper::grow(bin_scratch& s) {
  s.slots.assign(4 * s.slots.size(), 0);
  const std::size_t mask = s.slots.size() - 1;
  for (std::uint32_t g = 0; g < s.hashes.size(); ++g) {
    std::size_t slot = s.hashes[g] & mask;
    while (s.slots[slot] != 0) slot = (slot + 1) & mask;
    s.slots[slot] = g + 1;
  }
}

namespace {

/// Takes bytes for `count` texts, and calls fill(which, where) for each, which tells where the next one begins.
template <class Size, class Fill>
void lay_out_texts(unsigned team, std::size_t count, byte_store& store, const Size& size, const Fill& fill) {
  std::vector<std::size_t> position(team + 1);
  on_slices(team, count, [&](unsigned m, std::size_t begin, std::size_t end) {
    std::size_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += size(i);
    position[m + 1] = sum;
  });
  std::inclusive_scan(position.begin(), position.end(), position.begin());
  char* const bytes = store.take(position[team]);
  on_slices(team, count, [&](unsigned m, std::size_t begin, std::size_t end) {
    char* at = bytes + position[m];
    for (std::size_t i = begin; i < end; ++i) at = fill(i, at);
  });
}

}  // namespace

void grouper::copy_keys(const group_table& rows, group_table& to) const {
  lay_out_texts(
      team_, firsts_.size(), to.text, [&](std::size_t g) { return rows.keys[firsts_[g]].size(); },
      [&](std::size_t g, char* at) {
        const std::string_view key = rows.keys[firsts_[g]];
        to.hashes[g] = rows.hashes.empty() ? hash_key(key) : rows.hashes[firsts_[g]];
        to.keys[g] = {at, key.size()};
        return std::copy(key.begin(), key.end(), at);
      });
}

void grouper::gather(const std::vector<decimal>& column, number_map map) {
  gathered_.resize(order_.size());
  on_slices(team_, order_.size(), [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
    if (map == nullptr) {
      for (std::size_t i = begin; i < end; ++i) gathered_[i] = column[order_[i]];
    } else {
      for (std::size_t i = begin; i < end; ++i) gathered_[i] = map(column[order_[i]]);
    }
  });
}

/// Lays the values of each group side by side, and folds them.
void grouper::fold_columns(const group_table& rows, group_table* consumed, const group_folds& folds, group_table& to) {
  constexpr std::size_t none = ~std::size_t{0};
  const cpu on{.threads = team_};
  std::size_t held = none;
  number_map held_map = nullptr;
  for (std::size_t r = 0; r < folds.numbers.size(); ++r) {
    const auto [how, column] = folds.numbers[r];
    auto& out = to.columns[r];
    if (how == fold::rows) {
      out.resize(firsts_.size());
      for (std::size_t g = 0; g < out.size(); ++g) out[g] = {starts_[g + 1] - starts_[g], 0};
      continue;
    }
    const number_map map = map_of(how, folds.gaps);
    // What was mapped may be long, and is gone once it was added.
    if (held != column || map != nullptr || held_map != nullptr) gather(rows.columns[column], map);
    held = column;
    held_map = map;
    const auto is_same = [column](const reduction& other) { return other.column == column; };
    const auto later = folds.numbers.begin() + static_cast<std::ptrdiff_t>(r) + 1;
    if (consumed != nullptr && std::none_of(later, folds.numbers.end(), is_same)) forget(consumed->columns[column]);
    out.resize(firsts_.size());
    switch (merging_of(how)) {
      case merging::plus:
        segmented_reduce(on, gathered_, starts_, out, decimal_plus{});
        break;
      case merging::min:
        segmented_reduce(on, gathered_, starts_, out, decimal_min{});
        break;
      case merging::max:
        segmented_reduce(on, gathered_, starts_, out, decimal_max{});
        break;
    }
  }
  if (consumed != nullptr) forget(gathered_);
}

/// Makes one sketch of the texts, or sketches, of each group.
void grouper::fold_sketches(const std::vector<std::string_view>& from, bool of_sketches,
                            std::vector<std::string_view>& to, byte_store& store) const {
  std::vector<byte_store> stores(team_);
  on_slices(team_, firsts_.size(), [&](unsigned m, std::size_t begin, std::size_t end) {
    byte_store& mine = team_ == 1 ? store : stores[m];
    distinct_sketch sketch;
    for (std::size_t g = begin; g < end; ++g) {
      sketch.clear();
      for (const std::uint32_t row : std::span(order_).subspan(starts_[g], starts_[g + 1] - starts_[g])) {
        of_sketches ? sketch.merge(from[row]) : sketch.add(from[row]);
      }
      const std::string_view bytes = sketch.bytes();
      to[g] = {std::copy(bytes.begin(), bytes.end(), mine.take(bytes.size())) - bytes.size(), bytes.size()};
    }
  });
  if (team_ == 1) return;
  for (byte_store& one : stores) store.append(std::move(one));
}

void grouper::fold_texts(const group_table& rows, const group_folds& folds, group_table& to) const {
  for (std::size_t t = 0; t < folds.texts.size(); ++t) {
    const auto [how, column] = folds.texts[t];
    const std::vector<std::string_view>& from = rows.texts[column];
    if (how == text_fold::sketch || how == text_fold::sketches) {
      fold_sketches(from, how == text_fold::sketches, to.texts[t], to.text);
      continue;
    }
    // The rows of a group that its text is made of.
    const auto range = [&, all = how](std::size_t g) {
      const std::size_t first = all == text_fold::last ? starts_[g + 1] - 1 : starts_[g];
      return std::span(order_).subspan(first, all == text_fold::append ? starts_[g + 1] - first : 1);
    };
    lay_out_texts(
        team_, firsts_.size(), to.text,
        [&](std::size_t g) {
          std::size_t size = (range(g).size() - 1) * folds.joint.size();
          for (const std::uint32_t row : range(g)) size += from[row].size();
          return size;
        },
        [&](std::size_t g, char* const begin) {
          char* at = begin;
          for (const std::uint32_t row : range(g)) {
            if (row != range(g).front()) at = std::copy(folds.joint.begin(), folds.joint.end(), at);
            at = std::copy(from[row].begin(), from[row].end(), at);
          }
          to.texts[t][g] = {begin, static_cast<std::size_t>(at - begin)};
          return at;
        });
  }
}

}  // namespace peneira::tool
