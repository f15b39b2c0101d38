// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a call would do, here or on a GPU that is merely described: sizes, no data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <peneira/place.hpp>
#include <peneira/plan.hpp>
#include <string_view>
#include <variant>

namespace peneira::python {

/// Sizes of a call; each looks at those that concern it. Segments, values and results of none are 0.
struct sizes {
  std::size_t items;
  unsigned item_bytes;
  unsigned value_bytes;
  unsigned result_bytes;
  std::uint32_t bins;
  std::size_t segments;
  std::size_t k;
};

/// The plan of the call of that name.
plan plan_of(std::string_view call, const sizes& of, const std::variant<host, device>& machine);

}  // namespace peneira::python
