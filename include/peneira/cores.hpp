// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many threads are worth having: what the system lets this process use, and what the user asks for.
#pragma once

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif

namespace peneira::detail {

/// The beginning of one of the system's small files; empty where there is none. Not by streams: these look up locales,
/// which fails in a process where libraries brought several of them along, as Python's do.
inline std::string text_of_file(const char* path) {
  std::FILE* const file = std::fopen(path, "r");
  if (file == nullptr) return {};
  std::string text(256, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

/// Takes the number that a text begins with, behind blanks, off it. False: there is none.
inline bool take_number(std::string_view& text, std::uint64_t& number) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

/// The cores that the affinity of this process leaves it.
inline unsigned affine_cores() {
#if defined(__linux__)
  cpu_set_t some;
  // Of the process, not of the thread that happens to ask first: the answer is kept.
  if (sched_getaffinity(getpid(), sizeof some, &some) == 0) return static_cast<unsigned>(std::max(1, CPU_COUNT(&some)));
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

/// The cores' worth of time that a control group of `file` grants, rounded up. A container's own lies where ours is
/// looked for; elsewhere there is no such file, or no number in it, and all is granted.
inline unsigned granted_cores(const char* file = "/sys/fs/cgroup/cpu.max") {
  const std::string text = text_of_file(file);
  std::string_view left = text;
  std::uint64_t time = 0;
  std::uint64_t period = 0;
  constexpr std::uint64_t all = std::numeric_limits<unsigned>::max();
  if (!take_number(left, time) || !take_number(left, period) || period == 0) return all;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(time / period + (time % period != 0 ? 1 : 0), 1, all));
}

/// The cores that this process may use.
inline unsigned usable_cores() {
  // Not a static of the function: a child that was forked while another thread sets one would wait for it forever.
  static constinit std::atomic<unsigned> known{0};
  unsigned cores = known.load(std::memory_order_relaxed);
  if (cores == 0) known.store(cores = std::min(affine_cores(), granted_cores()), std::memory_order_relaxed);
  return cores;
}

/// The threads that OMP_NUM_THREADS, a number or a list of them, asks for: its first. 0: none.
inline unsigned threads_of_list(std::string_view list) {
  std::uint64_t threads = 0;
  if (!take_number(list, threads) || threads > std::numeric_limits<unsigned>::max()) return 0;
  const bool ends = list.empty() || list.front() == ',' || list.front() == ' ' || list.front() == '\t';
  return ends ? static_cast<unsigned>(threads) : 0;
}

/// The number of threads a call uses when it is not told.
inline unsigned team_size() {
  const char* const wanted = std::getenv("OMP_NUM_THREADS");
  const unsigned threads = wanted != nullptr ? threads_of_list(wanted) : 0;
  return threads != 0 ? threads : usable_cores();
}

/// Whether OMP_WAIT_POLICY's value asks that threads without work leave their cores to others at once.
inline bool is_passive(std::string_view policy) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; };
  constexpr std::string_view passive = "passive";
  return std::equal(policy.begin(), policy.end(), passive.begin(), passive.end(), same);
}

/// Whether the user asks for that.
inline bool asks_to_wait_passively() {
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  return policy != nullptr && is_passive(policy);
}

}  // namespace peneira::detail
