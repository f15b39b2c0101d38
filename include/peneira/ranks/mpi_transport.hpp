// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are processes of an MPI job, by calls of MPI 3.1. Within a node a rank's room is a shared window, of which
// the others copy what is theirs; between nodes, and where there is no shared memory for it, messages go.
#pragma once

#include <algorithm>
#include <climits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "peneira/ranks/mpi_rooms.hpp"
#include "peneira/ranks/transport.hpp"
#include "peneira/tuning/ranks.hpp"

namespace peneira {

/// What a caller may say about ranks.
struct mpi_options {
  bool shared_windows = true;                          ///< false: messages, within a node too
  std::size_t message_bytes = tuning::rank_message;    ///< of a message at most, from 1 to 2^31 - 1
  unsigned two_levels_from = tuning::rank_two_levels;  ///< ranks that exchange small pieces by way of groups
  bool device_addresses = true;                        ///< false: GPUs exchange by way of their hosts, on one node too
  std::size_t staging_bytes = tuning::rank_staging;    ///< that then are on their way at a time, in each direction
};

namespace detail {

class mpi_transport {
 public:
  explicit mpi_transport(const mpi_options& options) : options_(options) {
    if (options.message_bytes == 0 || options.message_bytes > INT_MAX) {
      throw std::invalid_argument("mpi: message_bytes is " + std::to_string(options.message_bytes) +
                                  ", not from 1 to 2147483647");
    }
  }
  /// Duplicates the communicator, so that messages of the caller's do not get in the way. A call of all its ranks.
  void begin(MPI_Comm given) {
    check_given(given);
    own_alarm_.emplace(given);
    alarm_ = &*own_alarm_;
    alarm_->meet();
    check(MPI_Comm_dup(given, all_.make()), "MPI_Comm_dup");
    look_around();
    rooms_.emplace(*alarm_, rank(), ranks(), options_.shared_windows);
    rooms_->begin(all_.get());
  }
  /// Gives windows back, as a call of all ranks. False: MPI has failed, and may write to what this holds still.
  bool end() noexcept {
    int over = 0;
    MPI_Finalized(&over);
    if (over != 0 || !rooms_) return alarm_ == nullptr || !alarm_->raised();
    try {
      rooms_->end();
    } catch (const std::exception&) {
      return false;
    }
    return true;
  }
  mpi_transport(const mpi_transport&) = delete;
  mpi_transport& operator=(const mpi_transport&) = delete;

  /// The ranks of a group in a row, so many a group, that this one belongs to; for group().
  mpi_transport(mpi_transport& of, unsigned size)
      : options_(of.options_), of_(&of), alarm_(of.alarm_), first_(of.rank() / size * size) {
    alarm_->meet();
    check(MPI_Comm_split(of.all_.get(), static_cast<int>(first_), of.rank_, all_.make()), "MPI_Comm_split");
    look_around();
  }

