// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/split/text_splitter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "peneira/multisplit.hpp"
#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/text/formats.hpp"

namespace peneira::tool {
namespace {

constexpr std::uint64_t most_shards = 1'000'000;
constexpr std::size_t least_record_limit = std::size_t{1} << 20U;

/// Throws, and names the line of a record that lacks a field of the key.
[[noreturn]] void refuse_key(const text_reader& reader, std::string_view text, const record& r,
                             const found_key& found) {
  throw std::runtime_error(fmt::format("{}: line {}: {}", reader.path(), reader.line_of(text, r),
                                       describe_missing(found.missing, found.fields)));
}

/// Refuses what says how many shards there are, or which.
void refuse_shards(const split_options& o, std::string_view where) {
  const char* const other = !o.by.empty() ? "--by" : !o.splitters.empty() ? "--splitters" : "--bins";
  if (o.bins == 0 && o.by.empty() && o.splitters.empty()) return;
  throw usage_error(fmt::format("split: no {} where {}", other, where));
}

/// Splitters that make shards of about equal sizes, by sorted keys.
std::vector<std::string> splitters_of(std::vector<std::string> keys, std::uint64_t shards) {
  if (keys.empty()) keys.emplace_back();
  std::vector<std::string> splitters;
  for (std::uint64_t s = 1; s < shards; ++s) splitters.push_back(keys[s * keys.size() / shards]);
  return splitters;
}

/// The most frequent of sorted keys, that one first; of equally frequent ones those that are less.
std::vector<std::string> most_frequent(std::vector<std::string> keys, std::uint64_t top) {
  struct run {
    std::size_t first;
    std::size_t size;
  };
  std::vector<run> runs;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) runs.push_back({i, 0});
    ++runs.back().size;
  }
  std::stable_sort(runs.begin(), runs.end(), [](const run& a, const run& b) { return a.size > b.size; });
  runs.resize(std::min<std::size_t>(runs.size(), top));
  std::vector<std::string> hot;
  for (const run& one : runs) hot.push_back(std::move(keys[one.first]));
  return hot;
}

}  // namespace

text_format format_of(const split_options& o) {
  if (o.tsv && (o.csv || !o.separator.empty())) throw usage_error("split: --tsv excludes --separator and --csv");
  text_format format;
  format.csv = o.csv || o.tsv;
  format.blanks = o.separator.empty() && !format.csv;
  if (o.tsv) format.separator = '\t';
  if (!o.separator.empty()) format.separator = parse_separator(o.separator, format.csv);
  return format;
}

void take_header(const text_reader& reader, const text_format& format, split_key& key) {
  check_same_header(format, reader.header(), reader.last_header(), reader.path());
  if (!key.empty()) key.find_names(format, reader.header(), reader.path());
}

std::uint64_t sample_distance(std::uint64_t shards, std::uint64_t bytes) {
  const std::uint64_t samples = std::max<std::uint64_t>(64 * shards, 1U << 14U);
  return std::max<std::uint64_t>(1, bytes / samples);
}

std::vector<std::string> sample_keys(text_reader& reader, const split_options& o, const text_format& format,
                                     split_key& key, std::uint64_t distance, std::uint64_t at, std::uint64_t bytes) {
  std::vector<std::string> keys;
  found_key found;
  std::uint64_t next = (at + distance - 1) / distance * distance;
  progress bar("sample", bytes, progress::unit::bytes, o.quiet);
  const auto take = [&](std::string_view text, const std::vector<record>& records) {
    for (const record& r : records) {
      at += r.size;
      if (at <= next) continue;
      if (!key.find(format, text.substr(r.begin, r.size), found)) refuse_key(reader, text, r, found);
      keys.emplace_back(found.key);
      next = at - at % distance + distance;
    }
  };
  reader.for_each_chunk(
      bar, [&] { take_header(reader, format, key); }, take);
  return keys;
}

void shard_request::take_sample(std::vector<std::string> keys) {
  std::sort(keys.begin(), keys.end());
  if (top != 0) {
    hot = most_frequent(std::move(keys), top);
  } else {
    splitters = splitters_of(std::move(keys), shards);
  }
}

text_limits limits_of(const split_options& o) {
  return {o.chunk_bytes, std::max<std::size_t>(8 * o.chunk_bytes, least_record_limit), "--chunk"};
}

void take_key(split_options& o, const shard_names& names) {
  if (names.field().empty()) return;
  if (!o.key.empty() && o.key != names.field()) {
    throw usage_error(fmt::format("--out: the key is {}, not {} as in the braces", o.key, names.field()));
  }
  o.key = names.field();
}

