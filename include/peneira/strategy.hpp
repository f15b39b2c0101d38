// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One list a primitive and place. The automatic choice, `--strategy NAME`, the benchmark, the tests and `peneira
// strategies` all go through it, so that adding a strategy is one file and one word.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "peneira/error.hpp"
#include "peneira/memory.hpp"
#include "peneira/place.hpp"
#include "peneira/plan.hpp"

namespace peneira {

/// The strategies of one primitive at one place. A strategy is a struct with
/// - `name` and `about`: what it is called, and one sentence on it; `former_name`, which callers may still use;
/// - `refuses(problem, machine)`: why it cannot take a problem; empty if it can. Correctness only, not taste;
/// - `parameters`: a struct of all that it decides, the steps too. `fields` lists what explain() shows of it, in its
///   order, as a tuple of field and members; `each_step(add)`, where it has one, calls add(step) for steps that are in
///   no such order;
/// - `decide(problem, machine)`: the parameters;
/// - `lay_out(memory, parameters)`: takes the temporary arrays from a workspace, or counts them with a workspace_size;
///   for strategies that have any;
/// - `run(...)`: does it, by the parameters.
template <class... Strategies>
struct strategy_list {
  /// Calls f(Strategy{}) for each, in order.
  template <class F>
  static void for_each(F&& f) {
    (f(Strategies{}), ...);
  }

  /// Calls f(Strategy{}) for the one of that name, or of that former name; throws std::invalid_argument where there is
  /// none.
  template <class F>
  static void with(std::string_view call, std::string_view name, F&& f) {
    const bool found = ((is_called<Strategies>(name) && (f(Strategies{}), true)) || ...);
    if (!found) {
      detail::reject(call, "strategy",
                     std::string(1, '"').append(name).append("\" is unknown here; there are: ") + names());
    }
  }

  /// The names, separated by commas.
  static std::string names() {
    std::string all;
    (all.append(all.empty() ? "" : ", ").append(Strategies::name), ...);
    return all;
  }

 private:
  template <class Strategy>
  static bool is_called(std::string_view name) {
    if constexpr (requires { Strategy::former_name; }) {
      if (name == Strategy::former_name) return true;
    }
    return name == Strategy::name;
  }
};

namespace detail {

template <class... Lists>
struct joined_lists;
template <class... A, class... B>
struct joined_lists<strategy_list<A...>, strategy_list<B...>> {
  using type = strategy_list<A..., B...>;
};

}  // namespace detail

/// The strategies of two lists, one list behind the other.
template <class First, class Second>
using joined = typename detail::joined_lists<First, Second>::type;

namespace detail {

/// A strategy of the CPU that takes every problem.
template <class Problem>
struct takes_all {
  static std::string refuses(const Problem& /*problem*/, const host& /*machine*/) { return {}; }
};

/// Why a device whose blocks have too little shared memory is refused; empty if they have enough.
inline std::string refuse_shared(std::size_t bytes, const device& machine, std::string_view what_for = {}) {
  if (bytes <= machine.shared_per_block) return {};
  return ("needs " + std::to_string(bytes) + " bytes of shared memory a block").append(what_for);
}

/// A name from a strategy list, and why it was chosen.
struct choice {
  std::string_view strategy;
  std::string_view why;
};

/// What the caller asked for, or else the automatic choice, which `choose` makes.
template <class Choose>
choice asked_or(std::string_view strategy, Choose&& choose) {
  return strategy.empty() ? choose() : choice{strategy, "the caller asked for it"};
}

/// Bytes of temporary memory that a strategy takes.
template <class Strategy>
std::size_t temporary_bytes(const typename Strategy::parameters& decided) {
  workspace_size size;
  if constexpr (requires { Strategy::lay_out(size, decided); }) Strategy::lay_out(size, decided);
  return size.used();
}

/// A call's temporary memory, as the arrays that its strategy lays out; given back when it goes out of scope.
template <class Strategy, class Arrays = decltype(Strategy::lay_out(std::declval<workspace&>(),
                                                                    std::declval<typename Strategy::parameters>()))>
struct temporary : private workspace, public Arrays {
  template <class Place>
  temporary(const Place& on, const typename Strategy::parameters& decided)
      : workspace(memory_of(on), temporary_bytes<Strategy>(decided), stream_of(on)),
        Arrays(Strategy::lay_out(static_cast<workspace&>(*this), decided)) {}
};

/// What a strategy would do.
template <class Strategy, class Problem, class Machine>
plan plan_of(const Problem& problem, const Machine& machine) {
  const typename Strategy::parameters decided = Strategy::decide(problem, machine);
  plan made;
  show(decided, made);
  made.temporary_bytes = temporary_bytes<Strategy>(decided);
  return made;
}

/// Calls use(Strategy{}) for the strategy of a list that was chosen; throws std::invalid_argument where it refuses.
template <class List, class Problem, class Machine, class Use>
void with_chosen(std::string_view primitive, const Problem& problem, const Machine& machine, const choice& chosen,
                 const Use& use) {
  List::with(primitive, chosen.strategy, [&](auto s) {
    const std::string refusal = s.refuses(problem, machine);
    if (!refusal.empty()) reject(primitive, "strategy", std::string(s.name) + " " + refusal);
    use(s);
  });
}

/// The plan of a problem by the strategy of a list that was chosen; throws std::invalid_argument where it refuses.
template <class List, class Problem, class Machine>
plan plan_by(std::string_view primitive, const Problem& problem, const Machine& machine, const choice& chosen) {
  plan made;
  with_chosen<List>(primitive, problem, machine, chosen, [&](auto s) {
    made = plan_of<decltype(s)>(problem, machine);
    made.primitive = primitive;
    made.place = std::is_same_v<Machine, host> ? "cpu" : "gpu";
    made.strategy = s.name;
    made.why = chosen.why;
  });
  return made;
}

/// Whether a place, or a planner for one, is the CPU.
template <class Place>
inline constexpr bool is_cpu = std::is_same_v<Place, cpu> || std::is_same_v<Place, planner<host>>;

}  // namespace detail

}  // namespace peneira
