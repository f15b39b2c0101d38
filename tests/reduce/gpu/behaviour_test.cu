// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How reduce and segmented_reduce behave on a GPU beyond their answer: streams, graphs, memory, arguments.
#include "tests/reduce/gpu/support.cuh"

namespace peneira::test {

using u32 = std::uint32_t;
using reduces = device_reduce_space::reduces;
using segmented_reduces = device_reduce_space::segmented_reduces;

/// Random words on the device, summed as a whole and by segments of random sizes, some of them empty.
class device_sums {
 public:
  device_sums(std::size_t about, std::uint64_t from)
      : next_(from),
        offsets_(words_of(make_segments(segment_shape::mixed_with_empty, about, 30, next_.below(10), next_))),
        in_(random_words(offsets_.host().back() + 7, next_), 1),
        total_(1, 1),
        sums_(offsets_.host().size() - 1, 3) {}

  /// Other words at the same place.
  void refill(std::uint64_t from) {
    random next(from);
    in_.write(random_words(in_.host().size(), next));
  }
  template <class Place>
  void reduce_all(Place&& on, std::string_view strategy = {}) const {
    reduce(on, in_.get(), total_.data(), plus{}, {.strategy = strategy});
  }
  template <class Place>
  void reduce_segments(Place&& on, std::string_view strategy = {}) const {
    segmented_reduce(on, in_.get(), offsets_.get(), items(sums_.data(), sums_.size()), plus{}, {.strategy = strategy});
  }
  /// Compares what is on the device with the references. The calls must have ended.
  void expect_right_total() const {
    const u32 wanted = reference::reduce<u32>(in_.host().data(), 0, in_.host().size(), plus{});
    EXPECT_TRUE(same({wanted}, total_.read()));
    in_.expect_unchanged();
  }
  void expect_right_sums() const {
    EXPECT_TRUE(same(wanted_of<u32>(in_.host(), offsets_.host(), plus{}), sums_.read()));
    in_.expect_unchanged();
    offsets_.expect_unchanged();
  }
  /// Nothing that is read back can then be an earlier answer.
  void forget() const {
    must(cudaMemset(total_.data(), 0xEE, sizeof(u32)));
    must(cudaMemset(sums_.data(), 0xEE, sums_.size() * sizeof(u32)));
    must(cudaDeviceSynchronize());
  }

 private:
  static std::vector<u32> words_of(const std::vector<std::uint64_t>& bounds) { return {bounds.begin(), bounds.end()}; }