  [[nodiscard]] unsigned rank() const { return static_cast<unsigned>(rank_); }
  [[nodiscard]] unsigned ranks() const { return static_cast<unsigned>(ranks_); }
  [[nodiscard]] unsigned first() const { return first_; }
  [[nodiscard]] std::uint64_t sent_bytes() const { return sent_bytes_; }
  [[nodiscard]] unsigned two_levels_from() const { return options_.two_levels_from; }
  /// A group of so many ranks, whose room is this rank's. It is made at the first call, of all ranks, and kept.
  mpi_transport& group(std::size_t size) {
    if (group_ == nullptr) group_ = std::make_unique<mpi_transport>(*this, static_cast<unsigned>(size));
    return *group_;
  }

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
    std::byte* const mine = stage(from, bytes[rank()], bytes[rank()] + sum);
    std::byte* const all = mine + bytes[rank()];
    call("MPI_Iallgatherv", [&](MPI_Request* request) {
      return MPI_Iallgatherv(mine, counts[rank()], MPI_BYTE, all, counts.data(), begins.data(), MPI_BYTE, all_.get(),
                             request);
    });
    if (sum != 0) std::memcpy(to, all, sum);
  }
  void sum_all(std::span<std::uint64_t> counts) {
    in_parts(counts, [&](std::byte* at, int count) {
      call("MPI_Iallreduce", [&](MPI_Request* request) {
        return MPI_Iallreduce(MPI_IN_PLACE, at, count, MPI_UINT64_T, MPI_SUM, all_.get(), request);
      });
    });
  }
  void sum_before(std::span<std::uint64_t> counts) {
    in_parts(counts, [&](std::byte* at, int count) {
      call("MPI_Iexscan", [&](MPI_Request* request) {
        return MPI_Iexscan(MPI_IN_PLACE, at, count, MPI_UINT64_T, MPI_SUM, all_.get(), request);
      });
    });
    if (rank_ == 0) std::fill(counts.begin(), counts.end(), 0);  // of which MPI says nothing
  }

  void* make_room(std::size_t bytes) {
    if (of_ != nullptr) return room();  // which was made large enough
    std::uint64_t failures = rooms_->grow(bytes) ? 0 : 1;
    sum_all({&failures, 1});
    if (failures != 0) throw std::bad_alloc();
    return room();
  }
  [[nodiscard]] void* room() const { return rooms().own(); }
  void exchange(std::span<const room_part> parts, void* to) {
    constexpr int size = sizeof(room_part);
    std::byte* const going = stage(parts.data(), parts.size_bytes(), 2 * parts.size_bytes());
    call("MPI_Ialltoall", [&](MPI_Request* request) {
      return MPI_Ialltoall(going, size, MPI_BYTE, going + parts.size_bytes(), size, MPI_BYTE, all_.get(), request);
    });
    std::vector<room_part> coming(ranks());
    std::memcpy(coming.data(), going + parts.size_bytes(), parts.size_bytes());
    std::vector<std::byte*> at(ranks());
    auto* next = static_cast<std::byte*>(to);
    for (unsigned r = 0; r < ranks(); ++r) {
      at[r] = next;
      next += coming[r].bytes;
    }
    count_sent(parts);
    rooms().sync();
    for (unsigned round = 0; round < ranks(); ++round) {  // a pair of ranks meets in the same round
      const unsigned other = (round + ranks() - rank()) % ranks();
      if (const std::byte* const theirs = room_of(other); theirs != nullptr) {
        if (coming[other].bytes != 0) std::memcpy(at[other], theirs + coming[other].begin, coming[other].bytes);
      } else {
        swap_messages(static_cast<int>(other), parts[other], at[other], coming[other].bytes);
      }
    }
    end_reading();
  }
  void send(std::span<const placed_part> parts, void* to, std::size_t /*bytes*/) {
    for (const placed_part& part : parts) add_sent(part.rank == rank() ? 0 : part.bytes);
    const std::vector<placed_part> coming = announce(parts);
    rooms().sync();
    messages_under_way requests;
    auto* const at = static_cast<std::byte*>(to);
    for (const placed_part& part : coming) {  // whose rank is the one it comes from
      if (const std::byte* const theirs = room_of(static_cast<unsigned>(part.rank)); theirs != nullptr) {
        std::memcpy(at + part.at, theirs + part.begin, part.bytes);
      } else {
        in_pieces(part.bytes, [&](std::size_t begin, int size) {
          check(MPI_Irecv(at + part.at + begin, size, MPI_BYTE, static_cast<int>(part.rank), tag, all_.get(),
                          requests.next()),
                "MPI_Irecv");
        });
      }
    }
    for (const placed_part& part : parts) {
      if (room_of(static_cast<unsigned>(part.rank)) != nullptr) continue;  // they see mine as I see theirs
      in_pieces(part.bytes, [&](std::size_t begin, int size) {
        check(MPI_Isend(rooms().own() + part.begin + begin, size, MPI_BYTE, static_cast<int>(part.rank), tag,
                        all_.get(), requests.next()),
              "MPI_Isend");
      });
    }
    alarm_->wait(requests.all, "MPI_Testall");
    end_reading();
  }

