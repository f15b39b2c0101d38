// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A reduce on a GPU, beside CUB's.
#include "bench/peers_reduce_gpu.cuh"
#include "bench/reduce.hpp"
#include "bench/sweep/gpu_place.cuh"

namespace peneira::bench::sweep {
namespace {

template <class T, class Op>
outcome race_all_on_gpu(const problem& p, gpu_place& at) {
  using answer = reduce_answer<T, Op>;
  device_array<T> in(p.n);
  device_array<T> result(1);
  typename answer::type wanted{};
  {
    const made_items<T, no_value> input(p, 1, at.on.threads);
    wanted = answer_of<T, Op>(input.items().keys, p.n, at.on.threads);
    in.from_host(input.items().keys);
  }
  const auto got = [&] {
    T found{};
    result.to_host(&found);
    result.poison();
    return found;
  };
  result.poison();
  cub_reduce<T, Op> cub(in.data(), p.n, result.data(), at.stream());
  std::vector<contestant> peers;
  peers.push_back({std::is_same_v<Op, plus> ? "cub::DeviceReduce::Sum" : "cub::DeviceReduce::Max", [] {},
                   [&cub] { cub(); }, [&] { return answer::accepts_any(got(), wanted, p.n); }});
  outcome found;
  found.bytes = static_cast<double>(p.n * sizeof(T));
  const auto call = [&](auto&& on) { reduce(on, items(static_cast<const T*>(in.data()), p.n), result.data(), Op{}); };
  const planned_call planned(at, call, found);
  race_on(at, std::move(peers),
          {"peneira", [] {}, [&] { call(planned.place()); }, [&] { return answer::accepts(got(), wanted, p.n); }},
          found);
  return found;
}

}  // namespace

outcome race_reduce_gpu(const problem& p, gpu_place& at) {
  return with_reduction(p, [&]<class T, class Op>(T /*item*/, Op /*op*/) { return race_all_on_gpu<T, Op>(p, at); });
}

}  // namespace peneira::bench::sweep
