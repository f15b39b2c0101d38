// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The types of items that files hold, by name.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tools/peneira/cli/errors.hpp"

namespace peneira::tool {

#if defined(PENEIRA_ONE_TYPE)  // as the linter sees it
using item_types = std::tuple<std::uint8_t>;
#else
using item_types = std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t,
                              std::int32_t, std::int64_t, float, double>;
#endif

inline const std::vector<std::string> item_type_names{"u8",  "u16", "u32", "u64", "i8",
                                                      "i16", "i32", "i64", "f32", "f64"};

/// Calls f(std::type_identity<T>{}) for the type of that name.
template <class F>
void with_item_type(std::string_view name, F&& f) {
  std::size_t at = 0;
  const auto visit = [&](auto... types) { return ((item_type_names[at++] == name && (f(types), true)) || ...); };
  const bool found = [&]<class... T>(const std::tuple<T...>*) {
    return visit(std::type_identity<T>{}...);
  }(static_cast<const item_types*>(nullptr));
  if (!found) throw usage_error("invalid type \"" + std::string(name) + "\"");
}

}  // namespace peneira::tool
