// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The quicksort of vector_sort.hpp, which includes this once for each kind of vectors, as register_sort.hpp does with
// the network.

/// Sorts numbers in two arrays. Otherwise: otherwise(numbers, other, n) sorts n numbers in another way, of which as
/// many others are free.
template <class U, class Otherwise>
class quick_sort {
  using vector = number_vector<U>;
  using reg = typename vector::reg;
  using mask = typename vector::mask;
  using network = register_sort<U>;

 public:
  quick_sort(const key_order<U>& written, const Otherwise& otherwise) : written_(written), otherwise_(otherwise) {}

  /// Sorts n numbers, to `to`, as the keys of an order; `from` is free afterwards. `depth`: how often a part may be
  /// divided.
  PENEIRA_VECTORS void run(U* from, U* to, std::size_t n, unsigned depth) const { part(from, to, n, false, depth); }
  void run(U* from, U* to, std::size_t n) const { run(from, to, n, 2 * static_cast<unsigned>(std::bit_width(n))); }

 private:
  /// Sorts `from`. The result goes there if `stays`, or to `other`, which is free.
  PENEIRA_VECTORS void part(U* from, U* other, std::size_t n, bool stays, unsigned depth) const {
    while (n > vector::quick_registers * vector::lanes) {
      if (depth-- == 0) return part_otherwise(from, other, n, stays);
      const U pivot = pivot_of(from, n);
      // Those below the pivot get to where they belong, the others to the other array: which they leave first.
      U* const low = stays ? from : other;
      U* const high = stays ? other : from;
      const std::size_t lows = divide<false>(from, n, pivot, low, high);
      if (lows == 0) {  // those that equal the pivot are sorted
        const std::size_t equals = divide<true>(high, n, pivot, low, high);
        fill(low, equals, written_.back(pivot));
        from = high;
        other = low + equals;
        n -= equals;
        stays = false;
      } else {
        part(high, low + lows, n - lows, false, depth);
        from = low;
        other = high;
        n = lows;
        stays = true;
      }
    }
    network::sort_few(from, n, stays ? from : other, key_order<U>{}, written_);
  }
  PENEIRA_VECTORS void part_otherwise(U* from, U* other, std::size_t n, bool stays) const {
    if (!stays) {
      std::memcpy(other, from, n * sizeof(U));
      std::swap(from, other);
    }
    otherwise_(from, other, n);
    for (std::size_t i = 0; i < n; i += vector::lanes) {
      const auto here = static_cast<unsigned>(std::min<std::size_t>(n - i, vector::lanes));
      reg x = vector::flipped(vector::load_some(from + i, here, 0), vector::all(vector::bias));
      network::template keys_of<1>(&x, written_);
      vector::store_some(from + i, here, x);
    }
  }
  // What is given back is stored by vectors alone: keys may be of another type than numbers.
  PENEIRA_VECTORS static void fill(U* to, std::size_t n, U with) {
    std::size_t i = 0;
    for (; i + vector::lanes <= n; i += vector::lanes) vector::store(to + i, vector::all(with));
    vector::store_some(to + i, static_cast<unsigned>(n - i), vector::all(with));
  }

  /// The median of some numbers.
  PENEIRA_VECTORS static U pivot_of(const U* from, std::size_t n) {
    constexpr unsigned some = vector::pivot_registers * vector::lanes;
    alignas(64) U number[some];
    const std::size_t apart = n / some;
    for (unsigned i = 0; i < some; ++i) number[i] = from[i * apart + apart / 2];
    return network::template median<vector::pivot_registers>(number);
  }

  /// Moves numbers below a pivot, or up to it, to `low`, and the others to `high`; how many are low. One of the two is
  /// `from`, of which is overwritten what was read.
  template <bool UpTo>
  PENEIRA_VECTORS static std::size_t divide(const U* from, std::size_t n, U pivot, U* low, U* high) {
    const reg bias = vector::all(vector::bias);
    const reg border = vector::all(pivot ^ vector::bias);
    const U* const first = low;
    std::size_t i = 0;
    PENEIRA_UNROLL(4)
    for (; i + vector::lanes <= n; i += vector::lanes) {
      const reg x = vector::load(from + i);
      const mask is_low = low_of<UpTo>(vector::flipped(x, bias), border);
      const unsigned lows = many(is_low);
      vector::store(low, vector::compress(is_low, x));
      vector::store(high, vector::compress(static_cast<mask>(is_low ^ vector::all_lanes), x));
      low += lows;
      high += vector::lanes - lows;
    }
    const auto left = static_cast<unsigned>(n - i);
    const mask there = vector::first_lanes(left);
    const reg x = vector::load_some(from + i, left, 0);
    const mask is_low = static_cast<mask>(low_of<UpTo>(vector::flipped(x, bias), border) & there);
    const mask is_high = static_cast<mask>(there & ~is_low);
    vector::store_some(low, many(is_low), vector::compress(is_low, x));
    vector::store_some(high, many(is_high), vector::compress(is_high, x));
    return static_cast<std::size_t>(low - first) + many(is_low);
  }
  template <bool UpTo>
  PENEIRA_VECTORS [[gnu::always_inline]] static mask low_of(reg x, reg border) {
    return UpTo ? static_cast<mask>(vector::below(border, x) ^ vector::all_lanes) : vector::below(x, border);
  }
  static unsigned many(mask lanes) { return static_cast<unsigned>(std::popcount(static_cast<unsigned>(lanes))); }

  key_order<U> written_;
  const Otherwise& otherwise_;
};
