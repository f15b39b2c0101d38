// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <peneira/unique.hpp>

#include "groups.hpp"

namespace peneira::python {
namespace {

template <class T>
std::size_t run_lengths_with(const runs_call& call) {
  const auto in = items(static_cast<const T*>(call.items), call.size);
  const auto values = items(static_cast<T*>(call.values), call.size);
  return run_lengths(cpu{.threads = call.threads}, in, values, items(call.lengths, call.size));
}

}  // namespace

std::size_t run_lengths_of(const runs_call& call) {
  switch (call.of) {
    case type::u32:
      return run_lengths_with<std::uint32_t>(call);
    case type::u64:
      return run_lengths_with<std::uint64_t>(call);
    case type::f32:
      return run_lengths_with<float>(call);
    case type::f64:
      return run_lengths_with<double>(call);
    default:
      refuse_code("number");
  }
}

}  // namespace peneira::python
