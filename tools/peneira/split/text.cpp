// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira split of text: read a chunk, find its records and their keys, multisplit the records' descriptors by shard,
// gather each shard's bytes and append them to its file. Memory stays bounded whatever the input's size.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "peneira/multisplit.hpp"
#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/io/shard_files.hpp"
#include "tools/peneira/split/key.hpp"
#include "tools/peneira/split/shard_choice.hpp"
#include "tools/peneira/split/split.hpp"
#include "tools/peneira/text/reader.hpp"
#include "tools/peneira/text/records.hpp"

namespace peneira::tool {
namespace {

constexpr std::uint64_t most_shards = 1'000'000;
constexpr std::size_t least_record_limit = std::size_t{1} << 20U;

text_format make_format(const split_options& o) {
  if (o.tsv && (o.csv || !o.separator.empty())) throw usage_error("split: --tsv excludes --separator and --csv");
  text_format format;
  format.csv = o.csv || o.tsv;
  format.blanks = o.separator.empty() && !format.csv;
  if (o.tsv) format.separator = '\t';
  if (!o.separator.empty()) format.separator = parse_separator(o.separator, format.csv);
  return format;
}

/// Finds the fields of the key where a header has come, which must be the first one's.
void take_header(const text_reader& reader, const text_format& format, split_key& key) {
  check_same_header(format, reader.header(), reader.last_header(), reader.path());
  if (!key.empty()) key.find_names(format, reader.header(), reader.path());
}

/// Throws, and names the line of a record that lacks a field of the key.
[[noreturn]] void refuse_key(const text_reader& reader, std::string_view text, const record& r,
                             const found_key& found) {
  throw std::runtime_error(fmt::format("{}: line {}: {}", reader.path(), reader.line_of(text, r),
                                       describe_missing(found.missing, found.fields)));
}

/// Splitters that make shards of about equal sizes: from the keys of the records at evenly spaced bytes of the input.
std::vector<std::string> sample_splitters(text_reader& reader, const split_options& o, const text_format& format,
                                          split_key& key, std::uint64_t shards, std::uint64_t bytes) {
  const std::uint64_t samples = std::max<std::uint64_t>(64 * shards, 1U << 14U);
  const std::uint64_t distance = std::max<std::uint64_t>(1, bytes / samples);
  std::vector<std::string> keys;
  found_key found;
  std::uint64_t at = 0;
  std::uint64_t next = 0;
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
  if (keys.empty()) keys.emplace_back();
  std::sort(keys.begin(), keys.end());
  std::vector<std::string> splitters;
  for (std::uint64_t s = 1; s < shards; ++s) splitters.push_back(keys[s * keys.size() / shards]);
  return splitters;
}

/// What the command line says about the shards.
struct shard_request {
  shard_way by = shard_way::hash;
  std::uint64_t shards = 0;
  std::vector<std::string> splitters;

  /// By range, but nobody said where.
  [[nodiscard]] bool needs_sample() const { return by == shard_way::range && splitters.empty() && shards > 1; }
};

/// Refuses what says how many shards there are, or which.
void refuse_shards(const split_options& o, std::string_view where) {
  const char* const other = !o.by.empty() ? "--by" : !o.splitters.empty() ? "--splitters" : "--bins";
  if (o.bins == 0 && o.by.empty() && o.splitters.empty()) return;
  throw usage_error(fmt::format("split: no {} where {}", other, where));
}

shard_request make_request(const split_options& o, bool by_key) {
  shard_request request;
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
  return request;
}

/// The state of a split that outlives a chunk.
class text_splitter {
 public:
  text_splitter(const text_format& format, const split_key& key, shard_choice& choice, shard_files& files,
                unsigned team)
      : format_(format), key_(key), choice_(choice), files_(files), team_(team) {}

  /// Splits the records of a chunk. The reader tells where an error lies.
  void add(const text_reader& reader, std::string_view text, const std::vector<record>& records) {
    const std::size_t n = records.size();
    shards_.resize(n);
    split_shards_.resize(n);
    split_records_.resize(n);
    if (choice_.by() == shard_way::room) {
      for (std::size_t i = 0; i < n; ++i) shards_[i] = choice_.next(records[i].size, reader.header().size());
    } else {
      choose_by_keys(reader, text, records);
    }
    open_files(reader.header());
    if (n == 0) return;
    multisplit(cpu{.threads = team_}, pairs(shards_, records), pairs(split_shards_, split_records_),
               binned{choice_.shards(), [](std::uint32_t shard) { return shard; }}, offsets_);
    gather(text);
    write();
  }