 private:
  /// What MPI would end the process for.
  static void check_given(MPI_Comm given) {
    int begun = 0;
    int over = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&over);
    if (begun == 0) throw std::invalid_argument("mpi: MPI_Init was not called yet");
    if (over != 0) throw std::invalid_argument("mpi: MPI_Finalize was called already");
    if (given == MPI_COMM_NULL) throw std::invalid_argument("mpi: the communicator is MPI_COMM_NULL");
    int inter = 0;
    MPI_Comm_test_inter(given, &inter);
    if (inter != 0) throw std::invalid_argument("mpi: the communicator is one between two groups");
  }
  void look_around() {
    check(MPI_Comm_set_errhandler(all_.get(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(all_.get(), &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(all_.get(), &ranks_), "MPI_Comm_size");
  }

  /// Tells ranks what will come to them, and returns what will come to this one. None knows who else has something for
  /// it, and asking all would be p messages: so all listen until all that was told has been heard (NBX; Hoefler,
  /// Siebert, Lumsdaine: Scalable communication protocols for dynamic sparse data exchange, 2010).
  std::vector<placed_part> announce(std::span<const placed_part> parts) {
    told_.assign(parts.begin(), parts.end());
    std::vector<placed_part> heard;
    std::vector<MPI_Request> requests;
    const int announcing = announcements_++ % 2 == 0 ? 2 : 3;  // some may listen still while others tell the next ones
    for (placed_part& part : told_) {
      const int other = static_cast<int>(std::exchange(part.rank, rank()));
      check(MPI_Issend(&part, sizeof(part), MPI_BYTE, other, announcing, all_.get(),
                       &requests.emplace_back(MPI_REQUEST_NULL)),
            "MPI_Issend");
    }
    MPI_Request all_heard = MPI_REQUEST_NULL;
    unsigned turn = 0;
    for (int over = 0, mine_heard = 0; over == 0;) {
      int there = 0;
      MPI_Status status;
      check(MPI_Iprobe(MPI_ANY_SOURCE, announcing, all_.get(), &there, &status), "MPI_Iprobe");
      if (there != 0) {
        check(MPI_Recv(&heard.emplace_back(), sizeof(placed_part), MPI_BYTE, status.MPI_SOURCE, announcing, all_.get(),
                       MPI_STATUS_IGNORE),
              "MPI_Recv");
      } else if (mine_heard == 0) {
        const auto count = static_cast<int>(requests.size());
        check(MPI_Testall(count, requests.data(), &mine_heard, MPI_STATUSES_IGNORE), "MPI_Testall");
        if (mine_heard != 0) check(MPI_Ibarrier(all_.get(), &all_heard), "MPI_Ibarrier");
      } else {
        check(MPI_Test(&all_heard, &over, MPI_STATUS_IGNORE), "MPI_Test");
      }
      if (there == 0 && over == 0) alarm_->rest(++turn);
    }
    return heard;
  }

  [[nodiscard]] const mpi_rooms& rooms() const { return of_ == nullptr ? *rooms_ : of_->rooms(); }
  /// Another rank's room, where it can be seen from here.
  [[nodiscard]] const std::byte* room_of(unsigned other) const { return rooms().of(first_ + other); }
  /// Returns when all who could read this rank's room have.
  void end_reading() {
    if (!rooms().are_shared()) return;
    const MPI_Comm readers = of_ == nullptr ? rooms().node() : all_.get();
    call("MPI_Ibarrier", [&](MPI_Request* request) { return MPI_Ibarrier(readers, request); });
  }

  /// Exchanges messages with one rank: some pieces at a time either way.
  void swap_messages(int other, const room_part& part, std::byte* to, std::size_t coming) {
    constexpr std::size_t under_way = 8;
    const std::size_t piece = options_.message_bytes;
    const auto pieces = [&](std::size_t bytes) { return (bytes + piece - 1) / piece; };
    const std::size_t steps = std::max(pieces(part.bytes), pieces(coming));
    messages_under_way requests;
    for (std::size_t first = 0; first < steps; first += under_way) {
      requests.all.clear();
      for (std::size_t i = first; i < std::min(first + under_way, steps); ++i) {
        const std::size_t begin = i * piece;
        if (begin < coming) {
          check(MPI_Irecv(to + begin, static_cast<int>(std::min(piece, coming - begin)), MPI_BYTE, other, tag,
                          all_.get(), requests.next()),
                "MPI_Irecv");
        }
        if (begin < part.bytes) {
          check(MPI_Isend(rooms().own() + part.begin + begin, static_cast<int>(std::min(piece, part.bytes - begin)),
                          MPI_BYTE, other, tag, all_.get(), requests.next()),
                "MPI_Isend");
        }
      }
      alarm_->wait(requests.all, "MPI_Testall");
    }
  }
  /// Calls use(begin, size) for pieces that a message can have.
  template <class Use>
  void in_pieces(std::size_t bytes, const Use& use) const {
    for (std::size_t begin = 0; begin < bytes; begin += options_.message_bytes) {
      use(begin, static_cast<int>(std::min(options_.message_bytes, bytes - begin)));
    }
  }
  template <class Do>
  void in_parts(std::span<std::uint64_t> counts, const Do& with) {
    constexpr std::size_t most = std::size_t{1} << 24U;
    for (std::size_t at = 0; at < std::max<std::size_t>(counts.size(), 1); at += most) {
      const std::span<std::uint64_t> part = counts.subspan(at, std::min(most, counts.size() - at));
      std::byte* const staged = stage(part.data(), part.size_bytes(), part.size_bytes());
      with(staged, static_cast<int>(part.size()));
      if (!part.empty()) std::memcpy(part.data(), staged, part.size_bytes());
    }
  }
  /// Memory that MPI may use even if this rank throws: with some bytes at its beginning.
  std::byte* stage(const void* from, std::size_t copied, std::size_t bytes) {
    alarm_->listen();  // or MPI may use it still
    if (numbers_.size() < bytes) numbers_.resize(bytes);
    if (copied != 0) std::memcpy(numbers_.data(), from, copied);
    return numbers_.data();
  }
  /// Starts a call of all ranks and waits for it.
  template <class Start>
  void call(std::string_view name, const Start& start) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(start(&request), name);
    alarm_->wait(request, name);
  }
  void count_sent(std::span<const room_part> parts) {
    for (unsigned r = 0; r < ranks(); ++r) add_sent(r == rank() ? 0 : parts[r].bytes);
  }
  void add_sent(std::uint64_t bytes) { (of_ == nullptr ? *this : *of_).sent_bytes_ += bytes; }
  void check(int code, std::string_view name) { alarm_->check(code, name); }

  static constexpr int tag = 1;

  mpi_options options_;
  mpi_transport* of_ = nullptr;  ///< of a group: the ranks that it is made of
  std::optional<mpi_alarm> own_alarm_;
  mpi_alarm* alarm_ = nullptr;
  unsigned first_ = 0;
  unsigned announcements_ = 0;
  std::uint64_t sent_bytes_ = 0;
  std::vector<std::byte> numbers_;  ///< small ones, under way
  std::vector<placed_part> told_;   ///< what others are told of
  std::unique_ptr<mpi_transport> group_;
  own_communicator all_;
  int rank_ = 0;
  int ranks_ = 1;
  std::optional<mpi_rooms> rooms_;
};

}  // namespace detail
}  // namespace peneira
