// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What every benchmark shares: arrays, repeated timing, rows, and the bandwidths that rows are held against.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/statistics.hpp"
#include "peneira/cpu/lines.hpp"
#include "peneira/cpu/team.hpp"

namespace peneira::bench {

/// Where a row belongs in a paper; empty for rows of no paper's.
struct paper_cell {
  std::string paper;  ///< as `peneira-bench paper` calls it
  std::string table;  ///< as the paper does: Tabela 1, Figura 3
  std::string part;   ///< of that table, where it has parts
  // Of quoted figures alone:
  std::string machine;  ///< that they were measured on
  std::string beside;   ///< the strategy, or the line, of ours that they belong to; empty: none
  double speedup = 0;   ///< as printed; 0: none
};

/// Which problem of a sweep a row is, and the peer beside it; empty for rows of no sweep.
struct drawn_problem {
  std::string bar;      ///< the problems that are judged together
  std::string problem;  ///< in words
  std::uint64_t seed = 0;
  std::uint64_t index = 0;
  std::string best_peer;
  double peer_seconds = 0;
};

/// One measured line of a table.
struct row : timing {
  std::string primitive;
  std::string place;
  std::string strategy;  ///< a strategy of ours, "auto", or the name of a peer
  bool peer = false;
  bool quoted = false;  ///< measured by others, not in this run
  std::string chosen;   ///< what "auto" took
  std::string type;
  std::string distribution;
  std::string order;
  std::uint64_t n = 0;
  std::uint64_t bins = 0;
  std::uint64_t segments = 0;
  std::string op;  ///< of a reduce
  unsigned threads = 0;
  double bytes = 0;                ///< the least that the work must move
  double copy_bandwidth = 0;       ///< bytes read and written a second, same process; of a reduce, bytes read
  std::string bandwidth = "copy";  ///< what that is: copy, or read
  std::size_t temporary_bytes = 0;
  bool right = false;
  paper_cell published;
  drawn_problem drawn;

  void set(const timing& measured) { timing::operator=(measured); }
  // Of a quoted row that says how many times as fast, but no time, both are 0.
  [[nodiscard]] double rate() const { return seconds > 0 ? static_cast<double>(n) / seconds : 0; }
  [[nodiscard]] double roofline() const { return seconds > 0 ? bytes / seconds / copy_bandwidth : 0; }
};

/// Where rows go as soon as they are measured.
using row_sink = std::function<void(const row&)>;

/// Pages of our own, huge ones where the system has them, first touched by the team that will use them.
template <class T>
class array {
 public:
  array(std::size_t n, unsigned threads) : size_(n), bytes_(std::max<std::size_t>(n * sizeof(T), 1) + huge) {
    base_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    const auto address = (reinterpret_cast<std::uintptr_t>(base_) + huge - 1) / huge * huge;
    data_ = reinterpret_cast<T*>(address);
    static_cast<void>(::madvise(data_, n * sizeof(T), MADV_HUGEPAGE));
    peneira::detail::on_each(threads, [this, threads](unsigned m) {
      const auto [begin, end] = peneira::detail::slice(size_, m, threads);
      std::memset(static_cast<void*>(data_ + begin), 0, (end - begin) * sizeof(T));
    });
  }
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  array(array&&) = delete;
  array& operator=(array&&) = delete;
  ~array() { ::munmap(base_, bytes_); }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t huge = std::size_t{2} << 20U;
  std::size_t size_;
  std::size_t bytes_;
  void* base_ = nullptr;
  T* data_ = nullptr;
};

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// How often a row's work runs: so many times; or, where seconds are given, until the runs took these together, but at
/// least three times.
struct effort {
  std::size_t runs = 0;
  double seconds = 0;

