// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks of one process, for tests, sanitizers and simulations: on_ranks(p, work) calls work once for each, in a thread
// of its own, and counts what they would have sent.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "peneira/ranks/transport.hpp"

namespace peneira::detail {

/// What the ranks of a loop share.
class loop_hub {
 public:
  loop_hub(unsigned ranks, unsigned two_levels_from) : slots(ranks), two_levels_from_(two_levels_from) {}
  loop_hub(const loop_hub&) = delete;
  loop_hub& operator=(const loop_hub&) = delete;
  virtual ~loop_hub() = default;

  /// What a rank shows the others between two barriers.
  struct slot {
    const void* from = nullptr;
    void* to = nullptr;
    std::span<const room_part> parts;
    const std::byte* room = nullptr;
  };
  std::vector<slot> slots;
  std::vector<std::byte> common;  ///< what the last to come has made for all

  [[nodiscard]] unsigned ranks() const { return static_cast<unsigned>(slots.size()); }
  [[nodiscard]] unsigned two_levels_from() const { return two_levels_from_; }

  /// Returns when all ranks are here, and the last to come has done something for all. Throws where one left instead.
  virtual void wait(const std::function<void()>& last) = 0;
  /// Of a rank that will make no more calls though others may.
  virtual void leave() = 0;

  /// The hub of the ranks in a row, so many a group, that a rank belongs to.
  loop_hub& group(unsigned size, unsigned rank) {
    const std::lock_guard lock(groups_mutex_);
    auto& found = groups_[rank / size];
    if (found == nullptr) found = make(std::min(size, ranks() - rank / size * size));
    return *found;
  }

 protected:
  /// Another of its kind.
  virtual std::unique_ptr<loop_hub> make(unsigned ranks) = 0;
  void leave_groups() {
    const std::lock_guard lock(groups_mutex_);
    for (const auto& one : groups_) {
      if (one != nullptr) one->leave();
    }
  }
  [[noreturn]] static void lost() { throw rank_lost("a rank left before the others were done"); }

 private:
  unsigned two_levels_from_;
  std::mutex groups_mutex_;
  std::vector<std::unique_ptr<loop_hub>> groups_ = std::vector<std::unique_ptr<loop_hub>>(slots.size());
};

/// A hub of threads.
class thread_hub : public loop_hub {
 public:
  using loop_hub::loop_hub;

  void wait(const std::function<void()>& last) override {
    std::unique_lock lock(mutex_);
    if (lost_) lost();
    const std::uint64_t turn = turn_;
    if (++here_ == ranks()) {
      if (last) last();
      here_ = 0;
      ++turn_;
      all_.notify_all();
      return;
    }
    all_.wait(lock, [&] { return turn_ != turn || lost_; });
    if (turn_ == turn) lost();
  }
  void leave() override {
    leave_groups();
    const std::lock_guard lock(mutex_);
    lost_ = true;
    all_.notify_all();
  }

 protected:
  std::unique_ptr<loop_hub> make(unsigned ranks) override {
    return std::make_unique<thread_hub>(ranks, two_levels_from());
  }

 private:
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
  std::uint64_t rounds = 0;        ///< that all ranks had together
  std::uint64_t most_numbers = 0;  ///< bytes of small numbers that came from all ranks in a round, at most
};

class loop_transport {
 public:
  loop_transport(loop_hub& hub, unsigned rank) : hub_(hub), rank_(rank) {}

  [[nodiscard]] unsigned rank() const { return rank_; }
  [[nodiscard]] unsigned ranks() const { return hub_.ranks(); }
  [[nodiscard]] unsigned first() const { return first_; }
  [[nodiscard]] unsigned two_levels_from() const { return hub_.two_levels_from(); }
  [[nodiscard]] const sent_counts& sent() const { return *counts_; }
  /// Bytes of the room.
  [[nodiscard]] std::size_t room_bytes() const { return room_->size(); }

