// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How a group reads: the fields, and what it may take.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <limits>

#include "tools/peneira/cli/memory_limit.hpp"
#include "tools/peneira/group/group.hpp"
#include "tools/peneira/text/reader.hpp"

namespace peneira::tool {

text_format format_of(const group_options& o) {
  if (o.blanks && (o.csv || o.tsv || !o.separator.empty())) {
    throw usage_error(fmt::format("{}: --whitespace excludes --separator, --csv and --tsv", o.command));
  }
  if (o.tsv && (o.csv || !o.separator.empty())) {
    throw usage_error(fmt::format("{}: --tsv excludes --separator and --csv", o.command));
  }
  text_format format;
  format.csv = o.csv || o.tsv;
  format.blanks = o.blanks;
  format.separator = o.csv ? ',' : '\t';
  if (!o.separator.empty()) format.separator = parse_separator(o.separator, o.csv);
  return format;
}

std::uint64_t plan_group_memory(std::uint64_t limit) {
#if defined(__GLIBC__)
  ::mallopt(M_ARENA_MAX, 1);  // what one thread frees another may use
  constexpr std::uint64_t much = std::uint64_t{1} << 28U;
  if (limit >= much) {
    // Freed memory is kept for the next chunk: to get it from the system again costs more than all else that is done
    // to it.
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
    return limit;
  }
#endif
  return keep_to(limit);
}

unsigned threads_for_group(std::uint64_t memory, unsigned team) {
  constexpr std::uint64_t least_per_thread = std::uint64_t{1} << 20U;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(memory / least_per_thread, 1, team));
}

text_limits limits_of_group(std::uint64_t memory, unsigned team) {
  const std::size_t chunk = std::clamp<std::size_t>(memory / 64, 1U << 15U, team * (std::size_t{8} << 20U));
  const std::size_t most_record = std::max<std::size_t>(memory / 4, 1U << 20U);
  return {chunk, most_record, "-S"};
}

}  // namespace peneira::tool
