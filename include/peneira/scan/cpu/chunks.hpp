// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// chunks: threads take chunks of the items in turn, each as much as a second-level cache holds, and hand on what comes
// before the next one as soon as they know it.
//
//   items    | chunk 0 | chunk 1 | chunk 2 | ...
//   a chunk  combined (from memory)  --what is before it, from whoever has the chunk before-->  told to the next,
//            then scanned (from the cache) and written
//
// Reads each item once from memory and writes each result once. A segment that begins in a chunk needs nothing of the
// chunks before. How items are grouped depends on their number and types alone, so that sums of floats have the same
// bits for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>

#include "peneira/cpu/team.hpp"
#include "peneira/scan/cpu/scan_run.hpp"
#include "peneira/scan/cpu/segments.hpp"
#include "peneira/scan/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// What a thread tells the one that has the next chunk.
template <class Result>
struct alignas(64) scan_message {
  Result after;
  std::atomic<bool> is_there = false;
};

/// The chunks of a scan, by all threads.
template <class T, class Segments, class Result, class Op>
class chunk_scan {
 public:
  using arrays = scan_arrays<T, Result, Op>;
  using message = scan_message<Result>;

  chunk_scan(const arrays& of, const Segments& segments, std::size_t count, std::size_t chunk)
      : arrays_(of),
        segments_(segments),
        count_(count),
        chunk_(chunk),
        first_(segments.begin(0)),
        last_(segments.end(count - 1)) {}

  [[nodiscard]] std::size_t chunks() const { return (last_ - first_ + chunk_ - 1) / chunk_; }

  /// All of them, one behind the other; where grouping cannot show, without a look ahead.
  void alone() const {
    if (chunks() == 0) return;
    if constexpr (!rounds<Op, Result>) {
      scan_segments(first_, last_, segment_at(segments_, count_, first_), arrays_.identity());
      return;
    }
    Result before = arrays_.identity();
    Result after = before;
    for (std::size_t c = 0; c < chunks(); ++c, before = after) {
      scan<!arrays::apart>(
          c, [&] { return &before; }, [&](const Result& told) { after = told; });
    }
  }

  /// All of them by a team. A member waits only for one that has a chunk before its own, and so is at work.
  void together(unsigned threads, message* messages) const {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    on_each(threads, [&](unsigned /*m*/) {
      try {
        for (std::size_t c = next++; c < chunks(); c = next++) {
          scan<true>(
              c, [&] { return wait(messages, c, failed); },
              [&](const Result& after) {
                messages[c].after = after;
                messages[c].is_there.store(true, std::memory_order_release);
              });
        }
      } catch (...) {
        failed = true;
        throw;
      }
    });
  }

 private:
  /// What the thread with the chunk before has told; nullptr where a thread has failed.
  static const Result* wait(const message* messages, std::size_t c, const std::atomic<bool>& failed) {
    constexpr unsigned patience = 1024;
    for (unsigned turn = 0; !messages[c - 1].is_there.load(std::memory_order_acquire); ++turn) {
      if (failed) return nullptr;
      if (turn > patience) std::this_thread::yield();
    }
    return &messages[c - 1].after;
  }

  /// One chunk. tell(after) is called as soon as that is known, by a look Ahead; before() asks for what was told, and
  /// only where it is needed.
  template <bool Ahead, class Before, class Tell>
  void scan(std::size_t c, const Before& before, const Tell& tell) const {
    const std::size_t begin = first_ + c * chunk_;
    const std::size_t end = std::min(last_, begin + chunk_);
    const std::size_t segment = segment_at(segments_, count_, begin);
    const bool goes_on = segments_.begin(segment) < begin;
    const std::size_t last = segments_.end(segment) >= end ? segment : segment_at(segments_, count_, end - 1);
    const bool hands_on = goes_on && last == segment;  // all of the chunk is within a segment
    const bool ahead = Ahead && end < last_;
    Result part = arrays_.identity();
    if (ahead) part = arrays_.fold(std::max(begin, segments_.begin(last)), end);
    if (ahead && !hands_on) tell(arrays_.op(arrays_.identity(), part));
    Result start = arrays_.identity();
    if (goes_on) {
      const Result* const told = before();
      if (told == nullptr) return;
      start = *told;
    }
    if (ahead && hands_on) tell(arrays_.op(start, part));
    const Result after = scan_segments(begin, end, segment, start);
    if (!Ahead) tell(after);
  }

