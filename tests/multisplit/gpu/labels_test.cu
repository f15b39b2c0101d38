// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A multisplit by labels on a GPU: each item goes where its label says, whatever its key.
#include "peneira/multisplit.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

class gpu_labels : public gpu_test {
 protected:
  random next_{seed()};

  /// Some labels may be out of range, whose items are left out.
  template <class Label, class K, class V>
  void check(std::size_t n, std::uint32_t bins, std::uint32_t beyond = 0) {
    SCOPED_TRACE(::testing::Message() << n << " items, " << bins << " bins");
    std::vector<Label> labels_here(n);
    for (Label& label : labels_here) label = static_cast<Label>(next_.below(bins + beyond));
    const std::vector<K> keys = make_keys<K>(shape::uniform, n, next_);
    std::vector<V> values(view<K, V>::has_values ? n : 0);
    if constexpr (view<K, V>::has_values) values = make_keys<V>(shape::uniform, n, next_);
    std::vector<std::uint64_t> offsets(bins + 1);
    for (const Label label : labels_here) {
      if (static_cast<std::uint64_t>(label) < bins) ++offsets[static_cast<std::size_t>(label) + 1];
    }
    for (std::size_t b = 0; b < bins; ++b) offsets[b + 1] += offsets[b];
    const std::size_t kept_items = offsets[bins];
    std::vector<std::uint64_t> next_place = offsets;
    std::vector<K> wanted(kept_items);
    std::vector<V> values_wanted(view<K, V>::has_values ? kept_items : 0);
    for (std::size_t i = 0; i < n; ++i) {
      if (static_cast<std::uint64_t>(labels_here[i]) >= bins) continue;
      const std::size_t to = next_place[static_cast<std::size_t>(labels_here[i])]++;
      wanted[to] = keys[i];
      if constexpr (view<K, V>::has_values) values_wanted[to] = values[i];
    }
    const placed<Label, device_space> there(labels_here, next_.below(3));
    const placed<K, device_space> keys_there(keys, next_.below(3));
    const placed<V, device_space> values_there(values, next_.below(3));
    const guarded<K, device_space> out(n, next_.below(3));
    const guarded<V, device_space> values_out(values.size(), next_.below(3));
    const guarded<std::uint64_t, device_space> table(bins + 1);
    const auto call = [&](auto&& on) {
      multisplit(on, view<const K, const V>{keys_there.data(), values_there.data(), n},
                 view<K, V>{out.data(), values_out.data(), n}, labels{bins, there.data(), n},
                 items(table.data(), bins + 1));
    };
    const plan made = explain(call, detail::current_device());
    const placed<unsigned char, device_space> buffer(std::vector<unsigned char>(made.temporary_bytes + 1, 0xEE));
    arena mine(buffer.data(), made.temporary_bytes);
    call(gpu{.memory = &mine});
    EXPECT_EQ(mine.high_water(), made.temporary_bytes) << to_string(made);
    EXPECT_TRUE(same(offsets, table.read()));
    std::vector<K> got = out.read();
    std::vector<V> got_values = values_out.read();
    got.resize(kept_items);
    got_values.resize(values_wanted.size());
    EXPECT_TRUE(same(wanted, got));
    EXPECT_TRUE(same(values_wanted, got_values));
  }
};

TEST_F(gpu_labels, of_every_width) {
  for (const std::size_t n : {0U, 1U, 1000U, 200003U}) {
    check<std::uint8_t, float, no_value>(n, 100);
    check<std::uint32_t, std::uint32_t, std::uint64_t>(n, 361);
    check<std::int64_t, bytes24, std::uint8_t>(n, 7);
    check<std::uint16_t, std::uint64_t, bytes16>(n, 5000);
  }
}

TEST_F(gpu_labels, out_of_range_are_left_out) {
  check<std::uint16_t, std::uint32_t, float>(150001, 300, 40);
  check<std::uint32_t, std::uint32_t, no_value>(500, 3, 2);
}

TEST_F(gpu_labels, are_as_many_as_items_and_asked_for_by_name) {
  std::uint32_t* const none = nullptr;
  const auto call = [&](auto& on) {
    multisplit(on, items(none, 10), items(none, 10), labels{3, none, 9}, items(none, 4));
  };
  expect_parts(message_of([&] { static_cast<void>(explain(call, device{})); }), {"multisplit", "labels", "9", "10"});
}

}  // namespace peneira::test
