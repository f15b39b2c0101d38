// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tests share: a seeded source of randomness, items of odd sizes, inputs of every shape, arrays with canaries
// around them, and memories that count or fail.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "peneira/hash.hpp"
#include "peneira/place.hpp"
#include "peneira/plan.hpp"
#include "peneira/view.hpp"

namespace peneira::test {

/// Whether a long double is one: valgrind computes with doubles instead.
inline bool long_doubles_are_long() {
  const volatile long double one = 1;
  const volatile long double least = std::numeric_limits<long double>::epsilon();
  return one + least != one;
}

/// Under a sanitizer or valgrind the tests do less of the same.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(PENEIRA_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// What tables of plans are written with.
inline constexpr std::size_t mi = std::size_t{1} << 20U;
inline constexpr std::size_t h200_sms = 132;
inline constexpr order kept = order::stable;
inline constexpr order any = order::any;

/// The seed of every random choice; PENEIRA_SEED in the environment replaces it.
inline std::uint64_t seed() {
  const char* const wanted = std::getenv("PENEIRA_SEED");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 0) : 0x5EED;
}

class random {
 public:
  explicit random(std::uint64_t from) : state_(from) {}
  std::uint64_t operator()() { return mix64(state_ += 0x9E3779B97F4A7C15U); }
  std::uint64_t below(std::uint64_t end) { return (*this)() % end; }
  double unit() { return static_cast<double>((*this)() >> 11U) * 0x1p-53; }
  template <class List>
  auto pick(const List& list) {
    return list[below(list.size())];
  }

 private:
  std::uint64_t state_;
};

/// An item of any size that no integer has. Ordered by its first word alone, so that equal items can be told apart.
template <std::size_t Bytes, class Word>
struct block {
  Word words[Bytes / sizeof(Word)];
  PENEIRA_HD friend bool operator<(const block& a, const block& b) { return a.words[0] < b.words[0]; }
};
using bytes3 = block<3, std::uint8_t>;
using bytes12 = block<12, std::uint32_t>;
using bytes16 = block<16, std::uint64_t>;
using bytes24 = block<24, std::uint64_t>;
using bytes33 = block<33, std::uint8_t>;
using bytes64 = block<64, std::uint64_t>;

template <class T>
inline constexpr bool is_block = std::is_class_v<T>;

/// A key that lies where `rank` lies in [0, 2^64). What else the key has room for tells items of one rank apart.
template <class K>
K make_key(std::uint64_t rank, std::uint64_t item) {
  if constexpr (is_block<K>) {
    K key{};
    using word = std::remove_cvref_t<decltype(key.words[0])>;
    std::size_t at = 0;
    for (word& w : key.words) w = static_cast<word>(mix64(item + ++at * 0x10001));
    key.words[0] = static_cast<word>(rank >> (64 - 8 * sizeof(word)));
    return key;
  } else if constexpr (std::is_floating_point_v<K>) {
    return static_cast<K>(static_cast<double>(rank >> 11U) * 0x1p-52 - 1);
  } else {
    using raw = std::make_unsigned_t<K>;
    const auto top = static_cast<raw>(rank >> (64 - 8 * sizeof(K)));
    return std::bit_cast<K>(std::is_signed_v<K> ? static_cast<raw>(top ^ (raw{1} << (8 * sizeof(K) - 1))) : top);
  }
}

/// How the keys of an input lie.
enum class shape { uniform, equal, sorted, reversed, two_values, zipf };
inline constexpr std::array all_shapes{shape::uniform,  shape::equal,      shape::sorted,
                                       shape::reversed, shape::two_values, shape::zipf};
inline const char* to_string(shape s) {
  constexpr std::array names{"uniform", "equal", "sorted", "reversed", "two_values", "zipf"};
  return names[static_cast<std::size_t>(s)];
}

/// The rank of item i of n.
inline std::uint64_t rank_of(shape s, std::size_t i, std::size_t n, random& next) {
  const std::uint64_t step = ~std::uint64_t{0} / n;
  switch (s) {
    case shape::uniform:
      return next();
    case shape::equal:
      return 0xC0FFEE1234567890U;
    case shape::sorted:
      return i * step;
    case shape::reversed:
      return (n - 1 - i) * step;
    case shape::two_values:
      return (next() & 1U) != 0 ? 0x1234567890ABCDEFU : 0xFEDCBA0987654321U;
    case shape::zipf:
      return mix64(static_cast<std::uint64_t>(1 / (next.unit() + 1e-9)));
  }
  return 0;
}

template <class K>
std::vector<K> make_keys(shape s, std::size_t n, random& next) {
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = make_key<K>(rank_of(s, i, n, next), i);
  return keys;
}

