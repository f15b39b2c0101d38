// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira split --type: one multisplit from a file to another, both mapped where they can be.
#include <fmt/format.h>
#include <sys/mman.h>

#include <bit>
#include <chrono>
#include <cstdint>
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
#include "tools/peneira/split/request.hpp"
#include "tools/peneira/split/split.hpp"
#include "tools/peneira/split/words.hpp"

namespace peneira::tool {
namespace {

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
  with_bins(by, [&](auto keys, const auto& f) { split_words(call, keys, f); });
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
  const bin_request<T> by = make_request<T>(o, [&] { return find_extremes(o, in, n); });

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
