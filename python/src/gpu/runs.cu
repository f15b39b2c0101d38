// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <peneira/unique.hpp>

#include "calls.hpp"

namespace peneira::python {
namespace {

template <class T>
void runs_with(const gpu& on, const runs_call& call) {
  run_lengths(on, items(static_cast<const T*>(call.items), call.size), items(static_cast<T*>(call.values), call.size),
              items(call.lengths, call.size), call.count);
}

}  // namespace

void run_lengths_of(const gpu& on, const runs_call& call) {
  switch (call.of) {
    case type::u32:
      return runs_with<std::uint32_t>(on, call);
    case type::u64:
      return runs_with<std::uint64_t>(on, call);
    case type::f32:
      return runs_with<float>(on, call);
    case type::f64:
      return runs_with<double>(on, call);
    default:
      refuse_code("run");
  }
}

}  // namespace peneira::python
