// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort --type: files of numbers. Four widths serve all ten types.
#include "tools/peneira/sort/binary/count.hpp"
#include "tools/peneira/sort/binary/external.hpp"
#include "tools/peneira/sort/binary/kinds.hpp"
#include "tools/peneira/sort/binary/on_gpu.hpp"
#include "tools/peneira/sort/binary/run.hpp"

namespace peneira::tool {
namespace {

/// Numbers of 8 and 16 bits are counted as fast as they are read: only who asks for a GPU gets one.
template <class U>
void count_items(const sort_request& o, const number_items<U>& kind) {
  run_sort(o, kind, [&](item_output& out, const item_source& input, phase_times& times) {
    const bool there = o.place == "gpu";
    times.ran(there, there ? "as --place says" : "which counts them as fast as it reads");
    return sort_by<file_count<U>>(o, kind, out, input, times);
  });
}

template <class U>
void sort_wide_items(const sort_request& o, const number_items<U>& kind) {
  run_sort(o, kind, [&](item_output& out, const item_source& input, phase_times& times) {
    if (sorts_on_gpu(o, kind, input.bytes(), times)) return sort_on_gpu(o, kind, out, input, times);
    return sort_by<file_sort<number_items<U>, sorted_numbers<U>>>(o, kind, out, input, times);
  });
}

}  // namespace

void sort_items(const sort_request& o, const number_items<std::uint8_t>& kind) {
  count_items(o, kind);
}
void sort_items(const sort_request& o, const number_items<std::uint16_t>& kind) {
  count_items(o, kind);
}
void sort_items(const sort_request& o, const number_items<std::uint32_t>& kind) {
  sort_wide_items(o, kind);
}
void sort_items(const sort_request& o, const number_items<std::uint64_t>& kind) {
  sort_wide_items(o, kind);
}

}  // namespace peneira::tool
