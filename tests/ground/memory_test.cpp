// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "peneira/memory.hpp"

#include <thread>
#include <vector>

#include "tests/support/common.hpp"

namespace peneira::test {

bool is_aligned(const void* at) {
  return reinterpret_cast<std::uintptr_t>(at) % memory_alignment == 0;
}

TEST(heap, hands_out_aligned_blocks) {
  for (const std::size_t bytes : {1, 255, 256, 257, 100000}) {
    void* const block = heap::shared().allocate(bytes, nullptr);
    EXPECT_TRUE(is_aligned(block));
    std::memset(block, 1, bytes);
    heap::shared().deallocate(block, bytes, nullptr);
  }
}

TEST(heap, hands_out_large_blocks_again) {
  const auto whole = [](std::size_t bytes) {
    auto* const block = static_cast<std::byte*>(heap::shared().allocate(bytes, nullptr));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (std::size_t{2} << 20U), 0U) << bytes;
    for (std::size_t at = 0; at < bytes; at += 4096) block[at] = std::byte{1};
    block[bytes - 1] = std::byte{2};
    return block;
  };
  // Rising and falling, odd, and more than is kept.
  for (const std::size_t bytes : {16 * mi, 40 * mi, 17 * mi + 1, 17 * mi + 1, 33 * mi, 130 * mi, 16 * mi}) {
    std::byte* const one = whole(bytes);
    std::byte* const other = whole(bytes);
    EXPECT_TRUE(one + bytes <= other || other + bytes <= one);
    EXPECT_EQ(one[bytes - 1], std::byte{2});
    heap::shared().deallocate(one, bytes, nullptr);
    heap::shared().deallocate(other, bytes, nullptr);
  }
}

TEST(heap, serves_threads_at_once) {
  std::vector<std::thread> users;
  for (int u = 0; u < 4; ++u) {
    users.emplace_back([u] {
      for (std::size_t i = 0; i < 50; ++i) {
        const std::size_t bytes = (std::size_t{15} << 20U) + i * 50'000;
        auto* const block = static_cast<int*>(heap::shared().allocate(bytes, nullptr));
        block[0] = block[bytes / sizeof(int) - 1] = u;
        std::this_thread::yield();
        EXPECT_EQ(block[0], u);
        EXPECT_EQ(block[bytes / sizeof(int) - 1], u);
        heap::shared().deallocate(block, bytes, nullptr);
      }
    });
  }
  for (std::thread& user : users) user.join();
}

TEST(heap, has_no_more_than_there_is) {
  for (const std::size_t bytes : {~std::size_t{0}, ~std::size_t{0} / 2 + 1, std::size_t{1} << 60U}) {
    EXPECT_THROW(heap::shared().allocate(bytes, nullptr), std::bad_alloc) << bytes;
  }
}

class arenas : public ::testing::Test {
 protected:
  alignas(memory_alignment) std::array<std::byte, 4096> buffer{};
};

TEST_F(arenas, hand_out_aligned_blocks_that_do_not_overlap) {
  for (const std::size_t off : {0, 1, 64, 255}) {
    arena from(buffer.data() + off, buffer.size() - off);
    auto* const a = static_cast<std::byte*>(from.allocate(100, nullptr));
    auto* const b = static_cast<std::byte*>(from.allocate(300, nullptr));
    EXPECT_TRUE(is_aligned(a));
    EXPECT_TRUE(is_aligned(b));
    EXPECT_GE(b, a + 100);
    EXPECT_GE(a, buffer.data() + off);
    EXPECT_LE(b + 300, buffer.data() + buffer.size());
  }
}

TEST_F(arenas, give_all_their_bytes_and_not_one_more) {
  arena from(buffer.data(), buffer.size());
  EXPECT_THROW(from.allocate(buffer.size() + 1, nullptr), std::bad_alloc);
  EXPECT_THROW(from.allocate(~std::size_t{0}, nullptr), std::bad_alloc);
  void* const all = from.allocate(buffer.size(), nullptr);
  EXPECT_EQ(all, buffer.data());
  EXPECT_THROW(from.allocate(1, nullptr), std::bad_alloc);
  from.deallocate(all, buffer.size(), nullptr);
  EXPECT_EQ(from.allocate(1, nullptr), buffer.data());
}

TEST_F(arenas, are_whole_again_when_all_blocks_are_back) {
  arena from(buffer.data(), buffer.size());
  void* const a = from.allocate(2000, nullptr);
  void* const b = from.allocate(2000, nullptr);
  from.deallocate(a, 2000, nullptr);
  EXPECT_THROW(from.allocate(1000, nullptr), std::bad_alloc);
  from.deallocate(b, 2000, nullptr);
  EXPECT_NO_THROW(from.allocate(4096, nullptr));
}

TEST_F(arenas, remember_their_high_water) {
  arena from(buffer.data(), buffer.size());
  EXPECT_EQ(from.high_water(), 0U);
  from.deallocate(from.allocate(700, nullptr), 700, nullptr);
  from.deallocate(from.allocate(300, nullptr), 300, nullptr);
  EXPECT_EQ(from.high_water(), 700U);
}

TEST_F(arenas, without_bytes_have_nothing) {
  arena from(nullptr, 0);
  EXPECT_THROW(from.allocate(1, nullptr), std::bad_alloc);
}

TEST(workspace, carves_one_block_and_gives_it_back) {
  counting_memory from;
  {
    detail::workspace space(from, 3 * memory_alignment, nullptr);
    auto* const a = space.take<char>(1);
    auto* const b = space.take<std::uint64_t>(33);
    EXPECT_TRUE(is_aligned(a));
    EXPECT_EQ(reinterpret_cast<char*>(b), a + memory_alignment);
    EXPECT_THROW(space.take<char>(1), std::logic_error);
    EXPECT_EQ(from.outstanding, 1);
  }
  EXPECT_EQ(from.calls, 1U);
  EXPECT_EQ(from.outstanding, 0);
}

TEST(workspace, of_nothing_asks_for_nothing) {
  counting_memory from;
  { const detail::workspace space(from, 0, nullptr); }
  EXPECT_EQ(from.calls, 0U);
}

TEST(workspace, footprint_is_what_take_uses) {
  EXPECT_EQ(detail::workspace::footprint<char>(0), 0U);
  EXPECT_EQ(detail::workspace::footprint<char>(1), 256U);
  EXPECT_EQ(detail::workspace::footprint<std::uint64_t>(32), 256U);
  EXPECT_EQ(detail::workspace::footprint<std::uint64_t>(33), 512U);
}

}  // namespace peneira::test
