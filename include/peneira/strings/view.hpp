// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Strings as the calls take them: characters side by side, and where each string starts.
//
//   chars   f l o u r \n \n m e a l \n            starts 0 6 7 12, trailing 1: "flour", "", "meal"
//
// Nothing is copied where the characters lie so already; lines of a text do, with their separators left out.
#pragma once

#include <concepts>
#include <cstring>
#include <limits>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "peneira/error.hpp"

namespace peneira {

/// The types that say where strings start, and which string comes where: unsigned integers of 32 or 64 bits.
template <class T>
concept string_number = std::unsigned_integral<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

/// Strings that somebody else owns: string i is chars[starts[i]] to before chars[starts[i + 1] - trailing]. Any bytes,
/// of any number, none included.
template <string_number Offset = std::uint64_t>
struct strings {
  using offset_type = Offset;  ///< of the starts

  const char* chars = nullptr;     ///< of all strings
  const Offset* starts = nullptr;  ///< size + 1 of them, ascending
  std::size_t size = 0;            ///< how many strings there are
  std::size_t trailing = 0;        ///< bytes at the end of each that are no part of it, such as a newline

  strings() = default;
  /// `size` strings, on the host or on the device.
  PENEIRA_HD strings(const char* chars_at, const Offset* starts_at, std::size_t how_many, std::size_t left_out = 0)
      : chars(chars_at), starts(starts_at), size(how_many), trailing(left_out) {}
  /// The strings between the starts of a contiguous range on the host.
  template <std::ranges::contiguous_range Starts>
  strings(const char* chars_at, const Starts& all_starts, std::size_t left_out = 0)
      : strings(chars_at, std::ranges::data(all_starts), strings_between(std::ranges::size(all_starts)), left_out) {}

  /// Where string i begins.
  [[nodiscard]] PENEIRA_HD const char* begin_of(std::size_t i) const { return chars + starts[i]; }
  /// How many bytes string i has.
  [[nodiscard]] PENEIRA_HD std::size_t length_of(std::size_t i) const {
    return static_cast<std::size_t>(starts[i + 1] - starts[i]) - trailing;
  }
  /// String i, which must be on the host.
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return {begin_of(i), length_of(i)}; }

 private:
  static std::size_t strings_between(std::size_t starts_given) { return starts_given == 0 ? 0 : starts_given - 1; }
};

template <std::ranges::contiguous_range Starts>
strings(const char*, const Starts&, std::size_t = 0) -> strings<std::ranges::range_value_t<Starts>>;

/// Strings together with what they need: their starts, and their characters unless these are somebody else's. lines_of
/// and strings_of make them.
template <string_number Offset = std::uint64_t>
class owned_strings {
 public:
  owned_strings() = default;
  owned_strings(std::unique_ptr<char[]> chars, std::unique_ptr<Offset[]> starts, strings<Offset> all)
      : chars_(std::move(chars)), starts_(std::move(starts)), all_(all) {}

  /// The strings, for as long as this object lives.
  [[nodiscard]] const strings<Offset>& view() const { return all_; }
  [[nodiscard]] std::size_t size() const { return all_.size; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return all_[i]; }

 private:
  std::unique_ptr<char[]> chars_;
  std::unique_ptr<Offset[]> starts_;
  strings<Offset> all_;
};

namespace detail {

/// Throws where an offset cannot count this many bytes.
template <class Offset>
void check_text_bytes(std::string_view call, std::size_t bytes) {
  if (bytes > std::numeric_limits<Offset>::max()) {
    reject(call, "text", "has " + std::to_string(bytes) + " bytes, too many for 32-bit starts");
  }
}

/// Whether T is a range of strings that strings_of can copy.
template <class T>
concept range_of_strings = std::ranges::forward_range<const T> &&
    std::convertible_to<std::ranges::range_reference_t<const T>, std::string_view>;

template <class T>
inline constexpr bool is_strings = false;
template <class Offset>
inline constexpr bool is_strings<strings<Offset>> = true;
template <class Offset>
inline constexpr bool is_strings<owned_strings<Offset>> = true;

}  // namespace detail

namespace detail {

/// A string of a range, the i-th; throws std::invalid_argument where it is a null pointer.
template <class String>
std::string_view string_of(const String& one, std::size_t i) {
  if constexpr (std::is_pointer_v<String>) {
    if (one == nullptr) reject("strings_of", "string " + std::to_string(i), "is a null pointer");
  }
  return one;
}

}  // namespace detail

/// A copy of a range of strings (std::string, std::string_view, ...), side by side.
template <string_number Offset = std::uint64_t, detail::range_of_strings Range>
owned_strings<Offset> strings_of(const Range& range) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const auto& one : range) bytes += detail::string_of(one, count++).size();
  detail::check_text_bytes<Offset>("strings_of", bytes);
  auto chars = std::make_unique_for_overwrite<char[]>(bytes);
  auto starts = std::make_unique_for_overwrite<Offset[]>(count + 1);
  std::size_t i = 0;
  std::size_t at = 0;
  for (const auto& given : range) {
    const std::string_view one = detail::string_of(given, i);
    starts[i++] = static_cast<Offset>(at);
    if (!one.empty()) std::memcpy(chars.get() + at, one.data(), one.size());
    at += one.size();
  }
  starts[count] = static_cast<Offset>(at);
  const strings<Offset> all(chars.get(), starts.get(), count);
  return {std::move(chars), std::move(starts), all};
}

namespace detail {

/// What a call was given, as strings.
template <class Offset>
const strings<Offset>& as_strings(const strings<Offset>& given) {
  return given;
}
template <class Offset>
const strings<Offset>& as_strings(const owned_strings<Offset>& given) {
  return given.view();
}

}  // namespace detail
}  // namespace peneira
