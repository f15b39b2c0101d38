// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-mpi reduce: each rank reduces the segments that begin in its part of the file, and no item travels. Where
// the answer cannot depend on how items are grouped, a segment is cut where a part ends, and the parts of it meet at
// the rank in which it begins; floats are grouped as by one process, so their segments belong to one rank each.
#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "peneira/segmented_reduce/strategies.hpp"
#include "tools/peneira-mpi/job.hpp"
#include "tools/peneira/cli/types.hpp"
#include "tools/peneira/io/output_file.hpp"
#include "tools/peneira/reduce/segment_results.hpp"

namespace peneira::tool {
namespace {

using pn::detail::together;

/// The segments of a rank, and where its part of the file ends.
class rank_part {
 public:
  rank_part(const job_ranks& on, const segment_table& table, bool may_cut) : table_(table) {
    begin_ = border(on, on.rank(), may_cut);
    end_ = border(on, on.rank() + 1, may_cut);
    first_ = segment_from(begin_);
    last_ = on.rank() + 1 == on.ranks() ? table.count() : segment_from(end_);
    // What it has of a segment of a rank before it comes first.
    if (carries()) offsets_.push_back(begin_);
    for (std::size_t s = first_; s < last_; ++s) offsets_.push_back(table.offsets[s]);
    offsets_.push_back(last_ == first_ && !carries() ? begin_ : std::min(end_, table.offsets[last_]));
  }

  /// Whether it has items of a segment that begins before it.
  [[nodiscard]] bool carries() const { return begin_ < end_ && first_ != 0 && table_.offsets[first_] > begin_; }
  [[nodiscard]] std::size_t first() const { return first_; }
  [[nodiscard]] std::size_t count() const { return last_ - first_; }
  /// Whether its last segment goes on behind it.
  [[nodiscard]] bool is_cut() const { return count() != 0 && table_.offsets[last_] > end_; }
  [[nodiscard]] std::uint64_t items() const { return end_ - begin_; }
  [[nodiscard]] const std::vector<std::uint64_t>& offsets() const { return offsets_; }

 private:
  [[nodiscard]] std::size_t segment_from(std::uint64_t at) const {
    const auto begin = table_.offsets.begin();
    return static_cast<std::size_t>(std::lower_bound(begin, begin + static_cast<std::ptrdiff_t>(table_.count()), at) -
                                    begin);
  }
  [[nodiscard]] std::uint64_t border(const job_ranks& on, unsigned rank, bool may_cut) const {
    const std::uint64_t begin = table_.offsets.front();
    const std::uint64_t at = begin + pn::detail::even_share(table_.offsets.back() - begin, on.ranks(), rank);
    return may_cut ? at : *std::lower_bound(table_.offsets.begin(), table_.offsets.end(), at);
  }

  const segment_table& table_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::size_t first_ = 0;  ///< segment
  std::size_t last_ = 0;
  std::vector<std::uint64_t> offsets_;
};

/// A rank's part of a segment that begins before its own.
template <class Result>
struct carried_result {
  std::uint64_t there = 0;
  std::uint64_t segment = 0;
  Result value{};
};

/// The reductions of a rank's segments.
template <class T>
class rank_folds {
 public:
  rank_folds(job_ranks& on, const rank_part& part, const file_folds<T>& folds) : on_(on), part_(part), folds_(folds) {}

  [[nodiscard]] auto sums() const {
    return meet([&] { return folds_.sums(); }, plus{});
  }
  [[nodiscard]] auto products() const {
    return meet([&] { return folds_.products(); }, multiplies{});
  }
  [[nodiscard]] std::vector<T> extremes(bool greatest) const {
    return meet([&] { return folds_.extremes(greatest); },
                [=](T a, T b) { return greatest ? max{}(a, b) : min{}(a, b); });
  }
  [[nodiscard]] std::vector<std::uint64_t> positions(bool greatest) const {
    const T* const items = folds_.row.data;
    return meet([&] { return folds_.positions(greatest); },
                [=](std::uint64_t a, std::uint64_t b) { return is_better(items[b], items[a], greatest) ? b : a; });
  }
  [[nodiscard]] auto bits(bit_operator by) const {
    return meet(
        [&] { return folds_.bits(by); },
        [=](auto a, auto b) {
          return static_cast<decltype(a)>(by == bit_operator::all ? a & b : by == bit_operator::any ? a | b : a ^ b);
        });
  }

