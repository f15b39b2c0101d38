// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/sort/text/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "peneira/cpu/team.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/sort/text/rounds.hpp"

namespace peneira::tool {

part_of_lines::part_of_lines(const sort_text_options& o, const random_salt& salt, std::uint64_t limit)
    : o_(o), order_(o), wanted_(o.top ? *o.top : o.sample.value_or(0)), salt_(salt), limit_(limit) {}

bool part_of_lines::sorted_before(const kept_line& a, const kept_line& b) const {
  const int order = order_.compare(a.line, b.line);
  return order != 0 ? order < 0 : a.number < b.number;
}

bool part_of_lines::before(const kept_line& a, const kept_line& b) const {
  if (!o_.sample) return sorted_before(a, b);
  return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
}

template <class Offset>
part_of_lines::kept_line part_of_lines::line_of(const text_chunk& chunk, const chunk_starts<Offset>& starts,
                                                std::size_t i) const {
  kept_line one{{chunk.all_lines(starts)[i], chunk.all_keys(starts)[i]}, seen_ + i, 0};
  one.line.first = order_.first_of(one.line.key);
  if (o_.sample) one.rank = random_rank(salt_, one.number);
  return one;
}

bool part_of_lines::add(const text_chunk& chunk, unsigned team) {
  chunk.with_starts([&](const auto& starts) {
    std::vector<std::vector<std::uint32_t>> passed(team);
    on_slices(team, chunk.lines, [&](unsigned m, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (!refused(line_of(chunk, starts, i))) passed[m].push_back(static_cast<std::uint32_t>(i));
      }
    });
    for (const std::vector<std::uint32_t>& some : passed) {
      for (const std::uint32_t i : some) {
        if (const kept_line one = line_of(chunk, starts, i); !refused(one)) keep(one);
      }
    }
  });
  seen_ += chunk.lines;
  if (bytes() > limit_) cut();
  return bytes() <= limit_;
}

void part_of_lines::keep(kept_line one) {
  const std::string_view text = one.line.text;
  const bool own_key = one.line.key.data() != text.data();
  char* const kept = store_.take(text.size() + 1 + (own_key ? one.line.key.size() : 0));
  std::memcpy(kept, text.data(), text.size() + 1);  // with its terminator
  if (own_key && !one.line.key.empty()) std::memcpy(kept + text.size() + 1, one.line.key.data(), one.line.key.size());
  one.line.text = {kept, text.size()};
  one.line.key = {own_key ? kept + text.size() + 1 : kept, one.line.key.size()};
  longest_ = std::max(longest_, text.size() + 1);
  lines_.push_back(one);
  constexpr std::uint64_t least_more = std::uint64_t{1} << 14U;
  if (lines_.size() >= wanted_ && lines_.size() - wanted_ >= std::max(wanted_, least_more)) cut();
}

void part_of_lines::cut() {
  poll_interrupt();
  const auto first = [this](const kept_line& a, const kept_line& b) { return before(a, b); };
  if (o_.unique && !o_.sample) {
    std::sort(lines_.begin(), lines_.end(), first);
    const auto same = [this](const kept_line& a, const kept_line& b) { return order_.same_key(a.line, b.line); };
    lines_.erase(std::unique(lines_.begin(), lines_.end(), same), lines_.end());
  }
  if (lines_.size() >= wanted_) {
    const auto end = lines_.begin() + static_cast<std::ptrdiff_t>(wanted_);
    std::nth_element(lines_.begin(), end - 1, lines_.end(), first);
    lines_.erase(end, lines_.end());
    remember_last();
  }
  move_lines();
}

void part_of_lines::remember_last() {
  const kept_line& last = lines_.back();
  last_text_.assign(last.line.text);
  last_key_.assign(last.line.key);
  last_ = {{last_text_, last_key_, last.line.first}, o_.unique && !o_.sample ? 0 : last.number, last.rank};
}

void part_of_lines::move_lines() {
  byte_store old;
  std::swap(old, store_);
  std::vector<kept_line> lines;
  std::swap(lines, lines_);
  lines_.reserve(lines.size());
  for (kept_line& one : lines) keep(one);
}

void part_of_lines::write(byte_sink& to) {
  if (lines_.size() >= wanted_ || (o_.unique && !o_.sample)) cut();
  std::sort(lines_.begin(), lines_.end(),
            [this](const kept_line& a, const kept_line& b) { return sorted_before(a, b); });
  constexpr std::size_t enough = std::size_t{1} << 16U;
  std::string block;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const keyed_line& line = lines_[i].line;
    if (o_.unique && i > 0 && order_.same_key(lines_[i - 1].line, line)) continue;
    block.append(line.text.data(), line.text.size() + 1);
    if (block.size() < enough) continue;
    to.write(block.data(), block.size());
    block.clear();
  }
  to.write(block.data(), block.size());
  lines_ = {};
  store_.clear();
}

void sort_part(const sort_text_options& o, const text_memory& memory, const random_salt& salt, input_opener& inputs,
               byte_sink& out, const sort_rest& rest) {
  const auto write_header = [&] { out.write(inputs.header().data(), inputs.header().size()); };
  if (o.top.value_or(1) == 0 || o.sample.value_or(1) == 0) return write_header();
  text_memory for_chunks = memory;
  for_chunks.limit = std::min<std::uint64_t>(memory.limit / 8, std::uint64_t{1} << 26U);  // kept lines take more
  // Keys can take many times what their lines do, and those of lines that a chunk has no room for are made again.
  constexpr std::uint64_t least_piece = std::uint64_t{1} << 12U;
  for_chunks.piece = std::clamp<std::size_t>(for_chunks.limit / 64 / memory.team, least_piece, memory.piece);
  part_of_lines part(o, salt, memory.limit / 8);  // while they are moved, they are there twice
  progress bar(o.top ? "top" : "sample", known_bytes(o.inputs), progress::unit::bytes, o.quiet);
  chunk_reader reader(o, for_chunks, inputs);
  for (text_chunk chunk; reader.next(chunk, bar);) {
    if (part.add(chunk, memory.team)) continue;
    if (o.sample) {
      throw std::runtime_error(
          fmt::format("--sample: {} lines do not fit into the memory; -S says how much to use", *o.sample));
    }
    // What does not fit once will not the next time either, and runs of so little memory are far too many.
    merge_rounds runs(o, memory);
    run_store store(o.folders, o.compress);
    const std::size_t longest = part.longest();
    const std::shared_ptr<sorted_run> run = store.next();
    part.write(*run);
    run->close();
    runs.add(source_of(run, longest, o));
    for_chunks.limit = memory.limit;
    return rest(reader, chunk, bar, runs);
  }
  write_header();
  part.write(out);
}

}  // namespace peneira::tool
