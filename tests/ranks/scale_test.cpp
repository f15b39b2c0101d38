// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a sort over many ranks sends, beside its plan. PENEIRA_RANKS says how many there are: 10000 take a minute.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "peneira/ranks/sort.hpp"
#include "tests/ranks/fibers.hpp"
#include "tests/ranks/ranks.hpp"

namespace peneira::test {
namespace {

/// What all ranks have sent, at most.
struct most_sent {
  detail::sent_counts counts;
  std::size_t memory = 0;  ///< of a rank

  void add(const detail::sent_counts& one, std::size_t bytes) {
    counts.messages = std::max(counts.messages, one.messages);
    counts.bytes = std::max(counts.bytes, one.bytes);
    counts.rounds = std::max(counts.rounds, one.rounds);
    counts.most_numbers = std::max(counts.most_numbers, one.most_numbers);
    memory = std::max(memory, bytes);
  }
};

/// The heap, and what was taken of it at once at most.
class counted_heap : public memory {
 public:
  void* allocate(std::size_t bytes, stream on) override {
    now_ += bytes;
    most = std::max(most, now_);
    return heap::shared().allocate(bytes, on);
  }
  void deallocate(void* block, std::size_t bytes, stream on) noexcept override {
    now_ -= bytes;
    heap::shared().deallocate(block, bytes, on);
  }
  std::size_t most = 0;

 private:
  std::size_t now_ = 0;
};

class counted_ranks {
 public:
  explicit counted_ranks(detail::loop_transport& between) : between_(between) {}
  detail::loop_transport& between() { return between_; }
  [[nodiscard]] cpu here() { return {.threads = 1, .memory = &from}; }
  counted_heap from;

 private:
  detail::loop_transport& between_;
};

enum class scale_input { random, constant, sorted, reversed };

/// Sorts so many keys a rank and looks at the order of the whole.
most_sent sort_on(unsigned ranks, std::size_t each, scale_input kind) {
  most_sent most;
  std::vector<std::uint64_t> firsts(ranks);
  std::vector<std::uint64_t> lasts(ranks);
  std::uint64_t sum_before = 0;
  std::uint64_t sum_after = 0;
  bool sorted = true;
  on_fibers(ranks, [&](detail::loop_transport& between) {
    const unsigned me = between.rank();
    std::mt19937_64 random(me);
    std::vector<std::uint64_t> keys(each);
    for (std::size_t i = 0; i < each; ++i) {
      const std::uint64_t place = me * each + i;
      keys[i] = kind == scale_input::random     ? random()
                : kind == scale_input::constant ? 7
                : kind == scale_input::sorted   ? place
                                                : ~place;
      sum_before += keys[i];
    }
    counted_ranks on(between);
    sort(on, keys);
    sorted = sorted && std::is_sorted(keys.begin(), keys.end());
    firsts[me] = keys.front();
    lasts[me] = keys.back();
    for (const std::uint64_t key : keys) sum_after += key;
    most.add(between.sent(), between.room_bytes() + on.from.most);
  });
  EXPECT_TRUE(sorted);
  EXPECT_EQ(sum_after, sum_before);
  for (unsigned r = 1; r < ranks; ++r) EXPECT_LE(lasts[r - 1], firsts[r]);
  return most;
}

plan plan_for(unsigned ranks, std::size_t each) {
  std::uint64_t* const none = nullptr;
  const auto call = [&](auto& on) { sort(on, items(none, each)); };
  return explain(call, cluster{.ranks = ranks, .machine = host::here().with_threads(1)});
}

TEST(rank_plan, holds_for_any_number_of_ranks_and_any_input) {
  for (const unsigned ranks : {1U, 2U, 5U, 16U, 63U, 64U, 100U, 130U}) {
    for (const std::size_t each : {1U, 100U, 3000U}) {
      const plan p = plan_for(ranks, each);
      for (const scale_input kind :
           {scale_input::random, scale_input::constant, scale_input::sorted, scale_input::reversed}) {
        const most_sent most = sort_on(ranks, each, kind);
        EXPECT_LE(most.counts.messages, p.get("messages")) << ranks << " ranks of " << each;
        EXPECT_LE(most.counts.bytes, p.get("sent bytes")) << ranks << " ranks of " << each;
        EXPECT_LE(most.counts.rounds, p.get("rounds")) << ranks << " ranks of " << each;
        EXPECT_LE(most.counts.most_numbers, p.get("number bytes")) << ranks << " ranks of " << each;
        EXPECT_LE(most.memory, p.temporary_bytes) << ranks << " ranks of " << each;
      }
    }
  }
}

TEST(rank_plan, is_what_is_sent_where_everything_moves) {
  const most_sent random = sort_on(16, 5000, scale_input::random);
  EXPECT_EQ(random.counts.messages, plan_for(16, 5000).get("messages"));  // something for everyone
  const most_sent reversed = sort_on(16, 5000, scale_input::reversed);
  EXPECT_EQ(reversed.counts.bytes, plan_for(16, 5000).get("sent bytes"));  // nothing stays
}

TEST(rank_plan, many_ranks_send_few_messages) {
  const char* const asked = std::getenv("PENEIRA_RANKS");
  const auto ranks = static_cast<unsigned>(asked == nullptr ? 400 : std::atoi(asked));
  const std::size_t each = 1000;
  const plan p = plan_for(ranks, each);
  const most_sent most = sort_on(ranks, each, scale_input::random);
  const double root = std::sqrt(ranks);
  EXPECT_EQ(p.get("levels"), 2U);
  EXPECT_LE(static_cast<double>(most.counts.messages), 2 * 2 * (root + 2));  // of two levels
  EXPECT_LE(static_cast<double>(most.counts.bytes), 2.1 * static_cast<double>(each) * sizeof(std::uint64_t));
  EXPECT_LE(most.counts.messages, p.get("messages"));
  EXPECT_LE(most.counts.bytes, p.get("sent bytes"));
  EXPECT_LE(most.counts.rounds, p.get("rounds"));
  EXPECT_LE(most.counts.most_numbers, p.get("number bytes"));
  RecordProperty("messages", static_cast<int>(most.counts.messages));
  RecordProperty("bytes", static_cast<int>(most.counts.bytes));
  RecordProperty("rounds", static_cast<int>(most.counts.rounds));
}

}  // namespace
}  // namespace peneira::test
