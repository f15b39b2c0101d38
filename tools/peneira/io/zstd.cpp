// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#if defined(PENEIRA_WITH_ZSTD)

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/io/compressed_formats.hpp"

namespace peneira::tool {
namespace {

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

}  // namespace

std::unique_ptr<decoder> make_zstd_decoder(compressed_bytes from, const decoding& by) {
  return std::make_unique<zstd_decoder>(std::move(from), by);
}

std::unique_ptr<encoder> make_zstd_encoder(byte_push to) {
  return std::make_unique<zstd_encoder>(std::move(to));
}

}  // namespace peneira::tool

#endif
