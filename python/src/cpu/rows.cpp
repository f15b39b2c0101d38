// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <array>
#include <bit>
#include <mutex>
#include <peneira/cpu/team.hpp>
#include <peneira/host.hpp>
#include <peneira/sort/cpu/column_order.hpp>
#include <utility>

#include "threads.hpp"

namespace peneira::python {
namespace {

/// The lowest and the highest rank of some keys that are not null.
template <class U>
std::pair<U, U> extent_of(const row_column& of, std::size_t begin, std::size_t end) {
  const column_rank<U> rank(of);
  const auto* const keys = static_cast<const U*>(of.keys);
  std::pair<U, U> found{static_cast<U>(~U{0}), U{0}};
  for (std::size_t i = begin; i < end; ++i) {
    if (of.is_null != nullptr && of.is_null[i] != 0) continue;
    const U number = rank(keys[i]);
    found.first = std::min(found.first, number);
    found.second = std::max(found.second, number);
  }
  return found;
}

}  // namespace

row_words::row_words(std::vector<row_column> columns, std::size_t rows, unsigned threads)
    : columns_(std::move(columns)), rows_(rows), low_(columns_.size()) {
  for (std::size_t c = 0; c < columns_.size(); ++c) look_at(c, threads);
}

void row_words::look_at(std::size_t column, unsigned threads) {
  const row_column& of = columns_[column];
  const unsigned members = members_for(rows_, threads);
  with_width(width_of(of.of), [&]<class U>(U) {
    std::pair<U, U> found{static_cast<U>(~U{0}), U{0}};
    std::mutex join;
    detail::on_each(members, [&](unsigned m) {
      const auto [begin, end] = detail::slice(rows_, m, members);
      const auto mine = extent_of<U>(of, begin, end);
      const std::lock_guard lock(join);
      found = {std::min(found.first, mine.first), std::max(found.second, mine.second)};
    });
    const bool none = found.first > found.second;
    low_[column] = none ? 0 : found.first;
    const auto number = static_cast<unsigned>(column);
    if (of.is_null != nullptr) add(number, 1, true);
    if (!none) add(number, static_cast<unsigned>(std::bit_width(static_cast<U>(found.second - found.first))), false);
  });
}

void row_words::add(unsigned column, unsigned bits, bool of_nulls) {
  while (bits != 0) {
    const unsigned now = std::min(bits, 64 - used_ % 64);
    bits -= now;
    pieces_.push_back({column, used_ / 64, bits, now, of_nulls});
    used_ += now;
  }
}

void row_words::write_all(unsigned word, void* to, unsigned word_bytes, unsigned threads) const {
  const unsigned members = members_for(rows_, threads);
  detail::on_each(members, [&](unsigned m) {
    const auto [begin, end] = detail::slice(rows_, m, members);
    if (word_bytes == 8) return write(word, begin, end - begin, static_cast<std::uint64_t*>(to) + begin);
    std::array<std::uint64_t, block> wide;
    for (std::size_t i = begin; i < end; i += block) {
      const std::size_t n = std::min(block, end - i);
      write(word, i, n, wide.data());
      auto* const narrow = static_cast<std::uint32_t*>(to) + i;
      std::transform(wide.begin(), wide.begin() + static_cast<std::ptrdiff_t>(n), narrow,
                     [](std::uint64_t x) { return static_cast<std::uint32_t>(x); });
    }
  });
}

void row_words::read_back(std::size_t column, const void* words, unsigned word_bytes, std::size_t n, void* keys,
                          std::uint8_t* is_null) const {
  const row_column& of = columns_[column];
  unsigned behind = 0;  // bits of the columns behind it
  unsigned bits = 0;
  for (const detail::word_piece& piece : pieces_) {
    if (piece.column > column) behind += piece.bits;
    if (piece.column == column && !piece.of_nulls) bits = piece.bits;
  }
  const std::uint64_t mask = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
  const unsigned null_bit = behind + bits;
  with_word(word_bytes, [&]<class W>(W) {
    const auto* const from = static_cast<const W*>(words);
    with_width(width_of(of.of), [&]<class U>(U) {
      const column_rank<U> rank(of);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t word = from[i];
        const std::uint64_t distance = mask == 0 ? 0 : (word >> behind) & mask;
        static_cast<U*>(keys)[i] = rank.by.back(static_cast<U>(distance + low_[column]));
        if (of.is_null != nullptr) is_null[i] = (((word >> null_bit) & 1U) != 0) != of.nulls_first ? 1 : 0;
      }
    });
  });
}

void row_words::argsort(void* positions, unsigned position_bytes, unsigned threads) const {
  if (rows_ == 0) return;
  const column_sort_problem problem{rows_, columns_.size(), words(), position_bytes};
  const auto decided = sort_strategies::packed::decide(problem, host::here().with_threads(threads));
  with_word(position_bytes, [&]<class P>(P) {
    sort_strategies::packed::run_words(cpu{.threads = threads}, decided, *this, static_cast<P*>(positions));
  });
}

}  // namespace peneira::python
