// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong in a call of MPI on one rank is heard by all: nobody waits in MPI itself, where nothing could be
// heard, but asks in turn whether what it waits for is done, and whether somebody has raised the alarm.
#pragma once

#if !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1  // MPI's C++ calls, which are no more
#endif
#if !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "peneira/config.hpp"

namespace peneira {

/// A call of MPI failed on a rank; what() names the rank, the call and MPI's reason, and all ranks throw it. The
/// pn::mpi that threw it is of no more use: its next calls throw the same.
class mpi_error : public std::runtime_error {
 public:
  /// For peneira itself to throw.
  mpi_error(const std::string& what, int code) : std::runtime_error(what), code_(code) {}

  /// MPI's error code, on the rank that failed.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

namespace detail {

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

/// The alarm of the ranks of a communicator.
class mpi_alarm {
 public:
  /// A call of all ranks. Until it returns there is no alarm: what fails is thrown by the rank where it does.
  explicit mpi_alarm(MPI_Comm given) {
    check(MPI_Comm_dup(given, all_.make()), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(all_.get(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(all_.get(), &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(all_.get(), &ranks_), "MPI_Comm_size");
    heard_ = true;
  }
  mpi_alarm(const mpi_alarm&) = delete;
  mpi_alarm& operator=(const mpi_alarm&) = delete;

  [[nodiscard]] bool raised() const { return raised_; }

  /// Tells all ranks of a call of MPI that failed, and throws that.
  void check(int code, std::string_view call) {
    if (code == MPI_SUCCESS) return;
    char reason[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, reason, &length);
    const std::string text = "rank " + std::to_string(rank_) + ": " + std::string(call) + ": " +
                             std::string(reason, static_cast<std::size_t>(length));
    told_.code = code;
    std::strncpy(told_.text, text.c_str(), sizeof(told_.text) - 1);
    if (heard_) tell_all();
    raised_ = true;
    fail();
  }
  /// Throws what some rank has raised.
  void listen() {
    if (raised_) fail();
    int there = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, 0, all_.get(), &there, &status), "MPI_Iprobe");
    if (there == 0) return;
    MPI_Recv(&told_, sizeof(told_), MPI_BYTE, status.MPI_SOURCE, 0, all_.get(), MPI_STATUS_IGNORE);
    raised_ = true;
    fail();
  }
  /// Returns when all ranks are here. Before a call of MPI that can only wait in MPI itself, where nobody can be told.
  void meet() {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(all_.get(), &request), "MPI_Ibarrier");
    wait(request, "MPI_Ibarrier");
  }
  /// Waits for requests, and for the alarm.
  void wait(std::vector<MPI_Request>& requests, std::string_view call) {
    const auto count = static_cast<int>(requests.size());
    int done = 0;
    for (unsigned turn = 1; done == 0; ++turn) {
      check(MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE), call);
      if (done != 0) return;
      rest(turn);
    }
  }
  /// Gives way while one waits, and listens now and then. Who waits for long waits for others' work, on whose core it
  /// may be: it sleeps.
  void rest(unsigned turn) {
    if (turn % 32 == 0) listen();
    if (turn < turns_awake) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  void wait(MPI_Request request, std::string_view call) {
    one_.assign(1, request);
    wait(one_, call);
  }

 private:
  static constexpr unsigned turns_awake = 2000;
  struct message {
    int code = 0;
    char text[252] = {};
  };

  [[noreturn]] void fail() const { throw mpi_error(told_.text, told_.code); }
  /// Returns when all have been told, or after a second: one of them may have left.
  void tell_all() {
    std::vector<MPI_Request> requests;
    for (int r = 0; r < ranks_; ++r) {
      if (r == rank_) continue;
      MPI_Isend(&told_, sizeof(told_), MPI_BYTE, r, 0, all_.get(), &requests.emplace_back(MPI_REQUEST_NULL));
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    for (int done = 0; done == 0 && std::chrono::steady_clock::now() < end;) {
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
      std::this_thread::yield();
    }
  }

  own_communicator all_;
  int rank_ = 0;
  int ranks_ = 1;
  bool heard_ = false;  ///< whether others would hear it
  bool raised_ = false;
  message told_;
  std::vector<MPI_Request> one_;
};

/// Messages under way. Where a rank throws, none of them may come any more: what they would be written to is the
/// caller's.
struct messages_under_way {
  std::vector<MPI_Request> all;

  messages_under_way() = default;
  messages_under_way(const messages_under_way&) = delete;
  messages_under_way& operator=(const messages_under_way&) = delete;
  ~messages_under_way() {
    const auto is_over = [](MPI_Request one) { return one == MPI_REQUEST_NULL; };
    if (std::all_of(all.begin(), all.end(), is_over)) return;
    for (MPI_Request& one : all) {
      if (!is_over(one)) MPI_Cancel(&one);
    }
    int done = 0;
    for (int turn = 0; done == 0 && turn < 1000; ++turn) {  // what was on its way arrives
      MPI_Testall(static_cast<int>(all.size()), all.data(), &done, MPI_STATUSES_IGNORE);
      if (done == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    for (MPI_Request& one : all) {
      if (!is_over(one)) MPI_Request_free(&one);
    }
  }
  MPI_Request* next() { return &all.emplace_back(MPI_REQUEST_NULL); }
};

}  // namespace detail
}  // namespace peneira
