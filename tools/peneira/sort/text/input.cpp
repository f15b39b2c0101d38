// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading: a round of pieces at a time, whose lines are found and whose keys are encoded while they are in a cache.
#include "tools/peneira/sort/text/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "peneira/cpu/team.hpp"
#include "peneira/strings/separators.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/sort/text/order.hpp"

namespace peneira::tool {
namespace {

/// A hash that is worth less than a comparison: some of the bytes and the length, stirred.
std::uint16_t mark_of(const char* key, std::size_t size) {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (size >= sizeof(first)) {
    std::memcpy(&first, key, sizeof(first));
    std::memcpy(&last, key + size - sizeof(last), sizeof(last));
  } else {
    std::memcpy(&first, key, size);
  }
  constexpr std::uint64_t stir = 0x9E3779B97F4A7C15U;
  std::uint64_t all = (first ^ size) * stir;
  all = ((all ^ all >> 32U) + last) * stir;
  return static_cast<std::uint16_t>(all >> 48U);
}

}  // namespace

void text_chunk::widen() {
  const auto copy = [&](const paged_array<std::uint32_t>& from, paged_array<std::uint64_t>& to) {
    to.reserve(lines + 1);
    std::copy_n(from.data(), lines + 1, to.data());
  };
  copy(narrow_starts.lines, wide_starts.lines);
  if (has_keys) copy(narrow_starts.keys, wide_starts.keys);
  narrow_starts.lines.clear();
  narrow_starts.keys.clear();
  wide = true;
}

std::size_t text_chunk::longest_line() const {
  return with_starts([&](const auto& starts) {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < lines; ++i) {
      longest = std::max<std::size_t>(longest, starts.lines[i + 1] - starts.lines[i]);
    }
    return longest;
  });
}

chunk_reader::chunk_reader(const sort_text_options& o, const text_memory& memory, input_opener& inputs)
    : o_(o), memory_(memory), inputs_(inputs), has_keys_(!o.keys.empty()), team_(memory.team), workers_(memory.team) {
  for (worker& w : workers_) w.encoder = key_encoder(o.keys, o.fields());
}

void chunk_reader::begin(text_chunk& chunk) {
  chunk.has_keys = has_keys_;
  if (const std::size_t begun = chunk.line_bytes(); begun > 0) {
    chunk.bytes -= begun;
    std::memmove(chunk.text.data(), chunk.text.data() + begun, chunk.bytes);
    chunk.lines = 0;
  }
  chunk.with_starts([&](auto& starts) {
    starts.lines.reserve(1);
    starts.lines[0] = 0;
    if (!has_keys_) return;
    starts.keys.reserve(1);
    starts.keys[0] = 0;
  });
  if (left_ == 0) return;
  for (worker& w : workers_) w.lines = 0;
  const std::size_t bytes = std::exchange(left_, 0);
  if (o_.csv) {
    csv_ends again(*o_.separator);
    find_csv_ends(workers_.front(), chunk, 0, bytes, again);
  } else {
    find_ends(workers_.front(), chunk, 0, bytes);
  }
  add(chunk, 1);
}

bool chunk_reader::next(text_chunk& chunk, progress& bar) {
  begin(chunk);
  while (left_ == 0 && more()) {
    poll_interrupt();
    if (file_ == nullptr) {
      file_ = inputs_.open(next_input_++);
      decoding_bytes_ = std::max(decoding_bytes_, file_->decoding_bytes());
      if (o_.csv) csv_.emplace(*o_.separator, file_->taken_lines());
    }
    read(chunk, bar);
  }
  return chunk.lines > 0;
}

void chunk_reader::read(text_chunk& chunk, progress& bar) {
  constexpr std::size_t slack = 64;  // bytes behind a line that a copy may touch
  chunk.text.reserve(chunk.bytes + memory_.piece * team_ + 1 + slack);
  for (worker& w : workers_) w.lines = 0;
  const std::vector<std::size_t> parts = file_->read(chunk.text.data() + chunk.bytes, memory_.piece, team_,
                                                     [&](unsigned m, std::size_t first, std::size_t bytes) {
                                                       if (csv_) return;
                                                       find_ends(workers_[m], chunk, chunk.bytes + first, bytes);
                                                     });
  if (csv_) find_csv_ends(chunk, parts);
  const std::size_t got = std::accumulate(parts.begin(), parts.end(), std::size_t{0});
  bar.add(got);
  chunk.bytes += got;
  add(chunk, static_cast<unsigned>(parts.size()));
  const std::size_t begun = chunk.bytes - chunk.line_bytes() - left_;
  if (csv_ && csv_->open() && begun > memory_.most_record()) {
    refuse_open(fmt::format("is longer than {}; a larger -S allows it", print_bytes(static_cast<double>(begun))));
  }
  if (got > 0) return;
  if (begun > 0) end_line(chunk);
  file_.reset();
}