shard_request request_of(const split_options& o, bool by_key) {
  shard_request request;
  if (o.top != 0 && (o.lines != 0 || o.size != 0 || by_key)) {
    throw usage_error("split: --top is for shards by hash: with -n");
  }
  if (o.lines != 0 || o.size != 0) {
    refuse_shards(o, "--lines or --size says when a file is full");
    if (by_key || !o.key.empty()) throw usage_error("split: no key where --lines or --size says when a file is full");
    request.by = shard_way::room;
    return request;
  }
  if (by_key) {
    refuse_shards(o, "--out names files by their keys, one for each");
    request.by = shard_way::key;
    return request;
  }
  const bool by_range = o.by == "range" || o.by == "splitters" || (o.by.empty() && !o.splitters.empty());
  if (by_range) request.by = shard_way::range;
  if (by_range && o.top != 0) throw usage_error("split: --top is for shards by hash, not by range");
  request.shards = o.bins;
  if (o.by == "digit") throw usage_error("split: --by digit is for binary items: add --type");
  if (!by_range && !o.splitters.empty()) throw usage_error("split: --splitters is for --by range");
  if (o.by == "splitters" && o.splitters.empty()) throw usage_error("split: --by splitters needs --splitters");
  if (!o.splitters.empty()) {
    const auto& s = request.splitters = read_splitters(o.splitters);
    if (const auto at = std::is_sorted_until(s.begin(), s.end()); at != s.end()) {
      throw usage_error(
          fmt::format("--splitters: must be in ascending order, but \"{}\" follows \"{}\"", *at, *(at - 1)));
    }
    request.shards = s.size() + 1;
    if (o.bins != 0 && o.bins != request.shards) {
      throw usage_error(fmt::format("--bins: {} splitters make {} shards, not {}", s.size(), s.size() + 1, o.bins));
    }
  }
  if (request.shards == 0) throw usage_error("split: -n, the number of shards, is required, or --lines or --size");
  if (request.shards > most_shards) {
    throw usage_error(fmt::format("--bins: at most {} shards, not {}", most_shards, request.shards));
  }
  if (o.top >= request.shards) {
    throw usage_error(
        fmt::format("--top: {} keys with a shard each leave none of {} for the others", o.top, request.shards));
  }
  request.top = o.top;
  return request;
}

void text_splitter::add(const text_reader& reader, std::string_view text, const std::vector<record>& records) {
  const std::size_t n = records.size();
  shards_.resize(n);
  split_shards_.resize(n);
  split_records_.resize(n);
  if (choice_.by() == shard_way::room) {
    for (std::size_t i = 0; i < n; ++i) shards_[i] = choice_.next(records[i].size, reader.header().size());
  } else {
    choose_by_keys(reader, text, records);
  }
  open_shards(reader.header());
  if (n == 0) return;
  multisplit(cpu{.threads = team_}, pairs(shards_, records), pairs(split_shards_, split_records_),
             binned{choice_.shards(), [](std::uint32_t shard) { return shard; }}, offsets_);
  gather(text);
  write();
}

void text_splitter::choose_by_keys(const text_reader& reader, std::string_view text,
                                   const std::vector<record>& records) {
  const std::size_t n = records.size();
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> lacking(team_, none);
  std::vector<found_key> found(team_);
  on_slices(team_, n, [&](unsigned m, std::size_t begin, std::size_t end) {
    shard_choice::of_chunk choose(choice_);
    found_key mine;  // not among those of other threads, which a line of the cache would hold, too
    for (std::size_t i = begin; i < end; ++i) {
      if (!key_.find(format_, text.substr(records[i].begin, records[i].size), mine)) {
        lacking[m] = i;
        found[m] = mine;
        return;
      }
      shards_[i] = choose(mine.key);
    }
  });
  for (unsigned m = 0; m < team_; ++m) {
    if (lacking[m] != none) refuse_key(reader, text, records[lacking[m]], found[m]);
  }
}

void text_splitter::open_shards(std::string_view header) {
  const std::size_t shards = choice_.shards();
  if (shards > most_shards) throw std::runtime_error(fmt::format("--out: more than {} files", most_shards));
  offsets_.resize(shards + 1);
  starts_.resize(shards + 1);
  for (std::size_t s = totals_.size(); s < shards; ++s) {
    if (s >= to_.size() && choice_.by() == shard_way::key) to_.add(choice_.key(s));
    if (s >= to_.size()) to_.add_next();
    to_.begin(s, header);
  }
  totals_.resize(shards);
}

void text_splitter::gather(std::string_view text) {
  const std::size_t n = split_records_.size();
  std::vector<std::size_t> position(team_ + 1);
  on_slices(team_, n, [&](unsigned m, std::size_t begin, std::size_t end) {
    std::size_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += split_records_[i].size;
    position[m + 1] = sum;
  });
  for (unsigned m = 0; m < team_; ++m) position[m + 1] += position[m];
  if (position[team_] > capacity_) {
    capacity_ = position[team_];
    buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
  }
  bytes_ += position[team_];
  on_slices(team_, n, [&](unsigned m, std::size_t begin, std::size_t end) {
    std::size_t at = position[m];
    auto shard = static_cast<std::size_t>(std::lower_bound(offsets_.begin(), offsets_.end(), begin) - offsets_.begin());
    for (std::size_t i = begin; i < end; ++i) {
      for (; offsets_[shard] == i; ++shard) starts_[shard] = at;
      const record& r = split_records_[i];
      std::copy_n(text.data() + r.begin, r.size, buffer_.get() + at);
      at += r.size;
    }
  });
  std::fill(std::lower_bound(offsets_.begin(), offsets_.end(), n) - offsets_.begin() + starts_.begin(), starts_.end(),
            position[team_]);
}

void text_splitter::write() {
  for (std::size_t s = 0; s < totals_.size(); ++s) totals_[s] += offsets_[s + 1] - offsets_[s];
  const auto first_from = [this](std::size_t byte) {
    return static_cast<std::size_t>(std::lower_bound(starts_.begin(), starts_.end() - 1, byte) - starts_.begin());
  };
  on_slices(team_, starts_.back(), [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
    const std::size_t stop = first_from(end);
    for (std::size_t s = first_from(begin); s < stop; ++s) {
      to_.write(s, {buffer_.get() + starts_[s], starts_[s + 1] - starts_[s]});
    }
  });
}

std::vector<std::uint64_t> text_splitter::offsets() const {
  std::vector<std::uint64_t> all(choice_.shards() + 1);
  for (std::size_t s = 0; s < totals_.size(); ++s) all[s + 1] = all[s] + totals_[s];
  return all;
}

}  // namespace peneira::tool
