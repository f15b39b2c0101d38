// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/io/compressed.hpp"

#include <fmt/format.h>

#if defined(PENEIRA_WITH_ZLIB)
#include <zlib.h>
#endif
#if defined(PENEIRA_WITH_ZSTD)
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/io/compressed_bytes.hpp"
#include "tools/peneira/io/compressed_parts.hpp"
#include "tools/peneira/io/parallel_decoder.hpp"

namespace peneira::tool {
namespace {

[[noreturn]] void fail_to_decompress(const std::string& name, std::string_view why) {
  throw std::runtime_error(fmt::format("{}: cannot decompress: {}", name, why));
}

#if defined(PENEIRA_WITH_ZLIB)
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
#endif

#if defined(PENEIRA_WITH_ZSTD)
class zstd_decoder : public decoder {
 public:
  zstd_decoder(compressed_bytes from, const decoding& by)
      : from_(std::move(from)), by_(by), state_(ZSTD_createDStream()) {
    if (state_ == nullptr) throw std::bad_alloc();
    const ZSTD_bounds possible = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    const int log2 = static_cast<int>(std::bit_width(by.window)) - 1;
    ZSTD_DCtx_setParameter(state_, ZSTD_d_windowLogMax, std::clamp(log2, possible.lowerBound, possible.upperBound));
  }
  ~zstd_decoder() override { ZSTD_freeDStream(state_); }

  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos == 0) {
      const std::string_view some = from_.next();
      if (some.empty() && left_ == 0) break;
      ZSTD_inBuffer in{some.data(), some.size(), 0};  // of nothing it may still hold what it made
      left_ = ZSTD_decompressStream(state_, &out, &in);
      if (ZSTD_isError(left_) != 0) refuse();
      from_.use(in.pos);
      if (some.empty() && out.pos == 0) fail_to_decompress(from_.name(), "it ends too early");
    }
    return out.pos;
  }

 private:
  [[noreturn]] void refuse() const {
    if (ZSTD_getErrorCode(left_) != ZSTD_error_frameParameter_windowTooLarge || by_.option.empty()) {
      fail_to_decompress(from_.name(), ZSTD_getErrorName(left_));
    }
    const std::string most = print_bytes(static_cast<double>(std::bit_floor(by_.window)));
    fail_to_decompress(from_.name(),
                       fmt::format("zstd would look back more than {}; a larger {} allows it", most, by_.option));
  }

  compressed_bytes from_;
  decoding by_;
  ZSTD_DStream* state_;
  std::size_t left_ = 0;  ///< 0: a frame is complete
};

class zstd_encoder : public encoder {
 public:
  explicit zstd_encoder(byte_push to) : to_(std::move(to)), out_(compressed_block), state_(ZSTD_createCStream()) {
    if (state_ == nullptr) throw std::bad_alloc();
  }
  ~zstd_encoder() override { ZSTD_freeCStream(state_); }

  void write(const char* data, std::size_t size) override {
    for (ZSTD_inBuffer in{data, size, 0}; in.pos < in.size;) run(in, ZSTD_e_continue);
  }
  void finish() override {
    ZSTD_inBuffer nothing{nullptr, 0, 0};
    while (run(nothing, ZSTD_e_end) != 0) continue;
  }

