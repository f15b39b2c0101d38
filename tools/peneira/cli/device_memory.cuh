// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What commands that work on files need of a GPU: its free memory, and a pair of buffers for each thread by which parts
// of a file go to the device and come back, while the thread reads or writes others.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "peneira/cpu/team.hpp"
#include "peneira/gpu/runtime.cuh"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/phases.hpp"

namespace peneira::tool {

/// Device memory that grows, and loses what it held when it does.
class device_block {
 public:
  device_block() = default;
  device_block(const device_block&) = delete;
  device_block& operator=(const device_block&) = delete;
  device_block(device_block&&) = delete;
  device_block& operator=(device_block&&) = delete;
  ~device_block() { cudaFree(data_); }

  void reserve(std::size_t bytes) {
    if (bytes <= bytes_) return;
    cudaFree(data_);
    data_ = nullptr;
    bytes_ = 0;
    peneira::detail::check(cudaMalloc(&data_, bytes), "cudaMalloc");
    bytes_ = bytes;
  }
  [[nodiscard]] char* data() const { return static_cast<char*>(data_); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Bytes of the device that a command may take: most of what is free, or fewer where PENEIRA_GPU_MEMORY says so, a
/// number by which tests have files that are larger.
inline std::size_t usable_device_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  peneira::detail::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::size_t most = free - free / 16;
  const char* const said = std::getenv("PENEIRA_GPU_MEMORY");
  return said == nullptr ? most : std::min<std::size_t>(most, std::strtoull(said, nullptr, 10));
}

/// Items of a chunk of n: as many as the device has the memory for, bytes_for(items) of it, up to `most`. Throws where
/// that is so few that chunks would be all waits.
template <class Bytes>
std::size_t chunk_items(std::size_t n, std::size_t most, const Bytes& bytes_for) {
  constexpr std::size_t least = 1024;
  const std::size_t usable = usable_device_memory();
  std::size_t items = std::max<std::size_t>(1, std::min(n, most));
  while (items >= least && bytes_for(items) > usable) items = items / 2 + items % 2;
  if (bytes_for(items) <= usable) return items;
  throw std::runtime_error(std::to_string(usable) + " bytes of the GPU's memory is too little for " +
                           std::to_string(items) + " of " + std::to_string(n) + " items; --place cpu needs none");
}

/// Two buffers of pinned memory, each with the same on the device, and a stream of their own.
class lane {
 public:
  explicit lane(std::size_t bytes) : bytes_(bytes) {
    using peneira::detail::check;
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    for (buffer& one : halves_) {
      check(cudaHostAlloc(&one.pinned, bytes, cudaHostAllocDefault), "cudaHostAlloc");
      check(cudaEventCreateWithFlags(&one.done, cudaEventDisableTiming), "cudaEventCreate");
    }
  }
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;
  lane(lane&&) = delete;
  lane& operator=(lane&&) = delete;
  ~lane() {
    cudaStreamSynchronize(stream_);
    for (buffer& one : halves_) {
      cudaFreeHost(one.pinned);
      cudaEventDestroy(one.done);
    }
    cudaStreamDestroy(stream_);
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  /// The half whose turn it is.
  [[nodiscard]] unsigned half() const { return at_; }
  void turn() { at_ = 1 - at_; }
  [[nodiscard]] char* pinned() const { return static_cast<char*>(halves_[at_].pinned); }
  /// All that was queued so far has to do with this half.
  void mark() { peneira::detail::check(cudaEventRecord(halves_[at_].done, stream_), "cudaEventRecord"); }
  void wait() { peneira::detail::check(cudaEventSynchronize(halves_[at_].done), "cudaEventSynchronize"); }
  void finish() { peneira::detail::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  /// Queues the copy of what this half holds to the device.
  void send(void* to, std::size_t bytes) {
    peneira::detail::check(cudaMemcpyAsync(to, pinned(), bytes, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
    mark();
  }
  /// Queues a copy from the device to this half.
  void fetch(const void* from, std::size_t bytes) {
    peneira::detail::check(cudaMemcpyAsync(pinned(), from, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
    mark();
  }

 private:
  struct buffer {
    void* pinned = nullptr;
    cudaEvent_t done = nullptr;
  };
  std::size_t bytes_;
  cudaStream_t stream_ = nullptr;
  buffer halves_[2];
  unsigned at_ = 0;
};

/// A lane for each member of a team.
class lanes {
 public:
  lanes(unsigned team, std::size_t bytes) {
    for (unsigned m = 0; m < team; ++m) all_.push_back(std::make_unique<lane>(bytes));
  }
  lane& operator[](unsigned member) { return *all_[member]; }
  void finish() {
    for (const std::unique_ptr<lane>& one : all_) one->finish();
  }

 private:
  std::vector<std::unique_ptr<lane>> all_;
};

/// Brings bytes from memory to the device, part by part, by all threads. They are there when lanes are finished.
inline void send_all(lanes& by, const char* from, char* to, std::size_t bytes, phase_times& times) {
  std::atomic<std::size_t> next{0};
  peneira::detail::on_each(times.team(), [&](unsigned m) {
    lane& mine = by[m];
    for (std::size_t at = next.fetch_add(mine.bytes()); at < bytes; at = next.fetch_add(mine.bytes())) {
      poll_interrupt();
      const std::size_t some = std::min(mine.bytes(), bytes - at);
      {
        const phase_times::scope copying(times, phase::copying, some);
        mine.turn();
        mine.wait();
      }
      {
        const phase_times::scope reading(times, phase::reading, some);
        std::memcpy(mine.pinned(), from + at, some);
      }
      mine.send(to + at, some);
    }
  });
  const phase_times::scope copying(times, phase::copying, 0, times.team());
  by.finish();
}

/// Brings bytes from the device, part by part: put(first, data, bytes) gets each on some thread, while the next comes.
template <class Put>
void fetch_all(lanes& by, const char* from, std::size_t bytes, phase_times& times, const Put& put) {
  std::atomic<std::size_t> next{0};
  peneira::detail::on_each(times.team(), [&](unsigned m) {
    lane& mine = by[m];
    const auto queue = [&](std::size_t at) {
      if (at < bytes) mine.fetch(from + at, std::min(mine.bytes(), bytes - at));
    };
    std::size_t at = next.fetch_add(mine.bytes());
    queue(at);
    while (at < bytes) {
      poll_interrupt();
      const std::size_t then = next.fetch_add(mine.bytes());
      mine.turn();
      queue(then);
      mine.turn();
      {
        const phase_times::scope copying(times, phase::copying, std::min(mine.bytes(), bytes - at));
        mine.wait();
      }
      const phase_times::scope writing(times, phase::writing, std::min(mine.bytes(), bytes - at));
      put(at, mine.pinned(), std::min(mine.bytes(), bytes - at));
      mine.turn();
      at = then;
    }
  });
}

}  // namespace peneira::tool
