// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/group/ordered.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "tools/peneira/cli/interrupt.hpp"

namespace peneira::tool {
namespace {

/// When to look for the first of so many lines: often enough that few are held, rarely enough that it costs little.
std::size_t cut_after(std::uint64_t top) {
  constexpr std::uint64_t least = 4096;
  constexpr std::uint64_t most = std::uint64_t{1} << 30U;
  return top == 0 || top > most ? std::numeric_limits<std::size_t>::max() : std::max(2 * top, least);
}

void add_row(group_table& to, std::string_view order, std::string_view line) {
  to.add_key(order);
  char* const kept = to.text.take(line.size());
  std::copy(line.begin(), line.end(), kept);
  to.texts.front().emplace_back(kept, line.size());
}

}  // namespace

ordered_rows::ordered_rows(unsigned team, std::uint64_t top, const std::string& folder, std::uint64_t memory)
    : team_(team),
      top_(top == 0 ? std::numeric_limits<std::uint64_t>::max() : top),
      most_bytes_(std::max<std::uint64_t>(memory / 16, std::uint64_t{1} << 18U)),
      next_cut_(cut_after(top)),
      batch_(0, 1),
      store_(team, line_folds(), folder, memory) {}

group_folds ordered_rows::line_folds() {
  group_folds folds;
  folds.texts = {{text_fold::first, 0}};
  return folds;
}

void ordered_rows::add(std::string_view order, const row_writer& rows, std::string_view key,
                       std::span<const group_result> results) {
  line_.clear();
  try {
    rows.append(line_, key, results);
  } catch (const std::runtime_error& e) {
    line_ = e.what();
  }
  add_row(batch_, order, line_);
  if (batch_.size() >= next_cut_) keep_top();
  if (batch_.bytes() >= most_bytes_) empty_batch();
}

void ordered_rows::keep_top() {
  const std::vector<std::uint32_t> rows = sorted_rows(batch_.keys, team_);
  group_table kept(0, 1);
  for (std::size_t i = 0; i < std::min<std::uint64_t>(rows.size(), top_); ++i) {
    add_row(kept, batch_.keys[rows[i]], batch_.texts.front()[rows[i]]);
  }
  batch_ = std::move(kept);
  if (batch_.size() < top_) return;
  limited_ = true;
  limit_ = batch_.keys.back();
}

void ordered_rows::empty_batch() {
  poll_interrupt();
  store_.add(std::exchange(batch_, group_table(0, 1)));
  store_.keep_bounded();
}

void ordered_rows::write(row_sink& to) {
  empty_batch();
  store_.finish();
  const std::unique_ptr<group_stream> lines = store_.stream();
  for (std::uint64_t left = top_; left > 0; --left) {
    const group_view* const line = lines->next();
    if (line == nullptr) return;
    const std::string_view text = line->texts.front();
    if (!text.ends_with('\n')) throw std::runtime_error(std::string(text));
    to.write(text);
  }
}

}  // namespace peneira::tool
