// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/io/compressed_parts.hpp"

#include <array>
#include <cstdint>

namespace peneira::tool {
namespace {

constexpr std::size_t member_header = 18;  // bytes of bgzf's, whose one extra field is the member's length

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
  constexpr std::uint32_t frame = 0xFD2FB528;
  constexpr std::uint32_t skipped = 0x184D2A5;  // and four bits of any value
  const std::size_t begin = to.size();
  if (!take(to, 4)) return to.size() == begin ? step::end : step::other;
  const std::uint32_t magic = number_at(to, begin, 4);
  if (magic >> 4U == skipped) {
    if (!take(to, 4)) return step::other;
    return take(to, number_at(to, begin + 4, 4)) ? step::whole : step::other;
  }
  if (magic != frame || !take(to, 1)) return step::other;
  const auto described = static_cast<unsigned char>(to.back());
  const bool single = (described >> 5U & 1U) != 0;
  const bool checksum = (described >> 2U & 1U) != 0;
  constexpr std::array<std::size_t, 4> dictionary_bytes{0, 1, 2, 4};
  const std::array<std::size_t, 4> size_bytes{single ? std::size_t{1} : 0, 2, 4, 8};
  const std::size_t header = (single ? 0 : 1) + dictionary_bytes[described & 3U] + size_bytes[described >> 6U];
  return take(to, header) && take_blocks(to, checksum) ? step::whole : step::other;
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
