// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a call will do, as explain() shows it. A strategy first decides, a pure function of the problem and the machine,
// and then runs by what it decided: the numbers that explain() shows are the numbers that the call uses.
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

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

/// What the strategy decided on, with its name.
struct parameter {
  std::string_view name;    ///< such as "tile"
  std::uint64_t value = 0;  ///< what was decided
  std::string_view about;   ///< what it means, in a few words
  std::string_view word;    ///< the value's name, where it has one
};

/// Strategy, steps, temporary bytes: all that a call will do. explain() makes it for you.
struct plan {
  std::string_view primitive;         ///< the call's name
  std::string_view place;             ///< "cpu" or "gpu"
  std::string_view strategy;          ///< its name, as in `peneira strategies`
  std::string_view why;               ///< one sentence: why this strategy was chosen
  std::size_t temporary_bytes = 0;    ///< what the call will take from its memory
  std::vector<step> steps;            ///< in their order
  std::vector<parameter> parameters;  ///< what else was decided

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
};

namespace detail {

/// A member of a strategy's parameters, as explain() shows it: a number, a bool, or an enum that has a name_of().
template <class Parameters, class T>
struct field {
  using pointer = T Parameters::*;

  pointer member;
  std::string_view name;
  std::string_view about;
};
template <class Parameters, class T>
field(T Parameters::*, std::string_view, std::string_view) -> field<Parameters, T>;

/// Members that say themselves what they are: steps, and the parameters of another strategy.
template <class... Pointers>
struct members {
  std::tuple<Pointers...> pointers;

  explicit constexpr members(Pointers... of) : pointers(of...) {}
};

template <class Parameters>
void show(const Parameters& of, plan& to);

/// Shows a number, a bool or an enum under a name; a step, or parameters, by themselves; of an optional, or of several
/// in a vector, what there is. A step without a name was not decided on.
template <class Value>
void show_value(const Value& value, std::string_view name, std::string_view about, plan& to) {
  if constexpr (std::is_same_v<Value, step>) {
    if (!value.name.empty()) to.steps.push_back(value);
  } else if constexpr (requires { Value::fields; }) {
    show(value, to);
  } else if constexpr (requires { value.has_value(); }) {
    if (value.has_value()) show_value(*value, name, about, to);
  } else if constexpr (requires { value.begin(); }) {
    for (const auto& one : value) show_value(one, name, about, to);
  } else if constexpr (std::is_enum_v<Value>) {
    to.parameters.push_back({name, static_cast<std::uint64_t>(value), about, name_of(value)});
  } else if constexpr (std::is_same_v<Value, bool>) {
    to.parameters.push_back({name, value ? 1U : 0U, about, value ? "yes" : "no"});
  } else {
    to.parameters.push_back({name, static_cast<std::uint64_t>(value), about, {}});
  }
}
template <class Parameters, class T>
void show_listed(const Parameters& of, const field<Parameters, T>& one, plan& to) {
  show_value(of.*one.member, one.name, one.about, to);
}
template <class Parameters, class... Pointers>
void show_listed(const Parameters& of, const members<Pointers...>& some, plan& to) {
  std::apply([&](auto... pointer) { (show_value(of.*pointer, {}, {}, to), ...); }, some.pointers);
}

/// Adds the parameters of a strategy to a plan: what their fields list, and the steps of each_step where there is one.
template <class Parameters>
void show(const Parameters& of, plan& to) {
  std::apply([&](const auto&... listed) { (show_listed(of, listed, to), ...); }, Parameters::fields);
  const auto add = [&](const step& s) { to.steps.push_back(s); };
  if constexpr (requires { of.each_step(add); }) of.each_step(add);
}

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
  const auto text_of = [](const parameter& q) {
    return q.word.empty() ? std::to_string(q.value) : std::string(q.word);
  };
  for (const parameter& q : p.parameters) {
    names = std::max(names, q.name.size());
    values = std::max(values, text_of(q).size());
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
  for (const parameter& q : p.parameters) line(q.name, text_of(q), q.about);
  for (const step& s : p.steps) line(s.name, detail::to_string(s, p.place == "gpu"));
  line("temporary bytes", std::to_string(p.temporary_bytes));
  return text;
}

}  // namespace peneira