  /// The segments from `begin` to before `end`, of which the first may have begun before; returns what comes before the
  /// next item of the last.
  Result scan_segments(std::size_t begin, std::size_t end, std::size_t segment, Result before) const {
    while (true) {
      const std::size_t stop = std::min(end, segments_.end(segment));
      const Result after = arrays_.scan(begin, stop, before);
      if (stop == end) return after;
      segment = segment_behind(segments_, count_, segment);
      begin = stop;
      before = arrays_.identity();
    }
  }

  arrays arrays_;
  Segments segments_;
  std::size_t count_;
  std::size_t chunk_;
  std::size_t first_;
  std::size_t last_;
};

}  // namespace peneira::detail

namespace peneira::scan_strategies {

struct chunks : detail::takes_all<scan_problem> {
  static constexpr std::string_view name = "chunks";
  static constexpr std::string_view about = "all threads take chunks in turn and hand on what comes before the next";

  struct parameters {
    std::size_t threads = 1;
    std::size_t chunk = 1;
    std::size_t count = 1;
    step scan;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::field{&parameters::chunk, "chunk", "items that a thread takes at a time"},
        detail::field{&parameters::count, "chunks", "at most, of all items"},
        detail::members{&parameters::scan},
    };
  };

  /// How many slices there are that a thread should have at least.
  static std::size_t slices_of(const scan_problem& problem) {
    const std::size_t work = problem.items + (problem.offset_bytes == 0 ? 0 : problem.segments);
    return work * problem.wider_bytes() / tuning::cpu_least_slice_bytes;
  }

  static parameters decide(const scan_problem& problem, const host& machine) {
    parameters p;
    p.chunk = tuning::cpu_scan_chunk_bytes / problem.wider_bytes();
    p.count = problem.items / p.chunk + 1;
    p.threads = tuning::cpu_threads(slices_of(problem), 1, machine.threads);
    p.scan = {"scan", p.threads};
    return p;
  }

  struct arrays {
    void* messages;  ///< of each chunk, where there is more than one thread
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    static_assert(sizeof(detail::scan_message<std::byte[32]>) == message_bytes);
    arrays a{};
    if (p.threads > 1) a.messages = memory.take_bytes(p.count * message_bytes);
    return a;
  }

  template <class T, class Segments, class Result, class Op>
  static void run(const cpu& on, const parameters& p, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* out, const Op& op, bool inclusive) {
    const auto threads = static_cast<unsigned>(p.threads);
    detail::on_each(Segments::regular ? 1 : threads, [&](unsigned m) {
      const auto [from, to] = detail::slice(count, m, Segments::regular ? 1 : threads);
      detail::check_segments(segments, from, to, n);
    });
    if (count == 0) return;
    const detail::chunk_scan<T, Segments, Result, Op> all({items, out, op, inclusive}, segments, count, p.chunk);
    if (threads == 1) return all.alone();
    const detail::temporary<chunks> memory(on, p);
    using message = detail::scan_message<Result>;
    static_assert(sizeof(message) == message_bytes);
    auto* const messages = static_cast<message*>(memory.messages);
    for (std::size_t c = 0; c < all.chunks(); ++c) new (messages + c) message;
    all.together(threads, messages);
  }

 private:
  static constexpr std::size_t message_bytes = 64;
};

}  // namespace peneira::scan_strategies
