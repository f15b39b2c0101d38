// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are processes of an MPI job, by calls of MPI 3.1. Within a node a rank's room is a shared window, of which
// the others copy what is theirs; between nodes, and where there is no shared memory for it, messages go.
#pragma once

#if !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1  // MPI's C++ calls, which are no more
#endif
#if !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <climits>
#include <string>
#include <string_view>
#include <vector>

#include "peneira/memory.hpp"
#include "peneira/ranks/transport.hpp"
#include "peneira/tuning/ranks.hpp"

namespace peneira {

/// A call of MPI failed; what() names the call and MPI's reason.
class mpi_error : public std::runtime_error {
 public:
  /// For peneira itself to throw.
  mpi_error(std::string_view call, std::string_view reason, int code)
      : std::runtime_error(std::string(call) + ": " + std::string(reason)), code_(code) {}

  /// MPI's error code.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// What a caller may say about ranks.
struct mpi_options {
  bool shared_windows = true;                        ///< false: messages, within a node too
  std::size_t message_bytes = tuning::rank_message;  ///< of a message at most, from 1 to 2^31 - 1
};

namespace detail {

/// Throws what MPI says of a call that failed.
inline void check_mpi(int code, std::string_view call) {
  if (code == MPI_SUCCESS) return;
  char reason[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, reason, &length);
  throw mpi_error(call, std::string_view(reason, static_cast<std::size_t>(length)), code);
}

/// Whether /dev/shm, where shared windows lie, has so many bytes left. A window that is larger is made all the same,
/// and kills the process that writes to it.
inline bool shared_memory_has(std::uint64_t bytes) {
  struct statvfs found {};
  return ::statvfs("/dev/shm", &found) == 0 && std::uint64_t{found.f_bavail} * found.f_frsize > bytes + bytes / 16;
}

/// A communicator of our own.
class own_communicator {
 public:
  own_communicator() = default;
  own_communicator(const own_communicator&) = delete;
  own_communicator& operator=(const own_communicator&) = delete;
  ~own_communicator() {
    int over = 0;
    MPI_Finalized(&over);
    if (made_ != MPI_COMM_NULL && over == 0) MPI_Comm_free(&made_);
  }
  MPI_Comm* make() { return &made_; }
  [[nodiscard]] MPI_Comm get() const { return made_; }

