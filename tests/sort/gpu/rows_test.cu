// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// On a GPU: records by the key that a function gives, and rows by several columns, beside the standard library's stable
// sort; in memory as planned; in graphs.
#include <numeric>

#include "peneira/sort_columns.hpp"
#include "peneira/sort_records.hpp"
#include "tests/sort/inputs.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

/// A record whose number tells those of equal keys apart.
template <class K, std::size_t Bytes>
struct numbered_record {
  K key;
  std::uint32_t number;
  std::uint8_t rest[Bytes];
};
template <class K, std::size_t Bytes>
struct key_of_numbered {
  PENEIRA_HD K operator()(const numbered_record<K, Bytes>& r) const { return r.key; }
};
struct [[gnu::packed]] packed_numbers {
  std::uint8_t before;
  std::uint32_t key;
  std::uint32_t number;
};
struct key_of_packed {
  PENEIRA_HD std::uint32_t operator()(const packed_numbers& r) const { return r.key; }
};

class gpu_rows : public gpu_test {
 protected:
  random next_{seed()};

  static std::vector<std::size_t> sizes() {
    if (under_checker()) return {0, 1, 1000, 5000};
    return {0, 1, 2, 1000, 4097, 70'000, 1'000'003};
  }
  static constexpr sort_shape shapes[] = {sort_shape::uniform, sort_shape::zipf, sort_shape::equal};

  /// A place whose memory is what a plan says, and no more.
  template <class Call>
  static void call_as_planned(const Call& call) {
    const plan made = explain([&](auto& on) { call(on); }, device_space::machine(1));
    const std::vector<char> none(made.temporary_bytes);
    const placed<char, device_space> room(none, 0);
    arena memory(room.data(), made.temporary_bytes);
    call(gpu{.memory = &memory});
    must(cudaDeviceSynchronize());
  }

  template <class Record, class KeyOf>
  void check_records(const std::vector<Record>& records, const KeyOf& f) {
    for (const bool descending : {false, true}) {
      const sort_options options{.descending = descending};
      const auto rank = [&](const Record& r) {
        const auto key = f(r);
        return detail::order_of<std::remove_const_t<decltype(key)>>(descending)(detail::raw_bits(key));
      };
      std::vector<Record> wanted = records;
      std::stable_sort(wanted.begin(), wanted.end(),
                       [&](const Record& a, const Record& b) { return rank(a) < rank(b); });
      const std::size_t n = records.size();
      const placed<Record, device_space> in(records, next_.below(2));
      const guarded<Record, device_space> out(n, next_.below(2));
      call_as_planned([&](auto&& on) { sort(on, items(in.data(), n), items(out.data(), n), by{f}, options); });
      EXPECT_TRUE(same(wanted, out.read())) << n << " records";
      const placed<Record, device_space> both(records, 0);
      const auto all = items(both.data(), n);
      call_as_planned([&](auto&& on) { sort(on, all, by{f}, options); });
      EXPECT_TRUE(same(wanted, both.read())) << n << " records in place";
    }
  }
  template <class K, std::size_t Bytes>
  void check_numbered() {
    for (const std::size_t n : sizes()) {
      for (const sort_shape shape : shapes) {
        const auto keys = make_sort_keys<K>(shape, n, next_);
        std::vector<numbered_record<K, Bytes>> records(n);
        if (n != 0) std::memset(static_cast<void*>(records.data()), 0, n * sizeof(records[0]));
        for (std::size_t i = 0; i < n; ++i) {
          records[i].key = keys[i];
          records[i].number = static_cast<std::uint32_t>(i);
        }
        check_records(records, key_of_numbered<K, Bytes>{});
      }
    }
  }

  /// A column of keys and its mask, here and on the device.
  template <class K>
  struct made_column {
    std::vector<K> keys;
    std::vector<std::uint8_t> mask;
    placed<K, device_space> there;
    placed<std::uint8_t, device_space> mask_there;

    made_column(std::vector<K> all, std::vector<std::uint8_t> is_null)
        : keys(std::move(all)), mask(std::move(is_null)), there(keys, 0), mask_there(mask, 0) {}
    [[nodiscard]] K* device() const { return there.data(); }
    [[nodiscard]] std::uint8_t* device_mask() const { return mask_there.data(); }
  };
  template <class K>
  made_column<K> make_column(sort_shape shape, std::size_t n) {
    std::vector<std::uint8_t> mask(n);
    for (std::uint8_t& one : mask) one = next_.below(5) == 0 ? 1 : 0;
    return {make_sort_keys<K>(shape, n, next_), std::move(mask)};
  }

  /// The rank of a key of a column, with its null as a bit above it.
  template <class K>
  static std::pair<int, std::uint64_t> rank_of(const column<const K, const std::uint8_t>& of, std::size_t row) {
    const bool null = of.is_null != nullptr && of.is_null[row] != 0;
    if (null) return {of.nulls_are_first ? -1 : 1, 0};
    return {0, detail::order_of<K>(of.descending)(detail::raw_bits(of.keys.keys[row]))};
  }

  /// Both calls on columns that make(place's arrays) gives, against ranks(row) of the host's.
  template <class Set, class Ranks, class Arrays>
  void check_columns(const Set& set, std::size_t n, const Ranks& ranks, const Arrays& arrays) {
    std::vector<std::uint32_t> wanted(n);
    std::iota(wanted.begin(), wanted.end(), 0U);
    std::stable_sort(wanted.begin(), wanted.end(), [&](auto a, auto b) { return ranks(a) < ranks(b); });
    const guarded<std::uint32_t, device_space> positions(n, next_.below(2));
    call_as_planned([&](auto&& on) { argsort(on, set, items(positions.data(), n)); });
    EXPECT_TRUE(same(wanted, positions.read())) << n << " rows";
    const guarded<std::uint64_t, device_space> wide(n);
    call_as_planned([&](auto&& on) { argsort(on, set, items(wide.data(), n)); });
    EXPECT_TRUE(same(std::vector<std::uint64_t>(wanted.begin(), wanted.end()), wide.read())) << n << " rows";
    call_as_planned([&](auto&& on) { sort(on, set); });
    arrays([&](const auto& before, const auto& there) {
      auto moved = before;
      for (std::size_t i = 0; i < n; ++i) moved[i] = before[wanted[i]];
      EXPECT_TRUE(same(moved, there.read())) << n << " rows";
    });
  }
};

TEST_F(gpu_rows, records_of_several_sizes) {
  check_numbered<std::uint32_t, 4>();
  check_numbered<double, 48>();
  check_numbered<std::int16_t, 9>();
}

TEST_F(gpu_rows, records_that_are_not_aligned) {
  for (const std::size_t n : sizes()) {
    std::vector<packed_numbers> records(n);
    for (std::size_t i = 0; i < n; ++i) {
      records[i] = {0, static_cast<std::uint32_t>(next_.below(1000)), static_cast<std::uint32_t>(i)};
    }
    check_records(records, key_of_packed{});
  }
}

TEST_F(gpu_rows, records_by_some_bits_and_by_a_member) {
  using record = numbered_record<std::uint32_t, 4>;
  const std::size_t n = 50'000;
  std::vector<record> records(n);
  std::memset(static_cast<void*>(records.data()), 0, n * sizeof(record));
  for (std::size_t i = 0; i < n; ++i) {
    records[i].key = static_cast<std::uint32_t>(next_());
    records[i].number = static_cast<std::uint32_t>(i);
  }
  std::vector<record> wanted = records;
  const auto part = [](const record& r) { return r.key >> 3U & 0x1FFU; };
  std::stable_sort(wanted.begin(), wanted.end(), [&](const auto& a, const auto& b) { return part(a) < part(b); });
  const placed<record, device_space> in(records, 0);
  const guarded<record, device_space> out(n);
  sort(gpu{}, items(in.data(), n), items(out.data(), n), by{&record::key}, {.first_bit = 3, .last_bit = 12});
  must(cudaDeviceSynchronize());
  EXPECT_TRUE(same(wanted, out.read()));
}

TEST_F(gpu_rows, one_word_of_two_columns) {
  for (const std::size_t n : sizes()) {
    for (const sort_shape shape : shapes) {
      const auto a = make_column<std::uint8_t>(sort_shape::two_values, n);
      const auto b = make_column<std::int16_t>(shape, n);
      const auto set = columns(items(a.device(), n), descending(items(b.device(), n)));
      const auto by_b = detail::order_of<std::int16_t>(true);
      check_columns(
          set, n,
          [&](std::size_t r) {
            return std::pair{a.keys[r], by_b(detail::raw_bits(b.keys[r]))};
          },
          [&](const auto& use) {
            use(a.keys, a.there);
            use(b.keys, b.there);
          });
    }
  }
}

TEST_F(gpu_rows, nulls_and_bits_across_words) {
  for (const std::size_t n : sizes()) {
    for (const sort_shape shape : shapes) {
      const auto a = make_column<double>(sort_shape::two_values, n);  // 65 bits with its nulls
      const auto b = make_column<std::int32_t>(sort_shape::two_values, n);
      const auto c = make_column<std::uint64_t>(shape, n);
      const auto set = columns(nulls_first(descending(items(a.device(), n)), items(a.device_mask(), n)),
                               nulls_last(items(b.device(), n), items(b.device_mask(), n)), items(c.device(), n));
      const column<const double, const std::uint8_t> of_a{{a.keys.data(), nullptr, n}, true, a.mask.data(), true};
      const column<const std::int32_t, const std::uint8_t> of_b{
          {b.keys.data(), nullptr, n}, false, b.mask.data(), false};
      check_columns(
          set, n,
          [&](std::size_t r) {
            return std::tuple{rank_of(of_a, r), rank_of(of_b, r), c.keys[r]};
          },
          [&](const auto& use) {
            use(a.keys, a.there);
            use(a.mask, a.mask_there);
            use(b.keys, b.there);
            use(b.mask, b.mask_there);
            use(c.keys, c.there);
          });
    }
  }
}

TEST_F(gpu_rows, can_be_captured) {
  const std::size_t n = 30'000;
  const auto a = make_column<std::uint32_t>(sort_shape::two_values, n);
  const auto b = make_column<std::uint32_t>(sort_shape::uniform, n);
  const guarded<std::uint32_t, device_space> positions(n);
  const scoped_stream stream;
  const auto set = columns(items(a.device(), n), items(b.device(), n));
  const captured_call call(stream, [&](const gpu& on) { argsort(on, set, items(positions.data(), n)); });
  std::vector<std::uint32_t> wanted(n);
  std::iota(wanted.begin(), wanted.end(), 0U);
  std::sort(wanted.begin(), wanted.end(), [&](auto x, auto y) {
    return std::tuple{a.keys[x], b.keys[x], x} < std::tuple{a.keys[y], b.keys[y], y};
  });
  for (int k = 0; k < 2; ++k) {
    call.replay();
    EXPECT_TRUE(same(wanted, positions.read()));
  }
}

}  // namespace peneira::test
