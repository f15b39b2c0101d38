// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/io/compressed_parts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace peneira::tool {
namespace {

constexpr std::size_t member_header = 18;  // bytes of bgzf's, whose one extra field is the member's length

constexpr std::uint32_t frame_magic = 0xFD2FB528;

/// What the descriptor of a zstd frame, its fifth byte, says of its header.
struct frame_header {
  explicit frame_header(char descriptor) {
    constexpr std::array<std::size_t, 4> dictionary_bytes{0, 1, 2, 4};
    const auto described = static_cast<unsigned char>(descriptor);
    single = (described >> 5U & 1U) != 0;
    checksum = (described >> 2U & 1U) != 0;
    dictionary = dictionary_bytes[described & 3U];
    size = std::array<std::size_t, 4>{single ? std::size_t{1} : 0, 2, 4, 8}[described >> 6U];
  }
  /// Bytes behind the descriptor: of the window, the dictionary and the size of what is compressed.
  [[nodiscard]] std::size_t bytes() const { return (single ? 0 : 1) + dictionary + size; }

  bool single;  ///< a part that holds all of it, and no window
  bool checksum;
  std::size_t dictionary;
  std::size_t size;
};

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < size; ++i) {
    number |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return number;
}

/// Whether a member of gzip begins as one of bgzf, as far as 16 bytes tell.
bool begins_bgzf(std::string_view bytes) {
  constexpr std::string_view magic("\x1f\x8b\x08\x04", 4);
  constexpr std::string_view field("\x06\0BC\x02\0", 6);
  return bytes.size() >= 16 && bytes.starts_with(magic) && bytes.substr(10, field.size()) == field;
}

}  // namespace

std::optional<std::size_t> window_of_frame(std::string_view first_bytes) {
  constexpr std::size_t least = 5;  // the magic number and the descriptor
  if (first_bytes.size() < least || number_at(first_bytes, 0, 4) != frame_magic) return std::nullopt;
  const frame_header header(first_bytes[least - 1]);
  if (first_bytes.size() < least + header.bytes()) return std::nullopt;
  std::uint64_t content = ~std::uint64_t{0};
  const std::size_t at = least + (header.single ? 0 : 1) + header.dictionary;
  if (header.size == 8) {
    content = number_at(first_bytes, at, 4) | std::uint64_t{number_at(first_bytes, at + 4, 4)} << 32U;
  } else if (header.size != 0) {
    content = number_at(first_bytes, at, header.size) + (header.size == 2 ? 256U : 0U);
  }
  if (header.single) return content;
  const auto described = static_cast<unsigned char>(first_bytes[least]);
  const std::uint64_t base = std::uint64_t{1} << (10 + (described >> 3U));
  return std::min(content, base + base / 8 * (described & 7U));
}

bool may_have_parts(compression how, std::string_view first_bytes) {
  return how == compression::zstd || (how == compression::gzip && begins_bgzf(first_bytes));
}

compressed_parts::step compressed_parts::take_member(std::string& to) {
  const std::size_t begin = to.size();
  if (!take(to, member_header)) return to.size() == begin ? step::end : step::other;
  const std::string_view header = std::string_view(to).substr(begin);
  if (!begins_bgzf(header)) return step::other;
  const std::size_t size = number_at(header, 16, 2) + std::size_t{1};
  return size >= member_header && take(to, size - member_header) ? step::whole : step::other;
}

bool compressed_parts::take_blocks(std::string& to, bool checksum) {
  for (bool last = false; !last;) {
    constexpr std::size_t block_header = 3;
    const std::size_t at = to.size();
    if (!take(to, block_header)) return false;
    const std::uint32_t header = number_at(to, at, block_header);
    const bool repeated = (header >> 1U & 3U) == 1;  // one byte
    last = (header & 1U) != 0;
    if (!take(to, repeated ? 1 : header >> 3U)) return false;
  }
  return take(to, checksum ? 4 : 0);
}

compressed_parts::step compressed_parts::take_frame(std::string& to) {
  constexpr std::uint32_t skipped = 0x184D2A5;  // and four bits of any value
  const std::size_t begin = to.size();
  if (!take(to, 4)) return to.size() == begin ? step::end : step::other;
  const std::uint32_t magic = number_at(to, begin, 4);
  if (magic >> 4U == skipped) {
    if (!take(to, 4)) return step::other;
    return take(to, number_at(to, begin + 4, 4)) ? step::whole : step::other;
  }
  if (magic != frame_magic || !take(to, 1)) return step::other;
  const frame_header header(to.back());
  if (!take(to, header.bytes()) || *window_of_frame(std::string_view(to).substr(begin)) > most_window_) {
    return step::other;
  }
  return take_blocks(to, header.checksum) ? step::whole : step::other;
}

compressed_parts::found compressed_parts::next(std::string& to) {
  constexpr std::size_t enough = std::size_t{1} << 18U;  // bytes that are worth waking a thread
  to.clear();
  while (to.size() < enough) {
    const step one = how_ == compression::gzip ? take_member(to) : take_frame(to);
    if (one == step::end) break;
    if (one == step::other) return found::rest;
  }
  return to.empty() ? found::nothing : found::part;
}

}  // namespace peneira::tool