/// Arrays of the host, and the CPU as the place to test.
struct host_space {
  static constexpr std::array thread_counts{1U, 2U, 3U, 7U};
  static constexpr const char* unavailable() { return nullptr; }
  static cpu place(unsigned threads) { return {.threads = threads}; }
  static host machine(unsigned threads) { return host::here().with_threads(threads); }

  static void* allocate(std::size_t bytes) { return ::operator new (bytes, std::align_val_t{memory_alignment}); }
  static void deallocate(void* at) { ::operator delete (at, std::align_val_t{memory_alignment}); }
  static void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
};

/// A copy of a vector in a space, `shift` items off its alignment, not a byte longer.
template <class T, class Space>
class placed {
 public:
  explicit placed(const std::vector<T>& from, std::size_t shift = 0)
      : size_(from.size()),
        memory_(size_ == 0 ? nullptr : static_cast<T*>(Space::allocate((size_ + shift) * sizeof(T)))),
        data_(memory_ == nullptr ? nullptr : memory_ + shift) {
    if (data_ != nullptr) Space::copy(data_, from.data(), size_ * sizeof(T));
  }
  placed(const placed&) = delete;
  placed& operator=(const placed&) = delete;
  placed(placed&&) = delete;
  placed& operator=(placed&&) = delete;
  ~placed() { Space::deallocate(memory_); }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> copy(size_);
    Space::copy(copy.data(), data_, size_ * sizeof(T));
    return copy;
  }

 private:
  std::size_t size_;
  T* memory_;
  T* data_;
};

/// An output array between canaries, `shift` items off its alignment.
template <class T, class Space = host_space>
class guarded {
 public:
  explicit guarded(std::size_t n, std::size_t shift = 0)
      : size_(n),
        front_((margin + shift) * sizeof(T)),
        memory_(std::vector<unsigned char>(front_ + (n + margin) * sizeof(T), canary)) {}

  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.data() + front_); }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// What the array holds now; a failure of the test where a canary has changed.
  [[nodiscard]] std::vector<T> read() const {
    const std::vector<unsigned char> now = memory_.read();
    const std::size_t end = front_ + size_ * sizeof(T);
    for (std::size_t at = 0; at < now.size(); at = at + 1 == front_ ? end : at + 1) {
      if (now[at] == canary) continue;
      ADD_FAILURE() << "a canary changed at byte " << static_cast<std::ptrdiff_t>(at - front_) << " of an array of "
                    << size_ << " items of " << sizeof(T) << " bytes";
      break;
    }
    std::vector<T> inside(size_);
    host_space::copy(inside.data(), now.data() + front_, size_ * sizeof(T));
    return inside;
  }

 private:
  static constexpr std::size_t margin = 64;
  static constexpr unsigned char canary = 0xA5;

  std::size_t size_;
  std::size_t front_;
  placed<unsigned char, Space> memory_;
};

/// Whether two arrays hold the same bytes; tells the first item that differs.
template <class T>
::testing::AssertionResult same(const std::vector<T>& wanted, const std::vector<T>& got) {
  if (wanted.size() != got.size()) {
    return ::testing::AssertionFailure() << got.size() << " items instead of " << wanted.size();
  }
  if (wanted.empty() || std::memcmp(wanted.data(), got.data(), wanted.size() * sizeof(T)) == 0) {
    return ::testing::AssertionSuccess();
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the very bytes must be the same
    if (std::memcmp(&wanted[i], &got[i], sizeof(T)) != 0) {
      auto failure = ::testing::AssertionFailure() << "item " << i << " of " << got.size() << " differs";
      if constexpr (std::is_arithmetic_v<T>) failure << ": " << +got[i] << " instead of " << +wanted[i];
      return failure;
    }
  }
  return ::testing::AssertionSuccess();
}

/// Counts what it hands out, and refuses the call of a given number.
class counting_memory final : public memory {
 public:
  void* allocate(std::size_t bytes, stream on) override {
    if (++calls == fail_at) throw std::bad_alloc();
    ++outstanding;
    total += bytes;
    return heap::shared().allocate(bytes, on);
  }
  void deallocate(void* at, std::size_t bytes, stream on) noexcept override {
    --outstanding;
    heap::shared().deallocate(at, bytes, on);
  }

  std::size_t calls = 0;
  std::size_t fail_at = 0;
  std::size_t total = 0;
  std::ptrdiff_t outstanding = 0;
};

/// What an exception of type E says; a failure of the test where none is thrown.
template <class E = std::invalid_argument, class Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

/// Expects that a text has every one of some parts.
inline void expect_parts(const std::string& text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is not in: " << text;
  }
}

/// The names of a plan's steps.
inline std::string steps_of(const plan& made) {
  std::string all;
  for (const step& s : made.steps) all.append(s.name).append(" ");
  return all;
}

}  // namespace peneira::test
