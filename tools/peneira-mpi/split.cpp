// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-mpi split --type: each rank reads its part of the file, all split, each writes its part of the output.
// Compiled for the widths of items, as that of one process is.
#include <chrono>
#include <optional>
#include <vector>

#include "tools/peneira-mpi/job.hpp"
#include "tools/peneira/cli/types.hpp"
#include "tools/peneira/cli/watched_split.hpp"
#include "tools/peneira/split/request.hpp"

namespace peneira::tool {
namespace {

using pn::detail::together;

/// The extremes of the keys of all ranks.
template <class T>
extremes<T> find_extremes_of_all(job_ranks& on, const split_options& o, const std::vector<T>& keys) {
  extremes<T> mine;
  together(on.between(), [&] { mine = find_extremes(o, keys.data(), keys.size()); });
  extremes<T> all;
  for (const extremes<T>& one : pn::detail::gather_values(on.between(), mine)) all.see(one);
  return all;
}

/// A rank's items as words of their width, and its part of the output.
template <class U>
struct rank_split {
  view<const U, const no_value> in;
  view<U> out;
  std::vector<std::uint64_t>& offsets;
};

/// multisplit of words, once for each width.
template <class U>
void split_words_of_ranks(job_ranks& on, const split_options& o, const rank_split<U>& call, const watched_bins<U>& by,
                          const seen_bytes& seen) {
  const watcher watching("split", call.in.size * sizeof(U), 4, o.quiet, seen);  // counted and moved, here and there
  const auto split = [&](view<const U, const no_value> from, view<U> to, std::vector<std::uint64_t>& offsets) {
    split_by<U>(on.here(), items(from.keys, from.size), to, by, offsets, o.strategy);
  };
  pn::detail::multisplit_over_ranks<pn::detail::mpi_transport, U, pn::no_value>(
      on.between(), on.between(), on.here(), call.in, call.out, by.bins(),
      pn::items(call.offsets.data(), call.offsets.size()), pn::order::stable, split);
}

/// This rank's part of the items.
template <class T>
std::vector<T> read_items(const job_ranks& on, const split_options& o) {
  if (o.inputs.size() != 1) throw usage_error("split: binary items need exactly one input");
  if (same_file(o.out, o.offsets)) throw usage_error("split: --out and --offsets name the same file");
  if (o.place == "gpu") throw usage_error("--place gpu: not over ranks so far; run peneira in one process");
  check_plain(o.inputs.front());
  const input_file file(o.inputs.front());
  if (file.size() % sizeof(T) != 0) fail_with_rest(file.path(), file.size(), sizeof(T), o.type + " items");
  const std::size_t n = file.size() / sizeof(T);
  const std::size_t begin = pn::detail::even_share(n, on.ranks(), on.rank());
  std::vector<T> items(pn::detail::even_share(n, on.ranks(), on.rank() + 1) - begin);
  read_at(file, reinterpret_cast<char*>(items.data()), items.size() * sizeof(T), begin * sizeof(T));
  return items;
}

template <class T>
void split_as(job_ranks& on, const split_options& o, const job_options& how) {
  using word = pn::detail::bits_of<T>;
  phase_times times({"read", "split", "write"});
  std::vector<T> items;
  std::vector<T> split;
  std::optional<output_file> table;
  show_step(on, how, "read");
  together(on.between(), [&] {
    items = read_items<T>(on, o);
    split.resize(items.size());
  });
  const auto start = std::chrono::steady_clock::now();
  const bin_request<T> by = make_request<T>(o, [&] { return find_extremes_of_all(on, o, items); });
  rank_output out(on, o.out, {.replaces = o.force});
  std::vector<std::uint64_t> offsets;
  together(on.between(), [&] {
    if (on.rank() == 0 && !o.offsets.empty()) table.emplace(o.offsets, o.force);
    offsets.resize(std::size_t{by.bins} + 1);
  });
  times.end(0);
  show_step(on, how, "split");
  const view<const word, const no_value> in{reinterpret_cast<const word*>(items.data()), nullptr, items.size()};
  const view<word> to{reinterpret_cast<word*>(split.data()), nullptr, split.size()};
  with_bins(by, [&](auto keys, const auto& f) {
    seen_bytes seen;
    split_words_of_ranks<word>(on, o, {in, to, offsets}, watched_bins<word>(keys, f, seen), seen);
  });
  times.end(1);
  show_step(on, how, "write");
  out.write(reinterpret_cast<const char*>(split.data()), split.size() * sizeof(T));
  together(on.between(), [&] {
    if (!table) return;
    table->write(offsets.data(), offsets.size() * sizeof(std::uint64_t));
    table->commit();
  });
  out.commit();
  show_step(on, how, "");
  times.end(2);
  if (on.rank() == 0 && !o.quiet) {
    summarise_split(offsets, "items", "bins", offsets.back() * sizeof(T), std::chrono::steady_clock::now() - start);
  }
  if (how.report) print_report(on, times, {items.size(), items.size(), on.sent_bytes()});
}

}  // namespace

void split_binary(const split_options& o) {
  asked_for() = [o](job_options how) {
    split_options mine = o;
    mine.threads = threads_of(o.threads);
    job_ranks on{MPI_COMM_WORLD, cpu{.threads = mine.threads}};
    how.quiet = how.quiet || o.quiet;
    mine.quiet = o.quiet || on.rank() != 0;
    with_item_type(o.type, [&]<class T>(std::type_identity<T>) { split_as<T>(on, mine, how); });
  };
}

}  // namespace peneira::tool
