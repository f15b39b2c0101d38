// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/sort/binary/gpu.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "peneira/sort.hpp"
#include "tools/peneira/cli/device_memory.cuh"
#include "tools/peneira/io/part_size.hpp"

namespace peneira::tool {
namespace {

constexpr unsigned threads_a_block = 256;

unsigned blocks_for(std::size_t n) {
  const auto most = static_cast<std::size_t>(16 * pn::detail::current_device().sms);
  return static_cast<unsigned>(std::clamp<std::size_t>((n + threads_a_block - 1) / threads_a_block, 1, most));
}

/// What the sorts of numbers and records share: items that come in parts, and the memory for all of it.
class device_items : public gpu_sorter {
 public:
  device_items(const gpu_sort_shape& shape, std::string strategy, phase_times& times)
      : shape_(shape), strategy_(std::move(strategy)), times_(times) {
    const phase_times::scope starting(times, phase::starting, 0, times.team());
    lanes_.emplace(times.team(), part_bytes(shape.item_bytes));
    usable_ = usable_device_memory();
  }

  [[nodiscard]] std::size_t memory() const override { return usable_; }
  [[nodiscard]] bool fits(std::size_t n) const override { return n <= most_items() && bytes_for(n) <= usable_; }
  void begin(std::size_t n) override {
    n_ = n;
    memory_.reserve(bytes_for(n));
    taken_ = 0;
    items_ = take<char>(n * shape_.item_bytes);
    lay_out(n);
  }
  char* room(unsigned member) override {
    lane& mine = of(member);
    const phase_times::scope copying(times_, phase::copying);
    mine.turn();
    mine.wait();
    return mine.pinned();
  }
  void send(unsigned member, std::size_t first, std::size_t count) override {
    const phase_times::scope copying(times_, phase::copying, count * shape_.item_bytes);
    of(member).send(items_ + first * shape_.item_bytes, count * shape_.item_bytes);
  }
  void sort(std::size_t window) override {
    {
      const phase_times::scope copying(times_, phase::copying, 0, times_.team());
      lanes_->finish();
    }
    const phase_times::scope kernels(times_, phase::kernels, n_ * shape_.item_bytes, times_.team());
    pn::arena spare(memory_.data() + taken_, memory_.bytes() - taken_);
    sort_items(pn::gpu{.memory = &spare}, window);
    pn::detail::check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  }
  void fetch(unsigned member, char* to, std::size_t first, std::size_t count) override {
    const phase_times::scope copying(times_, phase::copying, count * shape_.item_bytes);
    lane& mine = of(member);
    const std::size_t part = mine.bytes() / shape_.item_bytes;
    const auto part_at = [&](std::size_t at) { return std::min(part, count - at); };
    if (count != 0) queue_part(member, first, part_at(0));
    for (std::size_t at = 0; at < count; at += part) {
      mine.turn();
      if (at + part < count) queue_part(member, first + at + part, part_at(at + part));
      mine.turn();
      mine.wait();
      std::copy_n(mine.pinned(), part_at(at) * shape_.item_bytes, to + at * shape_.item_bytes);
      mine.turn();
    }
  }

 protected:
  [[nodiscard]] virtual std::size_t most_items() const = 0;
  /// Bytes of the device for so many items, theirs too.
  [[nodiscard]] virtual std::size_t bytes_for(std::size_t n) const = 0;
  virtual void lay_out(std::size_t /*n*/) {}
  virtual void sort_items(const pn::gpu& on, std::size_t window) = 0;
  /// Queues the copy of sorted items to the half of the member's lane whose turn it is.
  virtual void queue_part(unsigned member, std::size_t first, std::size_t count) = 0;

  template <class T>
  T* take(std::size_t count) {
    T* const array = reinterpret_cast<T*>(memory_.data() + taken_);
    taken_ += pn::detail::workspace::footprint<T>(count);
    return array;
  }
  [[nodiscard]] const gpu_sort_shape& shape() const { return shape_; }
  [[nodiscard]] const std::string& strategy() const { return strategy_; }
  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] char* items() const { return items_; }
  lane& of(unsigned member) { return (*lanes_)[member]; }

 private:
  gpu_sort_shape shape_;
  std::string strategy_;
  phase_times& times_;
  device_block memory_;
  std::size_t usable_ = 0;
  std::size_t taken_ = 0;
  std::size_t n_ = 0;
  char* items_ = nullptr;
  std::optional<lanes> lanes_;  // the last: it waits for all that is queued
};

template <class U>
class device_numbers final : public device_items {
 public:
  using device_items::device_items;

