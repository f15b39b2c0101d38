// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira split --type: one multisplit from a file to another, both mapped where they can be.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "peneira/bits.hpp"
#include "tools/peneira/cli/gpu.hpp"
#include "tools/peneira/cli/types.hpp"
#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/io/output_file.hpp"
#include "tools/peneira/split/gpu.hpp"
#include "tools/peneira/split/split.hpp"
#include "tools/peneira/split/words.hpp"

namespace peneira::tool {
namespace {

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
  for (const extremes<T>& one : found) {
    all.lo = std::min(all.lo, one.lo);
    all.hi = std::max(all.hi, one.hi);
  }
  return all.lo <= all.hi ? all : extremes<T>{T{}, T{}};
}

template <class T>
void set_range(bin_request<T>& by, const split_options& o, const T* keys, std::size_t n) {
  extremes<T> range;
  if (o.lo.empty() || o.hi.empty()) range = find_extremes(o, keys, n);
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

bin_kind parse_kind(const split_options& o) {
  if (o.by == "hash") return bin_kind::hash;
  if (o.by == "digit") return bin_kind::digit;
  if (o.by == "splitters" || (o.by.empty() && !o.splitters.empty())) return bin_kind::splitters;
  return bin_kind::range;
}

template <class T>
bin_request<T> make_request(const split_options& o, const T* keys, std::size_t n) {
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
  if (by.kind == bin_kind::range) set_range(by, o, keys, n);
  return by;
}

/// Whether to use the GPU; throws where it was asked for and cannot be.
template <class T>
bool choose_gpu(const split_options& o, std::size_t bytes) {
  if (o.place == "cpu" || (o.place == "auto" && !gpu_splits<T>)) return false;
  std::string why_not;
  const std::vector<gpu_info> gpus = find_gpus(why_not);
  if (o.place == "gpu") {
    if (gpus.empty()) throw std::runtime_error("cannot use a GPU: " + why_not);
    if (!gpu_splits<T>) throw usage_error("--place gpu: takes items of 32 and 64 bits, not " + o.type);
    return true;
  }
  // Input, output, the labels of both, and as much again for counters.
  return !gpus.empty() && bytes < gpus.front().memory / 5;
}

template <class T>
void split_on_cpu(const split_options& o, const T* in, T* to, std::size_t n, const bin_request<T>& by,
                  std::vector<std::uint64_t>& offsets) {
  using word = pn::detail::bits_of<T>;
  const split_call<word> call{o, reinterpret_cast<const word*>(in), reinterpret_cast<word*>(to), n, offsets};
  const std::type_identity<T> keys;
  const std::type_identity<word> words;
  switch (by.kind) {
    case bin_kind::range:
      return split_words(call, keys, ranges<T>(by.bins, by.lo, by.hi));
    case bin_kind::hash:
      return split_words(call, keys, hashed(by.bins));
    case bin_kind::digit:
      return split_words(call, words, digit(by.shift, by.bits));
    case bin_kind::splitters:
      return split_words(call, keys, splitters<T>(by.splitters));
  }
}

struct split_result {
  std::vector<std::uint64_t> offsets;
  std::chrono::steady_clock::duration took;
};

template <class T>
split_result split_items(const split_options& o, const input_items& input, output_file& out) {
  const auto* const in = static_cast<const T*>(input.data());
  const std::size_t n = input.bytes() / sizeof(T);
  const auto start = std::chrono::steady_clock::now();
  const bin_request<T> by = make_request(o, in, n);

  // A device or a pipe cannot be mapped: it gets a copy.
  if (out.is_regular()) allocate(out.fd(), input.bytes(), out.path());
  const int flags = out.is_regular() ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  const mapping output(out.is_regular() ? out.fd() : -1, input.bytes(), PROT_READ | PROT_WRITE, flags, out.path());
  auto* const to = static_cast<T*>(output.data());
  std::vector<std::uint64_t> offsets(std::size_t{by.bins} + 1);

  poll_interrupt();
  if (choose_gpu<T>(o, input.bytes())) {
    if constexpr (gpu_splits<T>) gpu_split(in, to, n, by, offsets.data(), o.strategy);
  } else {
    split_on_cpu(o, in, to, n, by, offsets);
  }
  poll_interrupt();
  const auto took = std::chrono::steady_clock::now() - start;
  if (!out.is_regular()) out.write(to, output.bytes());
  return {std::move(offsets), took};
}

}  // namespace

void split_binary(const split_options& o) {
  static_assert(std::endian::native == std::endian::little, "offsets are written as they lie in memory");
  if (o.inputs.size() != 1) throw usage_error("split: binary items need exactly one input");
  if (same_file(o.out, o.offsets)) throw usage_error("split: --out and --offsets name the same file");
  with_item_type(o.type, [&]<class T>(std::type_identity<T>) {
    const input_items input(o.inputs.front(), sizeof(T), fmt::format("{} items", o.type));
    output_file out(o.out, o.force);
    std::optional<output_file> table;
    if (!o.offsets.empty()) table.emplace(o.offsets, o.force);
    const auto [offsets, took] = split_items<T>(o, input, out);
    if (table) table->write(offsets.data(), offsets.size() * sizeof(std::uint64_t));
    std::vector<output_file*> outputs{&out};
    if (table) outputs.push_back(&*table);
    output_file::commit_all(outputs);
    if (!o.quiet) summarise_split(offsets, "items", "bins", input.bytes(), took);
  });
}

}  // namespace peneira::tool