  random next_;
  watched<u32> offsets_;
  watched<u32> in_;
  guarded<u32, device_space> total_;
  guarded<u32, device_space> sums_;
};

/// Calls work(call, expect) for every strategy of both primitives: call(on) makes the call, expect() checks it.
template <class Work>
void for_each_call(const device_sums& sums, Work&& work) {
  for_each_name<reduces>([&](std::string_view name) {
    sums.forget();
    work([&](auto&& on) { sums.reduce_all(on, name); }, [&] { sums.expect_right_total(); });
  });
  for_each_name<segmented_reduces>([&](std::string_view name) {
    sums.forget();
    work([&](auto&& on) { sums.reduce_segments(on, name); }, [&] { sums.expect_right_sums(); });
  });
}

class gpu_reduce : public gpu_test {};

TEST_F(gpu_reduce, runs_on_a_stream_of_the_callers) {
  const scoped_stream s;
  for (const std::size_t about : {100U, 30000U, 2000000U}) {
    const device_sums sums(about, 1);
    for_each_call(sums, [&](auto&& call, auto&& expect) {
      call(gpu{.stream = s});
      s.wait();
      expect();
    });
  }
}

TEST_F(gpu_reduce, runs_on_two_streams_at_once) {
  const scoped_stream first;
  const scoped_stream second;
  const device_sums a(3000000, 1);
  const device_sums b(1000000, 2);
  for_each_name<segmented_reduces>([&](std::string_view name) {
    a.forget();
    b.forget();
    for (int round = 0; round < 20; ++round) {
      a.reduce_segments(gpu{.stream = first}, name);
      b.reduce_all(gpu{.stream = second});
      b.reduce_segments(gpu{.stream = second}, name);
      a.reduce_all(gpu{.stream = first});
    }
    first.wait();
    second.wait();
    a.expect_right_total();
    a.expect_right_sums();
    b.expect_right_total();
    b.expect_right_sums();
  });
}

/// One graph of both primitives, replayed in the same memory on other words.
TEST_F(gpu_reduce, replays_captured_calls) {
  const scoped_stream s;
  for (const std::size_t about : {1000U, 1000000U}) {
    for_each_name<segmented_reduces>([&](std::string_view name) {
      device_sums sums(about, 3);
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t replay = nullptr;
      must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
      ASSERT_NO_THROW(sums.reduce_all(gpu{.stream = s}));
      ASSERT_NO_THROW(sums.reduce_segments(gpu{.stream = s}, name));
      must(cudaStreamEndCapture(s, &graph));
      must(cudaGraphInstantiate(&replay, graph, 0));
      for (const std::uint64_t round : {11, 11, 22, 33}) {  // the same words twice, then others
        sums.refill(round);
        sums.forget();
        must(cudaGraphLaunch(replay, s));
        s.wait();
        sums.expect_right_total();
        sums.expect_right_sums();
      }
      must(cudaGraphExecDestroy(replay));
      must(cudaGraphDestroy(graph));
    });
  }
}

/// Notes that blocks leave each other about a giant are no news to the replay after.
TEST_F(gpu_reduce, replays_a_giant_among_tiny_ones) {
  random next(seed() + 9);
  const scoped_stream s;
  constexpr std::size_t tiny = 4200000;
  constexpr u32 giant = 9000001;
  std::vector<u32> offsets{0};
  for (std::size_t k = 0; k < tiny; ++k) offsets.push_back(offsets.back() + (k == tiny / 3 ? giant : 1));
  watched<u32> in(random_words(offsets.back(), next));
  const watched<u32> table(offsets);
  const guarded<u32, device_space> sums(tiny);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  ASSERT_NO_THROW(segmented_reduce(gpu{.stream = s}, in.get(), table.get(), items(sums.data(), tiny), plus{}));
  must(cudaStreamEndCapture(s, &graph));
  must(cudaGraphInstantiate(&replay, graph, 0));
  for (int round = 0; round < 4; ++round) {
    in.write(random_words(offsets.back(), next));
    must(cudaGraphLaunch(replay, s));
    s.wait();
    EXPECT_TRUE(same(wanted_of<u32>(in.host(), offsets, plus{}), sums.read())) << round;
  }
  must(cudaGraphExecDestroy(replay));
  must(cudaGraphDestroy(graph));
}

/// Two replays in flight, one behind the other, with nothing between them.
TEST_F(gpu_reduce, replays_back_to_back) {
  const scoped_stream s;
  const device_sums sums(1000000, 4);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  ASSERT_NO_THROW(sums.reduce_all(gpu{.stream = s}));
  ASSERT_NO_THROW(sums.reduce_segments(gpu{.stream = s}));
  must(cudaStreamEndCapture(s, &graph));
  must(cudaGraphInstantiate(&replay, graph, 0));
  sums.forget();
  for (int k = 0; k < 50; ++k) must(cudaGraphLaunch(replay, s));
  s.wait();
  sums.expect_right_total();
  sums.expect_right_sums();
  must(cudaGraphExecDestroy(replay));
  must(cudaGraphDestroy(graph));
}

/// Where a plan takes more blocks, more loads or another kernel, at every address within 16 bytes.
TEST_F(gpu_reduce, borders_of_the_plans) {
  random next(seed() + 8);
  constexpr std::size_t most = (std::size_t{1} << 20U) + 8;
  const std::vector<u32> words = random_words(most, next);
  const watched<u32> in(words);
  const guarded<u32, device_space> total(1);
  for (const std::size_t n : {1024U, 4096U, 16384U, 18432U, 20480U, 131072U, 262144U, 524288U, 1048576U}) {
    for (const std::size_t about : {n - 3, n - 1, n, n + 1, n + 2, n + 5}) {
      for (std::size_t begin = 0; begin < 4; ++begin) {
        if (begin + about > most) continue;
        reduce(gpu{}, items(in.get().keys + begin, about), total.data(), plus{});
        const u32 wanted = reference::reduce<u32>(words.data() + begin, 0, about, plus{});
        EXPECT_TRUE(same({wanted}, total.read())) << about << " items from " << begin;
      }
    }
  }
  in.expect_unchanged();
}

/// Two words whose array need not begin at a multiple of their bytes, so that no group of 16 bytes has whole ones.
struct two_words {
  u32 first;
  u32 second;
  friend bool operator==(const two_words&, const two_words&) = default;
};
struct add_two_words {
  static constexpr bool commutative = true;
  PENEIRA_HD two_words operator()(const two_words& a, const two_words& b) const {
    return {a.first + b.first, a.second + b.second};
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return {};
  }
};

TEST_F(gpu_reduce, takes_items_that_never_lie_at_their_bytes) {
  random next(seed() + 9);
  for (const std::size_t n : {1U, 1000U, 8192U, 8193U, 30000U, 131073U, 524288U, 600000U}) {
    const std::vector<u32> words = random_words(2 * n + 1, next);
    const watched<u32> in(words);
    const guarded<two_words, device_space> total(1);
    reduce(gpu{}, items(reinterpret_cast<const two_words*>(in.get().keys + 1), n), total.data(), add_two_words{});
    two_words wanted{};
    for (std::size_t i = 0; i < n; ++i) wanted = add_two_words{}(wanted, {words[2 * i + 1], words[2 * i + 2]});
    EXPECT_EQ(total.read()[0], wanted) << n << " items";
    in.expect_unchanged();
  }
}

TEST_F(gpu_reduce, takes_no_more_than_the_planned_bytes) {
  for (const std::size_t about : {100U, 1000000U}) {
    const device_sums sums(about, 5);
    for_each_call(sums, [&](auto&& call, auto&& expect) {
      const plan made = explain([&](auto& on) { call(on); }, detail::current_device());
      const placed<std::byte, device_space> buffer(std::vector<std::byte>(made.temporary_bytes));
      arena exact(buffer.data(), made.temporary_bytes);
      call(gpu{.memory = &exact});
      must(cudaDeviceSynchronize());
      expect();
      EXPECT_EQ(exact.high_water(), made.temporary_bytes);
      if (made.temporary_bytes == 0) return;

      arena short_of_one(buffer.data(), made.temporary_bytes - 1);
      EXPECT_THROW(call(gpu{.memory = &short_of_one}), std::bad_alloc);
      call(gpu{.memory = &exact});
      must(cudaDeviceSynchronize());
      expect();
    });
  }
}

/// Whatever the temporary memory held before: letters of the call before, all ones, noise.
TEST_F(gpu_reduce, does_not_mind_what_its_memory_held) {
  device_sums sums(1000000, 6);
  constexpr std::size_t bytes = std::size_t{1} << 20U;
  const placed<std::byte, device_space> buffer(std::vector<std::byte>(bytes, std::byte{0xFF}));
  arena stale(buffer.data(), bytes);
  for (std::uint64_t round = 0; round < 6; ++round) {
    sums.refill(round);
    if (round == 3) {
      random next(seed());
      const std::vector<u32> noise = random_words(bytes / sizeof(u32), next);
      device_space::copy(buffer.data(), noise.data(), bytes);
    }
    for_each_call(sums, [&](auto&& call, auto&& expect) {
      call(gpu{.memory = &stale});
      call(gpu{.memory = &stale});
      must(cudaDeviceSynchronize());
      expect();
    });
  }
}

TEST_F(gpu_reduce, out_of_device_memory_is_a_bad_alloc_and_the_next_call_works) {
  const device_sums sums(1000000, 7);
  for_each_call(sums, [&](auto&& call, auto&& expect) {
    counted_pool memory;
    EXPECT_THROW(call(gpu{.memory = &memory}), std::bad_alloc);
    EXPECT_EQ(memory.outstanding, 0);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    memory.left = 100;
    call(gpu{.memory = &memory});
    EXPECT_EQ(memory.outstanding, 0);
    must(cudaDeviceSynchronize());
    expect();
  });
  EXPECT_NO_THROW(pool::shared().trim());
}

TEST_F(gpu_reduce, refuses_bad_arguments_like_the_cpu) {
  const placed<u32, device_space> in(std::vector<u32>(100, 1));
  const placed<u32, device_space> offsets(std::vector<u32>{0, 10, 50, 100});
  const placed<u32, device_space> out(std::vector<u32>(3));
  const auto in_view = items(in.data(), 100);
  expect_parts(message_of([&] { reduce(gpu{}, in_view, static_cast<u32*>(nullptr), plus{}); }), {"reduce", "null"});
  expect_parts(message_of([&] { reduce(gpu{}, in_view, in.data() + 99, plus{}); }), {"reduce", "overlaps"});
  expect_parts(message_of([&] { reduce(gpu{}, in_view, out.data(), plus{}, {.strategy = "by_hand"}); }),
               {"reduce", "by_hand", reduces::names()});
  const auto error_of = [&](std::size_t room, std::string_view strategy) {
    return message_of([&] {
      segmented_reduce(gpu{}, in_view, items(offsets.data(), 4), items(out.data(), room), plus{},
                       {.strategy = strategy});
    });
  };
  expect_parts(error_of(2, {}), {"segmented_reduce", "out", "2", "3 segments"});
  expect_parts(error_of(3, "by_hand"), {"segmented_reduce", "by_hand", segmented_reduces::names()});
}

}  // namespace peneira::test
