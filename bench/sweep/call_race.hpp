// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A race of a call on the CPU. Where a problem is small, its work is done on many arrays one after another, each of
// other items, so that a call of ten can be timed and no branch is learnt by heart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bench/sweep/races.hpp"
#include "peneira/plan.hpp"

namespace peneira::bench::sweep {

/// How many arrays of n items a run takes.
inline std::size_t copies_for(std::uint64_t n) {
  constexpr std::uint64_t least = std::uint64_t{1} << 14U;
  return std::max<std::uint64_t>(1, least / std::max<std::uint64_t>(n, 1));
}

class call_race {
 public:
  /// `prepare` is called before every run, untimed.
  call_race(const bench_place& on, std::size_t copies, std::function<void()> prepare = {})
      : on_(on), copies_(copies), prepares_(prepare != nullptr), prepare_(prepare ? std::move(prepare) : [] {}) {}

  /// work(c) does the work on array c; check() tells whether the outputs of the last run are right.
  template <class Work, class Check>
  void peer(std::string name, Work work, Check check) {
    peers_.push_back({std::move(name), prepare_, looped(std::move(work)), std::move(check)});
  }

  /// The race itself: call(place, c) makes our call on array c, or tells what it would do; `bytes` are the least that
  /// it must move for one array.
  template <class Call, class Check>
  outcome ours(Call call, Check check, double bytes) {
    const cpu place{.threads = on_.threads};
    const plan made = explain([&](auto& at) { call(at, 0); }, host::here().with_threads(on_.threads));
    outcome found;
    found.chosen = made.strategy;
    found.temporary_bytes = made.temporary_bytes;
    found.bytes = bytes;
    contestant us{"peneira", prepare_, looped([call, place](std::size_t c) { call(place, c); }), std::move(check)};
    race(cpu_once{}, on_.limits, !prepares_).run(std::move(peers_), std::move(us), found);
    for (auto& [name, timed] : found.all) timed = divided(timed);
    found.ours = divided(found.ours);
    found.peer = divided(found.peer);
    return found;
  }

 private:
  template <class Work>
  std::function<void()> looped(Work work) const {
    return [work = std::move(work), copies = copies_] {
      for (std::size_t c = 0; c < copies; ++c) work(c);
    };
  }
  /// The time of one array.
  [[nodiscard]] timing divided(timing t) const {
    for (double* const part : {&t.seconds, &t.low, &t.high, &t.mean, &t.mean_half}) {
      *part /= static_cast<double>(copies_);
    }
    return t;
  }

  bench_place on_;
  std::size_t copies_;
  bool prepares_;
  std::function<void()> prepare_;
  std::vector<contestant> peers_;
};

/// Overwrites an array, so that an output of before is not taken for one of now.
template <class T>
void poison(const array<T>& all) {
  std::memset(static_cast<void*>(all.data()), 0xA5, all.size() * sizeof(T));
}

/// What a check says, after which `outputs` are overwritten.
template <class... Outputs>
bool poisoned(bool right, const Outputs&... outputs) {
  (poison(outputs), ...);
  return right;
}

/// Bytes as a roofline counts them.
inline double bytes_of(std::uint64_t items, std::size_t item_bytes) {
  return static_cast<double>(items) * static_cast<double>(item_bytes);
}

}  // namespace peneira::bench::sweep
