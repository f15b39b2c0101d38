// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "peneira/interruptible.hpp"

#include <stdexcept>
#include <thread>

#include "peneira/multisplit.hpp"
#include "peneira/sort.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {
namespace {

struct stopped : std::runtime_error {
  using runtime_error::runtime_error;
};

thread_local int asked = 0;
thread_local int stop_at = 0;

void ask() {
  if (++asked == stop_at) throw stopped("as it was asked to");
}

/// Ends a call at its first phases in turn, and at some of the others, until it comes through. Returns how many there
/// are.
template <class Call>
int end_at_phases(const Call& call) {
  const interruptible guard(ask);
  for (stop_at = 1;; stop_at += 1 + stop_at / 8) {
    asked = 0;
    try {
      call();
      return asked;
    } catch (const stopped&) {
      EXPECT_EQ(asked, stop_at);
    }
  }
}

}  // namespace

TEST(interruptible, calls_end_at_any_phase_and_give_their_memory_back) {
  random next(seed());
  const auto keys = make_keys<std::uint32_t>(shape::uniform, 200'000, next);
  std::vector<std::uint32_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  for (const unsigned threads : {1U, 2U, 5U}) {
    counting_memory from;
    const cpu on{.threads = threads, .memory = &from};
    std::vector<std::uint32_t> in = keys;
    std::vector<std::uint32_t> out(in.size());
    EXPECT_GT(end_at_phases([&] { sort(on, in, out); }), 2);
    EXPECT_EQ(out, sorted);
    std::vector<std::uint64_t> offsets(1001);
    EXPECT_GT(end_at_phases([&] { multisplit(on, in, out, hashed{1000}, offsets); }), 1);
    EXPECT_EQ(offsets.back(), in.size());
    EXPECT_EQ(in, keys);
    EXPECT_EQ(from.outstanding, 0);
  }
}

TEST(interruptible, is_of_one_thread_and_hidden_by_a_later_one) {
  random next(seed());
  auto keys = make_keys<std::uint32_t>(shape::uniform, 100'000, next);
  const interruptible outer(ask);
  stop_at = 1;
  asked = 0;
  {
    const interruptible inner(nullptr);
    sort(cpu{.threads = 2}, keys, {.descending = true});
  }
  std::thread([&] { sort(cpu{.threads = 2}, keys); }).join();
  EXPECT_EQ(asked, 0);
  EXPECT_THROW(sort(cpu{.threads = 2}, keys, {.descending = true}), stopped);
}

}  // namespace peneira::test
