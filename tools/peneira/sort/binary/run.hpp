// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One file: sort it, check it, or both.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/phases.hpp"
#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/io/temporary_file.hpp"
#include "tools/peneira/sort/binary/check.hpp"
#include "tools/peneira/sort/binary/files.hpp"
#include "tools/peneira/sort/binary/sort.hpp"

namespace peneira::tool {

/// --check alone.
template <class Kind>
void check_file(const sort_request& o, const Kind& kind, const item_source& input) {
  const order_report found = check_order(kind, input, o.team(), o.quiet);
  if (!o.quiet) {
    write_stdout(fmt::format("{}: {} items, {} bytes, checksum {:016x}, {}\n", input.name(),
                             input.bytes() / kind.bytes(), input.bytes(), found.checksum,
                             found.disorder == order_report::none ? "sorted" : "not sorted"));
  }
  if (found.disorder != order_report::none) {
    throw not_sorted(fmt::format("{} is not sorted: item {} must come before item {}, counted from 0", input.name(),
                                 found.disorder, found.disorder - 1));
  }
}

/// Throws unless the output is the input, sorted.
template <class Kind>
void check_output_order(const sort_request& o, const Kind& kind, const item_source& output, std::uint64_t checksum) {
  const order_report found = check_order(kind, output, o.team(), o.quiet);
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error(fmt::format("the output failed its check and was discarded: {}", why));
  };
  if (found.disorder != order_report::none) refuse(fmt::format("item {} is out of order", found.disorder));
  if (found.checksum != checksum) {
    refuse(fmt::format("its checksum is {:016x}, that of {} is {:016x}", found.checksum, o.input, checksum));
  }
  if (!o.quiet) tell("checked: sorted, checksum {:016x}\n", checksum);
}

/// What an input holds from where it stands. What has no size, such as a pipe, is copied to a temporary file first.
inline item_source open_items(input_file& file, const std::string& folder, std::optional<temporary_file>& copy) {
  if (file.size() != 0) {
    const std::uint64_t first = std::min(file.position(), file.size());
    file.skip_to_end();
    return {file.fd(), file.path(), {{first, file.size() - first}}};
  }
  copy.emplace(folder);
  std::vector<char> buffer(std::size_t{1} << 18U);
  std::uint64_t bytes = 0;
  for (std::size_t got = 1; got != 0; bytes += got) {
    got = file.read(buffer.data(), buffer.size());
    copy->write(buffer.data(), got);
  }
  return {copy->fd(), file.path(), {{0, bytes}}};
}

/// What is known of a sort when it is done.
struct sort_outcome {
  unsigned levels = 0;  ///< of temporary files
  std::uint64_t checksum = 0;
};

/// Sorts an input by one of the ways to do so.
template <class Sort, class Kind>
sort_outcome sort_by(const sort_request& o, const Kind& kind, item_output& out, const item_source& input,
                     phase_times& times) {
  Sort sort(kind, o, out, input.bytes(), times);
  sort.run(input);
  return {sort.levels(), sort.checksum()};
}

inline void tell_sort(std::uint64_t items, std::uint64_t bytes, unsigned levels, double seconds) {
  const auto all = static_cast<double>(bytes);
  tell("{} items, {}, sorted {} in {:.3f} s: {} items/s, {}/s\n", items, print_bytes(all),
       levels == 0 ? "in memory" : "with temporary files", seconds, print_count(static_cast<double>(items) / seconds),
       print_bytes(all / seconds));
}

/// Does what was asked with a file of items of a kind; sort(out, input, times) sorts it.
template <class Kind, class Sort>
void run_sort(const sort_request& o, const Kind& kind, const Sort& sort) {
  const auto start = std::chrono::steady_clock::now();
  phase_times times(o.team());
  const std::string folder = o.folder.empty() ? temporary_folder() : o.folder;
  input_file file(o.input);
  std::optional<temporary_file> copy;
  const item_source input = open_items(file, folder, copy);
  if (input.bytes() % kind.bytes() != 0) {
    fail_with_rest(input.name(), input.bytes(), kind.bytes(),
                   o.type.empty() ? fmt::format("records of {} bytes", kind.bytes()) : o.type + " items");
  }
  if (o.check && o.out.empty()) return check_file(o, kind, input);

  item_output out(o.out.empty() ? "-" : o.out, folder, times);
  if (o.check && !out.is_regular()) throw usage_error("--check: the output cannot be read back; use -o with a file");
  const sort_outcome done = sort(out, input, times);  // its memory is free before the output is read again
  if (o.check) check_output_order(o, kind, out.written(), done.checksum);
  out.commit();
  if (!o.quiet) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    tell_sort(input.bytes() / kind.bytes(), input.bytes(), done.levels, seconds);
  }
  if (o.report) times.tell_report();
}

}  // namespace peneira::tool
