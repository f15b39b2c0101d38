// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One file: sort it, check it, or both.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "tools/peneira/mapped_file.hpp"
#include "tools/peneira/sizes.hpp"
#include "tools/peneira/sort_binary.hpp"
#include "tools/peneira/sort_binary_check.hpp"
#include "tools/peneira/sort_binary_files.hpp"
#include "tools/peneira/tell.hpp"

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
    throw std::runtime_error(fmt::format("{} is not sorted: item {} must come before item {}, counted from 0",
                                         input.name(), found.disorder, found.disorder - 1));
  }
}

/// Throws unless the output is the input, sorted.
template <class Kind>
void check_output_order(const sort_request& o, const Kind& kind, const item_source& output, std::uint64_t checksum) {
  const order_report found = check_order(kind, output, o.team(), o.quiet);
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error(fmt::format("the output was read again and thrown away: {}", why));
  };
  if (found.disorder != order_report::none) refuse(fmt::format("item {} is out of order", found.disorder));
  if (found.checksum != checksum) {
    refuse(fmt::format("its checksum is {:016x}, that of {} is {:016x}", found.checksum, o.input, checksum));
  }
  if (!o.quiet) tell("checked: sorted, checksum {:016x}\n", checksum);
}

/// Does what was asked with a file of items of a kind, by a way to sort them.
template <class Sort, class Kind>
void run_sort(const sort_request& o, const Kind& kind) {
  const auto start = std::chrono::steady_clock::now();
  const input_file file(o.input);
  if (!file.is_regular()) {
    throw std::runtime_error(fmt::format("cannot sort {}: it is not a plain file", file.path()));
  }
  if (file.bytes() % kind.bytes() != 0) {
    throw std::runtime_error(
        fmt::format("{} holds {} bytes, which is no whole number of {}: {} left over", file.path(), file.bytes(),
                    o.type.empty() ? fmt::format("records of {} bytes", kind.bytes()) : o.type + " items",
                    file.bytes() % kind.bytes()));
  }
  const item_source input(file.fd(), file.path(), {{0, file.bytes()}});
  if (o.check && o.out.empty()) return check_file(o, kind, input);

  item_output out(o.out.empty() ? "-" : o.out);
  if (o.check && !out.is_regular()) throw usage_error("--check: the output cannot be read again; name a file with -o");
  unsigned levels = 0;
  {
    Sort sort(kind, o, out, input.bytes());
    sort.run(input);
    levels = sort.levels();
    if (o.check) check_output_order(o, kind, out.written(), sort.checksum());
  }
  out.commit();
  if (o.quiet) return;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::uint64_t items = input.bytes() / kind.bytes();
  const auto bytes = static_cast<double>(input.bytes());
  tell("{} items, {}, sorted {} in {:.3f} s: {} items/s, {}/s\n", items, print_bytes(bytes),
       levels == 0 ? "in memory" : "with temporary files", seconds, print_count(static_cast<double>(items) / seconds),
       print_bytes(bytes / seconds));
}

}  // namespace peneira::tool
