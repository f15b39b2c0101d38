// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Options that several subcommands have. Files that do the work include nothing of CLI11: its objects alone take
// seconds to compile wherever its header is.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/memory_limit.hpp"
#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/cli/types.hpp"

namespace peneira::tool {

/// The names of options that several commands have: ours, and those that GNU sort has for them.
inline const std::string output_names = "-o,--out,--output";
inline const std::string memory_names = "-S,--memory,--buffer-size";
inline const std::string folder_names = "-T,--temporary,--temporary-directory";
inline const std::string separator_names = "-t,--separator,--field-separator";

/// A description in lines that fit beside the names of options, in 120 columns.
inline std::string wrap_help(std::string_view text) {
  constexpr std::size_t most = 84;
  std::string wrapped;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column > 0 && column + 1 + end > most) {
      wrapped += '\n';
      column = 0;
    }
    if (column > 0) wrapped += ' ';
    column += end + (column > 0 ? 1 : 0);
    wrapped += text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrapped;
}

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

/// An option that takes a number from `least` on, which read(text) makes of its argument.
template <class Read>
CLI::Option* add_size_by(CLI::App& app, const std::string& name, std::uint64_t& to, const std::string& help,
                         std::uint64_t least, const Read& read) {
  const std::size_t first_word = name.find("--");
  const std::string told = name.substr(first_word, name.find(',', first_word) - first_word);
  return app
      .add_option_function<std::string>(
          name,
          [&to, told, least, read](const std::string& text) {
            try {
              to = read(text);
            } catch (const usage_error& e) {
              throw usage_error(told + ": " + e.what());
            }
            if (to < least) throw usage_error(fmt::format("{}: must be at least {}, but is {}", told, least, to));
          },
          help)
      ->type_name("SIZE");
}

/// An option that takes a size from `least` on.
inline CLI::Option* add_size(CLI::App& app, const std::string& name, std::uint64_t& to, const std::string& help,
                             std::uint64_t least = 0) {
  return add_size_by(app, name, to, help, least, [](const std::string& text) { return parse_size(text); });
}

/// An option that takes an amount of memory from `least` on: a size, or a part of the machine's, such as 50%.
inline CLI::Option* add_memory(CLI::App& app, const std::string& name, std::uint64_t& to, const std::string& help,
                               std::uint64_t least) {
  const auto read = [](const std::string& text) {
    return text.ends_with('%') ? parse_percent(text) : parse_size(text);
  };
  return add_size_by(app, name, to, help, least, read);
}

/// The flag that silences what is told beside the output.
inline CLI::Option* add_quiet(CLI::App& app, bool& to, const std::string& help = "No progress bar") {
  return app.add_flag("-q,--quiet", to, help);
}

/// The flag that asks where the time went.
inline CLI::Option* add_report(CLI::App& app, bool& to) {
  return app.add_flag("--report", to, "Tell on standard error where the time went: reading, copying, kernels, writing");
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
