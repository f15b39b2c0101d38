// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/group/runs.hpp"

#include <algorithm>
#include <cstring>

namespace peneira::tool {

table_stream::table_stream(const group_table& table, std::vector<std::uint32_t> rows)
    : table_(table), rows_(std::move(rows)), numbers_(table.columns.size()), texts_(table.texts.size()) {}

/// Rows lie anywhere: those that come soon are fetched before they are needed. Inlined, or the compiler takes a call
/// that only fetches for one that does nothing.
[[gnu::always_inline]] inline void table_stream::prefetch() const {
  constexpr std::size_t ahead = 16;
  if (at_ + 2 * ahead >= rows_.size()) return;
  const std::size_t later = rows_[at_ + 2 * ahead];
  __builtin_prefetch(&table_.keys[later]);
  for (const auto& column : table_.columns) __builtin_prefetch(&column[later]);
  for (const auto& column : table_.texts) __builtin_prefetch(&column[later]);
  const std::size_t soon = rows_[at_ + ahead];
  __builtin_prefetch(table_.keys[soon].data());
  for (const auto& column : table_.texts) __builtin_prefetch(column[soon].data());
}

const group_view* table_stream::next() {
  if (at_ == table_.size()) return nullptr;
  const std::size_t row = rows_.empty() ? at_ : rows_[at_];
  if (!rows_.empty()) prefetch();
  ++at_;
  for (std::size_t r = 0; r < numbers_.size(); ++r) numbers_[r] = table_.columns[r][row];
  for (std::size_t t = 0; t < texts_.size(); ++t) texts_[t] = table_.texts[t][row];
  view_ = {table_.keys[row], numbers_, texts_};
  return &view_;
}

void run_writer::add(const group_view& group) {
  rest_.clear();
  for (const std::string_view text : group.texts) {
    const std::uint64_t size = text.size();
    rest_.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
  }
  for (const decimal& number : group.numbers) {
    if (long_decimal* const mine = number.owned(); mine != nullptr) mine->save(rest_);
  }
  const std::uint64_t sizes[] = {group.key.size(), rest_.size()};
  append(sizes, sizeof sizes);
  append(group.key.data(), group.key.size());
  append(group.numbers.data(), group.numbers.size_bytes());
  append(rest_.data(), rest_.size());
  if (held_.size() >= most_) flush();
}

void run_writer::flush() {
  file_.append(held_.data(), held_.size());
  held_.clear();
}

run_reader::run_reader(const run_bytes& bytes, const group_folds& folds, std::size_t buffer)
    : bytes_(bytes), numbers_(folds.numbers.size()), texts_(folds.texts.size()), buffer_(buffer) {}

const group_view* run_reader::next() {
  at_ += taken_;
  taken_ = 0;
  std::uint64_t sizes[2];
  if (!hold(sizeof sizes)) return nullptr;
  std::memcpy(sizes, buffer_.data() + at_, sizeof sizes);
  const std::size_t numbers = numbers_.size() * sizeof(decimal);
  const std::size_t all = sizeof sizes + sizes[0] + numbers + sizes[1];
  if (!hold(all)) throw std::runtime_error("a temporary file was truncated");
  const char* const key = buffer_.data() + at_ + sizeof sizes;
  if (numbers > 0) std::memcpy(numbers_.data(), key + sizes[0], numbers);
  take_rest(key + sizes[0] + numbers);
  view_ = {{key, sizes[0]}, numbers_, texts_};
  taken_ = all;
  return &view_;
}

/// Makes `size` bytes from at_ on lie in the buffer; false where the run ends before.
bool run_reader::hold(std::size_t size) {
  if (held_ - at_ >= size) return true;
  std::memmove(buffer_.data(), buffer_.data() + at_, held_ - at_);
  held_ -= at_;
  at_ = 0;
  if (buffer_.size() < size) buffer_.resize(size);
  while (held_ < size) {
    const std::size_t got = bytes_.read(buffer_.data() + held_, buffer_.size() - held_);
    if (got == 0) return false;
    held_ += got;
  }
  return true;
}

void run_reader::take_rest(const char* at) {
  for (std::string_view& text : texts_) {
    std::uint64_t size = 0;
    std::memcpy(&size, at, sizeof size);
    text = {at + sizeof size, size};
    at += sizeof size + size;
  }
  for (decimal& number : numbers_) {
    if (number.owned() == nullptr) continue;  // else whose it was when it was written
    long_decimal* const mine = long_decimals::all().take();
    at += mine->load(at);
    number = decimal(mine);
  }
}

merge_stream::merge_stream(std::vector<std::unique_ptr<run_reader>> runs, const group_folds& folds)
    : runs_(std::move(runs)),
      folds_(folds),
      numbers_(folds.numbers.size(), decimal(0, 0)),
      texts_(folds.texts.size()),
      text_views_(folds.texts.size()) {
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    if (runs_[r]->next() != nullptr) heap_.push_back(r);
  }
  std::make_heap(heap_.begin(), heap_.end(), [this](std::size_t a, std::size_t b) { return later(a, b); });
}

