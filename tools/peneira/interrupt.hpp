// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C and its kin. The first signal sets a flag that loops poll, so that destructors remove what is half done; one
// that comes later kills at once. Those that come with the first do not: `timeout` sends each signal twice.
#pragma once

#include <atomic>
#include <csignal>
#include <ctime>
#include <exception>

namespace peneira::tool {

/// Thrown by poll_interrupt(); main() exits with 128 + signal.
class interrupted : public std::exception {
 public:
  explicit interrupted(int signal) : signal_(signal) {}
  [[nodiscard]] int signal() const noexcept { return signal_; }
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

namespace detail {

inline std::atomic<int> caught_signal{0};
inline constexpr int watched_signals[] = {SIGINT, SIGTERM, SIGHUP};

inline std::atomic<std::time_t> first_signal_time{0};

inline void on_signal(int signal) {
  constexpr std::time_t patience = 1;  // seconds
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (caught_signal == 0) {
    first_signal_time = now.tv_sec;
    caught_signal = signal;
  } else if (now.tv_sec > first_signal_time + patience) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace detail

/// Installs the handlers. A signal that the caller has chosen to ignore (nohup, a shell's background job) stays so.
inline void watch_signals() {
  for (const int watched : detail::watched_signals) {
    struct sigaction before {};
    if (sigaction(watched, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = detail::on_signal;  // without SA_RESTART: a waiting read returns and the flag is seen
    sigaction(watched, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);  // write() says EPIPE instead
  std::signal(SIGXFSZ, SIG_IGN);  // write() says EFBIG instead
}

inline void poll_interrupt() {
  if (const int signal = detail::caught_signal; signal != 0) throw interrupted(signal);
}

/// The same after a program of ours has failed: a signal to all of us may have reached it first, and us in a moment.
inline void await_interrupt() {
  for (int tries = 0; tries < 100; ++tries) {
    poll_interrupt();
    const timespec millisecond{0, 1000000};
    ::nanosleep(&millisecond, nullptr);
  }
  poll_interrupt();
}

}  // namespace peneira::tool
