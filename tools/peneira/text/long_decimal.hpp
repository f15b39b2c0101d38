// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Decimals of any length, for the sums that outgrow `decimal`: exact, and as long as the digits of their terms lie
// apart.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tools/peneira/text/int128.hpp"

namespace peneira::tool {

/// The sum of digits[i] * 10^(9 * (first + i)). The digits are of either sign, and carried over now and then.
class long_decimal {
 public:
  static constexpr std::int64_t base = 1'000'000'000;

  void clear() {
    digits_.clear();
    additions_ = 0;
  }

  /// Adds mantissa * 10^exponent.
  void add(int128 mantissa, int exponent) {
    constexpr std::array<std::int64_t, 9> powers{1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
    constexpr int most_digits = 5;  // that a mantissa has, shifted
    const int position = exponent >= 0 ? exponent / 9 : -((8 - exponent) / 9);
    const std::int64_t shift = powers[static_cast<std::size_t>(exponent - 9 * position)];
    std::int64_t* at = reach(position, position + most_digits + 1);
    const bool negative = mantissa < 0;
    uint128 left = negative ? 0 - static_cast<uint128>(mantissa) : static_cast<uint128>(mantissa);
    for (; left != 0; left /= static_cast<uint128>(base), ++at) {
      const std::int64_t digit = static_cast<std::int64_t>(left % static_cast<uint128>(base)) * shift;
      at[0] += negative ? -(digit % base) : digit % base;
      at[1] += negative ? -(digit / base) : digit / base;
    }
    count_addition();
  }

  void add(long_decimal& other) {
    other.carry();
    std::int64_t* const at = reach(other.first_, other.first_ + static_cast<int>(other.digits_.size()));
    for (std::size_t i = 0; i < other.digits_.size(); ++i) at[i] += other.digits_[i];
    count_addition();
  }

  /// Both as products of exact numbers.
  void multiply(std::uint64_t by) {
    long_decimal factor;
    factor.add(static_cast<int128>(by), 0);
    multiply(factor);
  }
  void multiply(long_decimal& by) {
    carry();
    by.carry();
    std::vector<std::int64_t> product(digits_.size() + by.digits_.size() + 1);
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      int128 carried = 0;
      for (std::size_t j = 0; j < by.digits_.size() || carried != 0; ++j) {
        const int128 term = j < by.digits_.size() ? static_cast<int128>(digits_[i]) * by.digits_[j] : 0;
        const int128 sum = product[i + j] + term + carried;
        carried = i + j + 1 < product.size() ? sum / base : 0;
        product[i + j] = static_cast<std::int64_t>(sum - carried * base);
      }
    }
    first_ += by.first_;
    digits_ = std::move(product);
  }
  void negate() {
    for (std::int64_t& d : digits_) d = -d;
  }

  /// Appends its bytes, for a file of this run of the program; load() reads them and returns how many they are.
  void save(std::string& to) {
    carry();
    const std::uint64_t count = digits_.size();
    to.append(reinterpret_cast<const char*>(&first_), sizeof first_);
    to.append(reinterpret_cast<const char*>(&count), sizeof count);
    to.append(reinterpret_cast<const char*>(digits_.data()), count * sizeof(std::int64_t));
  }
  std::size_t load(const char* from) {
    std::uint64_t count = 0;
    std::memcpy(&first_, from, sizeof first_);
    std::memcpy(&count, from + sizeof first_, sizeof count);
    digits_.resize(count);
    if (count > 0) std::memcpy(digits_.data(), from + sizeof first_ + sizeof count, count * sizeof(std::int64_t));
    additions_ = 0;
    return sizeof first_ + sizeof count + count * sizeof(std::int64_t);
  }

  /// The digits of its magnitude without leading and trailing zeros, none for 0; sets its sign and the power of ten
  /// that they count.
  std::string text(bool& negative, int& exponent) {
    carry();
    negative = !digits_.empty() && digits_.back() < 0;
    std::vector<std::int64_t> digits = digits_;
    if (negative) {
      for (std::int64_t& d : digits) d = -d;
      carry(digits);
    }
    std::string all;
    for (std::size_t i = digits.size(); i-- > 0;) {
      const std::string nine = std::to_string(digits[i]);
      all.append(9 - nine.size(), '0').append(nine);
    }
    exponent = 9 * first_;
    while (!all.empty() && all.back() == '0') {
      all.pop_back();
      ++exponent;
    }
    all.erase(0, std::min(all.find_first_not_of('0'), all.size()));
    return all;
  }

 private:
  /// Makes the digits from `low` to before `high` be there; returns the first of them.
  std::int64_t* reach(int low, int high) {
    if (digits_.empty()) first_ = low;
    if (low < first_) {
      digits_.insert(digits_.begin(), static_cast<std::size_t>(first_ - low), 0);
      first_ = low;
    }
    const auto needed = static_cast<std::size_t>(high - first_);
    if (digits_.size() < needed) digits_.resize(needed);
    return digits_.data() + (low - first_);
  }

  void count_addition() {
    constexpr std::uint32_t most_additions = std::uint32_t{1} << 30U;  // of less than 2^32 to a digit each
    if (++additions_ == most_additions) carry();
  }
  void carry() {
    carry(digits_);
    additions_ = 0;
  }
  /// Makes all digits be from 0 to base - 1, but for the last, which has the sign.
  static void carry(std::vector<std::int64_t>& digits) {
    std::int64_t carried = 0;
    for (std::size_t i = 0; i < digits.size() || carried > 0 || carried < -1; ++i) {
      if (i == digits.size()) digits.push_back(0);
      const std::int64_t sum = digits[i] + carried;
      carried = sum >= 0 ? sum / base : -((base - 1 - sum) / base);
      digits[i] = sum - carried * base;
    }
    if (carried < 0) digits.back() -= base;
  }

  int first_ = 0;
  std::vector<std::int64_t> digits_;
  std::uint32_t additions_ = 0;
};

/// Where they are kept: whoever has one is its only owner until it is given back.
class long_decimals {
 public:
  long_decimal* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      all_.push_back(std::make_unique<long_decimal>());
      return all_.back().get();
    }
    long_decimal* const taken = free_.back();
    free_.pop_back();
    return taken;
  }
  void give_back(long_decimal* one) {
    one->clear();
    const std::lock_guard lock(mutex_);
    free_.push_back(one);
  }
  /// About what those take that are in use.
  std::size_t bytes() {
    constexpr std::size_t each = 256;  // a few digits on the heap, more where they lie far apart
    const std::lock_guard lock(mutex_);
    return (all_.size() - free_.size()) * each;
  }
  /// Those of this program.
  static long_decimals& all() {
    static long_decimals one;
    return one;
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<long_decimal>> all_;
  std::vector<long_decimal*> free_;
};

}  // namespace peneira::tool
