// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The shard of a record: by the hash of its key, by the key's place between others, one for each key, or by how many
// records come before.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "peneira/bits.hpp"
#include "peneira/hash.hpp"

namespace peneira::tool {

/// Numbers of the keys that were seen, from 0 on. Several threads may ask.
class key_numbers {
 public:
  static constexpr std::size_t most = 100'000;

  std::uint32_t number(std::string_view key) {
    const std::lock_guard<std::mutex> lock(alone_);
    const auto [at, is_new] = numbers_.try_emplace(std::string(key), static_cast<std::uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(&at->first);
    if (keys_.size() > most) {
      throw std::runtime_error(fmt::format(
          "--out: there are more than {} keys, and each would have a file; -n makes fewer of them, named by a number",
          most));
    }
    return at->second;
  }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] const std::string& key(std::size_t number) const { return *keys_[number]; }

 private:
  std::mutex alone_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> keys_;
};

/// The same for one thread and one chunk, which asks for each key once.
class key_numbers_of_chunk {
 public:
  explicit key_numbers_of_chunk(key_numbers& all) : all_(all) {}
  std::uint32_t number(std::string_view key) {
    const auto at = seen_.find(std::string(key));
    if (at != seen_.end()) return at->second;
    return seen_.emplace(std::string(key), all_.number(key)).first->second;
  }

 private:
  key_numbers& all_;
  std::unordered_map<std::string, std::uint32_t> seen_;
};

/// What the shard of a record is chosen by; room: those before it fill theirs.
enum class shard_way { hash, range, key, room };

/// What a shard has room for; 0: any number.
struct shard_room {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  ///< with its header, but for a record that is larger
};

/// From a record, or its key, to its shard.
class shard_choice {
 public:
  shard_choice(shard_way by, std::uint64_t shards, std::vector<std::string> splitters, const shard_room& room)
      : by_(by), shards_(by == shard_way::room ? 0 : shards), splitters_(std::move(splitters)), room_(room) {}

  /// By hash: the first `top` shards are for one key each, of these.
  void keep_apart(std::uint64_t top, const std::vector<std::string>& hot) {
    top_ = top;
    for (const std::string& key : hot) hot_.emplace(key, static_cast<std::uint32_t>(hot_.size()));
  }

  [[nodiscard]] shard_way by() const { return by_; }
  /// How many there are; by key and by room, so far.
  [[nodiscard]] std::uint64_t shards() const { return by_ == shard_way::key ? keys_.size() : shards_; }
  /// The shard of the next record, by room; each shard has a header of so many bytes.
  std::uint32_t next(std::size_t record_bytes, std::size_t header_bytes) {
    const bool many = room_.records != 0 && records_ == room_.records;
    const bool large = room_.bytes != 0 && records_ != 0 && bytes_ + record_bytes > room_.bytes;
    if (shards_ == 0 || many || large) {
      ++shards_;
      records_ = 0;
      bytes_ = header_bytes;
    }
    ++records_;
    bytes_ += record_bytes;
    return static_cast<std::uint32_t>(shards_ - 1);
  }
  /// The key of a shard, where each has one.
  [[nodiscard]] const std::string& key(std::size_t shard) const { return keys_.key(shard); }

  /// A thread's choices of a chunk.
  class of_chunk {
   public:
    explicit of_chunk(shard_choice& all) : all_(all), keys_(all.keys_) {}
    std::uint32_t operator()(std::string_view key) {
      if (all_.by_ == shard_way::key) return keys_.number(key);
      if (all_.by_ == shard_way::range) {
        const auto& s = all_.splitters_;
        return static_cast<std::uint32_t>(std::upper_bound(s.begin(), s.end(), key) - s.begin());
      }
      if (const auto hot = all_.hot_.find(key); hot != all_.hot_.end()) return hot->second;
      return static_cast<std::uint32_t>(all_.top_ +
                                        pn::detail::multiply_high(hash_bytes(key), all_.shards_ - all_.top_));
    }

   private:
    shard_choice& all_;
    key_numbers_of_chunk keys_;
  };

 private:
  shard_way by_;
  std::uint64_t shards_;
  std::vector<std::string> splitters_;
  std::uint64_t top_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> hot_;
  key_numbers keys_;
  shard_room room_;
  std::uint64_t records_ = 0;  ///< of the last shard, by room
  std::uint64_t bytes_ = 0;
};

}  // namespace peneira::tool
