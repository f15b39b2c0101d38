// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What is told on standard error. Nobody may be there to read it, which fails nothing: fmt::print would throw.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace peneira::tool {

template <class... Arguments>
void tell(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  const std::string all = fmt::format(text, std::forward<Arguments>(arguments)...);  // may hold NUL
  static_cast<void>(std::fwrite(all.data(), 1, all.size(), stderr));
}

}  // namespace peneira::tool