void chunk_reader::end_line(text_chunk& chunk) {
  if (csv_ && csv_->open()) refuse_open("never ends");
  chunk.text[chunk.bytes] = o_.terminator;
  if (csv_) {
    find_csv_ends(workers_.front(), chunk, chunk.bytes, 1, *csv_);
  } else {
    find_ends(workers_.front(), chunk, chunk.bytes, 1);
  }
  ++chunk.bytes;
  add(chunk, 1);
}

void chunk_reader::refuse_open(std::string_view how) const {
  throw std::runtime_error(
      fmt::format("{}: line {}: a quoted field begins here and {}", file_->name(), csv_->open_line(), how));
}

void chunk_reader::find_csv_ends(text_chunk& chunk, const std::vector<std::size_t>& parts) {
  std::size_t first = chunk.bytes;
  for (std::size_t m = 0; m < parts.size(); ++m) {
    find_csv_ends(workers_[m], chunk, first, parts[m], *csv_);
    first += parts[m];
  }
}

void chunk_reader::find_csv_ends(worker& w, const text_chunk& chunk, std::size_t first, std::size_t bytes,
                                 csv_ends& ends) {
  w.first = first;
  w.lines = 0;
  w.ends.reserve(bytes + 1);
  const char* const begin = chunk.text.data() + first;
  for (const char* at = begin; (at = ends.next(at, begin + bytes)) != nullptr;) {
    ++at;
    w.ends[w.lines++] = static_cast<std::uint32_t>(at - begin);
  }
}

void chunk_reader::find_ends(worker& w, const text_chunk& chunk, std::size_t first, std::size_t bytes) const {
  if (w.lines == 0) w.first = first;
  w.ends.reserve(w.lines + bytes + pn::detail::separators_at_once);
  std::uint32_t* const ends = w.ends.data() + w.lines;
  const std::size_t found =
      pn::detail::find_separators(chunk.text.data() + first, static_cast<std::uint32_t>(bytes), o_.terminator, ends);
  const auto before = static_cast<std::uint32_t>(first - w.first);
  std::transform(ends, ends + found, ends, [before](std::uint32_t end) { return before + end; });
  w.lines += found;
}

void chunk_reader::add(text_chunk& chunk, unsigned members) {
  const std::size_t lines = first_line(chunk, members) - chunk.lines;
  if (lines == 0) return;
  if (!chunk.wide && needs_wide(chunk, lines)) chunk.widen();
  chunk.with_starts([&]<class Offset>(chunk_starts<Offset>& starts) {
    starts.lines.reserve(chunk.lines + lines + 1);
    pn::detail::on_each(members, [&](unsigned m) {
      Offset* const next = starts.lines.data() + first_line(chunk, m) + 1;
      const worker& w = workers_[m];
      const auto base = static_cast<Offset>(w.first);
      std::transform(w.ends.data(), w.ends.data() + w.lines, next, [base](std::uint32_t end) { return base + end; });
    });
    if (has_keys_) encode_keys(chunk, starts, members);
    const std::size_t taken = cut(chunk, members, lines);
    left_ = starts.lines[chunk.lines + lines] - starts.lines[chunk.lines + taken];
    if (has_keys_) add_keys(chunk, starts, members);
    touched_.text = std::max(touched_.text, chunk.bytes);
    touched_.lines = std::max(touched_.lines, chunk.lines + lines);
    chunk.lines += taken;
    touched_.keys = std::max(touched_.keys, chunk.key_bytes());
  });
}

std::size_t chunk_reader::bytes_with(const text_chunk& chunk, const extent_of_use& use, std::size_t lines) const {
  const std::size_t offset = chunk.wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
  const std::size_t starts = has_keys_ ? 2 * offset + sizeof(std::uint16_t) : offset;
  // The lines are written when they are in order, and what that took is free again.
  const std::size_t beside = std::max(bytes_to_order(lines, o_, team_, chunk.wide), team_ * memory_.write_buffer);
  return held_bytes_ + decoding_bytes_ + std::max(use.text, touched_.text) +
         std::max(use.lines, touched_.lines) * starts + std::max(use.keys, touched_.keys) + beside;
}

void chunk_reader::forget_beyond(text_chunk& chunk, const extent_of_use& use) {
  touched_ = use;
  chunk.text.forget_from(use.text);
  chunk.keys.forget_from(use.keys);
  chunk.key_marks.forget_from(use.lines);
  chunk.with_starts([&](auto& starts) {
    starts.lines.forget_from(use.lines + 1);
    starts.keys.forget_from(use.lines + 1);
  });
}

std::size_t chunk_reader::forget_unused(worker& w) {
  w.ends.forget_from(w.lines);
  w.keys.forget_from(w.key_bytes);
  w.encoder.forget();
  return w.touched = w.lines * sizeof(std::uint32_t) + w.key_bytes;
}

