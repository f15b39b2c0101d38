// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls over ranks on GPUs give what one process gives: ranks that are threads of this process and share its GPU, with
// rooms that they read by address, and by way of the host in small pieces.
#include <gtest/gtest.h>

#include <numeric>

#include "peneira/ranks/gpu/device_rooms.hpp"
#include "peneira/ranks/multisplit.hpp"
#include "peneira/ranks/reduce.hpp"
#include "peneira/ranks/sort.hpp"
#include "tests/ranks/ranks.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {
namespace {

constexpr unsigned numbers_of_ranks[] = {1, 2, 3, 5, 8};
constexpr detail::device_room_options ways[] = {{true}, {false}, {false, 4096}};

/// A place of ranks of this process on its GPU, each with a stream of its own.
class loop_gpus {
 public:
  loop_gpus(detail::loop_transport& between, const detail::device_room_options& how)
      : between_(between), stream_(make_stream()), rooms_(between, stream_, how) {}
  detail::loop_transport& between() { return between_; }
  auto& rooms() { return rooms_; }
  [[nodiscard]] gpu here() const { return {.stream = stream_}; }
  void wait() const { must(cudaStreamSynchronize(stream_)); }

 private:
  static cudaStream_t make_stream() {
    cudaStream_t made = nullptr;
    must(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    return made;
  }

  detail::loop_transport& between_;
  cudaStream_t stream_;
  detail::device_rooms<detail::loop_transport> rooms_;
};

template <class T>
class on_device {
 public:
  explicit on_device(const std::vector<T>& from) : size_(from.size()) {
    at_ = static_cast<T*>(device_space::allocate(size_ * sizeof(T)));
    device_space::copy(at_, from.data(), size_ * sizeof(T));
  }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;
  ~on_device() { device_space::deallocate(at_); }

  [[nodiscard]] T* data() const { return at_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> found(size_);
    device_space::copy(found.data(), at_, size_ * sizeof(T));
    return found;
  }

