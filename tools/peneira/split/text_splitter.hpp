// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a split of text asks for, and its work: chunk by chunk, to files or to where ranks keep what is theirs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/io/shard_files.hpp"
#include "tools/peneira/split/key.hpp"
#include "tools/peneira/split/shard_choice.hpp"
#include "tools/peneira/split/split.hpp"
#include "tools/peneira/text/reader.hpp"
#include "tools/peneira/text/records.hpp"

namespace peneira::tool {

/// What the command line says about the shards.
struct shard_request {
  shard_way by = shard_way::hash;
  std::uint64_t shards = 0;
  std::vector<std::string> splitters;
  std::uint64_t top = 0;         ///< so many keys have a shard each
  std::vector<std::string> hot;  ///< these

  /// By range, or frequent keys apart, but nobody said where or which.
  [[nodiscard]] bool needs_sample() const {
    return top != 0 || (by == shard_way::range && splitters.empty() && shards > 1);
  }
  /// Finds them by the keys of a sample.
  void take_sample(std::vector<std::string> keys);
};

/// How lines become fields, and what the shards are. Both throw usage_error.
text_format format_of(const split_options& o);
shard_request request_of(const split_options& o, bool by_key);
/// How much is read at once.
text_limits limits_of(const split_options& o);
/// The key, which names of files may say as well.
void take_key(split_options& o, const shard_names& names);

/// Finds the fields of the key where a header has come, which must be the first one's.
void take_header(const text_reader& reader, const text_format& format, split_key& key);

/// Bytes between the records that tell where ranges begin.
std::uint64_t sample_distance(std::uint64_t shards, std::uint64_t bytes);
/// The keys of the records at evenly spaced bytes of what the reader reads, before which come `at` bytes of records.
std::vector<std::string> sample_keys(text_reader& reader, const split_options& o, const text_format& format,
                                     split_key& key, std::uint64_t distance, std::uint64_t at, std::uint64_t bytes);
/// The state of a split that outlives a chunk.
class text_splitter {
 public:
  text_splitter(const text_format& format, const split_key& key, shard_choice& choice, shard_store& to, unsigned team)
      : format_(format), key_(key), choice_(choice), to_(to), team_(team) {}

  /// Splits the records of a chunk. The reader tells where an error lies.
  void add(const text_reader& reader, std::string_view text, const std::vector<record>& records);

  /// Where each shard's records would begin if all were one array.
  [[nodiscard]] std::vector<std::uint64_t> offsets() const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void choose_by_keys(const text_reader& reader, std::string_view text, const std::vector<record>& records);
  /// Makes room for the shards there are now, which begin with the header.
  void open_shards(std::string_view header);
  /// Copies the records, shard by shard, into one buffer and notes where each shard's bytes begin.
  void gather(std::string_view text);
  /// Appends to the shards: each member those whose bytes begin in its part of the buffer.
  void write();

  const text_format& format_;
  const split_key& key_;
  shard_choice& choice_;
  shard_store& to_;
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

}  // namespace peneira::tool
