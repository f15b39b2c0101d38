// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira reduce: the items of a file combined by an operator, all of them or segment by segment.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "peneira/segmented_reduce.hpp"
#include "tools/peneira/cli/gpu.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/io/output_file.hpp"
#include "tools/peneira/text/int128.hpp"

namespace peneira::tool {
namespace {

struct reduce_request {
  std::string input;
  std::string type;
  std::string op = "sum";
  std::string segments;
  std::string offset_type = "u64";
  std::uint64_t every = 0;
  std::string out = "-";
  bool binary = false;
  bool force = false;
  std::string place = "auto";
  std::string strategy;
  unsigned threads = 0;

  [[nodiscard]] unsigned team() const { return team_of(threads); }
};

/// A file of items.
template <class T>
class item_file {
 public:
  item_file(const std::string& path, std::string_view type) : items_(path, sizeof(T), fmt::format("{} items", type)) {}
  [[nodiscard]] const T* data() const { return static_cast<const T*>(items_.data()); }
  [[nodiscard]] std::size_t size() const { return items_.bytes() / sizeof(T); }

 private:
  input_items items_;
};

/// Where the segments lie. Those of one size, and all items as one, have offsets too: one call then serves every
/// type and operator, and compiles in a third of the time.
struct segment_table {
  std::vector<std::uint64_t> offsets;

  [[nodiscard]] std::size_t count() const { return offsets.size() - 1; }
  [[nodiscard]] std::uint64_t size(std::size_t s) const { return offsets[s + 1] - offsets[s]; }
};

template <class Offset>
std::vector<std::uint64_t> read_offsets(const reduce_request& o, std::size_t items) {
  const item_file<Offset> file(o.segments, o.offset_type);
  if (file.size() == 0) {
    throw std::runtime_error(fmt::format("{} holds no offsets; n segments need n + 1", o.segments));
  }
  std::vector<std::uint64_t> offsets(file.data(), file.data() + file.size());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    if (offsets[s + 1] < offsets[s]) {
      throw std::runtime_error(fmt::format("{}: the offsets descend: segment {} begins at {} and ends at {}",
                                           o.segments, s, offsets[s], offsets[s + 1]));
    }
    if (offsets[s + 1] > items) {
      throw std::runtime_error(fmt::format("{}: segment {} ends at {}, but {} holds {} items", o.segments, s,
                                           offsets[s + 1], o.input, items));
    }
  }
  return offsets;
}

segment_table read_segments(const reduce_request& o, std::size_t items) {
  if (!o.segments.empty()) {
    return {o.offset_type == "u32" ? read_offsets<std::uint32_t>(o, items) : read_offsets<std::uint64_t>(o, items)};
  }
  if (o.every == 0) return {{0, items}};
  const pn::detail::even_segments even{o.every, items};
  segment_table table;
  table.offsets.resize(even.count() + 1);
  for (std::size_t s = 0; s < even.count(); ++s) table.offsets[s + 1] = even.end(s);
  return table;
}

/// The results of an operator, one a segment.
template <class Result, class T, class Op>
std::vector<Result> fold_items(const reduce_request& o, const item_file<T>& in, const segment_table& table,
                               const Op& op) {
  std::vector<Result> results(table.count());
  segmented_reduce(cpu{.threads = o.threads}, items(in.data(), in.size()), table.offsets, results, op,
                   {.strategy = o.strategy});
  return results;
}

/// The sums of items: 64 bits for narrower integers, 128 for those of 64 bits, a double for floats.
template <class T>
using sum_of =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, int128, uint128>,
                                          std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>>;
template <class T>
using product_of = std::conditional_t<std::is_floating_point_v<T>, double,
                                      std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
template <class T>
inline constexpr bool is_wide = std::is_same_v<T, int128> || std::is_same_v<T, uint128>;

/// Writes results, each as a line or as it lies in memory.
class result_writer {
 public:
  explicit result_writer(const reduce_request& o) : o_(o), out_(o.out, o.force) {}

  /// Line or item s is value(s); lines where `present` denies it say none.
  template <class Value, class Present>
  void write(std::size_t count, Value&& value, Present&& present) {
    using result = std::decay_t<decltype(value(0))>;
    constexpr std::size_t part = 1U << 15U;
    std::vector<std::string> parts(o_.team());
    for (std::size_t first = 0; first < count; first += part * parts.size()) {
      poll_interrupt();
      on_each(o_.team(), [&](unsigned m) {
        std::string& text = parts[m];
        text.clear();
        const std::size_t begin = std::min(count, first + m * part);
        for (std::size_t s = begin; s < std::min(count, begin + part); ++s) {
          if (o_.binary) {
            append_binary(text, value(s), s);
          } else if (present(s)) {
            append_line(text, value(s));
          } else {
            text += "none\n";
          }
        }
      });
      for (const std::string& one : parts) out_.write(one.data(), one.size());
    }
    static_assert(std::is_trivially_copyable_v<result>);
  }
  void commit() { out_.commit(); }