 private:
  std::size_t size_;
  T* at_;
};

enum class input { random, constant, two_values, few, sorted, heaps };
constexpr input all_inputs[] = {input::random, input::constant, input::two_values,
                                input::few,    input::sorted,   input::heaps};

template <class K>
std::vector<K> make(input kind, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t one[] = {
        random(), 42, random() % 2, random() % 13 * 0x123456789ABCDEFU, i * 3, (random() % 5 << 60U) + random() % 50};
    keys[i] = static_cast<K>(one[static_cast<int>(kind)]);
  }
  return keys;
}

/// What all ranks got, in rank order.
template <class T>
std::vector<T> joined(const std::vector<std::vector<T>>& parts) {
  std::vector<T> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

class rank_gpu : public gpu_test {
 protected:
  void TearDown() override {
    if (!IsSkipped()) EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
};

/// Sorts pairs of keys and positions, in place where the shares are alike.
template <class K>
void expect_sorted(const std::vector<K>& keys, const std::vector<std::size_t>& from, const std::vector<std::size_t>& to,
                   const detail::device_room_options& how, const sort_options& options) {
  std::vector<std::uint32_t> positions(keys.size());
  std::iota(positions.begin(), positions.end(), 0U);
  std::vector<std::uint32_t> wanted(keys.size());
  argsort(cpu{.threads = 1}, keys, wanted, options);
  std::vector<std::vector<K>> got_keys(from.size());
  std::vector<std::vector<std::uint32_t>> got(from.size());
  detail::on_ranks(static_cast<unsigned>(from.size()), [&](detail::loop_transport& between) {
    const unsigned me = between.rank();
    loop_gpus on(between, how);
    const on_device<K> in_keys{part_of(keys, from, me)};
    const on_device<std::uint32_t> in_values{part_of(positions, from, me)};
    const on_device<K> out_keys{std::vector<K>(to[me])};
    const on_device<std::uint32_t> out_values{std::vector<std::uint32_t>(to[me], 7)};
    const auto in = pairs(items(in_keys.data(), in_keys.size()), items(in_values.data(), in_values.size()));
    const auto out = pairs(items(out_keys.data(), to[me]), items(out_values.data(), to[me]));
    const bool in_place = from == to;
    in_place ? sort(on, in, options) : sort(on, in, out, options);
    on.wait();
    got_keys[me] = in_place ? in_keys.read() : out_keys.read();
    got[me] = in_place ? in_values.read() : out_values.read();
    if (!in_place) {
      EXPECT_EQ(in_keys.read(), part_of(keys, from, me)) << "the input was written";
    }
  });
  const auto all = joined(got);
  ASSERT_EQ(all, wanted);
  const auto all_keys = joined(got_keys);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(detail::raw_bits(all_keys[i]), detail::raw_bits(keys[all[i]])) << i;
  }
}

TEST_F(rank_gpu, sort_is_that_of_one_process) {
  unsigned seed = 0;
  for (const unsigned ranks : numbers_of_ranks) {
    for (const input kind : all_inputs) {
      for (const auto& how : ways) {
        const std::size_t n = (++seed * 7919) % 20000;
        const auto from = share_out(n, ranks, all_shares[seed % 5], seed);
        const auto to = seed % 3 == 0 ? from : share_out(n, ranks, all_shares[seed / 5 % 5], seed + 1);
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << ranks << " ranks, " << n << " items");
        expect_sorted(make<std::uint64_t>(kind, n, seed), from, to, how, {.descending = seed % 4 == 1});
        if (HasFatalFailure() || under_checker()) return;
      }
    }
  }
}

TEST_F(rank_gpu, sort_takes_floats_bits_and_few_items) {
  for (const std::size_t n : {0U, 1U, 3U, 17U, 5000U}) {
    auto floats = make<float>(input::random, n, 3);
    for (std::size_t i = 0; i < n; i += 3) floats[i] = i % 2 == 0 ? -0.0F : -floats[i];
    expect_sorted(floats, share_out(n, 4, shares::random, 1), share_out(n, 4, shares::even, 2), {}, {});
    expect_sorted(make<std::uint64_t>(input::random, n, 4), share_out(n, 3, shares::last, 1),
                  share_out(n, 3, shares::first, 2), {false}, {.first_bit = 5, .last_bit = 17});
  }
}

TEST_F(rank_gpu, sort_of_many_keys_with_cuts_within_bins) {
  const std::size_t n = under_checker() ? 100'000 : 3'000'000;
  for (const auto& how : {ways[0], ways[1]}) {
    for (const input kind : all_inputs) {
      const auto keys = make<std::uint64_t>(kind, n, 9);
      auto wanted = keys;
      std::sort(wanted.begin(), wanted.end());
      const auto shares_of = share_out(n, 4, shares::staggered, 1);
      std::vector<std::vector<std::uint64_t>> got(4);
      detail::on_ranks(4, [&](detail::loop_transport& between) {
        loop_gpus on(between, how);
        for (int turn = 0; turn < 2; ++turn) {  // rooms are there the second time
          const on_device<std::uint64_t> mine{part_of(keys, shares_of, between.rank())};
          sort(on, items(mine.data(), mine.size()));
          on.wait();
          got[between.rank()] = mine.read();
        }
      });
      ASSERT_EQ(joined(got), wanted) << static_cast<int>(kind);
    }
  }
}

TEST_F(rank_gpu, multisplit_and_reduce_are_those_of_one_process) {
  for (const unsigned ranks : numbers_of_ranks) {
    for (const auto& how : ways) {
      const std::size_t n = 4000 + 700 * ranks;
      const auto keys = make<std::uint64_t>(input::random, n, ranks);
      const hashed f{97};
      std::vector<std::uint64_t> split(n);
      std::vector<std::uint64_t> offsets(98);
      multisplit(cpu{.threads = 1}, keys, split, f, offsets);
      const std::uint64_t sum = reduce(cpu{.threads = 1}, keys, plus{});
      const auto from = share_out(n, ranks, shares::random, ranks);
      const auto to = share_out(n, ranks, shares::staggered, ranks);
      std::vector<std::vector<std::uint64_t>> got(ranks);
      detail::on_ranks(ranks, [&](detail::loop_transport& between) {
        const unsigned me = between.rank();
        loop_gpus on(between, how);
        const on_device<std::uint64_t> in{part_of(keys, from, me)};
        const on_device<std::uint64_t> out{std::vector<std::uint64_t>(to[me])};
        const on_device<std::uint32_t> table{std::vector<std::uint32_t>(98, 1)};
        const on_device<std::uint64_t> total{std::vector<std::uint64_t>(1)};
        multisplit(on, items(in.data(), in.size()), items(out.data(), out.size()), f, items(table.data(), 98));
        reduce(on, items(in.data(), in.size()), total.data(), plus{});
        on.wait();
        got[me] = out.read();
        EXPECT_EQ(total.read()[0], sum);
        const auto found = table.read();
        EXPECT_EQ(std::vector<std::uint64_t>(found.begin(), found.end()), offsets);
      });
      ASSERT_EQ(joined(got), split) << ranks;
    }
  }
}

TEST_F(rank_gpu, an_error_on_one_rank_is_thrown_by_all_and_the_next_call_works) {
  detail::on_ranks(3, [&](detail::loop_transport& between) {
    loop_gpus on(between, {});
    const on_device<std::uint32_t> mine{std::vector<std::uint32_t>{3 - between.rank(), 7}};
    std::uint32_t* const wrong = between.rank() == 1 ? nullptr : mine.data();
    try {
      sort(on, items(wrong, 2));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).find("rank 1: sort: in is a null pointer"), 0U) << error.what();
    }
    sort(on, items(mine.data(), 2));
    on.wait();
    const std::vector<std::vector<std::uint32_t>> wanted{{1, 2}, {3, 7}, {7, 7}};
    EXPECT_EQ(mine.read(), wanted[between.rank()]);
  });
}

}  // namespace
}  // namespace peneira::test
