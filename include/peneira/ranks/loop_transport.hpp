// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are threads of one process, for tests, sanitizers and simulations: on_ranks(p, work) calls work once for
// each, and counts what they would have sent.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "peneira/ranks/transport.hpp"

namespace peneira::detail {

/// What the ranks of a loop share.
class loop_hub {
 public:
  explicit loop_hub(unsigned ranks) : slots(ranks), ranks_(ranks) {}

  /// What a rank shows the others between two barriers.
  struct slot {
    const void* from = nullptr;
    std::span<const room_part> parts;
    const std::byte* room = nullptr;
  };
  std::vector<slot> slots;

  [[nodiscard]] unsigned ranks() const { return ranks_; }

  /// Returns when all ranks are here; throws where one left instead.
  void wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t turn = turn_;
    if (++here_ == ranks_) {
      here_ = 0;
      ++turn_;
      all_.notify_all();
      return;
    }
    all_.wait(lock, [&] { return turn_ != turn || lost_; });
    if (turn_ == turn) throw rank_lost("a rank left before the others were done");
  }
  /// Of a rank that will make no more calls though others may.
  void leave() {
    const std::lock_guard lock(mutex_);
    lost_ = true;
    all_.notify_all();
  }

 private:
  unsigned ranks_;
  std::mutex mutex_;
  std::condition_variable all_;
  unsigned here_ = 0;
  std::uint64_t turn_ = 0;
  bool lost_ = false;
};

/// What a rank has sent to others.
struct sent_counts {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rounds = 0;  ///< of small numbers that all ranks exchange
};

class loop_transport {
 public:
  loop_transport(loop_hub& hub, unsigned rank) : hub_(hub), rank_(rank) {}

  [[nodiscard]] unsigned rank() const { return rank_; }
  [[nodiscard]] unsigned ranks() const { return hub_.ranks(); }
  [[nodiscard]] const sent_counts& sent() const { return sent_; }

  void gather_all(const void* from, std::span<const std::size_t> bytes, void* to) {
    auto* at = static_cast<std::byte*>(to);
    show(from, [&](unsigned r, const loop_hub::slot& theirs) {
      if (bytes[r] != 0) std::memcpy(at, theirs.from, bytes[r]);
      at += bytes[r];
    });
  }
  void sum_all(std::span<std::uint64_t> counts) { sum(counts, ranks()); }
  void sum_before(std::span<std::uint64_t> counts) { sum(counts, rank_); }

  void* make_room(std::size_t bytes) {
    together(*this, [&] { room_.grow(bytes); });
    return room_.data();
  }
  void exchange(std::span<const room_part> parts, void* to) {
    for (unsigned r = 0; r < ranks(); ++r) {
      if (r == rank_ || parts[r].bytes == 0) continue;
      ++sent_.messages;
      sent_.bytes += parts[r].bytes;
    }
    hub_.slots[rank_].parts = parts;
    hub_.slots[rank_].room = room_.data();
    auto* at = static_cast<std::byte*>(to);
    show(nullptr, [&](unsigned /*r*/, const loop_hub::slot& theirs) {
      const room_part& mine = theirs.parts[rank_];
      if (mine.bytes != 0) std::memcpy(at, theirs.room + mine.begin, mine.bytes);
      at += mine.bytes;
    });
  }

 private:
  /// Shows others what they read, reads what each of them shows, and returns when all have.
  template <class Read>
  void show(const void* from, Read&& read) {
    hub_.slots[rank_].from = from;
    hub_.wait();
    for (unsigned r = 0; r < ranks(); ++r) read(r, hub_.slots[r]);
    hub_.wait();
    ++sent_.rounds;
  }
  void sum(std::span<std::uint64_t> counts, unsigned upto) {
    const std::vector<std::uint64_t> mine(counts.begin(), counts.end());
    std::fill(counts.begin(), counts.end(), 0);
    show(mine.data(), [&](unsigned r, const loop_hub::slot& theirs) {
      if (r >= upto) return;
      const auto* const other = static_cast<const std::uint64_t*>(theirs.from);
      for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other[i];
    });
  }

  loop_hub& hub_;
  unsigned rank_;
  heap_room room_;
  sent_counts sent_;
};

/// Calls work(transport) on so many ranks at once, and throws what the first of them threw.
inline void on_ranks(unsigned ranks, const std::function<void(loop_transport&)>& work) {
  loop_hub hub(ranks);
  std::vector<std::exception_ptr> thrown(ranks);
  std::vector<std::exception_ptr> alone(ranks);  // threw since another had left
  std::vector<std::thread> threads;
  threads.reserve(ranks);
  for (unsigned r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      loop_transport between(hub, r);
      try {
        work(between);
      } catch (const rank_lost&) {
        alone[r] = std::current_exception();
      } catch (...) {
        thrown[r] = std::current_exception();
        hub.leave();
      }
    });
  }
  for (std::thread& one : threads) one.join();
  for (const auto* const errors : {&thrown, &alone}) {
    for (const std::exception_ptr& error : *errors) {
      if (error != nullptr) std::rethrow_exception(error);
    }
  }
}

}  // namespace peneira::detail
