// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What stamped slots need of the host: stamps that differ, and room.
#include <algorithm>
#include <thread>

#include "peneira/gpu/exchange/stamped_slots.cuh"
#include "tests/support/common.hpp"

namespace peneira::test {

TEST(stamps, differ_among_threads_and_are_never_0) {
  constexpr std::size_t each = 20000;
  std::vector<std::uint64_t> all(4 * each);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&all, t] {
      for (std::size_t i = 0; i < each; ++i) all[t * each + i] = detail::fresh_stamp();
    });
  }
  for (std::thread& t : threads) t.join();
  std::sort(all.begin(), all.end());
  EXPECT_NE(all.front(), 0U);
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(stamps, stand_beside_every_8_bytes_of_a_value) {
  static_assert(sizeof(detail::stamped_word) == 16 && alignof(detail::stamped_word) == 16);
  for (std::size_t bytes = 1; bytes <= 100; ++bytes) {
    EXPECT_GE(8 * detail::slot_words(bytes), bytes);
    EXPECT_LT(8 * (detail::slot_words(bytes) - 1), bytes);
  }
}

}  // namespace peneira::test
