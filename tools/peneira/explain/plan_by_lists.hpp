// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How the options of peneira explain become a problem and its plan, for all calls.
#pragma once

#include <string>
#include <string_view>

#include "peneira/call.hpp"
#include "peneira/host.hpp"
#include "peneira/segments.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/types.hpp"
#include "tools/peneira/explain/explain.hpp"

namespace peneira::tool {

/// Bytes of an item of a type that an option names.
inline std::size_t bytes_of(const std::string& type) {
  std::size_t bytes = 1;  // of one type or the other
  with_item_type(type, [&]<class T>(std::type_identity<T>) { bytes = sizeof(T); });
  return bytes;
}

/// The plan of a problem by a list of strategies on a machine; `choose` is the automatic choice.
template <class List, class Machine, class Problem, class Choose>
plan plan_by_list(std::string_view primitive, const explain_options& o, const Machine& machine, const Problem& problem,
                  const Choose& choose) {
  return pn::detail::plan_by<List>(primitive, problem, machine,
                                   pn::detail::asked_or(o.strategy, [&] { return choose(problem, machine); }));
}

/// The same on the host.
template <class Cpu, class Problem, class Choose>
plan plan_here(std::string_view primitive, const explain_options& o, const Problem& problem, const Choose& choose) {
  return plan_by_list<Cpu>(primitive, o, host::here().with_threads(o.threads), problem, choose);
}

/// The plan of a problem by the CPU's list or the GPU's.
template <class Cpu, class Gpu, class Problem, class Choose>
plan plan_by_lists(std::string_view primitive, const explain_options& o, const Problem& problem, const Choose& choose) {
  if (o.place == "gpu") return plan_by_list<Gpu>(primitive, o, o.gpu_like, problem, choose);
  return plan_here<Cpu>(primitive, o, problem, choose);
}

inline order order_of(const std::string& word) {
  return word == "any" ? order::any : order::stable;
}

/// The segments of so many items. Either their number or their size must be given.
inline std::size_t count_segments(const segments_explained& of, std::size_t items) {
  if ((of.segments == 0) == (of.every == 0))
    throw usage_error("either --segments or --every is required, and not both");
  return of.every != 0 ? pn::detail::even_segments{of.every, items}.count() : of.segments;
}
inline std::size_t offset_bytes(const segments_explained& of) {
  return of.every != 0 ? 0 : of.offset_bits / 8;
}

}  // namespace peneira::tool