std::size_t chunk_reader::cut(text_chunk& chunk, unsigned members, std::size_t found) {
  for (unsigned m = 0; m < members; ++m) {
    worker& w = workers_[m];
    const std::size_t touches = w.lines * sizeof(std::uint32_t) + w.key_bytes + w.encoder.held_bytes();
    held_bytes_ += touches - std::min(touches, w.touched);
    w.touched = std::max(w.touched, touches);
  }
  std::vector<std::size_t> lines_of(members);
  std::vector<std::size_t> keys_of(members);
  const auto share_out = [&](std::size_t lines) {  // among the workers; returns the bytes of their keys
    std::size_t keys = 0;
    for (unsigned m = 0; m < members; ++m) {
      const worker& w = workers_[m];
      lines_of[m] = std::min(lines, w.lines);
      lines -= lines_of[m];
      keys_of[m] = w.key_bytes;
      if (has_keys_ && lines_of[m] < w.lines) {
        const std::size_t end = first_line(chunk, m) + lines_of[m];
        keys_of[m] =
            lines_of[m] == 0 ? 0 : chunk.with_starts([&](auto& starts) -> std::size_t { return starts.keys[end]; });
      }
      keys += keys_of[m];
    }
    return keys;
  };
  // The next round is read before its lines can be refused.
  const std::size_t limit = memory_.limit - std::min<std::size_t>(memory_.limit / 2, memory_.piece * team_);
  const std::size_t keys = chunk.key_bytes();
  const auto fits = [&](std::size_t lines) {
    constexpr std::size_t most_lines = std::numeric_limits<std::uint32_t>::max();
    const extent_of_use use{chunk.bytes, chunk.lines + found, keys + share_out(lines)};
    return chunk.lines + lines <= most_lines && bytes_with(chunk, use, chunk.lines + lines) <= limit;
  };
  if (fits(found)) return found;
  forget_beyond(chunk, {chunk.bytes, chunk.lines + found, keys});
  held_bytes_ = 0;
  for (worker& w : workers_) held_bytes_ += forget_unused(w);
  if (fits(found)) return found;
  // A chunk holds a line, however long; and so many of those that were found that all are soon done, as those that are
  // left are encoded once more.
  std::size_t fit = chunk.lines == 0 ? std::max<std::size_t>(1, found / 16) : 0;
  std::size_t fail = found;
  while (fit + 1 < fail) {
    const std::size_t middle = fit + (fail - fit) / 2;
    (fits(middle) ? fit : fail) = middle;
  }
  share_out(fit);
  for (unsigned m = 0; m < members; ++m) {
    workers_[m].lines = lines_of[m];
    workers_[m].key_bytes = keys_of[m];
  }
  return fit;
}

bool chunk_reader::needs_wide(const text_chunk& chunk, std::size_t lines) const {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (chunk.bytes > most) return true;
  const key_encoder& encoder = workers_.front().encoder;
  const std::size_t keys = encoder.most_bytes(chunk.bytes - chunk.line_bytes()) + lines * encoder.most_bytes(0);
  return chunk.key_bytes() + keys > most;
}

std::size_t chunk_reader::first_line(const text_chunk& chunk, unsigned member) const {
  std::size_t first = chunk.lines;
  for (unsigned before = 0; before < member; ++before) first += workers_[before].lines;
  return first;
}

template <class Offset>
void chunk_reader::encode_keys(text_chunk& chunk, chunk_starts<Offset>& starts, unsigned members) {
  const std::size_t lines = first_line(chunk, members);
  starts.keys.reserve(lines + 1);
  chunk.key_marks.reserve(lines);
  pn::detail::on_each(members, [&](unsigned m) {
    worker& w = workers_[m];
    const std::size_t first = first_line(chunk, m);
    const std::size_t last = first + w.lines;
    std::size_t held = 0;
    for (std::size_t i = first; i < last; ++i) {
      const std::string_view line(chunk.text.data() + starts.lines[i], starts.lines[i + 1] - starts.lines[i] - 1);
      w.keys.reserve(held + w.encoder.prepare(line));
      char* const key = w.keys.data() + held;
      const auto size = static_cast<std::size_t>(w.encoder.encode(line, key) - key);
      held += size;
      starts.keys[i + 1] = static_cast<Offset>(held);
      chunk.key_marks[i] = mark_of(key, size);
    }
    w.key_bytes = held;
  });
}

template <class Offset>
void chunk_reader::add_keys(text_chunk& chunk, chunk_starts<Offset>& starts, unsigned members) {
  const std::size_t before_all = chunk.key_bytes();
  std::size_t bytes = before_all;
  for (unsigned m = 0; m < members; ++m) bytes += workers_[m].key_bytes;
  chunk.keys.reserve(bytes);
  pn::detail::on_each(members, [&](unsigned m) {
    std::size_t base = before_all;
    for (unsigned before = 0; before < m; ++before) base += workers_[before].key_bytes;
    const worker& w = workers_[m];
    if (w.key_bytes > 0) std::memcpy(chunk.keys.data() + base, w.keys.data(), w.key_bytes);
    const std::size_t first = first_line(chunk, m);
    for (std::size_t i = first; i < first + w.lines; ++i) starts.keys[i + 1] += static_cast<Offset>(base);
  });
}

}  // namespace peneira::tool
