// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/group/store.hpp"

#include <algorithm>
#include <utility>

namespace peneira::tool {

group_store::group_store(unsigned team, const group_folds& folds, const std::string& folder, std::uint64_t memory)
    : team_(team),
      folds_(folds.of_groups()),
      memory_(memory),
      runs_(folder, folds_, memory),
      compact_(team),
      groups_(folds.numbers.size(), folds.texts.size()) {}

void group_store::keep_bounded() {
  // While a table is grouped there are two, and what the grouper needs; arrays that grow have room for twice as much.
  const std::uint64_t most_bytes = memory_ / 8;
  const auto bytes = [&] { return groups_.bytes() + long_decimals::all().bytes(); };
  if (groups_.size() < next_compaction_ && bytes() < most_bytes) return;
  const std::size_t before = groups_.size();
  compact();
  if (bytes() > most_bytes / 2 || groups_.size() > most_rows / 2) spill();
  // Groups that did not become fewer will not next time either.
  next_compaction_ = std::max(first_compaction, groups_.size() * (groups_.size() > before / 4 * 3 ? 8 : 2));
  next_compaction_ = std::min(next_compaction_, most_rows);
}

void group_store::add_run(const run_file& from) {
  constexpr std::size_t most_rows_at_once = std::size_t{1} << 16U;
  run_reader run(run_bytes(from, 0, from.end()), folds_, std::size_t{1} << 20U);
  group_table part(folds_.numbers.size(), folds_.texts.size());
  for (const group_view* group = run.next(); group != nullptr;) {
    part.add_row(*group);
    group = run.next();
    if (group != nullptr && part.size() < most_rows_at_once) continue;
    groups_.append(std::exchange(part, group_table(folds_.numbers.size(), folds_.texts.size())));
    keep_bounded();
  }
}

void group_store::save(run_file& to) {
  run_writer writer(to, std::size_t{1} << 20U);
  const std::unique_ptr<group_stream> all = stream();
  while (const group_view* const group = all->next()) writer.add(*group);
  writer.flush();
}

void group_store::finish() {
  if (!runs_.empty() && groups_.size() > 0) spill();
  if (runs_.empty()) compact();
  compact_ = grouper(team_);  // gives its memory back
}

std::unique_ptr<group_stream> group_store::stream(bool sorted) {
  if (!in_memory()) return runs_.merged();
  return std::make_unique<table_stream>(groups_,
                                        sorted ? sorted_rows(groups_.keys, team_) : std::vector<std::uint32_t>());
}

void group_store::spill() {
  compact();
  table_stream sorted(groups_, sorted_rows(groups_.keys, team_));
  runs_.spill(sorted);
  for (const auto& column : groups_.columns) {
    for (const decimal& number : column) release(number);
  }
  groups_ = group_table(folds_.numbers.size(), folds_.texts.size());
}

}  // namespace peneira::tool
