// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole call, its temporary memory included, can be captured in a CUDA graph and replayed on changed data.
#include "tests/multisplit/gpu/support.cuh"

namespace peneira::test {

class gpu_graph : public gpu_test {};

TEST_F(gpu_graph, replays_a_captured_call) {
  const scoped_stream s;
  for_each_on_gpu([&](auto space, auto strategy) {
    SCOPED_TRACE(strategy.name);
    device_problem problem(300007, 1, space.bins);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ASSERT_NO_THROW(problem.call(gpu{.stream = s}, strategy.name, space));
    must(cudaStreamEndCapture(s, &graph));
    must(cudaGraphInstantiate(&replay, graph, 0));
    for (const std::uint64_t round : {11, 22, 33}) {
      problem.refill(round);
      must(cudaDeviceSynchronize());
      must(cudaGraphLaunch(replay, s));
      s.wait();
      problem.expect_right(space.strictest);
    }
    must(cudaGraphExecDestroy(replay));
    must(cudaGraphDestroy(graph));
  });
}

}  // namespace peneira::test
