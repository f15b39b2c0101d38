// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira-mpi/line_parts.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/io/compressed.hpp"
#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/sort/text/input.hpp"
#include "tools/peneira/text/csv.hpp"
#include "tools/peneira/text/formats.hpp"

namespace peneira::tool {
namespace {

using pn::detail::together;

/// The end of the record that the byte before `at` is in.
std::uint64_t next_border(const input_file& file, std::uint64_t first, std::uint64_t at, const record_ends& ends) {
  if (at <= first) return first;
  std::optional<csv_ends> csv;
  if (ends.csv) csv.emplace(*ends.csv);
  std::vector<char> buffer(std::size_t{1} << 18U);
  // Whether a newline is in a quoted field only what comes before it tells.
  for (std::uint64_t next = csv ? first : at - 1; next < file.size();) {
    const std::size_t some = std::min<std::uint64_t>(buffer.size(), file.size() - next);
    read_at(file, buffer.data(), some, next);
    const char* from = buffer.data();
    const char* const end = from + some;
    while (from != end) {
      const void* const found = csv ? csv->next(from, end) : std::memchr(from, ends.terminator, some);
      if (found == nullptr) break;
      from = static_cast<const char*>(found) + 1;
      const std::uint64_t border = next + static_cast<std::uint64_t>(from - buffer.data());
      if (border >= at) return border;
    }
    next += some;
  }
  return file.size();
}

}  // namespace

void check_texts(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    check_plain(path);
    const input_file file(path);
    std::string first(std::min(telling_bytes, file.size()), '\0');
    if (!first.empty()) read_at(file, first.data(), first.size(), 0);
    if (compression_of(first) == compression::none) continue;
    throw usage_error(fmt::format("{} is compressed: not over ranks so far; run peneira in one process", path));
  }
}

text_input open_text(const std::string& path, const text_format& format, bool has_header, std::string& header) {
  {
    const input_file file(path);
    std::string first(std::min<std::size_t>(16, file.size()), '\0');
    if (!first.empty()) read_at(file, first.data(), first.size(), 0);
    refuse_compressed(first, path);
    refuse_wide(first, path);
  }
  text_file file(path, std::nullopt);
  file.skip_mark();
  if (has_header) {
    header = file.take_first('\n', format.csv ? std::optional(csv_ends(format.separator)) : std::nullopt);
    if (!header.empty() && !header.ends_with('\n')) header += '\n';
  }
  return {path, file.position()};
}

std::vector<text_part> parts_of_rank(job_ranks& on, const std::vector<text_input>& inputs, const record_ends& ends) {
  std::vector<std::uint64_t> firsts{0};  // bytes of all inputs before each
  std::uint64_t border = 0;              // where this rank's part begins
  together(on.between(), [&] {
    for (const text_input& input : inputs) firsts.push_back(firsts.back() + input_file(input.path).size());
    border = pn::detail::even_share(firsts.back(), on.ranks(), on.rank());
    const auto in = std::upper_bound(firsts.begin(), firsts.end(), border) - firsts.begin() - 1;
    if (static_cast<std::size_t>(in) == inputs.size()) return;
    const input_file file(inputs[in].path);
    border = firsts[in] + (border == firsts[in] ? 0 : next_border(file, inputs[in].first, border - firsts[in], ends));
  });
  std::vector<std::uint64_t> borders = pn::detail::gather_values(on.between(), border);
  borders.push_back(firsts.back());
  std::vector<text_part> parts;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto clipped = [&](std::uint64_t at) { return std::clamp(at, firsts[i], firsts[i + 1]) - firsts[i]; };
    const std::uint64_t end = clipped(borders[on.rank() + 1]);
    parts.push_back({inputs[i].path, std::min(end, std::max(inputs[i].first, clipped(borders[on.rank()]))), end});
  }
  return parts;
}

std::uint64_t most_bytes(const std::vector<text_part>& parts) {
  std::uint64_t bytes = 0;
  for (const text_part& part : parts) bytes += part.end - part.begin + (part.begin < part.end ? 1 : 0);
  return bytes;
}

std::uint64_t read_parts(const std::vector<text_part>& parts, char terminator, char* to) {
  char* next = to;
  for (const text_part& part : parts) {
    if (part.begin == part.end) continue;
    read_at(input_file(part.path), next, part.end - part.begin, part.begin);
    next += part.end - part.begin;
    if (next[-1] != terminator) *next++ = terminator;
  }
  return static_cast<std::uint64_t>(next - to);
}

}  // namespace peneira::tool
