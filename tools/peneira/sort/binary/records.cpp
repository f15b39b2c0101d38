// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort --record: files of fixed-size records.
#include "tools/peneira/sort/binary/external.hpp"
#include "tools/peneira/sort/binary/kinds.hpp"
#include "tools/peneira/sort/binary/on_gpu.hpp"
#include "tools/peneira/sort/binary/run.hpp"

namespace peneira::tool {

void sort_items(const sort_request& o, const record_items& kind) {
  run_sort(o, kind, [&](item_output& out, const item_source& input, phase_times& times) {
    if (sorts_on_gpu(o, kind, input.bytes(), times)) return sort_on_gpu(o, kind, out, input, times);
    return sort_by<file_sort<record_items, sorted_records>>(o, kind, out, input, times);
  });
}

}  // namespace peneira::tool
