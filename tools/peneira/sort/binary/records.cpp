// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort --record: files of fixed-size records.
#include "tools/peneira/sort/binary/external.hpp"
#include "tools/peneira/sort/binary/kinds.hpp"
#include "tools/peneira/sort/binary/run.hpp"

namespace peneira::tool {

void sort_items(const sort_request& o, const record_items& kind) {
  run_sort<file_sort<record_items, sorted_records>>(o, kind);
}

}  // namespace peneira::tool
