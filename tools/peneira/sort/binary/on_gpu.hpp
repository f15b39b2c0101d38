// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of a file on a GPU, and whether it is to be there.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "tools/peneira/cli/calibration.hpp"
#include "tools/peneira/cli/phases.hpp"
#include "tools/peneira/sort/binary/items.hpp"
#include "tools/peneira/sort/binary/run.hpp"
#include "tools/peneira/sort/binary/sort.hpp"

namespace peneira::tool {

#if defined(PENEIRA_WITH_CUDA)

/// Whether the GPU is to sort so many bytes: as --place says, or where it was measured to be sooner done.
template <class Kind>
bool sorts_on_gpu(const sort_request& o, const Kind& kind, std::uint64_t bytes, phase_times& times);

template <class Kind>
sort_outcome sort_on_gpu(const sort_request& o, const Kind& kind, item_output& out, const item_source& input,
                         phase_times& times);

#else

/// Never; where the GPU was asked for, it was refused before.
template <class Kind>
bool sorts_on_gpu(const sort_request& o, const Kind& /*kind*/, std::uint64_t bytes, phase_times& times) {
  const chosen_place chosen = choose_place(o.place, {"", o.strategy, o.team(), 0, {}}, bytes);
  times.ran(chosen.gpu, chosen.why);
  return chosen.gpu;
}
template <class Kind>
sort_outcome sort_on_gpu(const sort_request& /*o*/, const Kind& /*kind*/, item_output& /*out*/,
                         const item_source& /*input*/, phase_times& /*times*/) {
  throw std::logic_error("sort_on_gpu: this program was built without CUDA");
}

#endif

}  // namespace peneira::tool
