// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A segmented sort on a GPU, out of place, beside both of CUB's.
#include "peneira/segmented_sort.hpp"

#include <atomic>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "bench/cub_scratch.cuh"
#include "bench/sweep/gpu_place.cuh"
#include "peneira/hash.hpp"

namespace peneira::bench::sweep {
namespace {

using key = std::uint32_t;

/// What sorted segments have: ascending keys, and in each the keys that it had, by a sum of hashes.
class sorted_segments {
 public:
  sorted_segments(const key* in, const std::vector<std::uint32_t>& offsets, unsigned threads)
      : offsets_(offsets), threads_(threads), sum_(inspect(in).sum) {}
  [[nodiscard]] bool accepts(const key* got) const {
    const findings found = inspect(got);
    return found.ascending && found.sum == sum_;
  }

 private:
  struct findings {
    bool ascending;
    std::uint64_t sum;
  };
  [[nodiscard]] findings inspect(const key* keys) const {
    std::atomic<bool> ascending{true};
    std::atomic<std::uint64_t> all{0};
    peneira::detail::on_each(threads_, [&](unsigned m) {
      const auto [begin, end] = peneira::detail::slice(std::size_t{offsets_.back()}, m, threads_);
      auto segment = static_cast<std::size_t>(std::upper_bound(offsets_.begin(), offsets_.end(), begin) -
                                              offsets_.begin());  // the next one's number
      bool right = true;
      std::uint64_t sum = 0;
      for (std::size_t i = begin; i < end; ++i) {
        while (offsets_[segment] <= i) ++segment;
        right = right && (i == offsets_[segment - 1] || keys[i - 1] <= keys[i]);
        sum += mix64(mix64(segment) + keys[i]);
      }
      all += sum;
      if (!right) ascending = false;
    });
    return {ascending, all};
  }

  const std::vector<std::uint32_t>& offsets_;
  unsigned threads_;
  std::uint64_t sum_;
};

}  // namespace

outcome race_segmented_sort_gpu(const problem& p, gpu_place& at) {
  const made_items<key, no_value> input(p, 1, at.on.threads);
  const std::vector<std::uint32_t> offsets = make_offsets(p.segments, p.n, p.data_seed, at.on.threads);
  const sorted_segments answer(input.items().keys, offsets, at.on.threads);
  const std::size_t count = offsets.size() - 1;
  device_array<key> in(p.n);
  device_array<key> out(p.n);
  device_array<std::uint32_t> table(offsets.size());
  in.from_host(input.items().keys);
  table.from_host(offsets.data());
  out.poison();
  const auto check = [&] { return answer.accepts(taken_from(out).data()); };
  const auto items_of_call = static_cast<std::int64_t>(p.n);
  const auto segments = static_cast<std::int64_t>(count);
  const auto by_sort = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::SortKeys(memory, bytes, in.data(), out.data(), items_of_call, segments,
                                              table.data(), table.data() + 1, at.stream());
  };
  const auto by_radix = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSegmentedRadixSort::SortKeys(memory, bytes, in.data(), out.data(), items_of_call, segments,
                                                   table.data(), table.data() + 1, 0, 32, at.stream());
  };
  cub_scratch sort_scratch(by_sort);
  cub_scratch radix_scratch(by_radix);
  std::vector<contestant> peers;
  peers.push_back({"cub::DeviceSegmentedSort::SortKeys", [] {}, [&] { sort_scratch(by_sort); }, check});
  peers.push_back({"cub::DeviceSegmentedRadixSort::SortKeys", [] {}, [&] { radix_scratch(by_radix); }, check});
  outcome found;
  found.bytes = static_cast<double>((2 * p.n + offsets.size()) * sizeof(key));
  const auto call = [&](auto&& on) {
    segmented_sort(on, items(static_cast<const key*>(in.data()), p.n),
                   items(static_cast<const std::uint32_t*>(table.data()), offsets.size()), items(out.data(), p.n));
  };
  const planned_call planned(at, call, found);
  race_on(at, std::move(peers), {"peneira", [] {}, [&] { call(planned.place()); }, check}, found);
  return found;
}

}  // namespace peneira::bench::sweep
