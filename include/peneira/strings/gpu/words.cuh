// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading strings eight bytes at a time where only aligned words can be loaded: two of those around any eight bytes.
// Words that are not all characters are read byte by byte, so that nothing outside them is touched.
#pragma once

#include "peneira/strings/view.hpp"

namespace peneira::detail {

template <class Offset>
class string_reader {
 public:
  PENEIRA_HD explicit string_reader(const strings<Offset>& all)
      : string_reader(all, all.begin_of(0), all.chars + all.starts[all.size] - all.trailing) {}
  /// Where all characters from `first` to before `last` may be read: it need not read the starts then.
  PENEIRA_HD string_reader(const strings<Offset>& all, const char* first, const char* last)
      : all_(all), first_(first), last_(last) {}

  [[nodiscard]] PENEIRA_HD std::size_t length(std::size_t i) const { return all_.length_of(i); }

  /// The bytes of string i from `at` on, at most eight, as a number whose order is theirs: the first is the highest.
  /// `left` is how many there are, or fewer to see; zeros stand for the others.
  [[nodiscard]] PENEIRA_HD std::uint64_t word(std::size_t i, std::size_t at, std::size_t left) const {
    return word_at(all_.begin_of(i) + at, left);
  }

  /// The first place from `at` on, before `end`, in which strings i and j differ; `end` if there is none. Both have
  /// that many bytes.
  [[nodiscard]] PENEIRA_HD std::size_t differ(std::size_t i, std::size_t j, std::size_t at, std::size_t end) const {
    const char* const a = all_.begin_of(i);
    const char* const b = all_.begin_of(j);
    for (; at < end; at += 8) {
      const std::uint64_t different = word_at(a + at, end - at) ^ word_at(b + at, end - at);
      if (different != 0) return at + leading_zeros(different) / 8;
    }
    return end;
  }

  /// Whether string i comes before string j.
  [[nodiscard]] PENEIRA_HD bool before(std::size_t i, std::size_t j) const {
    const std::size_t a = length(i);
    const std::size_t b = length(j);
    const std::size_t end = a < b ? a : b;
    const std::size_t at = differ(i, j, 0, end);
    return at == end ? a < b : word(i, at, 1) < word(j, at, 1);
  }

 private:
  [[nodiscard]] PENEIRA_HD std::uint64_t word_at(const char* at, std::size_t left) const {
    const auto skip = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at) % 8);
    const unsigned wanted = left < 8 ? static_cast<unsigned>(left) : 8;
    if (wanted == 0) return 0;
    std::uint64_t bytes = aligned(at - skip) >> 8 * skip;
    if (skip + wanted > 8) bytes |= aligned(at - skip + 8) << (64 - 8 * skip);
    const std::uint64_t word = reversed(bytes);
    return wanted == 8 ? word : word & ~(~std::uint64_t{0} >> 8 * wanted);
  }

  /// The aligned word at an address, the first byte the lowest.
  [[nodiscard]] PENEIRA_HD std::uint64_t aligned(const char* at) const {
    if (at >= first_ && at + 8 <= last_) {
      const auto* const whole = reinterpret_cast<const unsigned long long*>(at);
#if defined(__CUDA_ARCH__)
      return __ldg(whole);
#else
      return *whole;
#endif
    }
    std::uint64_t bytes = 0;
    for (unsigned k = 0; k < 8; ++k) {
      const bool is_there = at + k >= first_ && at + k < last_;
      bytes |= std::uint64_t{is_there ? static_cast<unsigned char>(at[k]) : 0U} << 8 * k;
    }
    return bytes;
  }

  PENEIRA_HD static std::uint64_t reversed(std::uint64_t bytes) {
#if defined(__CUDA_ARCH__)
    const auto low = static_cast<std::uint32_t>(bytes);
    const auto high = static_cast<std::uint32_t>(bytes >> 32U);
    return std::uint64_t{__byte_perm(low, 0, 0x0123)} << 32U | __byte_perm(high, 0, 0x0123);
#else
    return __builtin_bswap64(bytes);
#endif
  }
  PENEIRA_HD static unsigned leading_zeros(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
    return static_cast<unsigned>(__clzll(static_cast<long long>(bits)));
#else
    return static_cast<unsigned>(__builtin_clzll(bits));
#endif
  }

  strings<Offset> all_;
  const char* first_;  ///< of all characters
  const char* last_;   ///< behind the last
};

}  // namespace peneira::detail