  /// Where each shard's records would begin if all were one array.
  [[nodiscard]] std::vector<std::uint64_t> offsets() const {
    std::vector<std::uint64_t> all(choice_.shards() + 1);
    for (std::size_t s = 0; s < totals_.size(); ++s) all[s + 1] = all[s] + totals_[s];
    return all;
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void choose_by_keys(const text_reader& reader, std::string_view text, const std::vector<record>& records) {
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

  /// Makes room for the shards there are now, whose files begin with the header.
  void open_files(std::string_view header) {
    const std::size_t shards = choice_.shards();
    if (shards > most_shards) throw std::runtime_error(fmt::format("--out: more than {} files", most_shards));
    offsets_.resize(shards + 1);
    starts_.resize(shards + 1);
    for (std::size_t s = totals_.size(); s < shards; ++s) {
      if (s >= files_.size() && choice_.by() == shard_way::key) files_.add(choice_.key(s));
      if (s >= files_.size()) files_.add_next();
      files_.write(s, header);
    }
    totals_.resize(shards);
  }

  /// Copies the records, shard by shard, into one buffer and notes where each shard's bytes begin.
  void gather(std::string_view text) {
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
      auto shard =
          static_cast<std::size_t>(std::lower_bound(offsets_.begin(), offsets_.end(), begin) - offsets_.begin());
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

  /// Appends to the files: each member those shards whose bytes begin in its part of the buffer.
  void write() {
    for (std::size_t s = 0; s < totals_.size(); ++s) totals_[s] += offsets_[s + 1] - offsets_[s];
    const auto first_from = [this](std::size_t byte) {
      return static_cast<std::size_t>(std::lower_bound(starts_.begin(), starts_.end() - 1, byte) - starts_.begin());
    };
    on_slices(team_, starts_.back(), [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
      const std::size_t stop = first_from(end);
      for (std::size_t s = first_from(begin); s < stop; ++s) {
        files_.write(s, {buffer_.get() + starts_[s], starts_[s + 1] - starts_[s]});
      }
    });
  }

  const text_format& format_;
  const split_key& key_;
  shard_choice& choice_;
  shard_files& files_;
  unsigned team_;
  std::vector<std::uint32_t> shards_;
  std::vector<std::uint32_t> split_shards_;
  std::vector<record> split_records_;
  std::vector<std::uint64_t> offsets_;  ///< records of the chunk, by shard
  std::vector<std::size_t> starts_;     ///< bytes of the chunk, by shard
  std::vector<std::uint64_t> totals_;   ///< records so far, by shard
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

void split_text(const split_options& given) {
  split_options o = given;
  if (o.inputs.empty()) o.inputs.emplace_back("-");
  const auto start = std::chrono::steady_clock::now();
  const shard_names names(o.out);
  if (!names.field().empty()) {
    if (!o.key.empty() && o.key != names.field()) {
      throw usage_error(fmt::format("--out: the key is {}, not {} as in the braces", o.key, names.field()));
    }
    o.key = names.field();
  }
  const text_format format = make_format(o);
  split_key key(o.key, o.header);
  shard_request request = make_request(o, names.by_key());
  const std::optional<std::uint64_t> size = total_bytes(o.inputs);
  if (request.needs_sample() && !size) {
    throw usage_error("--by range reads its input twice: name input files, or give --splitters");
  }
  const std::uint64_t bytes = size.value_or(0);
  shard_files files(names, request.shards, o.force);
  const text_limits limits{o.chunk_bytes, std::max<std::size_t>(8 * o.chunk_bytes, least_record_limit), "--chunk"};
  text_reader reader(o.inputs, format, o.header, limits, o.team());
  if (request.needs_sample()) request.splitters = sample_splitters(reader, o, format, key, request.shards, bytes);
  shard_choice choice(request.by, request.shards, std::move(request.splitters), {o.lines, o.size});
  text_splitter splitter(format, key, choice, files, o.team());
  {
    progress bar("split", bytes, progress::unit::bytes, o.quiet);
    reader.for_each_chunk(
        bar, [&] { take_header(reader, format, key); },
        [&](std::string_view text, const std::vector<record>& records) { splitter.add(reader, text, records); });
  }
  files.commit();
  if (!o.quiet) {
    summarise_split(splitter.offsets(), "records", "shards", splitter.bytes(),
                    std::chrono::steady_clock::now() - start);
  }
}

}  // namespace peneira::tool