 private:
  template <class R>
  static void append_line(std::string& to, const R& value) {
    if constexpr (requires { value.index; }) {
      fmt::format_to(std::back_inserter(to), "{}\t", value.index);
      append_line(to, value.value);
    } else if constexpr (std::is_floating_point_v<R>) {
      if (std::isnan(value)) {  // whatever its sign
        to += "nan\n";
      } else {
        fmt::format_to(std::back_inserter(to), "{}\n", value);
      }
    } else {
      fmt::format_to(std::back_inserter(to), "{}\n", value);
    }
  }
  template <class R>
  static void append_binary(std::string& to, const R& value, std::size_t s) {
    if constexpr (requires { value.index; }) {
      append_binary(to, value.index, s);
    } else if constexpr (is_wide<R>) {
      const auto narrow =
          static_cast<std::conditional_t<std::is_same_v<R, int128>, std::int64_t, std::uint64_t>>(value);
      if (narrow != value) {
        throw std::runtime_error(fmt::format("the sum of segment {} is {}, which 64 bits cannot hold", s, value));
      }
      append_binary(to, narrow, s);
    } else {
      to.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }

  const reduce_request& o_;
  sink out_;
};

template <class T>
void reduce_items(const reduce_request& o) {
  const item_file<T> in(o.input, o.type);
  const segment_table table = read_segments(o, in.size());
  result_writer out(o);
  const auto always = [](std::size_t) { return true; };
  const auto if_any = [&](std::size_t s) { return table.size(s) > 0; };
  const auto give = [&](const auto& results, const auto& present) {
    out.write(
        results.size(), [&](std::size_t s) { return results[s]; }, present);
  };
  const auto fold = [&]<class Result>(std::type_identity<Result>, const auto& op, const auto& present) {
    give(fold_items<Result>(o, in, table, op), present);
  };
  const std::string& op = o.op;
  if (op == "sum") fold(std::type_identity<sum_of<T>>{}, plus{}, always);
  if (op == "product") fold(std::type_identity<product_of<T>>{}, multiplies{}, always);
  if (op == "min") fold(std::type_identity<T>{}, min{}, if_any);
  if (op == "max") fold(std::type_identity<T>{}, max{}, if_any);
  if (op == "argmin") fold(std::type_identity<indexed<T>>{}, arg_min{}, if_any);
  if (op == "argmax") fold(std::type_identity<indexed<T>>{}, arg_max{}, if_any);
  if (op == "count")
    out.write(
        table.count(), [&](std::size_t s) { return table.size(s); }, always);
  if (op == "mean") {
    const auto sums = fold_items<sum_of<T>>(o, in, table, plus{});
    const auto mean = [&](std::size_t s) { return static_cast<double>(sums[s]) / static_cast<double>(table.size(s)); };
    out.write(sums.size(), mean, if_any);
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == "and") fold(std::type_identity<T>{}, bit_and{}, always);
    if (op == "or") fold(std::type_identity<T>{}, bit_or{}, always);
    if (op == "xor") fold(std::type_identity<T>{}, bit_xor{}, always);
  }
  out.commit();
}

void check_request(const reduce_request& o) {
  if (o.type.starts_with('f') && (o.op == "and" || o.op == "or" || o.op == "xor")) {
    throw usage_error(fmt::format("--op {}: is for integers, not {}", o.op, o.type));
  }
  if (o.place == "gpu") {
    std::string why_not;
    if (find_gpus(why_not).empty()) throw std::runtime_error("cannot use a GPU: " + why_not);
    throw usage_error("--place gpu: reduce of files runs only on the CPU so far");
  }
}

}  // namespace

void add_reduce(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("reduce", "Combine the items of a binary file: all, or by segments");
  const auto o = std::make_shared<reduce_request>();
  sub->add_option("input", o->input, "Input file; - is standard input")->required()->type_name("FILE");
  add_item_type(*sub, o->type, "Type of the items")->required();
  sub->add_option("--op", o->op, "Reduction operator")
      ->check(CLI::IsMember({"sum", "product", "min", "max", "argmin", "argmax", "mean", "count", "and", "or", "xor"}))
      ->capture_default_str();
  auto* const segments = sub->add_option("--segments", o->segments,
                                         "File of n + 1 offsets that bound n segments, as split --offsets writes");
  sub->add_option("--offset-type", o->offset_type, "Type of the offsets")
      ->check(CLI::IsMember({"u32", "u64"}))
      ->capture_default_str()
      ->needs(segments);
  add_size(*sub, "--every", o->every, "Segments of this many items each; the last may be shorter", 1)
      ->excludes(segments);
  sub->add_option("-o,--out", o->out, "Output file; -: standard output")->capture_default_str();
  sub->add_flag("--binary", o->binary, "Write results in binary, not as lines of text");
  sub->add_flag("--force", o->force, "Replace an existing output");
  sub->add_option("--place", o->place, "Where to run; auto: the CPU")
      ->check(CLI::IsMember({"cpu", "gpu", "auto"}))
      ->capture_default_str();
  sub->add_option("--strategy", o->strategy, "A name from `peneira strategies` (default: automatic)");
  add_threads(*sub, o->threads);
  sub->footer(
      "\nOne result a line. Sums of integers go into 64 bits, of 64-bit integers into 128: they cannot overflow. Sums\n"
      "of f32 and f64, products of both and all means are f64; products of integers are modulo 2^64. min, max, and,\n"
      "or, xor have the type of the items. argmin and argmax give the position in the file, from 0, of the first\n"
      "such item, a tab, and the item. Where an item is NaN, so are the least and the greatest, and argmin and argmax\n"
      "give the first NaN. What an empty segment does not have is none. --binary writes sums of 64-bit integers as 64\n"
      "bits or fails, of argmin and argmax the position (u64), count as u64, and for none the operator's identity.\n"
      "Float results are the same on every run and with any number of threads; sums are at least as close as pairwise\n"
      "ones.\n"
      "\nExamples:\n"
      "  peneira reduce keys.bin --type u32                        the sum\n"
      "  peneira reduce samples.bin --type f32 --op max --every 128\n"
      "  peneira split keys.bin --type u32 -n 361 -o bins.bin --offsets offsets.bin\n"
      "  peneira reduce bins.bin --type u32 --segments offsets.bin --op mean");
  sub->callback([o] {
    check_request(*o);
    with_item_type(o->type, [&]<class T>(std::type_identity<T>) { reduce_items<T>(*o); });
  });
}

}  // namespace peneira::tool
