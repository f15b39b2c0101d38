// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One call of each primitive, compiled for every generation of GPUs that peneira is for.
#include "peneira/peneira.hpp"

#include <cstdint>

namespace pn = peneira;

void call_all(const pn::gpu& on, const std::uint32_t* in, std::uint32_t* out, std::uint64_t* values, std::size_t n,
              std::uint32_t* offsets, std::uint32_t bins) {
  const auto from = pn::items(in, n);
  const auto to = pn::items(out, n);
  const auto table = pn::items(static_cast<const std::uint32_t*>(offsets), bins + 1);
  pn::multisplit(on, from, to, pn::ranges{bins, 0U, ~0U}, pn::items(offsets, bins + 1));
  pn::reduce(on, from, out, pn::plus{});
  pn::segmented_reduce(on, from, table, pn::items(out, bins), pn::max{});
  pn::sort(on, from, to);
  pn::sort(on, pn::pairs(to, pn::items(values, n)));
  pn::group_by(on, from, from, to, pn::items(values, n), pn::plus{}, offsets);
  pn::top_k(on, from, 10, to);
  pn::sort_strings(on, pn::strings<std::uint32_t>(reinterpret_cast<const char*>(in), offsets, bins),
                   pn::items(out, bins));
}
