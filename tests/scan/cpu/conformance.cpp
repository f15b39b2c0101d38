// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One suite for every strategy: scans of all items and of segments of every shape, inclusive and not, in place and not,
// must give what reference::segmented_scan gives, and leave alone what lies around the results.
#include <sstream>

#include "peneira/scan.hpp"
#include "peneira/scan/reference.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// Affine functions x -> a x + b modulo 2^32, one after the other: not commutative.
struct affine {
  std::uint32_t a;
  std::uint32_t b;
  friend bool operator==(const affine&, const affine&) = default;
};
struct one_after_the_other {
  affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, g.a * f.b + g.b}; }
  template <class T>
  static T identity() {
    return {1, 0};
  }
};

template <class Item, class Result, class Op>
struct scanned {
  using item = Item;
  using result = Result;
  using op = Op;
};

/// Whole numbers, few of them, so that sums of floats are the same however they are grouped.
template <class T>
T make_item(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, affine>) {
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32U)};
  } else if constexpr (std::is_same_v<T, indexed<std::int32_t>>) {
    return {static_cast<std::int32_t>(bits), bits};
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(static_cast<int>(bits % 5) - 2);
  } else {
    return static_cast<T>(bits);
  }
}

/// How segments lie over n items.
enum class lie { one, even, random_sizes, mostly_empty, giant, inside };
constexpr std::array all_lies{lie::one, lie::even, lie::random_sizes, lie::mostly_empty, lie::giant, lie::inside};

std::vector<std::uint64_t> make_offsets(lie l, std::size_t n, random& next) {
  if (l == lie::one) return {0, n};
  std::vector<std::uint64_t> cuts;
  const std::size_t segments = l == lie::giant ? 5 : 1 + n / 30;
  for (std::size_t s = 0; s < segments; ++s) cuts.push_back(next.below(n + 1));
  if (l == lie::giant) {
    for (std::uint64_t& cut : cuts) cut = std::min<std::uint64_t>(n, cut % 100);
  }
  if (l == lie::mostly_empty) {
    const std::vector<std::uint64_t> some = cuts;
    for (const std::uint64_t cut : some) cuts.insert(cuts.end(), next.below(60), cut);
  }
  if (l != lie::inside) cuts.insert(cuts.end(), {0, n});
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

template <class Combo>
class scan_conformance : public ::testing::Test {
  using T = typename Combo::item;
  using Result = typename Combo::result;
  using Op = typename Combo::op;

 protected:
  void check(std::size_t n, lie l) {
    std::vector<T> items(n);
    for (T& item : items) item = make_item<T>(next_());
    const std::vector<std::uint64_t> offsets = make_offsets(l, n, next_);
    const std::size_t size = 1 + next_.below(l == lie::even ? 100 : n + 1);
    for (const bool inclusive : {false, true}) {
      expect(items, every{size}, detail::even_segments{size, n}, detail::even_segments{size, n}.count(), inclusive);
      expect(items, offsets, detail::offset_segments<std::uint64_t>{offsets.data()}, offsets.size() - 1, inclusive);
      if (l == lie::one) expect_plain(items, inclusive);
    }
  }
  random& next() { return next_; }

 private:
  template <class Given, class Segments>
  void expect(const std::vector<T>& items, const Given& given, Segments segments, std::size_t count, bool inclusive) {
    const std::vector<Result> old(items.size(), make_item<Result>(next_()));
    std::vector<Result> wanted = old;
    reference::segmented_scan(items.data(), segments, count, wanted.data(), Op{}, inclusive);
    for (const std::string_view strategy : {"", "sequential", "chunks"}) {
      const scan_options options{.inclusive = inclusive, .strategy = strategy};
      const cpu on{.threads = next_.pick(host_space::thread_counts)};
      std::ostringstream where;
      where << strategy << ", " << items.size() << " items, " << count << " segments, " << on.threads << " threads"
            << (inclusive ? ", inclusive" : "");
      const ::testing::ScopedTrace trace(__FILE__, __LINE__, where.str());
      std::vector<Result> out = old;
      segmented_scan(on, items, given, out, Op{}, options);
      ASSERT_TRUE(wanted == out);
      if constexpr (std::is_same_v<T, Result>) {
        std::vector<T> both = items;
        segmented_scan(on, both, given, both, Op{}, options);
        if (count != 0 && segments.begin(0) == 0 && segments.end(count - 1) == items.size()) {
          ASSERT_TRUE(wanted == both) << "in place";
        }
      }
    }
  }

  void expect_plain(const std::vector<T>& items, bool inclusive) {
    std::vector<Result> wanted(items.size());
    reference::scan(items.data(), 0, items.size(), Op{}.template identity<Result>(), wanted.data(), Op{}, inclusive);
    for (const std::string_view strategy : {"", "sequential", "chunks"}) {
      const cpu on{.threads = next_.pick(host_space::thread_counts)};
      guarded<Result> out(items.size(), next_.below(4));
      scan(on, items, pn::items(out.data(), out.size()), Op{}, {.inclusive = inclusive, .strategy = strategy});
      ASSERT_TRUE(wanted == out.read()) << strategy << ", " << items.size() << " items, " << on.threads;
    }
  }

  random next_{seed()};
};

using scan_combos =
    ::testing::Types<scanned<std::uint32_t, std::uint32_t, plus>, scanned<std::int64_t, std::int64_t, plus>,
                     scanned<float, float, plus>, scanned<double, double, plus>, scanned<float, double, plus>,
                     scanned<std::uint8_t, std::uint64_t, plus>, scanned<std::int8_t, std::int8_t, max>,
                     scanned<std::uint16_t, std::uint16_t, bit_xor>, scanned<float, float, min>,
                     scanned<double, double, max>, scanned<std::int32_t, indexed<std::int32_t>, arg_max>,
                     scanned<affine, affine, one_after_the_other>>;
TYPED_TEST_SUITE(scan_conformance, scan_combos);

TYPED_TEST(scan_conformance, every_size) {
  for (const std::size_t n : {0U, 1U, 2U, 3U, 4U, 5U, 15U, 16U, 17U, 63U, 64U, 65U, 255U, 1000U, 4097U}) {
    for (const lie l : all_lies) this->check(n, l);
  }
}

TYPED_TEST(scan_conformance, around_a_chunk) {
  constexpr std::size_t bytes = std::max(sizeof(typename TypeParam::item), sizeof(typename TypeParam::result));
  constexpr std::size_t chunk = tuning::cpu_scan_chunk_bytes / bytes;
  for (const std::size_t n : {chunk - 1, chunk, chunk + 1, 2 * chunk, 2 * chunk + 1}) {
    this->check(n, this->next().pick(all_lies));
    this->check(n, lie::one);
  }
}

TYPED_TEST(scan_conformance, many_chunks) {
  constexpr std::size_t bytes = std::max(sizeof(typename TypeParam::item), sizeof(typename TypeParam::result));
  constexpr std::size_t chunk = tuning::cpu_scan_chunk_bytes / bytes;
  for (const lie l : all_lies) this->check((sanitized ? 4 : 9) * chunk + this->next().below(chunk), l);
}

}  // namespace peneira::test
