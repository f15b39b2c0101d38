// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows as people and programs read them: a table as it grows, JSON and CSV at the end.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/harness.hpp"

namespace peneira::bench {

/// 64M, 10000: a number in the largest power of 1024 that divides it; millions of 10^6 in full.
inline std::string short_size(std::uint64_t n) {
  if (n % 1'000'000 == 0) return std::to_string(n);
  for (const auto& [letter, shift] : {std::pair{'G', 30U}, std::pair{'M', 20U}, std::pair{'K', 10U}}) {
    if (n >> shift != 0 && n % (std::uint64_t{1} << shift) == 0) return fmt::format("{}{}", n >> shift, letter);
  }
  return std::to_string(n);
}

/// The rows of one run, and how each stands against the peers that were measured with the same work before it.
class report {
 public:
  /// nullptr: no table grows.
  explicit report(std::FILE* table) : table_(table) {}

  void add(const row& r) {
    if (table_ == nullptr) return rows_.push_back(r);
    if (rows_.empty()) {
      const bool reduces = r.primitive.ends_with("reduce");
      const char* const number = reduces ? "segments" : r.primitive == "multisplit" || is_sort(r) ? "bins" : "size";
      fmt::print(table_, "{:<8} {:>6} {:>9} {:<11} {:<6} {:<5} {:<30} {:>10} {:>9} {:>8} {:>7}\n", "type", "n", number,
                 reduces ? "shape" : "input", reduces ? "op" : "order", "place", "strategy",
                 of_strings(r) ? "M lines/s" : "G items/s", "% of " + r.bandwidth, "x peer", "spread");
    }
    rows_.push_back(r);
    const double ratio = against_peer(r);
    const std::string versus = ratio > 0 ? fmt::format("{:.2f}", ratio) : "-";
    const std::string name = r.strategy == "auto" ? fmt::format("auto ({})", r.chosen)
                                                  : fmt::format("{}{}", r.strategy,
                                                                r.quoted ? " [quoted]"
                                                                : r.peer ? " [peer]"
                                                                         : "");
    fmt::print(table_, "{:<8} {:>6} {:>9} {:<11} {:<6} {:<5} {:<30} {:>10.3f} {:>9.1f} {:>8} {:>6.1f}%{}\n", r.type,
               short_size(r.n), r.bins + r.segments, r.distribution, r.order + r.op, r.place, name,
               r.rate() / (of_strings(r) ? 1e6 : 1e9), 100 * r.roofline(), versus, 100 * r.spread,
               r.right ? "" : "  WRONG");
    std::fflush(table_);
  }

  /// Our rate over the best peer's on the same work, or 0 where none was measured.
  [[nodiscard]] double against_peer(const row& r) const {
    if (!r.drawn.bar.empty()) return r.seconds > 0 ? r.drawn.peer_seconds / r.seconds : 0;
    double best = 0;
    for (const row& p : rows_) {
      const bool same = p.type == r.type && p.n == r.n && p.bins == r.bins && p.segments == r.segments &&
                        p.op == r.op && p.distribution == r.distribution && p.place == r.place &&
                        p.threads == r.threads && p.published.table == r.published.table;
      if (p.peer && !p.quoted && same) best = std::max(best, p.rate());
    }
    return r.peer || best == 0 ? 0 : r.rate() / best;
  }

  [[nodiscard]] nlohmann::ordered_json json(const nlohmann::ordered_json& head) const {
    nlohmann::ordered_json all = head;
    auto& rows = all["rows"] = nlohmann::ordered_json::array();
    for (const row& r : rows_) rows.push_back(entry(r));
    return all;
  }

  /// One row.
  [[nodiscard]] nlohmann::ordered_json entry(const row& r) const {
    nlohmann::ordered_json all{{"primitive", r.primitive},
                               {"place", r.place},
                               {"strategy", r.strategy},
                               {"peer", r.peer},
                               {"quoted", r.quoted},
                               {"chosen", r.chosen},
                               {"type", r.type},
                               {"n", r.n},
                               {"bins", r.bins},
                               {"distribution", r.distribution},
                               {"order", r.order},
                               {"threads", r.threads},
                               {"runs", r.runs},
                               {"seconds", r.seconds},
                               {"spread", r.spread},
                               {"items_per_second", r.rate()},
                               {"roofline", r.roofline()},
                               {"copy_bandwidth", r.copy_bandwidth},
                               {"temporary_bytes", r.temporary_bytes},
                               {"right", r.right}};
    if (r.high > 0) {
      all["low"] = r.low;
      all["high"] = r.high;
    }
    if (r.mean > 0) {
      all["mean"] = r.mean;
      all["mean_half"] = r.mean_half;
    }
    if (r.primitive != "multisplit" && !is_sort(r)) {
      all["op"] = r.op;
      all["segments"] = r.segments;
      all["bandwidth"] = r.bandwidth;
    }
    if (const double ratio = against_peer(r); ratio > 0) all["against_peer"] = ratio;
    if (const drawn_problem& d = r.drawn; !d.bar.empty()) {
      all["bar"] = d.bar;
      all["problem"] = d.problem;
      all["seed"] = d.seed;
      all["index"] = d.index;
      all["best_peer"] = d.best_peer;
      all["peer_seconds"] = d.peer_seconds;
    }
    if (const paper_cell& in = r.published; !in.paper.empty()) {
      all["paper"] = in.paper;
      all["table"] = in.table;
      if (!in.part.empty()) all["part"] = in.part;
      if (!in.machine.empty()) all["machine"] = in.machine;
      if (!in.beside.empty()) all["beside"] = in.beside;
      if (in.speedup > 0) all["speedup"] = in.speedup;
    }
    return all;
  }

  [[nodiscard]] std::string csv() const {
    std::string text =
        "primitive,place,strategy,peer,type,n,bins,distribution,order,threads,seconds,spread,items_per_second,roofline,"
        "right,op,segments,low,high\n";
    for (const row& r : rows_) {
      text += fmt::format("{},{},{},{:d},{},{},{},{},{},{},{},{},{},{},{:d},{},{},{},{}\n", r.primitive, r.place,
                          r.strategy, r.peer, r.type, r.n, r.bins, r.distribution, r.order, r.threads, r.seconds,
                          r.spread, r.rate(), r.roofline(), r.right, r.op, r.segments, r.low, r.high);
    }
    return text;
  }

  [[nodiscard]] bool empty() const { return rows_.empty(); }

 private:
  /// Items are then lines of text.
  static bool of_strings(const row& r) {
    return r.primitive == "sort_strings" || r.primitive == "sort_text" || r.primitive == "group";
  }
  static bool is_sort(const row& r) { return r.primitive == "sort" || of_strings(r); }

  std::FILE* table_;
  std::vector<row> rows_;
};

}  // namespace peneira::bench
