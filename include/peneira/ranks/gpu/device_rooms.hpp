// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The rooms of ranks on GPUs: device memory, over whatever carries small numbers and host memory between the ranks.
// Ranks of one machine read one another's rooms, by CUDA IPC, or by the address itself within a process, where a probe
// has read the right bytes so; everything else goes by way of pinned host memory:
//
//   room --pieces, copied down--> host room --exchange of the transport--> host --copied up--> where they go
//
// in rounds, of which one is on its way down and one on its way up while a third is between the ranks.
#pragma once

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "peneira/gpu/runtime.cuh"
#include "peneira/hash.hpp"
#include "peneira/ranks/transport.hpp"
#include "peneira/tuning/ranks.hpp"

namespace peneira::detail {

struct device_room_options {
  bool by_address = true;  ///< false: by way of the host, whatever could be reached
  std::size_t staging_bytes = tuning::rank_staging;
};

/// Bytes that nobody else writes: what a probe finds at the beginning of a room.
using room_stamp = std::array<std::uint64_t, 2>;

/// What a rank shows the others of its room.
struct shown_room {
  std::array<char, 40> machine{};  ///< which boot of which machine; empty: unknown
  room_stamp stamp{};              ///< the process, and which of its rooms this is
  void* address = nullptr;
  cudaIpcMemHandle_t handle{};
  std::uint64_t has_handle = 0;
  std::uint64_t staging_bytes = 0;  ///< that it would have on their way; all have what the least has
};

inline std::array<char, 40> this_machine() {
  std::array<char, 40> name{};
  std::ifstream("/proc/sys/kernel/random/boot_id").read(name.data(), name.size() - 1);
  return name;
}
/// A number of this process that no other has; those of the system repeat in containers.
inline std::uint64_t this_process() {
  static const std::uint64_t number = [] {
    std::random_device random;
    return (std::uint64_t{random()} << 32U) | random();
  }();
  return number;
}

/// The rooms of all ranks, as one of them sees them. They are of the device that is current when the first is made.
template <transport Transport>
class device_rooms {
 public:
  device_rooms(Transport& between, stream on, const device_room_options& options)
      : between_(between), on_(on), options_(options) {}
  device_rooms(const device_rooms&) = delete;
  device_rooms& operator=(const device_rooms&) = delete;
  /// A call of all ranks, as those below. Where one has failed before, what others may see stays.
  ~device_rooms() {
    if (!made_) return;
    try {
      together(between_, [&] { forget_others(); });
    } catch (const std::exception&) {
      return;
    }
    free_room();
    free_staging();
    for (cudaEvent_t one : drained_) {
      if (one != nullptr) static_cast<void>(cudaEventDestroy(one));
    }
    for (cudaStream_t one : {down_, up_}) {
      if (one != nullptr) static_cast<void>(cudaStreamDestroy(one));
    }
  }

  [[nodiscard]] unsigned rank() const { return between_.rank(); }
  [[nodiscard]] unsigned ranks() const { return between_.ranks(); }
  [[nodiscard]] void* room() const { return room_; }
  /// Whether this rank reads the room of another where it is; once there are rooms.
  [[nodiscard]] bool reaches(unsigned other) const { return reaches(rank(), other); }

  /// Makes this rank's room at least so large; what it held is lost then. Throws on all ranks or on none.
  void* make_room(std::size_t bytes) {
    std::uint64_t growing = room_ == nullptr || bytes > room_bytes_ ? 1 : 0;
    between_.sum_all({&growing, 1});
    if (growing != 0) grow(bytes);
    return room_;
  }

  /// Rank r gets parts[r] of this room; `to`, device memory, gets what is for this rank, in rank order. What was queued
  /// before on the stream is waited for, and so is the exchange.
  void exchange(std::span<const room_part> parts, void* to) {
    together(between_, [&] { check(cudaStreamSynchronize(on_), "cudaStreamSynchronize"); });
    const std::vector<std::size_t> counts(ranks(), ranks());
    const std::vector<room_part> all = gather_arrays<room_part>(between_, parts, counts);
    fault_ = cudaSuccess;
    std::vector<arrival> coming(ranks());
    auto* next = static_cast<std::byte*>(to);
    for (unsigned r = 0; r < ranks(); ++r) {
      coming[r] = {all[std::size_t{r} * ranks() + rank()], next};
      next += coming[r].part.bytes;
    }
    const settled at_the_end{*this};
    for (unsigned i = 0; i < ranks(); ++i) {  // each begins with another
      const unsigned r = (rank() + i) % ranks();
      if (!reaches(r) || coming[r].part.bytes == 0) continue;
      note(cudaMemcpyAsync(coming[r].to, others_[r] + coming[r].part.begin, coming[r].part.bytes, cudaMemcpyDefault,
                           on_));
    }
    std::uint64_t most = 0;  // of what one rank has for another that does not reach it
    for (unsigned from = 0; from < ranks(); ++from) {
      for (unsigned r = 0; r < ranks(); ++r) {
        if (!reaches(r, from)) most = std::max(most, all[std::size_t{from} * ranks() + r].bytes);
      }
    }
    if (most != 0) exchange_staged(parts, coming, most);
    together(between_, [&] {  // nobody reads this room any more
      note(cudaStreamSynchronize(on_));
      check(fault_, "an exchange between GPUs");
    });
  }

