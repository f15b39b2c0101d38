// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort --type: files of numbers. Four widths serve all ten types.
#include "tools/peneira/sort/binary/count.hpp"
#include "tools/peneira/sort/binary/external.hpp"
#include "tools/peneira/sort/binary/kinds.hpp"
#include "tools/peneira/sort/binary/run.hpp"

namespace peneira::tool {
namespace {

template <class U>
using number_sort = file_sort<number_items<U>, sorted_numbers<U>>;

}  // namespace

void sort_items(const sort_request& o, const number_items<std::uint8_t>& kind) {
  run_sort<file_count<std::uint8_t>>(o, kind);
}
void sort_items(const sort_request& o, const number_items<std::uint16_t>& kind) {
  run_sort<file_count<std::uint16_t>>(o, kind);
}
void sort_items(const sort_request& o, const number_items<std::uint32_t>& kind) {
  run_sort<number_sort<std::uint32_t>>(o, kind);
}
void sort_items(const sort_request& o, const number_items<std::uint64_t>& kind) {
  run_sort<number_sort<std::uint64_t>>(o, kind);
}

}  // namespace peneira::tool
