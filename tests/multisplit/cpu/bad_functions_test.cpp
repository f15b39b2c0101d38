// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Bin functions that lie, change their mind or throw: no strategy may write outside its outputs or leak.
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "peneira/multisplit.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;
constexpr std::size_t some_items = 20011;
constexpr u32 some_bins = 361;

/// Any function: one type for all of them, so that the engines are compiled once for each type of answer.
template <class Answer>
using function = std::function<Answer(u32)>;

/// A call on the keys 0, 1, 2, ... with outputs between canaries.
class watched_call {
 public:
  watched_call(std::string_view strategy, unsigned threads) : strategy_(strategy), threads_(threads) {
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = static_cast<u32>(i);
  }

  template <class Answer>
  void operator()(const function<Answer>& f) {
    multisplit(cpu{.threads = threads_, .memory = &memory_}, pairs(keys_, keys_),
               pairs(out_.data(), values_.data(), some_items), binned{some_bins, f},
               items(offsets_.data(), offsets_.size()), {.strategy = strategy_});
  }
  [[nodiscard]] unsigned threads() const { return threads_; }

  /// Nothing is written outside, nothing leaked, and the next call works.
  void expect_sound() {
    static_cast<void>(out_.read());
    static_cast<void>(values_.read());
    static_cast<void>(offsets_.read());
    EXPECT_EQ(memory_.outstanding, 0);
    EXPECT_NO_THROW((*this)(function<std::int64_t>([](u32 key) { return key % some_bins; })));
    EXPECT_EQ(offsets_.read().back(), some_items);
  }

 private:
  std::string_view strategy_;
  unsigned threads_;
  std::vector<u32> keys_ = std::vector<u32>(some_items);
  counting_memory memory_;
  guarded<u32> out_{some_items, 3};
  guarded<u32> values_{some_items, 1};
  guarded<u32> offsets_{some_bins + 1};
};

/// Hands check a call by every strategy with every number of threads.
void for_every_strategy(const std::function<void(watched_call&)>& check) {
  multisplit_cpu_strategies::for_each([&](auto strategy) {
    for (const unsigned threads : host_space::thread_counts) {
      const ::testing::ScopedTrace trace(__FILE__, __LINE__,
                                         std::string(strategy.name) + ", " + std::to_string(threads) + " threads");
      watched_call call(strategy.name, threads);
      check(call);
      call.expect_sound();
    }
  });
}

/// `lie` for one random item, the truth for the others.
template <class Answer>
void expect_caught(Answer lie, std::string_view bin) {
  random next(seed());
  for_every_strategy([&](watched_call& call) {
    for (const std::size_t liar : {std::size_t{0}, some_items - 1, next.below(some_items), next.below(some_items)}) {
      const function<Answer> f = [=](u32 key) { return key == liar ? lie : static_cast<Answer>(key % some_bins); };
      expect_parts(message_of([&] { call(f); }),
                   {"multisplit", "bin function", "361 bins", "item " + std::to_string(liar), bin});
    }
  });
}

TEST(a_lying_function, just_beyond) {
  expect_caught(static_cast<int>(some_bins), "bin 361 ");
}

TEST(a_lying_function, far_beyond) {
  expect_caught(std::int64_t{4000000000}, "bin 4000000000 ");
}

TEST(a_lying_function, that_is_negative) {
  expect_caught(-1, "bin ");
}

TEST(a_lying_function, beyond_32_bits) {
  expect_caught((std::int64_t{1} << 32U) + 5, "bin ");
}

TEST(a_lying_function, negative_in_64_bits) {
  expect_caught(-(std::int64_t{1} << 32U), "bin ");
}

TEST(a_lying_function, about_every_item) {
  for_every_strategy([](watched_call& call) {
    const function<int> f = [](u32) { return static_cast<int>(some_bins); };
    expect_parts(message_of([&] { call(f); }), {"bin function", "361 bins"});
  });
}

