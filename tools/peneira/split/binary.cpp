// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira split --type: one multisplit from a file to another, both mapped where they can be.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "peneira/bits.hpp"
#include "tools/peneira/cli/calibration.hpp"
#include "tools/peneira/cli/gpu.hpp"
#include "tools/peneira/cli/phases.hpp"
#include "tools/peneira/cli/types.hpp"
#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/io/output_file.hpp"
#include "tools/peneira/split/gpu.hpp"
#include "tools/peneira/split/request.hpp"
#include "tools/peneira/split/split.hpp"
#include "tools/peneira/split/words.hpp"

namespace peneira::tool {
namespace {

template <class T>
void split_on_cpu(const split_options& o, const T* in, T* to, std::size_t n, const bin_request<T>& by,
                  std::vector<std::uint64_t>& offsets) {
  using word = pn::detail::bits_of<T>;
  const split_call<word> call{o, reinterpret_cast<const word*>(in), reinterpret_cast<word*>(to), n, offsets};
  with_bins(by, [&](auto keys, const auto& f) { split_words(call, keys, f); });
}

/// Seconds a byte that each place takes for the first items of a file, copies from there included.
template <class T>
measured_rates measure_split(const split_options& o, const T* in, std::size_t n, const bin_request<T>& by) {
  constexpr std::size_t sample_bytes = std::size_t{64} << 20U;
  n = std::min(n, sample_bytes / sizeof(T));
  std::vector<T> to(n);
  std::vector<std::uint64_t> offsets(std::size_t{by.bins} + 1);
  phase_times unseen(o.team());
  const auto there = [&] { gpu_split(in, to.data(), n, by, offsets.data(), o.strategy, unseen); };
  const auto bytes = static_cast<double>(n * sizeof(T));
  measured_rates rates;
  const double first = seconds_of(there);
  rates.gpu_byte = seconds_of(there) / bytes;
  rates.gpu_start = std::max(0.0, first - rates.gpu_byte * bytes);
  rates.cpu_byte = seconds_of([&] { split_on_cpu(o, in, to.data(), n, by, offsets); }) / bytes;
  return rates;
}

/// Whether the GPU is to split the items; throws where it was asked for and there is none.
template <class T>
bool splits_on_gpu(const split_options& o, const T* in, std::size_t n, const bin_request<T>& by, phase_times& times) {
  const std::string name = fmt::format("split-{}-{}-{}", o.type, o.by.empty() ? "range" : o.by, by.bins);
  // The items, twice as the engines take them, and a label for each of these.
  const double device_bytes = 1 + 2.1 * (std::max<double>(4, sizeof(T)) + 4) / sizeof(T);
  const calibrated_work work{name, o.strategy, o.team(), device_bytes, [&] { return measure_split(o, in, n, by); }};
  const chosen_place chosen = choose_place(o.place, work, n * sizeof(T));
  times.ran(chosen.gpu, chosen.why);
  return chosen.gpu;
}

struct split_result {
  std::vector<std::uint64_t> offsets;
  std::chrono::steady_clock::duration took;
};

template <class T>
split_result split_items(const split_options& o, const input_items& input, output_file& out, phase_times& times) {
  const auto* const in = static_cast<const T*>(input.data());
  const std::size_t n = input.bytes() / sizeof(T);
  const auto start = std::chrono::steady_clock::now();
  const bin_request<T> by = make_request<T>(o, [&] { return find_extremes(o, in, n); });

  // A device or a pipe cannot be mapped: it gets a copy.
  if (out.is_regular()) allocate(out.fd(), input.bytes(), out.path());
  const int flags = out.is_regular() ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  const mapping output(out.is_regular() ? out.fd() : -1, input.bytes(), PROT_READ | PROT_WRITE, flags, out.path());
  auto* const to = static_cast<T*>(output.data());
  std::vector<std::uint64_t> offsets(std::size_t{by.bins} + 1);

  poll_interrupt();
  if (splits_on_gpu(o, in, n, by, times)) {
    gpu_split(in, to, n, by, offsets.data(), o.strategy, times);
  } else {
    const phase_times::scope computing(times, phase::computing, input.bytes(), times.team());
    split_on_cpu(o, in, to, n, by, offsets);
  }
  poll_interrupt();
  const auto took = std::chrono::steady_clock::now() - start;
  if (!out.is_regular()) {
    const phase_times::scope writing(times, phase::writing, output.bytes(), times.team());
    out.write(to, output.bytes());
  }
  return {std::move(offsets), took};
}

}  // namespace

void split_binary(const split_options& o) {
  static_assert(std::endian::native == std::endian::little, "offsets are written as they lie in memory");
  if (o.inputs.size() != 1) throw usage_error("split: binary items need exactly one input");
  if (o.place == "gpu") require_gpu();
  if (same_file(o.out, o.offsets)) throw usage_error("split: --out and --offsets name the same file");
  with_item_type(o.type, [&]<class T>(std::type_identity<T>) {
    phase_times times(o.team());
    const input_items input(o.inputs.front(), sizeof(T), fmt::format("{} items", o.type));
    output_file out(o.out, o.force);
    std::optional<output_file> table;
    if (!o.offsets.empty()) table.emplace(o.offsets, o.force);
    const auto [offsets, took] = split_items<T>(o, input, out, times);
    if (table) table->write(offsets.data(), offsets.size() * sizeof(std::uint64_t));
    std::vector<output_file*> outputs{&out};
    if (table) outputs.push_back(&*table);
    output_file::commit_all(outputs);
    if (!o.quiet) summarise_split(offsets, "items", "bins", input.bytes(), took);
    if (o.report) times.tell_report();
  });
}

}  // namespace peneira::tool
