// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line of peneira explain says of a call, and the plan of that call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "peneira/place.hpp"
#include "peneira/plan.hpp"
#include "peneira/strings/problem.hpp"

namespace peneira::tool {

/// The options of every primitive.
struct explain_options {
  std::uint64_t items = 0;
  std::string type = "u32";
  std::string place = "cpu";
  unsigned threads = 0;
  std::string strategy;
  device gpu_like;
  bool json = false;
};

struct multisplit_explain_options : explain_options {
  std::uint64_t bins = 0;
  std::size_t value_bytes = 0;
  unsigned offset_bits = 32;
  std::string within_bin = "stable";
};

struct reduce_explain_options : explain_options {
  std::string result;
  std::string grouping = "stable";
  bool ordered = false;
};

/// How segments are told: by offsets, or by their size.
struct segments_explained {
  std::uint64_t segments = 0;
  unsigned offset_bits = 32;
  std::uint64_t every = 0;
};

struct segmented_reduce_explain_options : reduce_explain_options {
  segments_explained of;
};

struct sort_explain_options : explain_options {
  std::size_t value_bytes = 0;
  std::string equal_keys = "stable";
  unsigned first_bit = 0;
  unsigned last_bit = 0;
  bool in_place = false;
  unsigned ranks = 0;       ///< processes of MPI that share the items; 0: none
  unsigned a_node = 1;      ///< of them on a node
  double latency = 2;       ///< microseconds
  double bandwidth = 12.5;  ///< GB/s
};

struct strings_explain_options : explain_options {
  unsigned offset_bits = 64;
  unsigned index_bits = 32;
  std::uint64_t task_size = string_merge_shape{}.task_size;
  std::uint64_t block_threads = string_merge_shape{}.block_threads;
  std::uint64_t merge_items = string_merge_shape{}.merge_items;
};

struct gather_explain_options : explain_options {
  std::size_t item_bytes = 4;
  unsigned position_bits = 32;
};

/// Of sums, which gather more than other operators do.
struct group_by_explain_options : explain_options {
  std::uint64_t groups = 0;  ///< that there is room for; 0: as many as items
  std::string values = "f32";
  std::string results;  ///< empty: as the values
};

struct histogram_explain_options : explain_options {
  std::uint64_t bins = 0;
  std::string weights;  ///< their type; empty: each item counts as one
  std::string counts = "u64";
  std::string grouping = "stable";
};

struct partition_explain_options : explain_options {
  std::uint32_t ways = 2;
  std::size_t value_bytes = 0;
  std::string within_part = "stable";
};

struct runs_explain_options : explain_options {
  unsigned length_bits = 0;  ///< 0: unique
};

struct scan_explain_options : explain_options {
  std::string result;
  segments_explained of;
};

struct segmented_sort_explain_options : explain_options {
  std::size_t value_bytes = 0;
  segments_explained of;
  bool in_place = false;
};

struct top_k_explain_options : explain_options {
  std::uint64_t k = 0;
  std::size_t value_bytes = 0;
  bool unsorted = false;
};

/// The plan of such a call; throws usage_error where the options contradict one another.
plan plan_of(const multisplit_explain_options& o);
plan plan_of(const reduce_explain_options& o);
plan plan_of(const segmented_reduce_explain_options& o);
plan plan_of(const sort_explain_options& o);
plan plan_of(const strings_explain_options& o);
plan plan_of(const gather_explain_options& o);
plan plan_of(const group_by_explain_options& o);
plan plan_of(const histogram_explain_options& o);
plan plan_of(const partition_explain_options& o);
plan plan_of(const runs_explain_options& o);
plan plan_of(const scan_explain_options& o);
plan plan_of(const segmented_sort_explain_options& o);
plan plan_of(const top_k_explain_options& o);

}  // namespace peneira::tool
