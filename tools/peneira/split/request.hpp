// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// From the options of a split of binary items to its bin function.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "peneira/bits.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/watched_bins.hpp"
#include "tools/peneira/split/bins.hpp"
#include "tools/peneira/split/split.hpp"

namespace peneira::tool {

template <class T>
T parse_key(std::string_view option, std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc::result_out_of_range) {
    throw usage_error(fmt::format("{}: \"{}\" is out of the range of the type", option, text));
  }
  if (read.ec != std::errc() || read.ptr != end || std::isnan(static_cast<double>(value))) {
    throw usage_error(fmt::format("{}: \"{}\" is not a number of the type", option, text));
  }
  return value;
}

/// The lowest and the highest key that were seen; NaN and infinities aside.
template <class T>
struct extremes {
  T lo = std::numeric_limits<T>::max();
  T hi = std::numeric_limits<T>::lowest();

  void see(T key) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(key)) return;
    }
    lo = std::min(lo, key);
    hi = std::max(hi, key);
  }
  void see(const extremes& other) {
    lo = std::min(lo, other.lo);
    hi = std::max(hi, other.hi);
  }
};

template <class T>
extremes<T> find_extremes(const split_options& o, const T* keys, std::size_t n) {
  std::vector<extremes<T>> found(o.team());
  seen_bytes seen;
  const watcher watching("range", n * sizeof(T), 1, o.quiet, seen);
  on_slices(o.team(), n, [&](unsigned m, std::size_t begin, std::size_t end) {
    constexpr std::size_t part = 1U << 16U;
    extremes<T> mine;
    for (std::size_t at = begin; at < end; at += part) {
      for (std::size_t i = at; i < std::min(end, at + part); ++i) mine.see(keys[i]);
      seen.add(std::min(end - at, part) * sizeof(T));
    }
    found[m] = mine;
  });
  extremes<T> all;
  for (const extremes<T>& one : found) all.see(one);
  return all;
}

/// find() gives the extremes of all keys, and is asked where the options do not say both.
template <class T, class Find>
void set_range(bin_request<T>& by, const split_options& o, const Find& find) {
  extremes<T> range;
  if (o.lo.empty() || o.hi.empty()) range = find();
  if (range.lo > range.hi) range = {T{}, T{}};  // no keys
  by.lo = o.lo.empty() ? range.lo : parse_key<T>("--lo", o.lo);
  by.hi = o.hi.empty() ? range.hi : parse_key<T>("--hi", o.hi);
  if (by.lo > by.hi) {
    throw usage_error(fmt::format("the range is empty: its lowest key is {}, its highest {}", by.lo, by.hi));
  }
  if constexpr (std::is_floating_point_v<T>) {  // there the range ends before hi, and must not be empty
    if (!std::isfinite(by.hi - by.lo)) {
      throw std::runtime_error(fmt::format("the range from {} to {} overflows {}; give --lo and --hi, or --splitters",
                                           by.lo, by.hi, o.type));
    }
    if (by.lo == by.hi) by.hi = std::nextafter(by.lo, std::numeric_limits<T>::infinity());
  }
}

template <class T>
void set_splitters(bin_request<T>& by, const split_options& o) {
  if (o.splitters.empty()) throw usage_error("split: --by splitters needs --splitters");
  for (const std::string& text : read_splitters(o.splitters)) {
    by.splitters.push_back(parse_key<T>("--splitters", text));
    const std::size_t last = by.splitters.size() - 1;
    if (last > 0 && !(by.splitters[last - 1] <= by.splitters[last])) {
      throw usage_error(fmt::format("--splitters: must be in ascending order, but {} follows {}", by.splitters[last],
                                    by.splitters[last - 1]));
    }
  }
}

inline bin_kind parse_kind(const split_options& o) {
  if (o.by == "hash") return bin_kind::hash;
  if (o.by == "digit") return bin_kind::digit;
  if (o.by == "splitters" || (o.by.empty() && !o.splitters.empty())) return bin_kind::splitters;
  return bin_kind::range;
}

/// What the options ask for; find() as of set_range.
template <class T, class Find>
bin_request<T> make_request(const split_options& o, const Find& find) {
  bin_request<T> by;
  by.kind = parse_kind(o);
  if (by.kind != bin_kind::splitters && !o.splitters.empty()) {
    throw usage_error("split: --splitters is for --by splitters");
  }
  if (by.kind != bin_kind::range && !(o.lo.empty() && o.hi.empty())) {
    throw usage_error("split: --lo and --hi are for --by range");
  }
  std::uint64_t bins = o.bins;
  if (by.kind == bin_kind::digit) {
    if (o.shift >= 8 * sizeof(T)) {
      throw usage_error(fmt::format("--shift: at most {} for {}, not {}", 8 * sizeof(T) - 1, o.type, o.shift));
    }
    by.shift = o.shift;
    by.bits = o.bits;
    bins = std::uint64_t{1} << o.bits;
  } else if (by.kind == bin_kind::splitters) {
    set_splitters(by, o);
    bins = by.splitters.size() + 1;
  } else if (bins == 0) {
    throw usage_error("split: -n, the number of bins, is required");
  }
  if (o.bins != 0 && o.bins != bins) {
    throw usage_error(fmt::format("--bins: --by {} makes {} bins, not {}", o.by, bins, o.bins));
  }
  by.bins = pn::detail::require_bins("split", bins);
  if (by.kind == bin_kind::range) set_range(by, o, find);
  return by;
}

/// Calls use(keys, f) for the bin function of a request, and what its keys are.
template <class T, class Use>
void with_bins(const bin_request<T>& by, const Use& use) {
  const std::type_identity<T> keys;
  switch (by.kind) {
    case bin_kind::range:
      return use(keys, ranges<T>(by.bins, by.lo, by.hi));
    case bin_kind::hash:
      return use(keys, hashed(by.bins));
    case bin_kind::digit:
      return use(std::type_identity<pn::detail::bits_of<T>>{}, digit(by.shift, by.bits));
    case bin_kind::splitters:
      return use(keys, splitters<T>(by.splitters));
  }
}

}  // namespace peneira::tool
