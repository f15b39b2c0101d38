// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A segmented reduce on a GPU, beside CUB's and Thrust's.
#include "bench/peers_reduce_gpu.cuh"
#include "bench/segmented_reduce.hpp"
#include "bench/sweep/gpu_place.cuh"

namespace peneira::bench::sweep {
namespace {

template <class T, class Op>
class segments_race_gpu {
 public:
  segments_race_gpu(const problem& p, gpu_place& at)
      : p_(p),
        at_(at),
        input_(p, 1, at.on.threads),
        offsets_(make_offsets(p.segments, p.n, p.data_seed, at.on.threads)),
        answer_(input_.items().keys, offsets_, at.on.threads),
        in_(p.n),
        table_(offsets_.size()),
        results_(p.segments.count) {
    in_.from_host(input_.items().keys);
    table_.from_host(offsets_.data());
    results_.poison();
  }

  outcome run() {
    const std::size_t count = results_.size();
    cub_segments<T, Op> cub(in_.data(), table_.data(), count, results_.data(), at_.stream());
    std::vector<contestant> peers;
    peers.push_back({"cub::DeviceSegmentedReduce", [] {}, [&cub] { cub(); }, [this] { return accepts(got(), true); }});
    number_segments();
    peers.push_back({"thrust::reduce_by_key", [] {},
                     [this] {
                       found_segments_ = thrust_by_key<T, Op>(numbers_->data(), in_.data(), p_.n, found_->data(),
                                                              results_.data(), at_.stream());
                     },
                     [this] { return accepts(unpacked(), true); }});
    outcome found;
    found.bytes =
        static_cast<double>(p_.n * sizeof(T)) + static_cast<double>(count * (sizeof(T) + sizeof(std::uint32_t)));
    const auto call = [&](auto&& on) {
      segmented_reduce(on, items(static_cast<const T*>(in_.data()), p_.n),
                       items(static_cast<const std::uint32_t*>(table_.data()), count + 1),
                       items(results_.data(), count), Op{});
    };
    const planned_call planned(at_, call, found);
    race_on(at_, std::move(peers),
            {"peneira", [] {}, [&] { call(planned.place()); }, [this] { return accepts(got(), false); }}, found);
    return found;
  }

 private:
  std::vector<T> got() {
    std::vector<T> here(results_.size());
    results_.to_host(here.data());
    results_.poison();
    return here;
  }
  [[nodiscard]] bool accepts(const std::vector<T>& results, bool any_grouping) const {
    return answer_.accepts(results.data(), any_grouping);
  }

  /// For Thrust, the number of its segment beside every item.
  void number_segments() {
    const array<std::uint32_t> numbers(p_.n, at_.on.threads);
    peneira::detail::on_each(at_.on.threads, [&](unsigned m) {
      const auto [begin, end] = peneira::detail::slice(results_.size(), m, at_.on.threads);
      for (std::size_t s = begin; s < end; ++s) {
        std::fill(numbers.data() + offsets_[s], numbers.data() + offsets_[s + 1], static_cast<std::uint32_t>(s));
      }
    });
    numbers_ = std::make_unique<device_array<std::uint32_t>>(p_.n);
    numbers_->from_host(numbers.data());
    found_ = std::make_unique<device_array<std::uint32_t>>(std::min<std::size_t>(p_.n, results_.size()));
  }
  /// Thrust's results, which leave empty segments out.
  std::vector<T> unpacked() {
    const std::vector<T> packed = got();
    std::vector<std::uint32_t> numbers(found_->size());
    found_->to_host(numbers.data());
    std::vector<T> all(results_.size(), Op{}.template identity<T>());
    for (std::size_t k = 0; k < found_segments_; ++k) all.at(numbers.at(k)) = packed.at(k);
    return all;
  }

  const problem& p_;
  gpu_place& at_;
  made_items<T, no_value> input_;
  std::vector<std::uint32_t> offsets_;
  segments_answer<T, Op> answer_;
  device_array<T> in_;
  device_array<std::uint32_t> table_;
  device_array<T> results_;
  std::unique_ptr<device_array<std::uint32_t>> numbers_;
  std::unique_ptr<device_array<std::uint32_t>> found_;
  std::size_t found_segments_ = 0;
};

}  // namespace

outcome race_segmented_reduce_gpu(const problem& p, gpu_place& at) {
  return with_reduction(
      p, [&]<class T, class Op>(T /*item*/, Op /*op*/) { return segments_race_gpu<T, Op>(p, at).run(); });
}

}  // namespace peneira::bench::sweep
