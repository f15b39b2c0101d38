// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One problem of the sweep measured: ours and the peers in turn, in one process, every output checked.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bench/harness.hpp"
#include "bench/sweep/problem.hpp"

namespace peneira::bench::sweep {

/// Who takes part.
struct contestant {
  std::string name;
  std::function<void()> prepare;  ///< untimed, before every run
  std::function<void()> work;
  std::function<bool()> check;  ///< whether the last run's output is right
};

/// How long a problem may take.
struct patience {
  std::size_t least = 3;  ///< rounds
  std::size_t most = 15;
  double seconds = 0.2;     ///< after which no further round begins
  double slow = 3;          ///< a peer that takes so many times as long as the best when it warms up is left out
  double brief = 0.05;      ///< warming up once is enough for what takes longer
  double shortest = 20e-6;  ///< a call that takes less is repeated within a run, where it may be
};

/// What came out.
struct outcome {
  timing ours;
  timing peer;
  std::string best_peer;
  std::string chosen;
  std::size_t temporary_bytes = 0;
  double bytes = 0;      ///< the least that the work must move
  double bandwidth = 0;  ///< of a copy, or of reading; see row
  std::vector<std::pair<std::string, timing>> all;
  std::vector<std::string> wrong;  ///< whose output was
  bool right = true;               ///< ours

  [[nodiscard]] double ratio() const { return ours.seconds > 0 ? peer.seconds / ours.seconds : 0; }
};

/// Lets all run in turn, `ours` last in every round. once(prepare, work) gives the seconds of a run; `repeats`: whether
/// work may be called again without prepare.
template <class Once>
class race {
 public:
  race(Once once, const patience& limits, bool repeats) : once_(std::move(once)), limits_(limits), repeats_(repeats) {}

  void run(std::vector<contestant> peers, contestant ours, outcome& to) {
    to.right = first(ours);
    if (repeats_ && first_seconds_ < limits_.shortest) {
      calls_ = static_cast<std::size_t>(limits_.shortest / std::max(first_seconds_, 1e-9)) + 1;
    }
    leave_out_slow(peers, to);
    peers.push_back(std::move(ours));
    std::vector<std::vector<double>> times(peers.size());
    const double start = seconds_now();
    for (std::size_t round = 0; goes_on(round, seconds_now() - start); ++round) {
      for (std::size_t k = 0; k < peers.size(); ++k) times[k].push_back(time(peers[k]));
    }
    to.right = peers.back().check() && to.right;
    if (!to.right) to.wrong.push_back(peers.back().name);
    for (std::size_t k = 0; k < peers.size(); ++k) to.all.emplace_back(peers[k].name, summarise(std::move(times[k])));
    judge(to);
  }

 private:
  [[nodiscard]] bool goes_on(std::size_t round, double taken) const {
    return round < limits_.least || (round < limits_.most && taken < limits_.seconds);
  }

  /// Warms up, and checks the output. The first run may load code and start threads: it tells nothing of the next.
  bool first(const contestant& c) {
    first_seconds_ = once_(c.prepare, c.work);
    const bool right = c.check();
    if (first_seconds_ < limits_.brief) first_seconds_ = std::min(first_seconds_, once_(c.prepare, c.work));
    return right;
  }

  double time(const contestant& c) {
    if (calls_ == 1) return once_(c.prepare, c.work);
    const auto often = [&] {
      for (std::size_t k = 0; k < calls_; ++k) c.work();
    };
    return once_(c.prepare, often) / static_cast<double>(calls_);
  }

  /// Peers whose output is wrong count for nothing, and those that are far behind another cost only time.
  void leave_out_slow(std::vector<contestant>& peers, outcome& to) {
    std::vector<double> seconds;
    double best = std::numeric_limits<double>::infinity();
    for (const contestant& peer : peers) {
      const bool right = first(peer);
      if (!right) to.wrong.push_back(peer.name);
      seconds.push_back(right ? first_seconds_ : std::numeric_limits<double>::infinity());
      best = std::min(best, seconds.back());
    }
    std::size_t k = 0;
    std::erase_if(peers, [&](const contestant&) { return !(seconds[k++] <= limits_.slow * best) || best > 1e30; });
  }

  static void judge(outcome& to) {
    to.ours = to.all.back().second;
    for (std::size_t k = 0; k + 1 < to.all.size(); ++k) {
      if (k != 0 && to.all[k].second.seconds >= to.peer.seconds) continue;
      to.best_peer = to.all[k].first;
      to.peer = to.all[k].second;
    }
  }

  Once once_;
  patience limits_;
  bool repeats_;
  std::size_t calls_ = 1;
  double first_seconds_ = 0;
};

/// Whether no other thread of this process runs or is about to. By what the system says of each thread: the time that
/// they have taken is counted by ticks of milliseconds while they run on other cores, and stands still in between.
inline bool others_sleep() {
  const std::string own = std::to_string(::gettid());
  std::error_code gone;  // a thread that ends while its file is opened
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", gone)) {
    if (thread.path().filename() == own) continue;
    std::string stat;
    std::getline(std::ifstream(thread.path() / "stat"), stat);
    const std::size_t name_end = stat.rfind(") ");  // its state follows the name, which may hold anything
    if (name_end != std::string::npos && stat[name_end + 2] == 'R') return false;
  }
  return true;
}

/// Waits until no other thread of this process is busy: those of the contestant before may look out for more work for
/// milliseconds, as OpenMP's do, and would take the cores from who comes next.
inline void rest_until_quiet() {
  constexpr auto nap = std::chrono::microseconds(500);
  constexpr int most_naps = 200;
  for (int naps = 0; naps < most_naps; ++naps) {
    std::this_thread::sleep_for(nap);
    if (others_sleep()) return;
  }
}

/// A run on the CPU, when the threads of all others sleep. A short run comes after others of its own, which warm the
/// caches and wake its threads: that takes some 0.2 ms, in which a second call of some microseconds would begin.
struct cpu_once {
  static constexpr double brief = 2e-3;
  static constexpr double awake = 0.5e-3;

  template <class Prepare, class Work>
  double operator()(Prepare&& prepare, Work&& work) const {
    rest_until_quiet();
    const double start = seconds_now();
    const double first = run(prepare, work);
    if (first >= brief) return first;
    while (seconds_now() - start < awake) run(prepare, work);
    return run(prepare, work);
  }

 private:
  template <class Prepare, class Work>
  static double run(Prepare&& prepare, Work&& work) {
    prepare();
    const double start = seconds_now();
    work();
    return seconds_now() - start;
  }
};

/// What problems are measured on and with.
struct bench_place {
  unsigned threads = 1;  ///< of the CPU; on a GPU those that make the items
  patience limits;
};

}  // namespace peneira::bench::sweep
