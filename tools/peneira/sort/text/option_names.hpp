// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of `peneira sort` on text: what the command line is read by, and what help, man pages and completions
// tell.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/suggest.hpp"

namespace peneira::tool {

struct sort_option {
  enum class takes : std::uint8_t { nothing, maybe, argument };
  /// Options without a letter.
  enum code : char {
    batch_size = 1,
    check_word,
    compress_program,
    csv,
    debug,
    files0_from,
    header,
    help,
    parallel,
    place,
    random_source,
    sample,
    sort_word,
    threads,
    top,
    tsv,
    version
  };

  std::string_view name;
  takes what;
  char code;  ///< its letter, where it has one
  std::string_view argument;
  std::string_view text;  ///< what it does

  [[nodiscard]] bool has_letter() const { return code >= 'A'; }
};

namespace detail {

constexpr auto nothing = sort_option::takes::nothing;
constexpr auto argument = sort_option::takes::argument;

}  // namespace detail

/// GNU sort's; any beginning that belongs to one alone names it.
inline constexpr std::array<sort_option, 30> gnu_sort_options{{
    {"dictionary-order", detail::nothing, 'd', "", "Compare blanks, letters and digits only"},
    {"ignore-case", detail::nothing, 'f', "", "Lower case as upper case"},
    {"ignore-leading-blanks", detail::nothing, 'b', "", "Leave out leading blanks"},
    {"ignore-nonprinting", detail::nothing, 'i', "", "Compare printable characters only"},
    {"numeric-sort", detail::nothing, 'n', "", "Numbers: -1.5 < 0 < 10 (any length, exact)"},
    {"general-numeric-sort", detail::nothing, 'g', "", "Numbers with exponents, inf and nan"},
    {"human-numeric-sort", detail::nothing, 'h', "", "Sizes: 900K < 1M < 1G"},
    {"month-sort", detail::nothing, 'M', "", "Months: JAN < FEB"},
    {"version-sort", detail::nothing, 'V', "", "Versions: a-1.9 < a-1.10"},
    {"random-sort", detail::nothing, 'R', "", "In random order, equal keys side by side"},
    {"random-source", detail::argument, sort_option::random_source, "FILE", "Random bytes for -R and --sample"},
    {"sort", detail::argument, sort_option::sort_word, "WORD",
     "general-numeric, human-numeric, month, numeric, random or version"},
    {"key", detail::argument, 'k', "KEY",
     "F[.C][O][,F[.C][O]]: from field F, character C, with options O such as nr, to a field or character, or to the "
     "line's end; both count from 1. With --header also NAME or NAME:O, that field alone. Several: the first that "
     "differs decides"},
    {"field-separator", detail::argument, 't', "CHAR",
     "Fields end with it; \\t is a tab, \\0 NUL (default: fields begin with their blanks)"},
    {"stable", detail::nothing, 's', "", "Lines with equal keys keep their order (default: compared as a whole)"},
    {"unique", detail::nothing, 'u', "", "Only the first of lines with equal keys"},
    {"reverse", detail::nothing, 'r', "", "The other way round"},
    {"check", sort_option::takes::maybe, sort_option::check_word, "WORD",
     "Say whether the input is sorted, the first line that is not"},
    {"merge", detail::nothing, 'm', "", "Merge inputs that are sorted already, without keeping them in memory"},
    {"output", detail::argument, 'o', "FILE", "May be an input; it appears when all is written"},
    {"zero-terminated", detail::nothing, 'z', "", "Lines end with NUL, not with a newline"},
    {"files0-from", detail::argument, sort_option::files0_from, "FILE",
     "The inputs are the names in the file, each ended by NUL"},
    {"buffer-size", detail::argument, 'S', "SIZE", "Memory to use"},
    {"temporary-directory", detail::argument, 'T', "DIR", "For what exceeds the memory"},
    {"compress-program", detail::argument, sort_option::compress_program, "PROG",
     "Compresses temporary files, and with -d decompresses them: gzip, lz4, zstd"},
    {"batch-size", detail::argument, sort_option::batch_size, "N",
     "Merge at most N files at once (default: 128, or 16 that are compressed; fewer where memory or descriptors are "
     "few)"},
    {"parallel", detail::argument, sort_option::parallel, "N", "As --threads"},
    {"debug", detail::nothing, sort_option::debug, "", "Underline what is compared, and tell what may be a mistake"},
    {"version", detail::nothing, sort_option::version, "", "Print the version and exit"},
    {"help", detail::nothing, sort_option::help, "", "Print the help and exit"},
}};

/// Those that GNU sort does not have.
inline constexpr std::array<sort_option, 8> own_sort_options{{
    {"header", detail::nothing, sort_option::header, "",
     "The first line of each input is its header, alike in all: it stays first, and names fields"},
    {"csv", detail::nothing, sort_option::csv, "",
     "Fields may stand in quotes and hold separators, \"\" and newlines (RFC 4180); -t: comma"},
    {"tsv", detail::nothing, sort_option::tsv, "", "The same with -t '\\t'"},
    {"top", detail::argument, sort_option::top, "N", "Only the first N lines of the result, without sorting the rest"},
    {"sample", detail::argument, sort_option::sample, "N", "N lines of the input, drawn at random, sorted"},
    {"place", detail::argument, sort_option::place, "PLACE", "Where to sort: cpu, gpu or auto"},
    {"quiet", detail::nothing, 'q', "", "No progress bar, no notes"},
    {"threads", detail::argument, sort_option::threads, "N", "Threads to use"},
}};

/// What other commands call some of them.
inline constexpr std::array<sort_option, 3> common_option_names{{
    {"memory", detail::argument, 'S', "SIZE", "As --buffer-size"},
    {"separator", detail::argument, 't', "CHAR", "As --field-separator"},
    {"descending", detail::nothing, 'r', "", "As --reverse"},
}};

/// Other letters: -c and -C are --check, -y is Solaris' size of memory.
inline constexpr std::string_view sort_letters_with_argument = "koStTy";
inline constexpr std::string_view sort_letters_alone = "bcCdfghimMnqrRsuVz";

/// The one of some names that begins with `text`; throws where there is more than one and none is equal.
template <class Names, class Name>
const auto* find_name_by_beginning(const Names& all, std::string_view text, const Name& name_of,
                                   std::string_view what) {
  const typename Names::value_type* found = nullptr;
  std::string others;
  for (const auto& one : all) {
    if (!name_of(one).starts_with(text)) continue;
    if (name_of(one) == text) return &one;
    others += fmt::format(" {}", name_of(one));
    if (found == nullptr) found = &one;
  }
  if (found != nullptr && others.size() > name_of(*found).size() + 1) {
    throw usage_error(fmt::format("{} \"{}\" could be any of:{}", what, text, others));
  }
  return found;
}

inline const sort_option& find_sort_option(std::string_view name) {
  const auto name_of = [](const sort_option& o) { return o.name; };
  const sort_option* found = find_name_by_beginning(gnu_sort_options, name, name_of, "option --");
  if (found == nullptr) found = find_name_by_beginning(own_sort_options, name, name_of, "option --");
  if (found == nullptr) found = find_name_by_beginning(common_option_names, name, name_of, "option --");
  if (found != nullptr) return *found;
  std::vector<std::string> names;
  for (const sort_option& o : gnu_sort_options) names.push_back(fmt::format("--{}", o.name));
  for (const sort_option& o : own_sort_options) names.push_back(fmt::format("--{}", o.name));
  const std::string given = fmt::format("--{}", name);
  throw usage_error(fmt::format("unrecognized option {}{}", given, did_you_mean(given, names)));
}

}  // namespace peneira::tool
