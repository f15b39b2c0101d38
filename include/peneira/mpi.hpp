// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls over the ranks of an MPI job: the same calls, with pn::mpi where pn::cpu would be. The one header that knows
// MPI; peneira.hpp does not include it.
#pragma once

#include <memory>
#include <type_traits>
#include <variant>

#if defined(__CUDACC__)
#include "peneira/ranks/gpu/device_rooms.hpp"
#endif
#include "peneira/ranks/group_by.hpp"
#include "peneira/ranks/mpi_transport.hpp"
#include "peneira/ranks/multisplit.hpp"
#include "peneira/ranks/reduce.hpp"
#include "peneira/ranks/sort.hpp"
#include "peneira/ranks/sort_strings.hpp"
#include "peneira/ranks/top_k.hpp"

namespace peneira {

/// Runs on all ranks of a communicator: each makes the same call, and does its part on a place of its own. The arrays
/// of all ranks, in rank order, are one array; sizes may differ, and may be zero. Calls return when their work is done
/// on this rank, and are those of one thread a rank: MPI must have been initialised, MPI_THREAD_SINGLE will do.
///
/// With pn::gpu{}, in a file that nvcc compiles, arrays are in the memory of the device that is current, one device for
/// all calls, and calls wait for the stream before they move items between ranks.
///
/// It keeps a room of as many bytes as the largest call had items on this rank, in shared memory where ranks are on one
/// node, until it goes. It must go before MPI_Finalize.
///
/// ```cpp
/// MPI_Init(nullptr, nullptr);
/// {
///   pn::mpi on{MPI_COMM_WORLD, pn::cpu{}};
///   std::vector<std::uint64_t> keys(1000, 99 - on.rank());         // what this rank has
///   pn::sort(on, keys);                                            // rank 0 then has the least of all, in order
/// }
/// MPI_Finalize();
/// ```
template <place Here = cpu>
class mpi {
 public:
  /// A call of all ranks of the communicator, which is duplicated.
  explicit mpi(MPI_Comm communicator, Here here = {}, const mpi_options& options = {})
      : between_(std::make_unique<detail::mpi_transport>(options)), here_(here) {
    try {
      between_->begin(communicator);
#if defined(__CUDACC__)
      if constexpr (on_gpus) {
        const detail::device_room_options how{options.device_addresses, options.staging_bytes};
        rooms_ = std::make_unique<rooms_type>(*between_, here_.stream, how);
      }
#endif
    } catch (...) {
      leave();
      throw;
    }
  }
  mpi(const mpi&) = delete;
  mpi& operator=(const mpi&) = delete;
  ~mpi() {
    leave();
  }

  /// This rank's number, counted from 0.
  [[nodiscard]] unsigned rank() const {
    return between_->rank();
  }
  /// How many there are.
  [[nodiscard]] unsigned ranks() const {
    return between_->ranks();
  }
  /// Bytes of items that all calls so far have sent from this rank to others. What ranks on GPUs read where it is was
  /// not sent.
  [[nodiscard]] std::uint64_t sent_bytes() const {
    return between_->sent_bytes();
  }
  /// What carries data between ranks; for peneira's calls.
  [[nodiscard]] detail::mpi_transport& between() {
    return *between_;
  }
  /// The rooms of ranks on GPUs; for peneira's calls.
  [[nodiscard]] auto& rooms() {
    return *rooms_;
  }
  /// Where this rank does its part.
  [[nodiscard]] const Here& here() const {
    return here_;
  }

 private:
  static constexpr bool on_gpus = std::is_same_v<Here, gpu>;
#if defined(__CUDACC__)
  using rooms_type = std::conditional_t<on_gpus, detail::device_rooms<detail::mpi_transport>, std::monostate>;
#else
  static_assert(!on_gpus, "pn::mpi with pn::gpu{}: compile this file with nvcc");
  using rooms_type = std::monostate;
#endif

  /// What MPI may write to still, after it failed, stays.
  void leave() noexcept {
    rooms_.reset();
    if (!between_->end()) static_cast<void>(between_.release());
  }

  std::unique_ptr<detail::mpi_transport> between_;
  std::unique_ptr<rooms_type> rooms_;
  Here here_;
};

}  // namespace peneira