/// Of equal keys the oldest comes first, so that parts come in the order of the input.
bool merge_stream::later(std::size_t a, std::size_t b) const {
  const int order = runs_[a]->view().key.compare(runs_[b]->view().key);
  return order != 0 ? order > 0 : a > b;
}

const group_view* merge_stream::next() {
  release_numbers();
  if (heap_.empty()) return nullptr;
  begin(runs_[heap_.front()]->view());
  advance();
  while (!heap_.empty() && runs_[heap_.front()]->view().key == key_) {
    merge_part(runs_[heap_.front()]->view());
    advance();
  }
  std::copy(texts_.begin(), texts_.end(), text_views_.begin());
  view_ = {key_, numbers_, text_views_};
  return &view_;
}

void merge_stream::begin(const group_view& part) {
  key_ = part.key;
  std::copy(part.numbers.begin(), part.numbers.end(), numbers_.begin());
  for (std::size_t t = 0; t < texts_.size(); ++t) texts_[t] = part.texts[t];
}

void merge_stream::merge_part(const group_view& part) {
  for (std::size_t r = 0; r < numbers_.size(); ++r) {
    numbers_[r] = merge(merging_of(folds_.numbers[r].how), numbers_[r], part.numbers[r]);
  }
  for (std::size_t t = 0; t < texts_.size(); ++t) {
    const text_fold how = folds_.texts[t].how;
    if (how == text_fold::last) texts_[t] = part.texts[t];
    if (how == text_fold::append) texts_[t].append(folds_.joint).append(part.texts[t]);
    if (how != text_fold::sketches) continue;
    sketch_.clear();
    sketch_.merge(texts_[t]);
    sketch_.merge(part.texts[t]);
    texts_[t] = sketch_.bytes();
  }
}

/// Moves the first run of the heap on.
void merge_stream::advance() {
  const auto order = [this](std::size_t a, std::size_t b) { return later(a, b); };
  std::pop_heap(heap_.begin(), heap_.end(), order);
  if (runs_[heap_.back()]->next() != nullptr) {
    std::push_heap(heap_.begin(), heap_.end(), order);
  } else {
    heap_.pop_back();
  }
}

void merge_stream::release_numbers() {
  for (decimal& number : numbers_) {
    release(number);
    number = {0, 0};
  }
}

group_runs::group_runs(std::string folder, group_folds folds, std::uint64_t memory)
    : folder_(std::move(folder)),
      folds_(std::move(folds)),
      buffer_(std::clamp<std::size_t>(memory / (8 * most_runs), 4096, std::size_t{1} << 20U)) {}

void group_runs::spill(group_stream& groups) {
  write(groups, 0);
}

std::unique_ptr<group_stream> group_runs::merged() {
  readers all;
  for (std::size_t level = levels_.size(); level-- > 0;) open(*levels_[level], all);  // the older come first
  return std::make_unique<merge_stream>(std::move(all), folds_);
}

void group_runs::write(group_stream& groups, std::size_t level) {
  if (levels_.size() <= level) levels_.push_back(std::make_unique<level_runs>(folder_));
  level_runs& to = *levels_[level];
  run_writer writer(to.file, std::clamp<std::size_t>(8 * buffer_, std::size_t{1} << 16U, std::size_t{1} << 20U));
  while (const group_view* const group = groups.next()) writer.add(*group);
  writer.flush();
  to.runs.push_back({writer.first(), to.file.end()});
  if (to.runs.size() < most_runs) return;
  {
    readers all;
    open(to, all);
    merge_stream merged(std::move(all), folds_);
    write(merged, level + 1);
  }
  to.runs.clear();
  to.file.clear();
}

void group_runs::open(const level_runs& level, readers& to) const {
  for (const run_place& run : level.runs) {
    const run_bytes bytes(level.file, run.first, run.last);
    to.push_back(std::make_unique<run_reader>(bytes, folds_, buffer_));
  }
}

}  // namespace peneira::tool