 private:
  struct arrival {
    room_part part;
    std::byte* to;
  };

  /// Whether rank `reader` reads the room of another where it is.
  [[nodiscard]] bool reaches(unsigned reader, unsigned other) const {
    return reached_[std::size_t{reader} * ranks() + other] != 0;
  }
  void note(cudaError_t code) {
    if (code == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    if (fault_ == cudaSuccess) fault_ = code;
  }

  void grow(std::size_t bytes) {
    made_ = true;
    together(between_, [&] { forget_others(); });
    shown_room mine;
    together(between_, [&] { mine = show_new(std::max(bytes, room_bytes_)); });
    const std::vector<shown_room> shown = gather_values(between_, mine);
    std::vector<std::uint8_t> seen(ranks());
    others_.assign(ranks(), nullptr);
    for (unsigned r = 0; r < ranks(); ++r) {
      others_[r] = r == rank() ? static_cast<std::byte*>(room_) : reach(shown[r], mine);
      seen[r] = others_[r] != nullptr ? 1 : 0;
      options_.staging_bytes = std::min<std::size_t>(options_.staging_bytes, shown[r].staging_bytes);
    }
    reached_ = gather_arrays<std::uint8_t>(between_, seen, std::vector<std::size_t>(ranks(), ranks()));
  }
  /// A new room, and what others have to know to see it. It is of whole pages of a GPU, since a handle shows no less.
  shown_room show_new(std::size_t bytes) {
    constexpr std::size_t page = std::size_t{2} << 20U;
    free_room();
    const std::size_t rounded = std::max<std::size_t>(1, (bytes + page - 1) / page) * page;
    check(cudaMalloc(&room_, rounded), "cudaMalloc");
    room_bytes_ = rounded;
    shown_room mine;
    mine.machine = this_machine();
    mine.stamp = {this_process(), mix64(reinterpret_cast<std::uintptr_t>(room_)) + ++rooms_made_};
    mine.address = room_;
    mine.staging_bytes = options_.staging_bytes;
    if (cudaIpcGetMemHandle(&mine.handle, room_) == cudaSuccess) {
      mine.has_handle = 1;
    } else {
      static_cast<void>(cudaGetLastError());
    }
    check(cudaMemcpy(room_, &mine.stamp, sizeof(mine.stamp), cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");  // of few bytes it may return before they are there
    return mine;
  }
  /// Where another rank's room is to be read from here; nullptr: nowhere.
  std::byte* reach(const shown_room& other, const shown_room& mine) {
    if (!options_.by_address || other.machine[0] == '\0' || other.machine != mine.machine) return nullptr;
    void* at = nullptr;
    if (other.stamp[0] == mine.stamp[0]) {
      at = other.address;
    } else if (other.has_handle != 0) {
      if (cudaIpcOpenMemHandle(&at, other.handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess) {
        opened_.push_back(at);
      } else {
        at = nullptr;
      }
    }
    room_stamp found{};
    const bool read = at != nullptr && cudaMemcpy(&found, at, sizeof(found), cudaMemcpyDeviceToHost) == cudaSuccess;
    static_cast<void>(cudaGetLastError());
    return read && found == other.stamp ? static_cast<std::byte*>(at) : nullptr;
  }
  void forget_others() {
    for (void* const one : opened_) static_cast<void>(cudaIpcCloseMemHandle(one));
    opened_.clear();
    others_.clear();
    static_cast<void>(cudaGetLastError());
  }
  void free_room() {
    if (room_ != nullptr) static_cast<void>(cudaFree(room_));
    room_ = nullptr;
    room_bytes_ = 0;
  }

  /// Bytes of one rank for another in a round.
  [[nodiscard]] std::size_t in_round(const room_part& part, std::size_t round) const {
    const std::uint64_t before = std::min<std::uint64_t>(round * piece_, part.bytes);
    return std::min<std::uint64_t>(piece_, part.bytes - before);
  }

  /// What ranks do not reach, of which one has `most` bytes for another.
  void exchange_staged(std::span<const room_part> parts, const std::vector<arrival>& coming, std::uint64_t most) {
    make_staging(most);
    const auto rounds = static_cast<std::size_t>((most + piece_ - 1) / piece_);
    const std::size_t half_bytes = piece_ * ranks();
    auto* const host = static_cast<std::byte*>(between_.room());
    const settled at_the_end{*this};
    const auto copy_down = [&](std::size_t round) {
      for (unsigned r = 0; r < ranks(); ++r) {
        if (reaches(r, rank()) || in_round(parts[r], round) == 0) continue;
        note(cudaMemcpyAsync(host + round % 2 * half_bytes + r * piece_,
                             static_cast<std::byte*>(room_) + parts[r].begin + round * piece_,
                             in_round(parts[r], round), cudaMemcpyDeviceToHost, down_));
      }
    };
    std::vector<room_part> going(ranks());
    copy_down(0);
    for (std::size_t round = 0; round < rounds; ++round) {
      const std::size_t half = round % 2;
      note(cudaStreamSynchronize(down_));
      if (round + 1 < rounds) copy_down(round + 1);
      note(cudaEventSynchronize(drained_[half]));
      for (unsigned r = 0; r < ranks(); ++r) {
        going[r] = {half * half_bytes + r * piece_, reaches(r, rank()) ? 0 : in_round(parts[r], round)};
      }
      std::byte* arrived = arrived_ + half * half_bytes;
      between_.exchange(going, arrived);
      for (unsigned r = 0; r < ranks(); ++r) {
        const std::size_t bytes = reaches(r) ? 0 : in_round(coming[r].part, round);
        if (bytes == 0) continue;
        note(cudaMemcpyAsync(coming[r].to + round * piece_, arrived, bytes, cudaMemcpyHostToDevice, up_));
        arrived += bytes;
      }
      note(cudaEventRecord(drained_[half], up_));
    }
  }
  /// Copies that are under way end before anybody's arrays may go, whatever is thrown.
  struct settled {
    device_rooms& of;

    explicit settled(device_rooms& rooms) : of(rooms) {}
    settled(const settled&) = delete;
    settled& operator=(const settled&) = delete;
    ~settled() {
      for (cudaStream_t one : {of.on_, of.down_, of.up_}) of.note(cudaStreamSynchronize(one));
    }
  };
  /// Host memory for two rounds either way; pinned where the system lets it be.
  void make_staging(std::uint64_t most) {
    constexpr std::size_t unit = 256;
    const auto units = [](std::uint64_t bytes) { return std::max<std::size_t>(1, bytes / unit) * unit; };
    piece_ = std::min(units(most + unit - 1), units(options_.staging_bytes / ranks()));
    const std::size_t bytes = 2 * piece_ * ranks();
    if (bytes <= staging_bytes_) return;
    free_staging();
    between_.make_room(bytes);
    together(between_, [&] {
      if (down_ == nullptr)
        check(cudaStreamCreateWithFlags(&down_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
      if (up_ == nullptr) check(cudaStreamCreateWithFlags(&up_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
      for (cudaEvent_t& one : drained_) {
        if (one == nullptr) check(cudaEventCreateWithFlags(&one, cudaEventDisableTiming), "cudaEventCreateWithFlags");
      }
      void* fresh = nullptr;
      check(cudaMallocHost(&fresh, bytes), "cudaMallocHost");
      arrived_ = static_cast<std::byte*>(fresh);
      registered_ = between_.room();
      if (cudaHostRegister(registered_, bytes, cudaHostRegisterDefault) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        registered_ = nullptr;  // then it is only slower
      }
    });
    staging_bytes_ = bytes;
  }
  void free_staging() {
    if (registered_ != nullptr) static_cast<void>(cudaHostUnregister(registered_));
    if (arrived_ != nullptr) static_cast<void>(cudaFreeHost(arrived_));
    registered_ = nullptr;
    arrived_ = nullptr;
    staging_bytes_ = 0;
  }

  Transport& between_;
  stream on_;
  device_room_options options_;
  bool made_ = false;
  std::uint64_t rooms_made_ = 0;
  void* room_ = nullptr;
  std::size_t room_bytes_ = 0;
  std::vector<std::byte*> others_;     ///< each rank's room, where it can be read from here
  std::vector<void*> opened_;          ///< those of other processes
  std::vector<std::uint8_t> reached_;  ///< of each rank, whether it reads each other's
  cudaError_t fault_ = cudaSuccess;    ///< the first of an exchange, which all go through first
  std::size_t piece_ = 0;              ///< bytes from a rank to another in a round
  std::size_t staging_bytes_ = 0;
  void* registered_ = nullptr;
  std::byte* arrived_ = nullptr;
  cudaStream_t down_ = nullptr;
  cudaStream_t up_ = nullptr;
  std::array<cudaEvent_t, 2> drained_{};  ///< what arrived in a half of the memory has been copied up
};

}  // namespace peneira::detail
