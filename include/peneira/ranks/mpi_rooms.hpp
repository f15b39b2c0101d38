// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The rooms of the ranks of an MPI job: within a node a shared window, which the others see, where there is enough
// shared memory; memory of the rank's own otherwise.
#pragma once

#include <sys/statvfs.h>

#include <algorithm>
#include <vector>

#include "peneira/memory.hpp"
#include "peneira/ranks/mpi_alarm.hpp"
#include "peneira/ranks/transport.hpp"

namespace peneira::detail {

/// Whether /dev/shm, where shared windows lie, has so many bytes left. A window that is larger is made all the same,
/// and kills the process that writes to it.
inline bool shared_memory_has(std::uint64_t bytes) {
  struct statvfs found {};
  return ::statvfs("/dev/shm", &found) == 0 && std::uint64_t{found.f_bavail} * found.f_frsize > bytes + bytes / 16;
}

/// The rooms of all ranks, as one of them sees them.
class mpi_rooms {
 public:
  mpi_rooms(mpi_alarm& alarm, unsigned rank, unsigned ranks, bool shared)
      : alarm_(alarm), rank_(rank), shared_(shared), rooms_(ranks, nullptr) {}
  mpi_rooms(const mpi_rooms&) = delete;
  mpi_rooms& operator=(const mpi_rooms&) = delete;

  /// Finds out who is on this node. A call of all ranks; apart from the constructor, as MPI may write to this still
  /// where it fails.
  void begin(MPI_Comm all) { find_node(all); }
  /// Gives windows back. A call of all ranks.
  void end() { free_room(); }
  /// Makes this rank's room at least so large. A call of all ranks; returns whether this one has it.
  bool grow(std::size_t bytes) {
    if (fits(bytes)) return true;
    free_room();
    return share_room(bytes) || keep_room(bytes);
  }
  [[nodiscard]] std::byte* own() const { return room_; }
  /// Another rank's room, where it can be seen from here.
  [[nodiscard]] const std::byte* of(unsigned other) const { return rooms_[other]; }
  [[nodiscard]] bool are_shared() const { return window_ != MPI_WIN_NULL; }
  [[nodiscard]] MPI_Comm node() const { return node_.get(); }
  /// Before reading what others have written.
  void sync() const {
    if (are_shared()) MPI_Win_sync(window_);
  }

 private:
  void find_node(MPI_Comm all) {
    alarm_.meet();
    alarm_.check(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, static_cast<int>(rank_), MPI_INFO_NULL, node_.make()),
                 "MPI_Comm_split_type");
    alarm_.check(MPI_Comm_set_errhandler(node_.get(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    int size = 0;
    alarm_.check(MPI_Comm_size(node_.get(), &size), "MPI_Comm_size");
    on_node_.resize(static_cast<std::size_t>(size));
    own_number_ = static_cast<int>(rank_);
    MPI_Request request = MPI_REQUEST_NULL;
    alarm_.check(MPI_Iallgather(&own_number_, 1, MPI_INT, on_node_.data(), 1, MPI_INT, node_.get(), &request),
                 "MPI_Iallgather");
    alarm_.wait(request, "MPI_Iallgather");
  }

  /// A number of all ranks of the node.
  std::uint64_t reduce_node(std::uint64_t mine, MPI_Op by) {
    node_number_ = mine;
    MPI_Request request = MPI_REQUEST_NULL;
    alarm_.check(MPI_Iallreduce(MPI_IN_PLACE, &node_number_, 1, MPI_UINT64_T, by, node_.get(), &request),
                 "MPI_Iallreduce");
    alarm_.wait(request, "MPI_Iallreduce");
    return node_number_;
  }
  bool all_of_node(bool mine) { return reduce_node(mine ? 1 : 0, MPI_MIN) == 1; }
  /// Whether the rooms of all ranks of the node are large enough as they are.
  bool fits(std::size_t bytes) { return all_of_node(room_ != nullptr && bytes <= room_bytes_); }
  /// Makes rooms that the ranks of the node share. Returns whether that is done, on all of them.
  bool share_room(std::size_t bytes) {
    const std::uint64_t all = reduce_node(bytes, MPI_SUM);
    if (!all_of_node(shared_ && on_node_.size() > 1 && shared_memory_has(all))) return false;
    MPI_Info info = MPI_INFO_NULL;
    alarm_.check(MPI_Info_create(&info), "MPI_Info_create");
    MPI_Info_set(info, "alloc_shared_noncontig", "true");  // a rank's pages are its own
    void* own = nullptr;
    const std::size_t rounded = std::max<std::size_t>(workspace::round_up(bytes), 4096);
    const int made = MPI_Win_allocate_shared(static_cast<MPI_Aint>(rounded), 1, info, node_.get(), &own, &window_);
    MPI_Info_free(&info);
    if (!all_of_node(made == MPI_SUCCESS)) {  // what some have is no use without the others'
      window_ = MPI_WIN_NULL;
      return false;
    }
    alarm_.check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
    alarm_.check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
    for (std::size_t i = 0; i < on_node_.size(); ++i) {
      MPI_Aint size = 0;
      int unit = 0;
      void* base = nullptr;
      alarm_.check(MPI_Win_shared_query(window_, static_cast<int>(i), &size, &unit, &base), "MPI_Win_shared_query");
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
    rooms_[rank_] = room_;
    return true;
  }
  void free_room() {
    alarm_.listen();
    if (window_ != MPI_WIN_NULL) {
      all_of_node(true);  // are here, or one raises the alarm: MPI_Win_free would wait for them and hear nothing
      MPI_Win_unlock_all(window_);
      MPI_Win_free(&window_);
    }
    private_room_.free();
    room_ = nullptr;
    room_bytes_ = 0;
    std::fill(rooms_.begin(), rooms_.end(), nullptr);
  }

  mpi_alarm& alarm_;
  unsigned rank_;
  int own_number_ = 0;
  std::uint64_t node_number_ = 0;
  bool shared_;  ///< whether windows are wanted
  own_communicator node_;
  std::vector<int> on_node_;             ///< ranks of this node, in their order there
  std::vector<const std::byte*> rooms_;  ///< of each rank, where it can be seen from here
  std::byte* room_ = nullptr;
  std::size_t room_bytes_ = 0;
  heap_room private_room_;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace peneira::detail
