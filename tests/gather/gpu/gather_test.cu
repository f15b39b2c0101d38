// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// gather and scatter on a GPU move what their definitions say, and nothing else.
#include <numeric>

#include "peneira/gather.hpp"
#include "tests/support/gpu.cuh"

namespace peneira::test {

class gpu_gather : public gpu_test {
 protected:
  random next_{seed()};

  template <class Position>
  std::vector<Position> shuffled(std::size_t n) {
    std::vector<Position> positions(n);
    std::iota(positions.begin(), positions.end(), Position{0});
    for (std::size_t i = n; i > 1; --i) std::swap(positions[i - 1], positions[next_.below(i)]);
    return positions;
  }

  /// Three columns of different sizes follow a permutation there and back.
  template <class Position, class A, class B, class C>
  void check(std::size_t n) {
    SCOPED_TRACE(n);
    const std::vector<A> a = make_keys<A>(shape::uniform, n, next_);
    const std::vector<B> b = make_keys<B>(shape::uniform, n, next_);
    const std::vector<C> c = make_keys<C>(shape::uniform, n, next_);
    const std::vector<Position> positions = shuffled<Position>(n);
    std::vector<A> wanted_a(n);
    std::vector<C> wanted_c(n);
    for (std::size_t i = 0; i < n; ++i) {
      wanted_a[i] = a[static_cast<std::size_t>(positions[i])];
      wanted_c[i] = c[static_cast<std::size_t>(positions[i])];
    }
    const placed<Position, device_space> by(positions, 1);
    const placed<A, device_space> a_there(a, next_.below(3));
    const placed<B, device_space> b_there(b, next_.below(3));
    const placed<C, device_space> c_there(c, next_.below(3));
    const guarded<A, device_space> a_out(n, next_.below(3)), a_back(n);
    const guarded<B, device_space> b_out(n, next_.below(3)), b_back(n);
    const guarded<C, device_space> c_out(n, next_.below(3)), c_back(n);
    const auto all = [&](const auto& x, const auto& y, const auto& z) {
      return table(items(x.data(), n), items(y.data(), n), items(z.data(), n));
    };
    gather(gpu{}, all(a_there, b_there, c_there), items(by.data(), n), all(a_out, b_out, c_out));
    scatter(gpu{}, all(a_out, b_out, c_out), items(by.data(), n), all(a_back, b_back, c_back));
    EXPECT_TRUE(same(wanted_a, a_out.read()));
    EXPECT_TRUE(same(wanted_c, c_out.read()));
    EXPECT_TRUE(same(a, a_back.read()));
    EXPECT_TRUE(same(b, b_back.read()));
    EXPECT_TRUE(same(c, c_back.read()));
  }
};

TEST_F(gpu_gather, moves_columns_there_and_back) {
  for (const std::size_t n : {0U, 1U, 31U, 1023U, 1024U, 1025U, 100003U}) {
    check<std::uint32_t, std::uint8_t, float, bytes16>(n);
    check<std::int64_t, bytes24, bytes3, std::uint16_t>(n);
    check<std::uint64_t, bytes33, bytes12, bytes64>(n);
  }
  check<std::int32_t, std::uint32_t, double, std::uint8_t>(under_checker() ? 200003 : 10000019);
}

/// Positions may repeat; those that are nowhere leave their place alone, negative ones too.
TEST_F(gpu_gather, leaves_out_positions_that_are_nowhere) {
  const placed<std::uint32_t, device_space> in(std::vector<std::uint32_t>{10, 11, 12});
  const placed<std::int32_t, device_space> by(std::vector<std::int32_t>{2, 3, -1, 2, 0, 2147483647});
  const placed<std::uint32_t, device_space> out(std::vector<std::uint32_t>(6, 7));
  gather(gpu{}, items(in.data(), 3), items(by.data(), 6), items(out.data(), 6));
  EXPECT_EQ(out.read(), (std::vector<std::uint32_t>{12, 7, 7, 12, 10, 7}));

  const placed<std::uint32_t, device_space> from(std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6});
  const placed<std::int32_t, device_space> places(std::vector<std::int32_t>{2, 3, -1, 1, 0, 2147483647});
  const placed<std::uint32_t, device_space> to(std::vector<std::uint32_t>(3, 7));
  scatter(gpu{}, items(from.data(), 6), items(places.data(), 6), items(to.data(), 3));
  EXPECT_EQ(to.read(), (std::vector<std::uint32_t>{5, 4, 1}));
}

TEST_F(gpu_gather, takes_no_memory_and_can_be_captured) {
  constexpr std::size_t n = 5000;
  const std::vector<std::uint32_t> keys = make_keys<std::uint32_t>(shape::uniform, n, next_);
  const std::vector<std::uint32_t> positions = shuffled<std::uint32_t>(n);
  const placed<std::uint32_t, device_space> in(keys), by(positions);
  const guarded<std::uint32_t, device_space> out(n);
  const scoped_stream s;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  counted_pool none;
  must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  ASSERT_NO_THROW(
      gather(gpu{.stream = s, .memory = &none}, items(in.data(), n), items(by.data(), n), items(out.data(), n)));
  must(cudaStreamEndCapture(s, &graph));
  EXPECT_EQ(none.left, 0);
  must(cudaGraphInstantiate(&replay, graph, 0));
  must(cudaGraphLaunch(replay, s));
  s.wait();
  std::vector<std::uint32_t> wanted(n);
  for (std::size_t i = 0; i < n; ++i) wanted[i] = keys[positions[i]];
  EXPECT_TRUE(same(wanted, out.read()));
  must(cudaGraphExecDestroy(replay));
  must(cudaGraphDestroy(graph));
}

}  // namespace peneira::test
