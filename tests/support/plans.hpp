// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What must hold of every plan for a GPU, whatever the call: a device can launch its steps, and its text says the same
// as its fields. The sizes and devices that plans are asked for.
#pragma once

#include <algorithm>
#include <sstream>

#include "peneira/tuning/gpus.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// 0, 1, powers of two up to 2^40 (under a checker some of them), some more sizes, and the neighbours of all;
/// ascending.
inline std::vector<std::size_t> sizes_to_plan(std::initializer_list<std::size_t> more = {}) {
  std::vector<std::size_t> middle(more);
  for (unsigned bits = 0; bits <= 40; bits += sanitized ? 5 : 1) middle.push_back(std::size_t{1} << bits);
  std::vector<std::size_t> all;
  for (const std::size_t n : middle) all.insert(all.end(), {n - 1, n, n + 1});
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// An H200 (first), the other GPUs that people have, and one with the least shared memory that there is.
inline const std::vector<device> devices_to_plan_for = [] {
  std::vector<device> all{device{}};
  for (const tuning::known_gpu& one : tuning::known_gpus) all.push_back(one.like);
  constexpr std::size_t least = 64 * 1024;  // that a block of any device of compute capability 7.5 or more can have
  all.push_back({.arch = 75, .sms = 8, .shared_per_block = least, .shared_per_sm = least});
  return all;
}();

/// What is wrong with a step on a device; empty: nothing. `own` is the shared memory that its kernel declares itself.
inline std::string fault_of(const step& s, const device& machine, std::size_t own = 0) {
  const auto fault = [&](const char* what) { return std::string(s.name) + ": " + what; };
  if (s.grid == 0 || s.grid > 0x7FFFFFFFU) return fault("no such number of blocks");
  if (s.block == 0 || s.block > 1024) return fault("no such number of threads");
  if (s.shared + own > machine.shared_per_block) return fault("more shared memory than a block may have");
  if (s.cluster == 0 || s.cluster > 16 || s.grid % s.cluster != 0) return fault("no such clusters");
  const auto sms = static_cast<std::uint64_t>(machine.sms);
  const std::uint64_t each = (s.grid + sms - 1) / sms;          // blocks of a processor,
  const std::uint64_t own_kept = machine.arch < 80 ? 0 : 1024;  // which from 8.0 on keeps 1 KiB of each for itself
  const std::uint64_t of_block = (s.shared + own + 127) / 128 * 128 + own_kept;
  if (s.at_once && each * of_block > machine.shared_per_sm) return fault("no room for all blocks at once");
  if (s.at_once && each * s.block > tuning::threads_a_processor(machine.arch)) {
    return fault("no threads for all blocks at once");
  }
  return "";
}
inline std::string fault_of(const plan& made, const device& machine, std::size_t own = 0) {
  for (const step& s : made.steps) {
    if (const std::string fault = fault_of(s, machine, own); !fault.empty()) return fault;
  }
  return "";
}

/// Whether the text of a plan is what its fields are: a line each, in their order, that begins with name and value.
inline ::testing::AssertionResult text_says_it_all(const plan& made) {
  std::vector<std::pair<std::string_view, std::string>> wanted{{"primitive", std::string(made.primitive)},
                                                               {"place", std::string(made.place)},
                                                               {"strategy", std::string(made.strategy)},
                                                               {"because", std::string(made.why)}};
  for (const parameter& p : made.parameters) {
    wanted.emplace_back(p.name, p.word.empty() ? std::to_string(p.value) : std::string(p.word));
  }
  for (const step& s : made.steps)
    wanted.emplace_back(s.name, (made.place == "gpu" ? "<<<" : "") + std::to_string(s.grid));
  wanted.emplace_back("temporary bytes", std::to_string(made.temporary_bytes));
  std::istringstream text(to_string(made));
  std::string line;
  for (const auto& [name, value] : wanted) {
    std::getline(text, line);
    const std::size_t at = std::min(line.size(), line.find_first_not_of(' ', name.size()));
    if (line.substr(0, name.size()) != name || line.substr(at, value.size()) != value) {
      return ::testing::AssertionFailure() << "not \"" << name << "\" and \"" << value << "\": " << line;
    }
  }
  if (std::getline(text, line)) return ::testing::AssertionFailure() << "one more line: " << line;
  return ::testing::AssertionSuccess();
}

/// A choice that depends on one number alone, which ascends: none comes back once it was left.
class choices_in_turn {
 public:
  /// Whether this one may follow.
  bool take(std::string_view choice) {
    if (!taken_.empty() && taken_.back() == choice) return true;
    const bool fresh = std::find(taken_.begin(), taken_.end(), choice) == taken_.end();
    taken_.push_back(choice);
    return fresh;
  }

 private:
  std::vector<std::string_view> taken_;
};

}  // namespace peneira::test