 private:
  [[nodiscard]] std::size_t most_items() const override { return std::numeric_limits<std::size_t>::max() / 64; }
  [[nodiscard]] std::size_t bytes_for(std::size_t n) const override {
    pn::detail::workspace_size all;
    U* const promised = all.take<U>(n);
    const auto call = [&](auto& on) { pn::sort(on, pn::items(promised, n), {.strategy = strategy()}); };
    return all.used() + explain(call, pn::detail::current_device()).temporary_bytes + memory_alignment;
  }
  void sort_items(const pn::gpu& on, std::size_t /*window*/) override {
    pn::sort(on, pn::items(reinterpret_cast<U*>(items()), size()), {.strategy = strategy()});
  }
  void queue_part(unsigned member, std::size_t first, std::size_t count) override {
    of(member).fetch(items() + first * sizeof(U), count * sizeof(U));
  }
};

/// Where the keys of records are.
struct key_place {
  std::size_t record_bytes;
  std::size_t first;  ///< byte of a window
  unsigned length;    ///< bytes of it
  bool descending;
};

/// The ranks of records by a window of their keys, the first byte the highest.
__global__ void __launch_bounds__(threads_a_block) rank_records(const char* records, const std::uint32_t* positions,
                                                                std::uint64_t* ranks, std::size_t n, key_place key) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += all) {
    const char* const at = records + positions[i] * key.record_bytes + key.first;
    std::uint64_t rank = 0;
    for (unsigned b = 0; b < key.length; ++b) rank = rank << 8U | static_cast<unsigned char>(at[b]);
    ranks[i] = key.descending ? ~rank : rank;
  }
}

__global__ void __launch_bounds__(threads_a_block) number_positions(std::uint32_t* positions, std::size_t n) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += all) {
    positions[i] = static_cast<std::uint32_t>(i);
  }
}

/// Writes the records of some positions behind one another, a word a thread. A part has less than 2^32 words.
template <class Word>
__global__ void __launch_bounds__(threads_a_block)
    gather_records(const Word* records, const std::uint32_t* positions, Word* to, std::uint32_t words,
                   std::uint32_t record_words) {
  const std::uint32_t all = gridDim.x * blockDim.x;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += all) {
    const std::uint32_t record = i / record_words;
    to[i] = records[std::size_t{positions[record]} * record_words + i % record_words];
  }
}

/// Sorts the positions of records by one window of the key after the other, the last one first.
class device_records final : public device_items {
 public:
  device_records(const gpu_sort_shape& shape, std::string strategy, phase_times& times)
      : device_items(shape, std::move(strategy), times), parts_(times.team()) {}

 private:
  static constexpr std::size_t window_bytes = 8;

  [[nodiscard]] std::size_t most_items() const override { return std::numeric_limits<std::uint32_t>::max(); }
  [[nodiscard]] std::size_t bytes_for(std::size_t n) const override {
    pn::detail::workspace_size all;
    all.take<char>(n * shape().item_bytes);
    auto* const ranks = all.take<std::uint64_t>(n);
    auto* const positions = all.take<std::uint32_t>(n);
    for (std::size_t half = 0; half < 2 * parts_.size(); ++half) all.take<char>(part_bytes(shape().item_bytes));
    const auto bytes_of_sort = [&](unsigned last_bit) {
      const auto call = [&](auto& on) {
        pn::sort(on, pn::pairs(ranks, positions, n), {.last_bit = last_bit, .strategy = strategy()});
      };
      return explain(call, pn::detail::current_device()).temporary_bytes;
    };
    const auto last_length = static_cast<unsigned>((shape().key_bytes - 1) % window_bytes + 1);
    return all.used() + std::max(bytes_of_sort(64), bytes_of_sort(8 * last_length)) + memory_alignment;
  }
  void lay_out(std::size_t n) override {
    ranks_ = take<std::uint64_t>(n);
    positions_ = take<std::uint32_t>(n);
    for (part_buffers& one : parts_) {
      for (char*& half : one.halves) half = take<char>(part_bytes(shape().item_bytes));
    }
  }
  void sort_items(const pn::gpu& on, std::size_t window) override {
    number_positions<<<blocks_for(size()), threads_a_block, 0, on.stream>>>(positions_, size());
    const std::size_t windows = (shape().key_bytes + window_bytes - 1) / window_bytes;
    for (std::size_t w = windows; w-- > window;) {
      const std::size_t from = w * window_bytes;
      const auto length = static_cast<unsigned>(std::min(window_bytes, shape().key_bytes - from));
      const key_place key{shape().item_bytes, shape().key_first + from, length, shape().descending};
      rank_records<<<blocks_for(size()), threads_a_block, 0, on.stream>>>(items(), positions_, ranks_, size(), key);
      pn::detail::check(cudaGetLastError(), "rank_records");
      pn::sort(on, pn::pairs(ranks_, positions_, size()), {.last_bit = 8 * length, .strategy = strategy()});
    }
  }
  void queue_part(unsigned member, std::size_t first, std::size_t count) override {
    lane& mine = of(member);
    const std::size_t bytes = count * shape().item_bytes;
    char* const to = parts_[member].halves[mine.half()];
    if (shape().item_bytes % sizeof(std::uint32_t) == 0) {
      gather<std::uint32_t>(mine, first, to, bytes);
    } else {
      gather<char>(mine, first, to, bytes);
    }
    mine.fetch(to, bytes);
  }
  template <class Word>
  void gather(const lane& mine, std::size_t first, char* to, std::size_t bytes) {
    const auto words = static_cast<std::uint32_t>(bytes / sizeof(Word));
    const auto record_words = static_cast<std::uint32_t>(shape().item_bytes / sizeof(Word));
    gather_records<<<blocks_for(words), threads_a_block, 0, mine.stream()>>>(
        reinterpret_cast<const Word*>(items()), positions_ + first, reinterpret_cast<Word*>(to), words, record_words);
    pn::detail::check(cudaGetLastError(), "gather_records");
  }

