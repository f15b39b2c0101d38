// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The problems of the calls from group_by on: what each is asked, drawn and in words.
#include <fmt/format.h>

#include <algorithm>

#include "bench/sweep/problem.hpp"

namespace peneira::bench::sweep {
namespace {

using enum item_type;

item_type call_type(draws& from, primitive what) {
  switch (what) {
    case primitive::group_by:
      return weighted<item_type>(from, {{u32_f32, 2}, {u64_u64, 1}});
    case primitive::top_k:
      return weighted<item_type>(from, {{u32, 2}, {f32, 1}, {u64_u64, 1}});
    case primitive::segmented_sort:
    case primitive::partition:
      return weighted<item_type>(from, {{u32, 2}, {u64_u64, 1}});
    case primitive::scan:
      return weighted<item_type>(from, {{u32, 2}, {f64, 1}, {f32, 1}});
    case primitive::sort_records:
      return u64;
    case primitive::sort_columns:
      return u32;
    default:
      return weighted<item_type>(from, {{u32, 2}, {u64, 1}});
  }
}

bool may_be_any(const problem& p) {
  return p.what == primitive::group_by || p.what == primitive::partition;
}

}  // namespace

void draw_call(draws& from, problem& p) {
  p.type = call_type(from, p.what);
  if (may_be_any(p) && one_in(from, 2)) p.equal = order::any;
  if (p.what == primitive::histogram) draw_function(from, p);
  if (p.what == primitive::segmented_sort) p.segments = draw_segments(from, p.n);
  if (p.what == primitive::scan) p.op = p.type == f32 ? reduction::max : reduction::sum;
  p.asked.k = p.what == primitive::top_k ? log_uniform_to(from, p.n) : 0;
  p.asked.least = one_in(from, 2);
  p.asked.sorted = !one_in(from, 2);
  p.asked.inclusive = one_in(from, 2);
  p.asked.parts = one_in(from, 3) ? 3 : 2;
  p.asked.record_bytes = 16U << from.below(3);
}

std::string describe_call(const problem& p) {
  std::string text = fmt::format("{} {}", name_in(primitive_names, p.what), name_in(item_type_names, p.type));
  const call_choices& c = p.asked;
  if (p.what == primitive::sort_records) text += fmt::format(" in {} bytes", c.record_bytes);
  if (p.what == primitive::scan) {
    text += fmt::format(" {} {}", c.inclusive ? "inclusive" : "exclusive", name_in(reduction_names, p.op));
  }
  text += fmt::format(", {} item{}", p.n, p.n == 1 ? "" : "s");
  if (p.what == primitive::histogram) text += describe_bins(p);
  if (p.what == primitive::top_k) {
    text += fmt::format(", the {} {}{}", c.least ? "least" : "greatest", c.k, c.sorted ? "" : " unsorted");
  }
  if (p.what == primitive::partition) text += fmt::format(", {} parts", c.parts);
  if (p.what == primitive::segmented_sort) text += fmt::format(", {}", describe(p.segments));
  if ((p.what == primitive::unique || p.what == primitive::run_lengths) && c.sorted) text += ", sorted before";
  if (may_be_any(p)) text += p.equal == order::any ? ", any order" : p.what == primitive::partition ? ", stable" : "";
  return text;
}

}  // namespace peneira::bench::sweep