  void gather_all(const void* from, std::span<const std::size_t> bytes, void* to) {
    hub_.slots[rank_].from = from;
    std::size_t sum = 0;
    for (const std::size_t one : bytes) sum += one;
    hub_.wait([&] {
      hub_.common.resize(sum);
      std::byte* at = hub_.common.data();
      for (unsigned r = 0; r < ranks(); ++r) {
        if (bytes[r] != 0) std::memcpy(at, hub_.slots[r].from, bytes[r]);
        at += bytes[r];
      }
    });
    if (sum != 0) std::memcpy(to, hub_.common.data(), sum);
    end_round(sum);
  }
  void sum_all(std::span<std::uint64_t> counts) {
    hub_.slots[rank_].from = counts.data();
    hub_.wait([&] {
      std::vector<std::uint64_t> sums(counts.size(), 0);
      for (const auto& one : hub_.slots) add(sums, static_cast<const std::uint64_t*>(one.from));
      const auto bytes = std::as_bytes(std::span(sums));
      hub_.common.assign(bytes.begin(), bytes.end());
    });
    if (!counts.empty()) std::memcpy(counts.data(), hub_.common.data(), counts.size_bytes());
    end_round(counts.size_bytes());
  }
  void sum_before(std::span<std::uint64_t> counts) {
    hub_.slots[rank_].to = counts.data();
    hub_.wait([&] {
      std::vector<std::uint64_t> sums(counts.size(), 0);
      for (const auto& one : hub_.slots) {
        auto* const theirs = static_cast<std::uint64_t*>(one.to);
        for (std::size_t i = 0; i < sums.size(); ++i) theirs[i] = std::exchange(sums[i], sums[i] + theirs[i]);
      }
    });
    end_round(counts.size_bytes());
  }

  void* make_room(std::size_t bytes) {
    if (room_ != &own_room_ && bytes > room_->size()) throw std::logic_error("peneira: a group's room is too small");
    together(*this, [&] { room_->grow(bytes); });
    return room_->data();
  }
  [[nodiscard]] void* room() const { return room_->data(); }
  void exchange(std::span<const room_part> parts, void* to) {
    for (unsigned r = 0; r < ranks(); ++r) {
      if (r != rank_ && parts[r].bytes != 0) count_message(parts[r].bytes);
    }
    hub_.slots[rank_].parts = parts;
    hub_.slots[rank_].room = room_->data();
    hub_.wait({});
    auto* at = static_cast<std::byte*>(to);
    for (const loop_hub::slot& theirs : hub_.slots) {
      const room_part& mine = theirs.parts[rank_];
      if (mine.bytes != 0) std::memcpy(at, theirs.room + mine.begin, mine.bytes);
      at += mine.bytes;
    }
    end_round(0);
  }
  void send(std::span<const placed_part> parts, void* to, std::size_t /*bytes*/) {
    hub_.slots[rank_].to = to;
    hub_.wait({});
    for (const placed_part& part : parts) {
      if (part.bytes == 0) continue;
      if (part.rank != rank_) count_message(part.bytes);
      std::memcpy(static_cast<std::byte*>(hub_.slots[part.rank].to) + part.at, room_->data() + part.begin, part.bytes);
    }
    end_round(0);
  }
  loop_transport group(std::size_t size) {
    const auto many = static_cast<unsigned>(size);
    return loop_transport(hub_.group(many, rank_), rank_ % many, first_ + rank_ / many * many, *this);
  }

 private:
  /// Of a group: the room and the counts are those of the rank that it is made of.
  loop_transport(loop_hub& hub, unsigned rank, unsigned first, loop_transport& of)
      : hub_(hub), rank_(rank), first_(first), room_(of.room_), counts_(of.counts_) {}

  void end_round(std::size_t bytes) {
    hub_.wait({});
    ++counts_->rounds;
    counts_->most_numbers = std::max<std::uint64_t>(counts_->most_numbers, bytes);
  }
  void count_message(std::uint64_t bytes) {
    ++counts_->messages;
    counts_->bytes += bytes;
  }
  static void add(std::vector<std::uint64_t>& to, const std::uint64_t* from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  }

  loop_hub& hub_;
  unsigned rank_;
  unsigned first_ = 0;
  heap_room own_room_;
  heap_room* room_ = &own_room_;
  sent_counts own_counts_;
  sent_counts* counts_ = &own_counts_;
};

/// Calls work(transport) on so many ranks at once, and throws what the first of them threw.
inline void on_ranks(unsigned ranks, const std::function<void(loop_transport&)>& work, unsigned two_levels_from = 64) {
  thread_hub hub(ranks, two_levels_from);
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