/// Answers by the number of times it was asked, so that no two passes agree. Always in range.
/// The lowest bits tell whether a product was rounded before something was taken from it: loops that differ in that
/// would contradict each other, and the caller.
TEST(a_rounding_function, says_the_same_of_a_key_in_all_loops) {
  random next(seed());
  for (const std::uint32_t bins : {3U, 16U, 300U, 5000U}) {
    const auto low_bits = [bins](float x) { return std::bit_cast<std::uint32_t>(x * x - 1.5F) % bins; };
    for (const std::size_t n : {std::size_t{10}, std::size_t{5000}, std::size_t{300000}}) {
      std::vector<float> keys(n), out(n);
      for (float& x : keys) x = 1 + std::ldexp(static_cast<float>(next.below(1U << 22U)), -22);
      std::vector<std::size_t> wanted(bins + 1), offsets(bins + 1);
      for (const float x : keys) ++wanted[low_bits(x) + 1];
      std::partial_sum(wanted.begin(), wanted.end(), wanted.begin());
      std::vector<std::uint8_t> bytes(n), moved_bytes(n);
      std::vector<std::uint32_t> words(n), moved_words(n);
      for (const unsigned threads : {1U, 3U}) {
        const cpu on{.threads = threads};
        multisplit(on, keys, out, binned{bins, low_bits}, offsets);
        EXPECT_EQ(offsets, wanted) << n << " items, " << bins << " bins, " << threads << " threads";
        multisplit(on, pairs(keys, bytes), pairs(out, moved_bytes), binned{bins, low_bits}, offsets);
        EXPECT_EQ(offsets, wanted) << n << " items, " << bins << " bins, " << threads << " threads, bytes as values";
        multisplit(on, pairs(keys, words), pairs(out, moved_words), binned{bins, low_bits}, offsets);
        EXPECT_EQ(offsets, wanted) << n << " items, " << bins << " bins, " << threads << " threads, words as values";
      }
    }
  }
}

TEST(an_impure_function, never_writes_outside) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "members of a team that a bin function misleads may write the same item: a race by contract";
#endif
  for (const std::uint64_t period : {1U, 3U, 10000U, 20011U}) {
    for_every_strategy([&](watched_call& call) {
      std::atomic<std::uint64_t> asked{0};
      const function<int> f = [&](u32 key) {
        const bool honest = asked.fetch_add(1, std::memory_order_relaxed) / period % 2 == 0;
        return static_cast<int>(honest ? key % some_bins : some_bins - 1 - key % 5);
      };
      try {
        call(f);
      } catch (const std::invalid_argument& error) {
        expect_parts(error.what(), {"multisplit", "bin function"});
      }
    });
  }
}

TEST(an_impure_function, that_moves_all_items_to_the_last_bin_is_caught) {
  for_every_strategy([&](watched_call& call) {
    if (call.threads() > 1) return;
    std::uint64_t asked = 0;
    const function<int> f = [&asked](u32 key) {
      return static_cast<int>(asked++ < some_items ? key % some_bins : some_bins - 1);
    };
    EXPECT_THROW(call(f), std::invalid_argument);
  });
}

TEST(a_throwing_function, passes_its_exception_on) {
  random next(seed());
  for_every_strategy([&](watched_call& call) {
    for (const std::size_t bad : {std::size_t{0}, next.below(some_items), some_items - 1}) {
      const function<int> f = [bad](u32 key) {
        if (key == bad) throw std::domain_error("item " + std::to_string(key));
        return static_cast<int>(key % some_bins);
      };
      EXPECT_EQ(message_of<std::domain_error>([&] { call(f); }), "item " + std::to_string(bad));
    }
  });
}

TEST(a_throwing_function, in_the_second_pass) {
  for_every_strategy([&](watched_call& call) {
    std::atomic<std::uint64_t> asked{0};
    const function<int> f = [&asked](u32 key) {
      if (++asked == some_items + some_items / 2) throw std::domain_error("late");
      return static_cast<int>(key % some_bins);
    };
    EXPECT_EQ(message_of<std::domain_error>([&] { call(f); }), "late");
  });
}

}  // namespace peneira::test