  struct part_buffers {
    char* halves[2];
  };
  std::vector<part_buffers> parts_;
  std::uint64_t* ranks_ = nullptr;
  std::uint32_t* positions_ = nullptr;
};

__global__ void __launch_bounds__(threads_a_block)
    count_bytes(const std::uint8_t* items, std::size_t n, unsigned long long* counts) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += all)
    atomicAdd(mine + items[i], 1U);
  __syncthreads();
  if (mine[threadIdx.x] != 0) atomicAdd(counts + threadIdx.x, mine[threadIdx.x]);
}

__global__ void __launch_bounds__(threads_a_block)
    count_halves(const std::uint16_t* items, std::size_t n, unsigned long long* counts) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += all) {
    atomicAdd(counts + items[i], 1ULL);
  }
}

/// Counts part by part, as they come.
class device_counter final : public gpu_counter {
 public:
  device_counter(std::size_t item_bytes, phase_times& times) : item_bytes_(item_bytes), times_(times) {
    const phase_times::scope starting(times, phase::starting, 0, times.team());
    lanes_.emplace(times.team(), part_bytes(item_bytes));
    parts_.reserve(times.team() * 2 * part_bytes(item_bytes));
    counts_.reserve(values() * sizeof(unsigned long long));
    pn::detail::check(cudaMemset(counts_.data(), 0, counts_.bytes()), "cudaMemset");
    pn::detail::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  char* room(unsigned member) override {
    const phase_times::scope copying(times_, phase::copying);
    lane& mine = (*lanes_)[member];
    mine.turn();
    mine.wait();
    return mine.pinned();
  }
  void count(unsigned member, std::size_t items) override {
    const phase_times::scope copying(times_, phase::copying, items * item_bytes_);
    lane& mine = (*lanes_)[member];
    char* const there = parts_.data() + (2 * member + mine.half()) * mine.bytes();
    mine.send(there, items * item_bytes_);
    auto* const counts = reinterpret_cast<unsigned long long*>(counts_.data());
    if (item_bytes_ == 1) {
      count_bytes<<<blocks_for(items / 64), threads_a_block, 0, mine.stream()>>>(
          reinterpret_cast<const std::uint8_t*>(there), items, counts);
    } else {
      count_halves<<<blocks_for(items), threads_a_block, 0, mine.stream()>>>(
          reinterpret_cast<const std::uint16_t*>(there), items, counts);
    }
    pn::detail::check(cudaGetLastError(), "count_items");
  }
  std::vector<std::uint64_t> counts() override {
    const phase_times::scope kernels(times_, phase::kernels, 0, times_.team());
    lanes_->finish();
    std::vector<std::uint64_t> all(values());
    pn::detail::check(cudaMemcpy(all.data(), counts_.data(), counts_.bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return all;
  }

 private:
  [[nodiscard]] std::size_t values() const { return std::size_t{1} << (8 * item_bytes_); }

  std::size_t item_bytes_;
  phase_times& times_;
  device_block parts_;
  device_block counts_;
  std::optional<lanes> lanes_;  // the last: it waits for all that is queued
};

}  // namespace

std::unique_ptr<gpu_counter> make_gpu_counter(std::size_t item_bytes, phase_times& times) {
  return std::make_unique<device_counter>(item_bytes, times);
}

std::unique_ptr<gpu_sorter> make_gpu_sorter(const gpu_sort_shape& shape, const std::string& strategy,
                                            phase_times& times) {
  if (shape.key_bytes != 0) return std::make_unique<device_records>(shape, strategy, times);
  if (shape.item_bytes == sizeof(std::uint32_t)) {
    return std::make_unique<device_numbers<std::uint32_t>>(shape, strategy, times);
  }
  return std::make_unique<device_numbers<std::uint64_t>>(shape, strategy, times);
}

}  // namespace peneira::tool
