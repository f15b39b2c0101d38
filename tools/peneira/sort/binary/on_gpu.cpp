// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of files on a GPU, which is that of the CPU but for what is sorted at a time.
#include "tools/peneira/sort/binary/on_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "peneira/hash.hpp"
#include "tools/peneira/cli/calibration.hpp"
#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/sort/binary/external.hpp"
#include "tools/peneira/sort/binary/gpu.hpp"

namespace peneira::tool {
namespace {

template <class U>
gpu_sort_shape shape_of(const number_items<U>& /*kind*/) {
  return {.item_bytes = sizeof(U)};
}
gpu_sort_shape shape_of(const record_items& kind) {
  return {kind.record_bytes, kind.key_first, kind.key_bytes, kind.descending};
}

/// Items on the GPU, used as those in memory are.
template <class Kind>
class sorted_on_gpu {
 public:
  sorted_on_gpu(const Kind& kind, const sort_request& o, work_memory& /*memory*/, phase_times& times)
      : kind_(kind), sorter_(make_gpu_sorter(shape_of(kind), o.strategy, times)) {}

  /// Bytes of the CPU's memory: none.
  [[nodiscard]] std::size_t need(std::size_t /*n*/) const { return 0; }
  [[nodiscard]] bool fits(std::size_t n, std::size_t /*bytes*/) const { return sorter_->fits(n); }
  [[noreturn]] void refuse(std::uint64_t /*limit*/, std::size_t count) const {
    throw std::runtime_error(
        fmt::format("{} of the GPU's memory is too little to sort {} items of {} bytes; --place cpu sorts them",
                    print_bytes(static_cast<double>(sorter_->memory())), count, kind_.bytes()));
  }
  void begin(std::size_t n) { sorter_->begin(n); }
  char* room(unsigned member, std::size_t /*first*/) { return sorter_->room(member); }
  void loaded(unsigned member, std::size_t first, std::size_t count, std::size_t /*window*/) {
    sorter_->send(member, first, count);
  }
  void sort(std::size_t window) { sorter_->sort(window); }
  void fill(unsigned member, char* to, std::size_t first, std::size_t count) {
    sorter_->fetch(member, to, first, count);
    kind_.release(to, count);
  }

 private:
  const Kind& kind_;
  std::unique_ptr<gpu_sorter> sorter_;
};

template <class Kind>
struct sorted_on_cpu;
template <class U>
struct sorted_on_cpu<number_items<U>> {
  using type = sorted_numbers<U>;
};
template <>
struct sorted_on_cpu<record_items> {
  using type = sorted_records;
};

/// Seconds a byte of bringing items from memory, sorting them and bringing them back.
template <class Sorted, class Kind>
double measure_sort(Sorted& sorted, const Kind& kind, work_memory& memory, const std::vector<char>& data,
                    unsigned team) {
  const std::size_t size = kind.bytes();
  const std::size_t count = data.size() / size;
  std::vector<std::vector<char>> to(team, std::vector<char>(part_bytes(size)));
  double took = 0;
  for (int run = 0; run < 2; ++run) {  // the first touches memory and loads kernels
    memory.reset();
    sorted.begin(count);
    progress none("", 0, progress::unit::bytes, true);
    const auto start = std::chrono::steady_clock::now();
    for_each_part(count, size, team, none, [&](unsigned m, std::size_t first, std::size_t n) {
      std::memcpy(sorted.room(m, first), data.data() + first * size, n * size);
      sorted.loaded(m, first, n, 0);
    });
    sorted.sort(0);
    for_each_part(count, size, team, none,
                  [&](unsigned m, std::size_t first, std::size_t n) { sorted.fill(m, to[m].data(), first, n); });
    took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return took / static_cast<double>(data.size());
}

template <class Kind>
measured_rates measure_places(const sort_request& o, const Kind& kind) {
  constexpr std::size_t sample_bytes = std::size_t{64} << 20U;
  std::vector<char> data(std::max<std::size_t>(1, sample_bytes / kind.bytes()) * kind.bytes());
  std::uint64_t word = 0;
  for (std::size_t at = 0; at + sizeof word <= data.size(); at += sizeof word) {
    word = mix64(at);
    std::memcpy(data.data() + at, &word, sizeof word);
  }
  phase_times unseen(o.team());
  measured_rates rates;
  const auto start = std::chrono::steady_clock::now();
  {
    work_memory none(0);
    sorted_on_gpu<Kind> there(kind, o, none, unseen);
    rates.gpu_start = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rates.gpu_byte = measure_sort(there, kind, none, data, o.team());
  }
  using on_cpu = typename sorted_on_cpu<Kind>::type;
  work_memory none(0);
  work_memory memory(on_cpu(kind, o, none, unseen).need(data.size() / kind.bytes()));
  on_cpu here(kind, o, memory, unseen);
  rates.cpu_byte = measure_sort(here, kind, memory, data, o.team());
  return rates;
}

template <class U>
std::string name_of(const number_items<U>& /*kind*/) {
  return fmt::format("sort-{}", 8 * sizeof(U));
}
std::string name_of(const record_items& kind) {
  return fmt::format("sort-records-{}-{}", kind.record_bytes, kind.key_bytes);
}

/// Of the GPU's memory for each byte of items: as much again to sort in; of records a rank and a position, twice.
template <class U>
double device_bytes_of(const number_items<U>& /*kind*/) {
  return 2.1;
}
double device_bytes_of(const record_items& kind) {
  return 1.1 + 25.0 / static_cast<double>(kind.record_bytes);
}

}  // namespace

template <class Kind>
bool sorts_on_gpu(const sort_request& o, const Kind& kind, std::uint64_t bytes, phase_times& times) {
  const calibrated_work work{name_of(kind), o.strategy, o.team(), device_bytes_of(kind),
                             [&] { return measure_places(o, kind); }};
  const chosen_place chosen = choose_place(o.place, work, bytes);
  times.ran(chosen.gpu, chosen.why);
  return chosen.gpu;
}

template <class Kind>
sort_outcome sort_on_gpu(const sort_request& o, const Kind& kind, item_output& out, const item_source& input,
                         phase_times& times) {
  return sort_by<file_sort<Kind, sorted_on_gpu<Kind>>>(o, kind, out, input, times);
}

template bool sorts_on_gpu(const sort_request&, const number_items<std::uint32_t>&, std::uint64_t, phase_times&);
template bool sorts_on_gpu(const sort_request&, const number_items<std::uint64_t>&, std::uint64_t, phase_times&);
template bool sorts_on_gpu(const sort_request&, const record_items&, std::uint64_t, phase_times&);
template sort_outcome sort_on_gpu(const sort_request&, const number_items<std::uint32_t>&, item_output&,
                                  const item_source&, phase_times&);
template sort_outcome sort_on_gpu(const sort_request&, const number_items<std::uint64_t>&, item_output&,
                                  const item_source&, phase_times&);
template sort_outcome sort_on_gpu(const sort_request&, const record_items&, item_output&, const item_source&,
                                  phase_times&);

}  // namespace peneira::tool
