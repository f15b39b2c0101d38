// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira group and peneira count: read a chunk; group its records (job.hpp); write all groups at the end.
#include <fmt/format.h>

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
void group_text(const group_options& given) {
  group_options o = given;
  if (o.inputs.empty()) o.inputs.emplace_back("-");
  const text_format format = format_of(o);
  const std::uint64_t memory = plan_group_memory(o.memory != 0 ? o.memory : half_of_memory());
  o.threads = threads_for_group(memory, o.team());
  if (!o.header) group_plan(o, format, {}, {});  // finds what is wrong before any input is read
  const std::uint64_t bytes = total_bytes(o.inputs).value_or(0);
  sink out(o.out, o.force);
  text_reader reader(o.inputs, format, o.header, limits_of_group(memory, o.team()), o.team());
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