  [[nodiscard]] bool goes_on(std::size_t done, double taken) const {
    constexpr std::size_t least = 3;
    return done < runs && (seconds == 0 || done < least || taken < seconds);
  }
};

/// Runs `work` once to warm up, then as often as told; `prepare` runs before each, untimed.
template <class Prepare, class Work>
timing time_prepared(effort runs, Prepare&& prepare, Work&& work) {
  prepare();
  work();
  std::vector<double> times;
  for (double taken = 0; runs.goes_on(times.size(), taken); taken += times.back()) {
    prepare();
    const double start = seconds_now();
    work();
    times.push_back(seconds_now() - start);
  }
  return summarise(std::move(times));
}

/// The same where there is nothing to prepare.
template <class Work>
timing time_runs(effort runs, Work&& work) {
  return time_prepared(
      runs, [] {}, static_cast<Work&&>(work));
}

/// Bytes read and written a second by the better of two copies, streamed and memcpy, with this many threads.
inline double cpu_copy_bandwidth(unsigned threads) {
  constexpr std::size_t bytes = std::size_t{512} << 20U;
  const array<char> from(bytes, threads);
  const array<char> to(bytes, threads);
  const auto copy = [&](auto&& piece) {
    return time_runs({7},
                     [&] {
                       peneira::detail::on_each(threads, [&](unsigned m) {
                         const std::size_t lines = bytes / peneira::detail::line_bytes;
                         const auto [begin, end] = peneira::detail::slice(lines, m, threads);
                         const std::size_t at = begin * peneira::detail::line_bytes;
                         piece(to.data() + at, from.data() + at, (end - begin) * peneira::detail::line_bytes);
                       });
                     })
        .seconds;
  };
  const double streamed = copy([](char* t, const char* f, std::size_t size) {
    peneira::detail::stream_lines(t, f, size);
    peneira::detail::stream_fence();
  });
  const double copied = copy([](char* t, const char* f, std::size_t size) { std::memcpy(t, f, size); });
  return 2.0 * bytes / std::min(streamed, copied);
}

/// Combines the words of an array in so many streams at once, each by eight accumulators: as fast as reading gets.
template <std::size_t Streams>
std::uint64_t read_streams(const std::uint64_t* words, std::size_t n) {
  constexpr std::size_t lanes = 8;
  const std::size_t share = n / Streams / lanes * lanes;
  std::uint64_t all[Streams][lanes] = {};
  for (std::size_t i = 0; i < share; i += lanes) {
    for (std::size_t s = 0; s < Streams; ++s) {
      for (std::size_t l = 0; l < lanes; ++l) all[s][l] += words[s * share + i + l];
    }
  }
  std::uint64_t sum = 0;
  for (const auto& stream : all) {
    for (const std::uint64_t part : stream) sum += part;
  }
  return sum;
}

/// Bytes read a second by the best of some read loops, in one stream a thread and in several, with this many threads.
inline double cpu_read_bandwidth(unsigned threads) {
  constexpr std::size_t words = std::size_t{64} << 20U;
  const array<std::uint64_t> from(words, threads);
  std::vector<std::uint64_t> sums(threads * std::size_t{8});
  const auto read = [&](auto&& piece) {
    return time_runs({7},
                     [&] {
                       peneira::detail::on_each(threads, [&](unsigned m) {
                         const auto [begin, end] = peneira::detail::slice(words, m, threads);
                         sums[m * std::size_t{8}] = piece(from.data() + begin, end - begin);
                       });
                     })
        .seconds;
  };
  double best = read(read_streams<1>);
  best = std::min(best, read(read_streams<2>));
  best = std::min(best, read(read_streams<4>));
  best = std::min(best, read(read_streams<8>));
  for (const std::uint64_t sum : sums) {
    if (sum != 0) throw std::runtime_error("the bandwidth probe read what nobody wrote");
  }
  return static_cast<double>(words * sizeof(std::uint64_t)) / best;
}

/// The strategies of a list that a problem admits, in the order that the axes name them; first our automatic choice.
template <class List, class Axes, class Problem, class Machine>
std::vector<std::string> strategies_for(const Axes& axes, const Problem& problem, const Machine& machine) {
  std::vector<std::string> names;
  for (const std::string& wanted : axes.strategies) {
    if (wanted == "auto" || wanted == "all") names.emplace_back();
    List::for_each([&](auto strategy) {
      const bool asked = wanted == "all" || wanted == strategy.name;
      if (asked && strategy.refuses(problem, machine).empty()) names.emplace_back(strategy.name);
    });
    if (wanted != "auto" && wanted != "all") List::with("bench", wanted, [](auto /*strategy*/) {});
  }
  return names;
}

}  // namespace peneira::bench
