// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a call will do, decided before it does it. A strategy first makes its plan, a pure function of the problem and
// the machine, and then runs by it: the numbers that explain() shows are the numbers that the call uses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/config.hpp"
#include "peneira/memory.hpp"

namespace peneira {

/// One step of a plan: a kernel launch on the GPU, a phase of the team of threads on the CPU.
struct step {
  std::string_view name;      ///< of the kernel, or of the phase
  std::uint64_t grid = 1;     ///< blocks, or threads of the CPU's team
  std::uint32_t block = 1;    ///< threads of a block; 1 on the CPU
  std::uint64_t shared = 0;   ///< bytes of shared memory a block, or of private buffers a CPU thread
  std::uint32_t cluster = 1;  ///< blocks that share their memories
  bool at_once = false;       ///< its blocks wait for one another: all of them run at the same time, or none
};

/// A number that the strategy decided on, with its name.
struct parameter {
  std::string_view name;    ///< such as "tile"
  std::uint64_t value = 0;  ///< what was decided
  std::string_view about;   ///< what it means, in a few words
};

/// A short list without a heap, so that planning costs a call next to nothing: entries that it does not have are
/// neither made nor copied.
template <class T, std::size_t Capacity>
class short_list {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  short_list() noexcept {}  // NOLINT(modernize-use-equals-default): which the union would delete
  short_list(const short_list& other) noexcept { *this = other; }
  short_list(short_list&& other) noexcept { *this = other; }
  short_list& operator=(const short_list& other) noexcept {
    std::uninitialized_copy_n(other.items_, other.size_, items_);
    size_ = other.size_;
    return *this;
  }
  short_list& operator=(short_list&& other) noexcept {
    *this = other;
    return *this;
  }
  ~short_list() = default;

  void push_back(const T& item) {
    if (size_ == Capacity) throw std::length_error("peneira: a plan has more entries than it can hold");
    std::construct_at(&items_[size_++], item);
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// How many entries there is room for.
  [[nodiscard]] static constexpr std::size_t capacity() noexcept { return Capacity; }
  [[nodiscard]] const T* begin() const noexcept { return items_; }
  [[nodiscard]] const T* end() const noexcept { return items_ + size_; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return items_[i]; }

 private:
  union {
    T items_[Capacity];
  };
  std::size_t size_ = 0;
};

/// Strategy, steps, temporary bytes: all that a call will do. explain() makes it for you.
struct plan {
  std::string_view primitive;            ///< the call's name
  std::string_view place;                ///< "cpu" or "gpu"
  std::string_view strategy;             ///< its name, as in `peneira strategies`
  std::string_view why;                  ///< one sentence: why this strategy was chosen
  std::size_t temporary_bytes = 0;       ///< what the call will take from its memory
  short_list<step, 24> steps;            ///< in their order
  short_list<parameter, 24> parameters;  ///< what else was decided

  /// Adds a parameter; for strategies.
  void set(std::string_view name, std::uint64_t value, std::string_view about = {}) {
    parameters.push_back({name, value, about});
  }

  /// The parameter of that name; throws std::out_of_range where the strategy has none.
  [[nodiscard]] std::uint64_t get(std::string_view name) const {
    for (const parameter& p : parameters) {
      if (p.name == name) return p.value;
    }
    throw std::out_of_range("plan: " + std::string(strategy) + " has no parameter " + std::string(name));
  }

  /// The step of that name; throws std::out_of_range where the strategy has none.
  [[nodiscard]] const step& at(std::string_view name) const {
    for (const step& s : steps) {
      if (s.name == name) return s;
    }
    throw std::out_of_range("plan: " + std::string(strategy) + " has no step " + std::string(name));
  }

  /// Whether there is a step of that name.
  [[nodiscard]] bool has(std::string_view name) const {
    for (const step& s : steps) {
      if (s.name == name) return true;
    }
    return false;
  }

  /// Counts an array of the workspace into temporary_bytes; for strategies.
  template <class T>
  void reserve(std::size_t count) {
    temporary_bytes += detail::workspace::footprint<T>(count);
  }
};

namespace detail {

/// What a step says behind its name.
inline std::string to_string(const step& s, bool on_gpu) {
  const std::string blocks = std::to_string(s.grid);
  const std::string bytes = std::to_string(s.shared);
  if (!on_gpu) return blocks + (s.grid == 1 ? " thread, " : " threads, ") + bytes + " bytes of buffers each";
  std::string text = "<<<" + blocks + ", " + std::to_string(s.block) + ", " + bytes + ">>>";
  if (s.cluster > 1) text += "  clusters of " + std::to_string(s.cluster) + " blocks";
  if (s.at_once) text += "  all blocks at once";
  return text;
}

}  // namespace detail

/// The plan as text, a line a fact, as `peneira explain` prints it.
inline std::string to_string(const plan& p) {
  std::size_t names = 17;
  std::size_t values = 0;
  for (const step& s : p.steps) names = std::max(names, s.name.size());
  for (const parameter& q : p.parameters) {
    names = std::max(names, q.name.size());
    values = std::max(values, std::to_string(q.value).size());
  }
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value, std::string_view about = {}) {
    text.append(name).append(names + 1 - name.size(), ' ').append(value);
    if (!about.empty()) text.append(values + 2 - value.size(), ' ').append(about);
    text.append("\n");
  };
  line("primitive", p.primitive);
  line("place", p.place);
  line("strategy", p.strategy);
  line("because", p.why);
  for (const parameter& q : p.parameters) line(q.name, std::to_string(q.value), q.about);
  for (const step& s : p.steps) line(s.name, detail::to_string(s, p.place == "gpu"));
  line("temporary bytes", std::to_string(p.temporary_bytes));
  return text;
}

}  // namespace peneira
