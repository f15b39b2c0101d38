// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira split of text: read a chunk, find its records and their keys, multisplit the records' descriptors by shard,
// gather each shard's bytes and append them to its file. Memory stays bounded whatever the input's size.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/split/text_splitter.hpp"

namespace peneira::tool {

void split_text(const split_options& given) {
  split_options o = given;
  if (o.inputs.empty()) o.inputs.emplace_back("-");
  const auto start = std::chrono::steady_clock::now();
  const shard_names names(o.out);
  take_key(o, names);
  const text_format format = format_of(o);
  split_key key(o.key, o.header);
  shard_request request = request_of(o, names.by_key());
  const std::optional<std::uint64_t> size = total_bytes(o.inputs);
  if (request.needs_sample() && !size) {
    throw usage_error(request.top != 0 ? "--top reads its input twice: name input files"
                                       : "--by range reads its input twice: name input files, or give --splitters");
  }
  const std::uint64_t bytes = size.value_or(0);
  shard_files files(names, request.shards, o.force);
  text_reader reader(o.inputs, format, o.header, limits_of(o), o.team());
  if (request.needs_sample()) {
    const std::uint64_t distance = sample_distance(request.shards, bytes);
    request.take_sample(sample_keys(reader, o, format, key, distance, 0, bytes));
  }
  shard_choice choice(request.by, request.shards, std::move(request.splitters), {o.lines, o.size});
  choice.keep_apart(request.top, request.hot);
  text_splitter splitter(format, key, choice, files, o.team());
  {
    progress bar("split", bytes, progress::unit::bytes, o.quiet);
    reader.for_each_chunk(
        bar, [&] { take_header(reader, format, key); },
        [&](std::string_view text, const std::vector<record>& records) { splitter.add(reader, text, records); });
  }
  files.commit();
  if (!o.quiet) {
    summarise_split(splitter.offsets(), "records", "shards", splitter.bytes(),
                    std::chrono::steady_clock::now() - start);
  }
}

}  // namespace peneira::tool
