// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Records by the key that a function gives, beside the standard library's stable sort.
#include "peneira/sort_records.hpp"

#include <algorithm>
#include <atomic>
#include "tests/sort/inputs.hpp"
#include "tests/support/plans.hpp"

namespace peneira::test {

/// A record of so many bytes with a key somewhere in it, aligned as its key or not at all. Its number tells records of
/// equal keys apart.
template <class K, std::size_t Bytes>
struct record {
  std::uint8_t before;
  K key;
  std::uint16_t number;
  std::uint8_t rest[Bytes];
};
template <class K>
struct [[gnu::packed]] packed_record {
  std::uint8_t before;
  K key;
  std::uint8_t number;
};
template <class K>
struct tiny_record {
  K key;
};

template <class R>
class record_sorts : public ::testing::Test {
 protected:
  static auto key_of(const R& r) { return r.key; }
  using K = decltype(key_of(std::declval<R>()));

  static std::vector<R> make(sort_shape shape, std::size_t n, random& next) {
    const auto keys = make_sort_keys<K>(shape, n, next);
    std::vector<R> records(n);
    if (n != 0) std::memset(static_cast<void*>(records.data()), 0, n * sizeof(R));
    for (std::size_t i = 0; i < n; ++i) {
      records[i].key = keys[i];
      if constexpr (requires(R r) { r.number; }) records[i].number = static_cast<decltype(R::number)>(i);
    }
    return records;
  }
  static std::vector<R> sorted(std::vector<R> records, const sort_options& options) {
    const auto by = detail::order_of<K>(options.descending);
    const unsigned last = options.last_bit == 0 ? 8 * sizeof(K) : options.last_bit;
    const detail::bit_range<detail::bits_of<K>> part{options.first_bit, last - options.first_bit};
    const auto rank = [&](const R& r) { return part(by(detail::raw_bits(key_of(r)))); };
    std::stable_sort(records.begin(), records.end(), [&](const R& a, const R& b) { return rank(a) < rank(b); });
    return records;
  }
  static sort_options any_options(random& next) {
    sort_options options{.descending = next.below(2) == 0};
    if (next.below(3) == 0) options.first_bit = static_cast<unsigned>(next.below(8 * sizeof(K)));
    return options;
  }
};
using records_to_sort =
    ::testing::Types<record<std::uint32_t, 1>, record<double, 9>, record<std::int16_t, 55>, record<std::uint64_t, 40>,
                     packed_record<float>, tiny_record<std::int64_t>, tiny_record<std::uint8_t>>;
TYPED_TEST_SUITE(record_sorts, records_to_sort);

TYPED_TEST(record_sorts, are_those_of_the_standard_library) {
  using key_type = typename TestFixture::K;
  random next(seed());
  const auto key = by{[](const TypeParam& r) -> key_type { return r.key; }};
  for (const std::size_t n : {0, 1, 2, 3, 9, 70, 200, 3000, 20011, sanitized ? 66000 : 100000}) {
    for (int s = 0; s <= static_cast<int>(last_sort_shape); ++s) {
      if (n > 5000 && next.below(sanitized ? 6 : 2) != 0) continue;
      const auto records = this->make(static_cast<sort_shape>(s), n, next);
      const sort_options options = this->any_options(next);
      const auto wanted = this->sorted(records, options);
      const auto threads = static_cast<unsigned>(1 + next.below(4));
      SCOPED_TRACE(std::to_string(n) + " records, shape " + std::to_string(s) + ", threads " + std::to_string(threads));
      const guarded<TypeParam> out(n, next.below(3));
      sort(cpu{.threads = threads}, records, items(out.data(), n), key, options);
      EXPECT_TRUE(same(wanted, out.read()));
      host_space::copy(out.data(), records.data(), n * sizeof(TypeParam));
      sort(cpu{.threads = threads}, items(out.data(), n), key, options);
      EXPECT_TRUE(same(wanted, out.read())) << "in place";

      const host tiny{threads, 1024, 8192, 16384};
      const auto decided =
          sort_strategies::records::decide(record_sort_problem{n, sizeof(TypeParam), sizeof(key_type)}, tiny);
      const unsigned last = options.last_bit == 0 ? 8 * sizeof(key_type) : options.last_bit;
      const detail::part_rank<detail::bits_of<key_type>> part{detail::order_of<key_type>(options.descending),
                                                              {options.first_bit, last - options.first_bit}};
      const detail::record_rank<decltype(key.key), detail::part_rank<detail::bits_of<key_type>>> rank{&key.key, part};
      host_space::copy(out.data(), records.data(), n * sizeof(TypeParam));
      const view<TypeParam> all{out.data(), nullptr, n};
      sort_strategies::records::run<TypeParam>(cpu{}, decided, all, all, rank);
      EXPECT_TRUE(same(wanted, out.read())) << "with tiny caches";
    }
  }
}

using small = record<std::uint32_t, 5>;
const auto by_key = by{[](const small& r) { return r.key; }};

TEST(record_sort, refuses_what_cannot_be_right) {
  std::vector<small> records(100);
  std::vector<small> out(99);
  expect_parts(message_of([&] { sort(cpu{}, records, out, by_key); }), {"sort", "out", "99", "100"});
  expect_parts(message_of([&] { sort(cpu{}, items(records.data(), 50), items(records.data() + 1, 50), by_key); }),
               {"sort", "out", "overlaps"});
  expect_parts(message_of([&] { sort(cpu{}, records, by_key, {.last_bit = 33}); }), {"sort", "last_bit", "33", "32"});
  expect_parts(message_of([&] { sort(cpu{}, records, by_key, {.strategy = "lsd"}); }), {"sort", "lsd", "records"});
}

TEST(record_sort, passes_on_what_its_function_throws) {
  std::vector<small> records(200000);
  for (std::size_t i = 0; i < records.size(); ++i) records[i].key = static_cast<std::uint32_t>(mix64(i));
  const auto throws = by{[](const small& r) {
    if (r.key % 1000 == 7) throw std::domain_error("a key of 7");
    return r.key;
  }};
  EXPECT_THROW(sort(cpu{.threads = 3}, records, throws), std::domain_error);
}

TEST(record_sort, stays_within_its_arrays_where_its_function_contradicts_itself) {
  constexpr std::size_t margin = 256;
  for (const std::size_t n : {std::size_t{100}, std::size_t{5000}, std::size_t{100000}, std::size_t{300000}}) {
    for (const unsigned threads : {1U, 3U}) {
      std::vector<small> records(n + 2 * margin);
      const std::vector<small> before = records;
      std::atomic<std::uint64_t> asked{n};
      const auto changes = by{[&](const small& /*record*/) { return mix64(++asked); }};
      const auto middle = items(records.data() + margin, n);
      const auto call = [&] { sort(cpu{.threads = threads}, middle, changes); };
      if (n < 100000) {
        call();  // a leaf, whose keys are asked for once
      } else {
        expect_parts(message_of(call), {"sort", "by", "different keys"});
      }
      for (std::size_t i = 0; i < margin; ++i) {
        ASSERT_EQ(records[i].key, before[i].key);
        ASSERT_EQ(records[margin + n + i].key, before[i].key);
      }
    }
  }
}

TEST(record_sort, takes_a_pointer_to_a_member) {
  std::vector<small> records(1000);
  for (std::size_t i = 0; i < records.size(); ++i) records[i].key = static_cast<std::uint32_t>(mix64(i));
  sort(cpu{}, records, by{&small::key});
  const auto less = [](const small& a, const small& b) { return a.key < b.key; };
  EXPECT_TRUE(std::is_sorted(records.begin(), records.end(), less));
}

TEST(record_sort, takes_the_memory_that_its_plan_states) {
  for (const std::size_t n : {std::size_t{10}, std::size_t{3000}, std::size_t{200000}}) {
    std::vector<small> records(n);
    for (std::size_t i = 0; i < n; ++i) records[i].key = static_cast<std::uint32_t>(mix64(i));
    const auto call = [&](auto&& on) { sort(on, records, by_key); };
    const plan made = explain(call, host::here().with_threads(3));
    EXPECT_TRUE(text_says_it_all(made));
    counting_memory memory;
    call(cpu{.threads = 3, .memory = &memory});
    EXPECT_EQ(memory.total, made.temporary_bytes);
    EXPECT_EQ(memory.calls, 1U);
    counting_memory none;
    none.fail_at = 1;
    EXPECT_THROW(call(cpu{.threads = 3, .memory = &none}), std::bad_alloc);
  }
}

}  // namespace peneira::test
