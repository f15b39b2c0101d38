// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals that end the program. The first sets a flag that loops poll, so that destructors tidy up; where no loop does
// so within two seconds, or when another signal comes later, it ends at once. Those that come with the first say
// nothing new: `timeout` sends each signal twice. Hidden files go in every case.
#pragma once

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <exception>

#include "tools/peneira/cli/ending.hpp"

namespace peneira::tool {

/// Thrown by poll_interrupt(); main() ends by the signal.
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
inline std::atomic<std::time_t> first_signal_time{0};
inline std::atomic<bool> outputs_are_complete{false};
inline bool broken_pipes_are_ignored = false;
inline struct sigaction usual_bus_action {};

inline void on_signal(int signal) {
  constexpr std::time_t patience = 1;  // seconds
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (int none = 0; caught_signal.compare_exchange_strong(none, signal)) {
    first_signal_time = now.tv_sec;
    struct sigaction again {};
    again.sa_handler = on_signal;
    again.sa_mask = all_signals();
    sigaction(SIGALRM, &again, nullptr);
    ::alarm(patience + 1);
  } else if (now.tv_sec > first_signal_time + patience) {
    end_by(caught_signal);
  }
}

/// The program itself is at fault, or somebody pretends so. What the handler was reset to follows when it returns.
inline void on_crash(int signal) {
  remove_hidden_files();
  std::raise(signal);
}

inline void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  remove_hidden_files();
  for (const mapped_input* input = mapped_input::first(); input != nullptr; input = input->next()) {
    if (!input->holds(info->si_addr)) continue;
    input->tell_loss();
    ::_exit(1);
  }
  sigaction(signal, &usual_bus_action, nullptr);
  std::raise(signal);
}

/// A signal that the caller has chosen to ignore (nohup, a shell's background job) stays so.
inline void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_mask = all_signals();
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

/// Ignores a signal and says whether it was ignored already.
inline bool ignore(int signal) {
  return std::signal(signal, SIG_IGN) == SIG_IGN;
}

}  // namespace detail

/// Installs the handlers: for every signal that ends a program, unless somebody is to care.
inline void watch_signals() {
  // Without SA_RESTART: a waiting read returns and the flag is seen.
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU,
                           SIGIO, SIGPWR, SIGSTKFLT}) {
    detail::handle(signal, detail::on_signal, 0);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) detail::handle(signal, detail::on_signal, 0);
  for (const int signal : {SIGABRT, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP}) {
    detail::handle(signal, detail::on_crash, static_cast<int>(SA_RESETHAND));
  }
  struct sigaction bus {};
  bus.sa_sigaction = detail::on_bus_error;
  bus.sa_mask = detail::all_signals();
  bus.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &bus, &detail::usual_bus_action);
  detail::broken_pipes_are_ignored = detail::ignore(SIGPIPE);  // write() says EPIPE instead
  detail::ignore(SIGXFSZ);                                     // write() says EFBIG instead
}

/// The signal that is to end the program; 0: none.
inline int caught_signal() {
  return detail::caught_signal;
}

/// Whether the outputs have their names: a signal that comes later finds all done, and does not end the program, unless
/// that takes seconds.
inline bool outputs_are_complete() {
  return detail::outputs_are_complete;
}

inline void poll_interrupt() {
  if (const int signal = caught_signal(); signal != 0 && !outputs_are_complete()) throw interrupted(signal);
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
