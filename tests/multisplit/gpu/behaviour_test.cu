// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How a call behaves on a GPU beyond its answer: streams, memory, bad functions.
#include <algorithm>
#include <memory>

#include "tests/multisplit/gpu/support.cuh"

namespace peneira::test {

using u32 = std::uint32_t;

class gpu_multisplit : public gpu_test {};

TEST_F(gpu_multisplit, runs_on_a_stream_of_the_callers) {
  const scoped_stream s;
  for_each_on_gpu([&](auto space, auto strategy) {
    SCOPED_TRACE(strategy.name);
    const device_problem problem(100003, 1, space.bins);
    problem.call(gpu{.stream = s}, strategy.name, space);
    s.wait();
    problem.expect_right(space.strictest);
  });
}

TEST_F(gpu_multisplit, runs_on_two_streams_at_once) {
  const scoped_stream first;
  const scoped_stream second;
  for_each_on_gpu([&](auto space, auto strategy) {
    SCOPED_TRACE(strategy.name);
    const device_problem a(1000003, 1, space.bins);
    const device_problem b(777777, 2, space.bins);
    for (int round = 0; round < 5; ++round) {
      a.call(gpu{.stream = first}, strategy.name, space);
      b.call(gpu{.stream = second}, strategy.name, space);
    }
    first.wait();
    second.wait();
    a.expect_right(space.strictest);
    b.expect_right(space.strictest);
  });
}

TEST_F(gpu_multisplit, takes_no_more_than_the_planned_bytes) {
  for_each_on_gpu([&](auto space, auto strategy) {
    SCOPED_TRACE(strategy.name);
    const device_problem problem(200003, 3, space.bins);
    const plan made = explain([&](auto& on) { problem.call(on, strategy.name, space); }, detail::current_device());
    const placed<std::byte, device_space> buffer(std::vector<std::byte>(made.temporary_bytes));
    arena exact(buffer.data(), made.temporary_bytes);
    problem.call(gpu{.memory = &exact}, strategy.name, space);
    problem.expect_right(space.strictest);
    EXPECT_EQ(exact.high_water(), made.temporary_bytes);

    arena short_of_one(buffer.data(), made.temporary_bytes - 1);
    EXPECT_THROW(problem.call(gpu{.memory = &short_of_one}, strategy.name, space), std::bad_alloc);
    problem.call(gpu{.memory = &exact}, strategy.name, space);
    problem.expect_right(space.strictest);
  });
}

/// Asks the real pool for more than any device has.
class greedy_memory final : public memory {
 public:
  void* allocate(std::size_t /*bytes*/, stream on) override {
    return pool::shared().allocate(std::size_t{1} << 46U, on);
  }
  void deallocate(void* block, std::size_t bytes, stream on) noexcept override {
    pool::shared().deallocate(block, bytes, on);
  }
};

TEST_F(gpu_multisplit, out_of_device_memory_is_a_bad_alloc_and_the_next_call_works) {
  const device_problem problem(100003, 4);
  greedy_memory greedy;
  EXPECT_THROW(problem.call(gpu{.memory = &greedy}), std::bad_alloc);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  problem.call(gpu{});
  must(cudaDeviceSynchronize());
  problem.expect_right();
  EXPECT_NO_THROW(pool::shared().trim());
}

TEST_F(gpu_multisplit, of_nothing_writes_zeros) {
  for_each_on_gpu([&](auto space, auto strategy) {
    SCOPED_TRACE(strategy.name);
    const guarded<u32, device_space> offsets(space.bins + 1);
    space.split(gpu{}, items(static_cast<const u32*>(nullptr), 0), items(static_cast<u32*>(nullptr), 0),
                hashed{space.bins}, items(offsets.data(), offsets.size()),
                multisplit_options{.within_bin = space.strictest, .strategy = strategy.name});
    EXPECT_EQ(offsets.read(), std::vector<u32>(space.bins + 1, 0));
  });
}

/// Right for nine keys in ten, out of range by little or much for the others.
struct lying {
  u32 bins;
  PENEIRA_HD std::int64_t operator()(u32 key) const {
    if (key % 10 != 3) return key % bins;
    return key % 20 == 3 ? std::int64_t{bins} : -static_cast<std::int64_t>(key) - 1;
  }
};

TEST_F(gpu_multisplit, drops_items_whose_bin_is_out_of_range) {
  random next(seed());
  const std::vector<u32> keys = make_keys<u32>(shape::uniform, 50021, next);
  std::vector<u32> kept;
  for (const u32 key : keys) {
    if (key % 10 != 3) kept.push_back(key);
  }
  const placed<u32, device_space> in(keys);
  for_each_on_gpu([&](auto space, auto strategy) {
    SCOPED_TRACE(strategy.name);
    const u32 bins = std::min<u32>(space.bins, 10);
    const binned f{bins, lying{bins}};
    std::vector<u32> wanted(kept.size());
    std::vector<u32> wanted_offsets(bins + 1);
    reference::multisplit<u32, no_value>({kept.data(), nullptr, kept.size()}, {wanted.data(), nullptr, wanted.size()},
                                         f, wanted_offsets.data());
    const guarded<u32, device_space> out(keys.size(), 3);
    const guarded<u32, device_space> offsets(bins + 1);
    const auto call = [&](bool checked) {
      space.split(gpu{}, items(in.data(), in.size()), items(out.data(), out.size()), f,
                  items(offsets.data(), offsets.size()),
                  multisplit_options{.within_bin = space.strictest, .strategy = strategy.name, .checked = checked});
    };
    call(false);
    std::vector<u32> got = out.read();
    got.resize(kept.size());
    EXPECT_TRUE(same(wanted_offsets, offsets.read()));
    EXPECT_TRUE(space.strictest == order::stable ? same(wanted, got) : same_bins(wanted, got, wanted_offsets));
    expect_parts(
        message_of([&] { call(true); }),
        {"multisplit", "bin function", std::to_string(keys.size() - kept.size()), std::to_string(bins) + " bins"});
    static_cast<void>(out.read());
  });
}

TEST_F(gpu_multisplit, checked_is_silent_where_all_is_well) {
  const device_problem problem(5000, 5);
  const placed<u32, device_space> in(std::vector<u32>(1000, 7));
  const guarded<u32, device_space> out(1000);
  const guarded<u32, device_space> offsets(11);
  EXPECT_NO_THROW(multisplit(gpu{}, items(in.data(), 1000), items(out.data(), 1000), hashed{10},
                             items(offsets.data(), 11), {.checked = true}));
}

/// A lambda of the caller's, as the documentation shows it; nvcc wants it in a plain function.
std::vector<u32> split_by_lambda(const std::vector<float>& xs) {
  const placed<float, device_space> in(xs);
  const guarded<float, device_space> out(xs.size());
  const guarded<u32, device_space> offsets(362);
  const pn::binned f{361, [] PENEIRA_HD(float x) { return static_cast<unsigned>(x * 361); }};
  multisplit(gpu{}, items(in.data(), in.size()), items(out.data(), out.size()), f,
             items(offsets.data(), offsets.size()));
  static_cast<void>(out.read());
  return offsets.read();
}

TEST_F(gpu_multisplit, takes_a_lambda) {
  std::vector<float> xs(3610);
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = (static_cast<float>(i % 361) + 0.5F) / 361;
  const std::vector<u32> offsets = split_by_lambda(xs);
  for (u32 b = 0; b <= 361; ++b) EXPECT_EQ(offsets[b], 10 * b);
}

TEST_F(gpu_multisplit, refuses_bad_arguments_like_the_cpu) {
  const placed<u32, device_space> in(std::vector<u32>(100));
  const auto error_of = [&](std::size_t room, std::size_t entries, std::string_view strategy) {
    return message_of([&] {
      const placed<u32, device_space> out(std::vector<u32>(100));
      const placed<u32, device_space> offsets(std::vector<u32>(100));
      multisplit(gpu{}, items(in.data(), 100), items(out.data(), room), hashed{10}, items(offsets.data(), entries),
                 {.strategy = strategy});
    });
  };
  expect_parts(error_of(99, 11, {}), {"multisplit", "out", "99"});
  expect_parts(error_of(100, 10, {}), {"multisplit", "offsets", "10"});
  expect_parts(error_of(100, 11, "by_hand"), {"multisplit", "by_hand", multisplit_gpu_strategies::names()});
}

TEST_F(gpu_multisplit, published_wants_a_published_name) {
  const device_problem problem(1000, 6);
  for (const std::string_view name : {"", "tiles"}) {
    expect_parts(message_of([&] { problem.call(gpu{}, name, published_space{}); }),
                 {"multisplit", "strategy", multisplit_published_strategies::names()});
  }
}

/// A function that contradicts itself: the second time it is asked about a key it may say another bin.
struct fickle {
  unsigned* asked;
  PENEIRA_HD u32 operator()(u32 key) const {
#if defined(__CUDA_ARCH__)
    return (key + atomicAdd(asked, 1U)) % 1000;
#else
    return key % 1000;
#endif
  }
};

TEST_F(gpu_multisplit, published_write_nothing_outside_even_where_the_function_contradicts_itself) {
  random next(seed());
  const placed<u32, device_space> in(make_keys<u32>(shape::uniform, 100003, next));
  const placed<u32, device_space> asked(std::vector<u32>(1));
  multisplit_published_strategies::for_each([&](auto strategy) {
    SCOPED_TRACE(strategy.name);
    const guarded<u32, device_space> out(in.size(), 3);
    const guarded<u32, device_space> offsets(1001);
    published::multisplit(gpu{}, items(in.data(), in.size()), items(out.data(), out.size()),
                          binned{1000, fickle{asked.data()}}, items(offsets.data(), 1001),
                          {.within_bin = order::any, .strategy = strategy.name});
    must(cudaDeviceSynchronize());
    static_cast<void>(out.read());
    EXPECT_EQ(offsets.read().back(), in.size());
  });
}

}  // namespace peneira::test