 private:
  MPI_Comm made_ = MPI_COMM_NULL;
};

class mpi_transport {
 public:
  /// Duplicates the communicator, so that messages of the caller's do not get in the way. A call of all its ranks.
  mpi_transport(MPI_Comm given, const mpi_options& options) : options_(options) {
    if (options.message_bytes == 0 || options.message_bytes > INT_MAX) {
      throw std::invalid_argument("mpi: message_bytes is " + std::to_string(options.message_bytes) +
                                  ", not from 1 to 2147483647");
    }
    check_mpi(MPI_Comm_dup(given, all_.make()), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(all_.get(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check_mpi(MPI_Comm_rank(all_.get(), &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(all_.get(), &ranks_), "MPI_Comm_size");
    find_node();
  }
  mpi_transport(const mpi_transport&) = delete;
  mpi_transport& operator=(const mpi_transport&) = delete;
  ~mpi_transport() {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0) free_room();
  }

  [[nodiscard]] unsigned rank() const { return static_cast<unsigned>(rank_); }
  [[nodiscard]] unsigned ranks() const { return static_cast<unsigned>(ranks_); }

  void gather_all(const void* from, std::span<const std::size_t> bytes, void* to) {
    std::vector<int> counts(ranks());
    std::vector<int> begins(ranks());
    std::size_t sum = 0;
    for (unsigned r = 0; r < ranks(); ++r) {
      counts[r] = static_cast<int>(bytes[r]);
      begins[r] = static_cast<int>(sum);
      sum += bytes[r];
    }
    if (sum > INT_MAX) throw std::length_error("mpi: more than 2 GiB of small numbers from all ranks");
    check_mpi(MPI_Allgatherv(from, counts[rank()], MPI_BYTE, to, counts.data(), begins.data(), MPI_BYTE, all_.get()),
              "MPI_Allgatherv");
  }
  void sum_all(std::span<std::uint64_t> counts) {
    in_parts(counts, [&](std::uint64_t* at, int count) {
      check_mpi(MPI_Allreduce(MPI_IN_PLACE, at, count, MPI_UINT64_T, MPI_SUM, all_.get()), "MPI_Allreduce");
    });
  }
  void sum_before(std::span<std::uint64_t> counts) {
    in_parts(counts, [&](std::uint64_t* at, int count) {
      check_mpi(MPI_Exscan(MPI_IN_PLACE, at, count, MPI_UINT64_T, MPI_SUM, all_.get()), "MPI_Exscan");
    });
    if (rank_ == 0) std::fill(counts.begin(), counts.end(), 0);  // of which MPI says nothing
  }

  void* make_room(std::size_t bytes) {
    std::uint64_t failures = 0;
    if (!fits(bytes)) {
      free_room();
      failures = share_room(bytes) || keep_room(bytes) ? 0 : 1;
    }
    sum_all({&failures, 1});
    if (failures != 0) throw std::bad_alloc();
    return room_;
  }
  void exchange(std::span<const room_part> parts, void* to) {
    std::vector<room_part> coming(ranks());
    check_mpi(
        MPI_Alltoall(parts.data(), sizeof(room_part), MPI_BYTE, coming.data(), sizeof(room_part), MPI_BYTE, all_.get()),
        "MPI_Alltoall");
    std::vector<std::byte*> at(ranks());
    auto* next = static_cast<std::byte*>(to);
    for (unsigned r = 0; r < ranks(); ++r) {
      at[r] = next;
      next += coming[r].bytes;
    }
    if (window_ != MPI_WIN_NULL) MPI_Win_sync(window_);
    for (unsigned round = 0; round < ranks(); ++round) {  // a pair of ranks meets in the same round
      const unsigned other = (round + ranks() - rank()) % ranks();
      if (const std::byte* const theirs = room_of(other); theirs != nullptr) {
        if (coming[other].bytes != 0) std::memcpy(at[other], theirs + coming[other].begin, coming[other].bytes);
      } else {
        swap_messages(static_cast<int>(other), parts[other], at[other], coming[other].bytes);
      }
    }
    if (window_ != MPI_WIN_NULL) check_mpi(MPI_Barrier(node_.get()), "MPI_Barrier");  // all have read my room
  }

 private:
  void find_node() {
    check_mpi(MPI_Comm_split_type(all_.get(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, node_.make()),
              "MPI_Comm_split_type");
    check_mpi(MPI_Comm_set_errhandler(node_.get(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    int size = 0;
    check_mpi(MPI_Comm_size(node_.get(), &size), "MPI_Comm_size");
    on_node_.resize(static_cast<std::size_t>(size));
    check_mpi(MPI_Allgather(&rank_, 1, MPI_INT, on_node_.data(), 1, MPI_INT, node_.get()), "MPI_Allgather");
    rooms_.assign(ranks(), nullptr);
  }

  /// Whether the rooms of all ranks of the node are large enough as they are.
  bool fits(std::size_t bytes) const {
    int good = room_ != nullptr && bytes <= room_bytes_ ? 1 : 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, node_.get()), "MPI_Allreduce");
    return good == 1;
  }
  /// Makes rooms that the ranks of the node share. Returns whether that is done, on all of them.
  bool share_room(std::size_t bytes) {
    std::uint64_t all = bytes;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_SUM, node_.get()), "MPI_Allreduce");
    int can = options_.shared_windows && on_node_.size() > 1 && shared_memory_has(all) ? 1 : 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, node_.get()), "MPI_Allreduce");
    if (can == 0) return false;
    MPI_Info info = MPI_INFO_NULL;
    check_mpi(MPI_Info_create(&info), "MPI_Info_create");
    MPI_Info_set(info, "alloc_shared_noncontig", "true");  // a rank's pages are its own
    void* own = nullptr;
    const std::size_t rounded = std::max<std::size_t>(workspace::round_up(bytes), 4096);
    const int made = MPI_Win_allocate_shared(static_cast<MPI_Aint>(rounded), 1, info, node_.get(), &own, &window_);
    MPI_Info_free(&info);
    if (made != MPI_SUCCESS) return false;
    check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
    for (std::size_t i = 0; i < on_node_.size(); ++i) {
      MPI_Aint size = 0;
      int unit = 0;
      void* base = nullptr;
      check_mpi(MPI_Win_shared_query(window_, static_cast<int>(i), &size, &unit, &base), "MPI_Win_shared_query");
      rooms_[static_cast<std::size_t>(on_node_[i])] = static_cast<const std::byte*>(base);
    }
    room_ = static_cast<std::byte*>(own);
    room_bytes_ = rounded;
    return true;
  }
  /// Makes a room that this rank alone can see.
  bool keep_room(std::size_t bytes) {
    try {
      private_room_.grow(bytes);
    } catch (const std::bad_alloc&) {
      return false;
    }
    room_ = private_room_.data();
    room_bytes_ = private_room_.size();
    rooms_[rank()] = room_;
    return true;
  }
  void free_room() {
    if (window_ != MPI_WIN_NULL) {
      MPI_Win_unlock_all(window_);
      MPI_Win_free(&window_);
    }
    private_room_.free();
    room_ = nullptr;
    room_bytes_ = 0;
    std::fill(rooms_.begin(), rooms_.end(), nullptr);
  }
  /// Another rank's room, where it can be seen from here.
  [[nodiscard]] const std::byte* room_of(unsigned other) const { return rooms_[other]; }

  /// Exchanges messages with one rank: some pieces at a time either way.
  void swap_messages(int other, const room_part& part, std::byte* to, std::size_t coming) {
    constexpr std::size_t under_way = 8;
    const std::size_t piece = options_.message_bytes;
    const auto pieces = [&](std::size_t bytes) { return (bytes + piece - 1) / piece; };
    const std::size_t steps = std::max(pieces(part.bytes), pieces(coming));
    std::vector<MPI_Request> requests;
    for (std::size_t first = 0; first < steps; first += under_way) {
      requests.clear();
      for (std::size_t i = first; i < std::min(first + under_way, steps); ++i) {
        const std::size_t begin = i * piece;
        if (begin < coming) {
          MPI_Irecv(to + begin, static_cast<int>(std::min(piece, coming - begin)), MPI_BYTE, other, tag, all_.get(),
                    &requests.emplace_back());
        }
        if (begin < part.bytes) {
          MPI_Isend(room_ + part.begin + begin, static_cast<int>(std::min(piece, part.bytes - begin)), MPI_BYTE, other,
                    tag, all_.get(), &requests.emplace_back());
        }
      }
      check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    }
  }
  template <class Do>
  static void in_parts(std::span<std::uint64_t> counts, Do&& call) {
    constexpr std::size_t most = std::size_t{1} << 24U;
    for (std::size_t at = 0; at < counts.size(); at += most) {
      call(counts.data() + at, static_cast<int>(std::min(most, counts.size() - at)));
    }
  }

  static constexpr int tag = 1;

  mpi_options options_;
  own_communicator all_;
  own_communicator node_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<int> on_node_;             ///< ranks of this node, in their order there
  std::vector<const std::byte*> rooms_;  ///< of each rank, where it can be seen from here
  std::byte* room_ = nullptr;
  std::size_t room_bytes_ = 0;
  heap_room private_room_;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace detail
}  // namespace peneira
