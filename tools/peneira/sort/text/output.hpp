// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where sorted lines go: the output of `peneira sort` on text, and blocks that many threads fill and write in order.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "peneira/cpu/team.hpp"
#include "tools/peneira/io/compressed.hpp"
#include "tools/peneira/sort/file.hpp"

namespace peneira::tool {

/// Takes bytes, one call after the other.
class byte_sink {
 public:
  byte_sink() = default;
  byte_sink(const byte_sink&) = delete;
  byte_sink& operator=(const byte_sink&) = delete;
  byte_sink(byte_sink&&) = delete;
  byte_sink& operator=(byte_sink&&) = delete;
  virtual ~byte_sink() = default;
  virtual void write(const char* data, std::size_t size) = 0;
};

/// Standard output, or the file of -o, compressed where it is called .gz or .zst.
class sort_output : public byte_sink {
 public:
  sort_output(const std::optional<std::string>& path, const std::string& temporary_folder);
  void write(const char* data, std::size_t size) override;
  void commit();

 private:
  std::optional<sort_file> file_;
  std::unique_ptr<encoder> encoder_;
};

/// Hands out turns, so that many threads write blocks in their order.
class turns {
 public:
  /// Returns when all blocks before this one are done; throws what another thread failed with.
  void wait_for(std::size_t block);
  void done(std::size_t block);
  void fail(std::exception_ptr error);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
  std::exception_ptr error_;
};

/// What a thread writes of one block: kept until it is the block's turn, unless it grows beyond the buffer.
class ordered_block {
 public:
  /// The buffer has `slack` bytes more than its capacity.
  ordered_block(byte_sink& to, turns& order, char* buffer, std::size_t capacity, std::size_t block)
      : to_(to), turns_(order), buffer_(buffer), capacity_(capacity), block_(block) {}

  void append(const char* data, std::size_t size) {
    if (!fits(data, size)) return;
    std::memcpy(buffer_ + held_, data, size);
    held_ += size;
  }
  /// The same, where as many bytes as `slack` behind the data may be read: short copies take no call.
  void append_with_slack(const char* data, std::size_t size) {
    constexpr std::size_t most = 128;
    if (size > most) return append(data, size);
    if (!fits(data, size)) return;
    char* const at = buffer_ + held_;
    for (std::size_t copied = 0; copied < size; copied += slack) std::memcpy(at + copied, data + copied, slack);
    held_ += size;
  }
  static constexpr std::size_t slack = 32;
  void finish() {
    flush();
    turns_.done(block_);
  }

 private:
  /// Makes room; false where it wrote the data by itself.
  bool fits(const char* data, std::size_t size) {
    if (size <= capacity_ - held_) return true;
    flush();
    if (size <= capacity_) return true;
    to_.write(data, size);
    return false;
  }
  void flush() {
    turns_.wait_for(block_);
    to_.write(buffer_, held_);
    held_ = 0;
  }

  byte_sink& to_;
  turns& turns_;
  char* buffer_;
  std::size_t capacity_;
  std::size_t block_;
  std::size_t held_ = 0;
};

/// Calls produce(block, to) for every block, many at the same time, and writes what they append in their order. Each
/// thread keeps up to `buffer` bytes.
template <class Produce>
void write_blocks(byte_sink& to, unsigned team, std::size_t blocks, std::size_t buffer, Produce&& produce) {
  std::atomic<std::size_t> next{0};
  turns order;
  pn::detail::on_each(static_cast<unsigned>(std::min<std::size_t>(team, blocks)), [&](unsigned /*member*/) {
    try {
      const auto bytes = std::make_unique_for_overwrite<char[]>(buffer + ordered_block::slack);
      for (std::size_t b = next++; b < blocks; b = next++) {
        ordered_block block(to, order, bytes.get(), buffer, b);
        produce(b, block);
        block.finish();
      }
    } catch (...) {
      order.fail(std::current_exception());
      throw;
    }
  });
}

}  // namespace peneira::tool
