// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira group and peneira count: read a chunk; group its records (job.hpp); write all groups at the end.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "tools/peneira/cli/memory_limit.hpp"
#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/group/group.hpp"
#include "tools/peneira/group/job.hpp"
#include "tools/peneira/io/sink.hpp"
#include "tools/peneira/text/reader.hpp"

namespace peneira::tool {
namespace {

text_format make_format(const group_options& o) {
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

/// What of a limit is for arrays.
std::uint64_t plan_memory(std::uint64_t limit) {
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

}  // namespace

void group_text(const group_options& given) {
  group_options o = given;
  if (o.inputs.empty()) o.inputs.emplace_back("-");
  const text_format format = make_format(o);
  const std::uint64_t memory = plan_memory(o.memory != 0 ? o.memory : half_of_memory());
  constexpr std::uint64_t least_per_thread = std::uint64_t{1} << 20U;
  o.threads = static_cast<unsigned>(std::clamp<std::uint64_t>(memory / least_per_thread, 1, o.team()));
  if (!o.header) group_plan(o, format, {}, {});  // finds what is wrong before any input is read
  const std::uint64_t bytes = total_bytes(o.inputs).value_or(0);
  sink out(o.out, o.force);
  const std::size_t chunk = std::clamp<std::size_t>(memory / 64, 1U << 15U, o.team() * (std::size_t{8} << 20U));
  const std::size_t most_record = std::max<std::size_t>(memory / 4, 1U << 20U);
  text_reader reader(o.inputs, format, o.header, {chunk, most_record, "-S"}, o.team());
  std::optional<group_job> job;
  {
    progress bar(o.command, bytes, progress::unit::bytes, o.quiet);
    const auto begin = [&] {
      if (job) job->take_header(reader);
    };
    const auto take = [&](std::string_view text, const std::vector<record>& records) {
      if (!job) job.emplace(o, format, group_plan(o, format, reader.header(), reader.path()), memory);
      job->add(reader, text, records);
    };
    reader.for_each_chunk(bar, begin, take);
  }
  if (job) job->write(out);
  out.commit();
  if (job) job->report_forgiven();
}

}  // namespace peneira::tool