 private:
  std::size_t run(ZSTD_inBuffer& in, ZSTD_EndDirective how) {
    ZSTD_outBuffer out{out_.data(), out_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(state_, &out, &in, how);
    if (ZSTD_isError(left) != 0) {
      throw std::runtime_error(fmt::format("cannot compress the output: {}", ZSTD_getErrorName(left)));
    }
    to_(out_.data(), out.pos);
    return left;
  }

  byte_push to_;
  std::vector<char> out_;
  ZSTD_CStream* state_;
};
#endif

/// Decompresses what will be asked for, in a thread of its own.
class ahead_decoder : public decoder {
 public:
  explicit ahead_decoder(std::unique_ptr<decoder> from) : from_(std::move(from)), thread_([this] { run(); }) {}
  ~ahead_decoder() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  std::size_t read(char* to, std::size_t size) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return made_ > taken_ || error_ != nullptr; });
    if (made_ == taken_) std::rethrow_exception(error_);
    piece& front = pieces_[taken_ % pieces_.size()];
    lock.unlock();
    const std::size_t some = std::min(size, front.size - at_);
    std::copy_n(front.bytes.data() + at_, some, to);
    at_ += some;
    if (at_ < front.size || front.size == 0) return some;  // one of no bytes is the end, and stays
    at_ = 0;
    lock.lock();
    ++taken_;
    changed_.notify_all();
    return some;
  }

 private:
  struct piece {
    std::vector<char> bytes = std::vector<char>(2 * compressed_block);
    std::size_t size = 0;
  };

  void run() {
    try {
      for (std::size_t got = 1; got != 0;) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return over_ || made_ - taken_ < pieces_.size(); });
        if (over_) return;
        piece& back = pieces_[made_ % pieces_.size()];
        lock.unlock();
        back.size = got = from_->read(back.bytes.data(), back.bytes.size());
        lock.lock();
        ++made_;
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      changed_.notify_all();
    }
  }

  std::unique_ptr<decoder> from_;
  std::array<piece, 3> pieces_;
  std::size_t at_ = 0;  ///< in the one that is being taken
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t made_ = 0;
  std::size_t taken_ = 0;
  bool over_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<decoder> make_plain_decoder(compression how, compressed_bytes from, [[maybe_unused]] const decoding& by,
                                            [[maybe_unused]] bool between) {
#if defined(PENEIRA_WITH_ZLIB)
  if (how == compression::gzip) return std::make_unique<gzip_decoder>(std::move(from), between);
#endif
#if defined(PENEIRA_WITH_ZSTD)
  if (how == compression::zstd) return std::make_unique<zstd_decoder>(std::move(from), by);
#endif
  static_cast<void>(how);
  throw std::logic_error("a format that compression_of() does not know");
}

compression compression_of([[maybe_unused]] std::string_view first_bytes) {
#if defined(PENEIRA_WITH_ZLIB)
  if (first_bytes.starts_with("\x1f\x8b\x08")) return compression::gzip;
#endif
#if defined(PENEIRA_WITH_ZSTD)
  if (first_bytes.starts_with("\x28\xb5\x2f\xfd")) return compression::zstd;
  // A frame that is skipped, with which pzstd begins.
  const bool skipped = first_bytes.size() >= 4 && (static_cast<unsigned char>(first_bytes[0]) & 0xF0U) == 0x50;
  if (skipped && first_bytes.substr(1, 3) == "\x2a\x4d\x18") return compression::zstd;
#endif
  return compression::none;
}

compression compression_by_name(std::string_view path) {
  if (path.ends_with(".gz")) {
#if defined(PENEIRA_WITH_ZLIB)
    return compression::gzip;
#endif
  } else if (path.ends_with(".zst")) {
#if defined(PENEIRA_WITH_ZSTD)
    return compression::zstd;
#endif
  } else {
    return compression::none;
  }
  throw std::runtime_error(fmt::format("cannot write {}: the program was built without what compresses so", path));
}

namespace {

/// Bytes that a thread holds, of what is compressed and of what is not; 0 where one thread decompresses all.
std::size_t bytes_a_thread(compression how, std::string_view telling, const decoding& by) {
  constexpr std::size_t least = std::size_t{1} << 18U;
  constexpr std::size_t most = std::size_t{1} << 23U;
  if (by.threads < 2 || !may_have_parts(how, telling)) return 0;
  const std::size_t held = std::min(by.memory / 2 / by.threads, most);
  return held >= least ? held : 0;
}

}  // namespace

std::size_t bytes_to_look_back(std::string_view telling, const decoding& by) {
  const compression how = compression_of(telling);
  if (how != compression::zstd) return 0;
  const std::size_t threads = bytes_a_thread(how, telling, by) != 0 ? by.threads : 1;
  const std::size_t all = std::min(by.window, threads * window_of_frame(telling).value_or(by.window));
  return all > usual_window ? all : 0;
}

std::unique_ptr<decoder> make_decoder(compression how, std::string_view telling, std::string first, byte_pull more,
                                      const std::string& name, const decoding& by) {
  compressed_bytes from(std::move(first), std::move(more), name);
  if (by.threads == 0) return make_plain_decoder(how, std::move(from), by);
  if (const std::size_t held = bytes_a_thread(how, telling, by); held != 0) {
    return std::make_unique<parallel_decoder>(how, std::move(from), by, held);
  }
  return std::make_unique<ahead_decoder>(make_plain_decoder(how, std::move(from), by));
}

std::unique_ptr<encoder> make_encoder([[maybe_unused]] compression how, [[maybe_unused]] byte_push to) {
#if defined(PENEIRA_WITH_ZLIB)
  if (how == compression::gzip) return std::make_unique<gzip_encoder>(std::move(to));
#endif
#if defined(PENEIRA_WITH_ZSTD)
  if (how == compression::zstd) return std::make_unique<zstd_encoder>(std::move(to));
#endif
  return nullptr;
}

}  // namespace peneira::tool
