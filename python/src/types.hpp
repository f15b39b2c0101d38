// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The types of items that NumPy has and the calls take, as numbers that Python hands over.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace peneira::python {

/// Of an item. `time` is what datetime64 and timedelta64 hold: int64, whose lowest number is "not a time"; `bf16` is on
/// GPUs alone.
enum class type : int { i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, time, bf16 };

/// Bytes of an item.
inline unsigned width_of(type of) {
  constexpr unsigned widths[] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 2};
  return widths[static_cast<int>(of)];
}

/// A number that Python cannot have made.
[[noreturn]] inline void refuse_code(const char* of) {
  throw std::logic_error(std::string("libpeneira: unknown code of a ") + of);
}

/// Calls f(U{}) with the unsigned integer of so many bytes.
template <class F>
void with_width(unsigned bytes, const F& f) {
  switch (bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      refuse_code("width");
  }
}

/// The same of words, of 4 or 8 bytes.
template <class F>
void with_word(unsigned bytes, const F& f) {
  if (bytes == 4) return f(std::uint32_t{});
  if (bytes == 8) return f(std::uint64_t{});
  refuse_code("word");
}

/// Calls f(T{}) with the type of the items of a reduction.
template <class F>
void with_number(type of, const F& f) {
  switch (of) {
    case type::i8:
      return f(std::int8_t{});
    case type::i16:
      return f(std::int16_t{});
    case type::i32:
      return f(std::int32_t{});
    case type::i64:
      return f(std::int64_t{});
    case type::u8:
      return f(std::uint8_t{});
    case type::u16:
      return f(std::uint16_t{});
    case type::u32:
      return f(std::uint32_t{});
    case type::u64:
      return f(std::uint64_t{});
    case type::f32:
      return f(float{});
    case type::f64:
      return f(double{});
    default:
      refuse_code("number");
  }
}

}  // namespace peneira::python
