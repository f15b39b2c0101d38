// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-mpi sort --type: each rank reads its part of the file, all sort, each writes its part of the output. Compiled
// for the widths of items: their order is made by the numbers that they are sorted as.
#include <vector>

#include "peneira/key_order.hpp"
#include "tools/peneira-mpi/job.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/types.hpp"
#include "tools/peneira/io/mapped_file.hpp"

namespace peneira::tool {
namespace {

using pn::detail::together;

template <class U>
void sort_as(job_ranks& on, const number_request& o, const job_options& how, const pn::detail::key_order<U>& by) {
  phase_times times({"read", "sort", "write"});
  std::vector<U> items;
  show_step(on, how, "read");
  together(on.between(), [&] {
    const input_file file(o.input);
    check_plain(file);
    if (file.size() % sizeof(U) != 0) fail_with_rest(file.path(), file.size(), sizeof(U), o.type + " items");
    const std::size_t n = file.size() / sizeof(U);
    const std::size_t begin = pn::detail::even_share(n, on.ranks(), on.rank());
    items.resize(pn::detail::even_share(n, on.ranks(), on.rank() + 1) - begin);
    read_at(file, reinterpret_cast<char*>(items.data()), items.size() * sizeof(U), begin * sizeof(U));
    if (!by.plain()) {
      for (U& one : items) one = by(one);
    }
  });
  rank_output out(on, o.out);
  times.end(0);
  show_step(on, how, "sort");
  pn::sort(on, items);
  times.end(1);
  show_step(on, how, "write");
  if (!by.plain()) {
    for (U& one : items) one = by.back(one);
  }
  out.write(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(U));
  out.commit();
  show_step(on, how, "");
  times.end(2);
  if (how.report) print_report(on, times, {items.size(), items.size(), on.sent_bytes()});
}

}  // namespace

void sort_numbers(job_ranks& on, const number_request& o, const job_options& how) {
  with_item_type(o.type, [&]<class T>(std::type_identity<T>) {
    sort_as<pn::detail::bits_of<T>>(on, o, how, pn::detail::order_of<T>(o.descending));
  });
}

}  // namespace peneira::tool
