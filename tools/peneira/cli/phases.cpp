// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/cli/phases.hpp"

#include <fmt/format.h>

#include <string_view>

#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/cli/tell.hpp"

namespace peneira::tool {
namespace {

void tell_line(std::string_view name, double seconds, double whole, const std::string& rest) {
  tell("{:<17}{:9.3f} s{:6.1f}%{}\n", name, seconds, 100 * seconds / whole, rest);
}

}  // namespace

void phase_times::tell_report() const {
  constexpr std::array<std::string_view, phases> names{"starting the GPU", "reading",   "copying",
                                                       "kernels",          "computing", "writing"};
  const double whole = std::chrono::duration<double>(clock::now() - start_).count();
  tell("ran on {}\n", where_);
  double told = 0;
  for (std::size_t p = 0; p < phases; ++p) {
    const double seconds = static_cast<double>(entries_[p].nanoseconds) * 1e-9 / team_;
    const auto bytes = static_cast<double>(entries_[p].bytes);
    if (seconds <= 0) continue;
    told += seconds;
    const std::string rate =
        bytes == 0 ? "" : fmt::format("  {}, {}/s", print_bytes(bytes), print_bytes(bytes / seconds));
    tell_line(names[p], seconds, whole, rate);
  }
  tell_line("all else", whole > told ? whole - told : 0, whole, "");
  tell_line("in all", whole, whole, "");
}

}  // namespace peneira::tool