 private:
  /// What a fold makes of this rank's segments, with what other ranks have of the last.
  template <class Fold, class Combine>
  [[nodiscard]] auto meet(const Fold& fold, const Combine& combine) const {
    decltype(fold()) results;
    using result = typename decltype(results)::value_type;
    together(on_.between(), [&] { results = fold(); });
    carried_result<result> mine;
    if (part_.carries()) {
      mine = {1, part_.first() - 1, results.front()};
      results.erase(results.begin());
    }
    results.resize(part_.count());
    const std::vector<carried_result<result>> all = pn::detail::gather_values(on_.between(), mine);
    if (!part_.is_cut()) return results;
    const std::uint64_t cut = part_.first() + part_.count() - 1;
    for (std::size_t r = on_.rank() + 1; r < all.size(); ++r) {
      if (all[r].there == 0 || all[r].segment != cut) continue;
      results.back() = static_cast<result>(combine(results.back(), all[r].value));
    }
    return results;
  }

  job_ranks& on_;
  const rank_part& part_;
  const file_folds<T>& folds_;
};

/// Text in memory, until this rank knows where it goes.
struct kept_text {
  std::string bytes;
  void write(const char* data, std::size_t size) { bytes.append(data, size); }
};

/// The strategy of one process, which a rank with few segments must not leave.
std::string strategy_of(const reduce_request& o, std::size_t items, std::size_t segments) {
  if (!o.strategy.empty()) return o.strategy;
  pn::segmented_reduce_problem problem;
  problem.items = items;
  problem.segments = segments;
  return std::string(pn::detail::choose_segmented_reduce(problem, host::here()).strategy);
}

template <class T>
void reduce_as(job_ranks& on, const reduce_request& o, const job_options& how) {
  phase_times times({"read", "reduce", "write"});
  std::optional<item_file<T>> in;
  std::optional<rank_part> part;
  segment_table table;
  std::string strategy;
  together(on.between(), [&] {
    check_plain(o.input);
    refuse_compressed_name("--out", o.out);
    in.emplace(o.input, o.type);
    table = read_segments(o, in->size());
    const bool exact = std::is_integral_v<T> || o.op == "argmin" || o.op == "argmax" || o.op == "count";
    part.emplace(on, table, exact);
    strategy = strategy_of(o, in->size(), table.count());
  });
  rank_output out(on, o.out, {.replaces = o.force, .standard = true});
  times.end(0);
  show_step(on, how, "reduce");
  const file_folds<T> folds{{part->offsets(), strategy, on.here().threads}, {in->data(), in->size()}};
  kept_text text;
  segment_results results(o, table, text, part->first());
  std::exception_ptr wrong;  // with a result on one rank, of which the others do not know yet
  try {
    write_reduced(o.op, part->count(), in->data(), rank_folds<T>(on, *part, folds), results);
  } catch (...) {
    wrong = std::current_exception();
  }
  together(on.between(), [&] {
    if (wrong) std::rethrow_exception(wrong);
  });
  times.end(1);
  out.write(text.bytes.data(), text.bytes.size());
  out.commit();
  show_step(on, how, "");
  times.end(2);
  if (how.report) print_report(on, times, {part->items(), part->count(), 0});
}

}  // namespace

void reduce_file(const reduce_request& o) {
  asked_for() = [o](job_options how) {
    how.quiet = how.quiet || o.quiet;
    reduce_request mine = o;
    mine.threads = threads_of(o.threads);
    job_ranks on{MPI_COMM_WORLD, cpu{.threads = mine.threads}};
    with_item_type(o.type, [&]<class T>(std::type_identity<T>) { reduce_as<T>(on, mine, how); });
  };
}

}  // namespace peneira::tool
