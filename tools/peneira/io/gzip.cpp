// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#if defined(PENEIRA_WITH_ZLIB)

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "tools/peneira/io/compressed_formats.hpp"

namespace peneira::tool {
namespace {

constexpr int window = 15 + 16;  // the largest, in gzip's format

class gzip_decoder : public decoder {
 public:
  gzip_decoder(compressed_bytes from, bool between) : from_(std::move(from)), between_(between) {
    if (inflateInit2(&state_, window) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_decoder() override { inflateEnd(&state_); }

  std::size_t read(char* to, std::size_t size) override {
    size = std::min<std::size_t>(size, std::numeric_limits<uInt>::max());
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = static_cast<uInt>(size);
    while (!ended_ && state_.avail_out == size) {
      const std::string_view some = from_.next();
      if (between_ && !begins_member(some)) break;
      if (some.empty()) fail_to_decompress(from_.name(), "it ends too early");
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(some.data()));  // NOLINT: zlib's interface
      state_.avail_in = static_cast<uInt>(some.size());
      const int found = inflate(&state_, Z_NO_FLUSH);
      from_.use(some.size() - state_.avail_in);
      between_ = found == Z_STREAM_END;
      if (between_ && inflateReset(&state_) != Z_OK) throw std::bad_alloc();
      if (found == Z_MEM_ERROR) throw std::bad_alloc();
      if (found != Z_OK && found != Z_STREAM_END && found != Z_BUF_ERROR) {
        fail_to_decompress(from_.name(), state_.msg != nullptr ? state_.msg : "it is damaged");
      }
    }
    return size - state_.avail_out;
  }

 private:
  /// Whether another member follows; zeros may, which tapes are filled up with.
  bool begins_member(std::string_view some) {
    while (!some.empty() && some.front() == '\0') {
      const std::size_t zeros = std::min(some.find_first_not_of('\0'), some.size());
      from_.use(zeros);
      some = from_.next();
      padded_ = true;
    }
    ended_ = some.empty();
    if (!ended_ && (padded_ || some.front() != '\x1f')) {
      fail_to_decompress(from_.name(), "other bytes follow the compressed ones");
    }
    return !ended_;
  }

  compressed_bytes from_;
  z_stream state_{};
  bool between_;  ///< members
  bool padded_ = false;
  bool ended_ = false;
};

class gzip_encoder : public encoder {
 public:
  explicit gzip_encoder(byte_push to) : to_(std::move(to)), out_(compressed_block) {
    constexpr int memory = 8;
    if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~gzip_encoder() override { deflateEnd(&state_); }

  void write(const char* data, std::size_t size) override {
    constexpr std::size_t most = std::size_t{1} << 30U;
    for (; size > 0;) {
      const std::size_t some = std::min(size, most);
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data));  // NOLINT: zlib's interface
      state_.avail_in = static_cast<uInt>(some);
      run(Z_NO_FLUSH);
      data += some;
      size -= some;
    }
  }
  void finish() override {
    state_.avail_in = 0;
    run(Z_FINISH);
  }

 private:
  void run(int flush) {
    do {
      state_.next_out = reinterpret_cast<Bytef*>(out_.data());
      state_.avail_out = static_cast<uInt>(out_.size());
      deflate(&state_, flush);
      to_(out_.data(), out_.size() - state_.avail_out);
    } while (state_.avail_out == 0);
  }

  byte_push to_;
  std::vector<char> out_;
  z_stream state_{};
};

}  // namespace

std::unique_ptr<decoder> make_gzip_decoder(compressed_bytes from, bool between) {
  return std::make_unique<gzip_decoder>(std::move(from), between);
}

std::unique_ptr<encoder> make_gzip_encoder(byte_push to) {
  return std::make_unique<gzip_encoder>(std::move(to));
}

}  // namespace peneira::tool

#endif
