// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/io/compressed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tools/peneira/io/ahead_decoder.hpp"
#include "tools/peneira/io/compressed_bytes.hpp"
#include "tools/peneira/io/compressed_formats.hpp"
#include "tools/peneira/io/compressed_parts.hpp"
#include "tools/peneira/io/parallel_decoder.hpp"

namespace peneira::tool {

void fail_to_decompress(const std::string& name, std::string_view why) {
  throw std::runtime_error(fmt::format("{}: cannot decompress: {}", name, why));
}

std::unique_ptr<decoder> make_plain_decoder(compression how, compressed_bytes from, [[maybe_unused]] const decoding& by,
                                            [[maybe_unused]] bool between) {
#if defined(PENEIRA_WITH_ZLIB)
  if (how == compression::gzip) return make_gzip_decoder(std::move(from), between);
#endif
#if defined(PENEIRA_WITH_ZSTD)
  if (how == compression::zstd) return make_zstd_decoder(std::move(from), by);
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
  if (how == compression::gzip) return make_gzip_encoder(std::move(to));
#endif
#if defined(PENEIRA_WITH_ZSTD)
  if (how == compression::zstd) return make_zstd_encoder(std::move(to));
#endif
  return nullptr;
}

}  // namespace peneira::tool
