// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The merge: a tree of losers over the sources' current lines.
#include "tools/peneira/sort/text/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/sort/text/behind_sink.hpp"

namespace peneira::tool {
namespace {

/// Says which of many sources has the first line. Each inner node keeps the loser of its match, so that after the
/// winner's next line only the matches on its way to the root are played again.
class loser_tree {
 public:
  loser_tree(std::vector<line_cursor>& cursors, const line_order& order) : cursors_(cursors), order_(order) {
    leaves_ = 1;
    while (leaves_ < cursors.size()) leaves_ *= 2;
    losers_.assign(leaves_, none);
    alive_.resize(cursors.size());
    for (std::size_t c = 0; c < cursors.size(); ++c) alive_[c] = cursors[c].next() ? 1 : 0;
    winner_ = build(1);
  }

  [[nodiscard]] bool empty() const { return winner_ == none || alive_[winner_] == 0; }
  [[nodiscard]] const keyed_line& top() const { return cursors_[winner_].line(); }

  /// Goes on to the next line.
  void pop() {
    alive_[winner_] = cursors_[winner_].next() ? 1 : 0;
    for (std::size_t node = (leaves_ + winner_) / 2; node > 0; node /= 2) {
      if (before(losers_[node], winner_)) std::swap(losers_[node], winner_);
    }
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t build(std::size_t node) {
    if (node >= leaves_) return node - leaves_ < cursors_.size() ? node - leaves_ : none;
    std::size_t first = build(2 * node);
    std::size_t second = build(2 * node + 1);
    if (before(second, first)) std::swap(first, second);
    losers_[node] = second;
    return first;
  }

  [[nodiscard]] bool before(std::size_t a, std::size_t b) const {
    if (a == none || alive_[a] == 0) return false;
    if (b == none || alive_[b] == 0) return true;
    const int order = order_.compare(cursors_[a].line(), cursors_[b].line());
    return order != 0 ? order < 0 : a < b;
  }

  std::vector<line_cursor>& cursors_;
  const line_order& order_;
  std::size_t leaves_ = 1;
  std::vector<std::size_t> losers_;
  std::vector<char> alive_;
  std::size_t winner_ = none;
};

}  // namespace

std::uint64_t line_order::first_of(std::string_view key) const {
  std::uint64_t first = 0;
  if (key.size() >= sizeof(first)) {
    std::memcpy(&first, key.data(), sizeof(first));
  } else if (!key.empty()) {
    std::memcpy(&first, key.data(), key.size());
  }
  if constexpr (std::endian::native == std::endian::little) first = __builtin_bswap64(first);
  return reverse_keys_ ? ~first : first;
}

line_cursor::line_cursor(std::unique_ptr<byte_source> source, const sort_text_options& o, std::size_t buffer)
    : source_(std::move(source)), order_(o), encoder_(o.keys, o.fields()), terminator_(o.terminator), buffer_(buffer) {
  if (o.csv) csv_.emplace(*o.separator, source_->lines_before());
}

bool line_cursor::refill() {
  if (ended_) return false;
  if (at_ > 0) std::memmove(text_.data(), text_.data() + at_, end_ - at_);
  end_ -= at_;
  at_ = 0;
  const std::size_t wanted = end_ < buffer_ / 2 ? buffer_ : end_ + buffer_;  // a line may be longer than the buffer
  text_.reserve(wanted + 1);
  const std::size_t got = source_->read(text_.data() + end_, wanted - end_);
  ended_ = got == 0;
  end_ += got;
  if (ended_ && end_ > at_) text_[end_++] = terminator_;
  return end_ > at_;
}

const char* line_cursor::find_end(const char* at, const char* end) {
  if (csv_) return csv_->next(at, end);
  return static_cast<const char*>(std::memchr(at, terminator_, static_cast<std::size_t>(end - at)));
}

bool line_cursor::next() {
  std::size_t seen = 0;  // bytes of the line that hold no terminator
  const char* stop = nullptr;
  for (;;) {
    const std::size_t held = end_ - at_;
    if (held > seen) {
      stop = find_end(text_.data() + at_ + seen, text_.data() + end_);
      if (stop != nullptr) break;
      seen = held;
    }
    if (refill()) continue;
    if (held == 0) return false;
    throw std::runtime_error(
        fmt::format("{}: line {}: a quoted field begins here and never ends", source_->name(), csv_->open_line()));
  }
  const char* const begin = text_.data() + at_;
  line_.text = {begin, static_cast<std::size_t>(stop - begin)};
  at_ += line_.text.size() + 1;
  if (encoder_.has_keys()) {
    key_.reserve(encoder_.prepare(line_.text));
    const char* const end = encoder_.encode(line_.text, key_.data());
    line_.key = {key_.data(), static_cast<std::size_t>(end - key_.data())};
  } else {
    line_.key = line_.text;
  }
  line_.first = order_.first_of(line_.key);
  return true;
}

void merge_lines(std::vector<std::unique_ptr<byte_source>> sources, const sort_text_options& o,
                 const text_memory& memory, std::size_t buffer, byte_sink& to, progress& bar) {
  std::vector<line_cursor> cursors;
  cursors.reserve(sources.size());
  for (auto& source : sources) cursors.emplace_back(std::move(source), o, buffer);
  const line_order order(o);
  const bool unique = o.unique;
  std::string last_text;
  std::string last_key;
  bool has_last = false;
  std::optional<behind_sink> behind;
  const std::size_t output = memory.merge_output();
  if (memory.team > 1) behind.emplace(to, output);
  byte_sink& sink = behind ? *behind : to;
  write_blocks(sink, 1, 1, output, [&](std::size_t /*block*/, ordered_block& out) {
    std::size_t passed = 0;
    std::uint64_t left = o.top.value_or(std::numeric_limits<std::uint64_t>::max());
    for (loser_tree tree(cursors, order); left > 0 && !tree.empty(); tree.pop()) {
      const keyed_line& line = tree.top();
      passed += line.text.size() + 1;
      if (passed >= output) {
        poll_interrupt();
        bar.add(std::exchange(passed, 0));
      }
      if (unique) {
        if (has_last && order.same_key({last_text, last_key}, line)) continue;
        last_text.assign(line.text);
        last_key.assign(line.key);
        has_last = true;
      }
      out.append(line.text.data(), line.text.size() + 1);
      --left;
    }
  });
  if (behind) behind->finish();
}

}  // namespace peneira::tool
