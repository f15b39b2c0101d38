// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Compressed text: what gzip and zstd write is read and written by their libraries, where the program was built with
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace peneira::tool {

enum class compression : std::uint8_t { none, gzip, zstd };

/// The first bytes of an input that tell what it is.
inline constexpr std::size_t telling_bytes = 16;

/// How an input is compressed that begins so, if it can be read here.
compression compression_of(std::string_view first_bytes);

/// How an output of that name is to be compressed: .gz, .zst. Throws where that cannot be done here.
compression compression_by_name(std::string_view path);

/// Gives up to so many bytes; 0 at the end.
using byte_pull = std::function<std::size_t(char* to, std::size_t size)>;
/// Takes bytes.
using byte_push = std::function<void(const char* data, std::size_t size)>;

/// Gives what was compressed.
class decoder {
 public:
  decoder() = default;
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;
  decoder(decoder&&) = delete;
  decoder& operator=(decoder&&) = delete;
  virtual ~decoder() = default;
  /// Up to `size` bytes; 0 at the end. Throws where the data is damaged or ends too early.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// Who decompresses: nobody but the reader (0); one thread ahead of what is asked for; or several, where the file has
/// parts that can be decompressed by themselves, with so many bytes for all of them.
struct decoding {
  unsigned threads = 0;
  std::size_t memory = 0;
  std::size_t window = std::size_t{1} << 27U;  ///< bytes that zstd may look back; an input that wants more is refused
  std::string_view option = "";                ///< that allows more

  /// The same without threads.
  [[nodiscard]] decoding by_the_reader() const { return {0, 0, window, option}; }
};

/// What zstd may look back for a command with so much memory: what most files want, beside the rest, or a quarter.
inline constexpr std::size_t usual_window = std::size_t{4} << 20U;
constexpr std::size_t window_within(std::uint64_t memory) {
  return std::max<std::size_t>(usual_window, static_cast<std::size_t>(memory / 4));
}

/// Bytes that the decoders of an input that begins so will look back; 0 where they are too few to count.
std::size_t bytes_to_look_back(std::string_view telling, const decoding& by);

/// `telling` are the first bytes of the input; `first` comes before what `more` gives; `name` is for messages. Threads
/// are for sources that give at once what they have.
std::unique_ptr<decoder> make_decoder(compression how, std::string_view telling, std::string first, byte_pull more,
                                      const std::string& name, const decoding& by);

/// Compresses what it is given.
class encoder {
 public:
  encoder() = default;
  encoder(const encoder&) = delete;
  encoder& operator=(const encoder&) = delete;
  encoder(encoder&&) = delete;
  encoder& operator=(encoder&&) = delete;
  virtual ~encoder() = default;
  virtual void write(const char* data, std::size_t size) = 0;
  /// Writes what is left.
  virtual void finish() = 0;
};

std::unique_ptr<encoder> make_encoder(compression how, byte_push to);

}  // namespace peneira::tool
