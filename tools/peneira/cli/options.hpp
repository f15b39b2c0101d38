// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Options that several subcommands have. Files that do the work include nothing of CLI11: its objects alone take
// seconds to compile wherever its header is.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/cli/types.hpp"

namespace peneira::tool {

/// An option that takes any whole number of 64 bits; CLI11 would take others, too, and make such of them.
inline CLI::Option* add_whole(CLI::App& app, const std::string& name, std::uint64_t& to, const std::string& help) {
  const auto check = [](const std::string& text) -> std::string {
    std::uint64_t ignored = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, ignored);
    if (read.ec == std::errc() && read.ptr == end) return {};
    return fmt::format("\"{}\" is not a whole number from 0 to 2^64 - 1", text);
  };
  return app.add_option(name, to, help)->check(CLI::Validator(check, "", "whole"))->capture_default_str();
}

/// An option that takes a size from `least` on.
inline CLI::Option* add_size(CLI::App& app, const std::string& name, std::uint64_t& to, const std::string& help,
                             std::uint64_t least = 0) {
  return app
      .add_option_function<std::string>(
          name,
          [&to, name, least](const std::string& text) {
            try {
              to = parse_size(text);
            } catch (const usage_error& e) {
              throw usage_error(name + ": " + e.what());
            }
            if (to < least) throw usage_error(fmt::format("{}: must be at least {}, but is {}", name, least, to));
          },
          help)
      ->type_name("SIZE");
}

/// An option that takes a number of threads.
inline CLI::Option* add_threads(CLI::App& app, unsigned& to) {
  constexpr unsigned most = 4096;
  return app.add_option("--threads", to, "Threads to use (default: all cores)")->check(CLI::Range(1U, most));
}

/// An option that takes the name of a type of items.
inline CLI::Option* add_item_type(CLI::App& app, std::string& to, const std::string& help) {
  return app.add_option("--type", to, help)->check(CLI::IsMember(item_type_names));
}

}  // namespace peneira::tool
