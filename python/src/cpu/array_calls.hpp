// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls as the compiled half has them, of arrays that are as large as they must be.
#pragma once

#include "buffer.hpp"
#include "groups.hpp"
#include "multisplit.hpp"

namespace peneira::python {

/// The arrays of a multisplit.
struct split_arrays {
  const buffer& keys;
  const buffer& out_keys;
  const buffer& values;
  const buffer& out_values;
  const buffer& offsets;
  const buffer& borders;
};

inline split_call split_call_of(const split_arrays& arrays, type of, unsigned value_bytes, bins_by by,
                                std::uint32_t bins, unsigned shift) {
  const std::size_t size = arrays.keys.bytes() / width_of(of);
  require_bytes(arrays.out_keys, arrays.keys.bytes());
  require_bytes(arrays.values, size * value_bytes);
  require_bytes(arrays.out_values, size * value_bytes);
  require_bytes(arrays.offsets, (std::size_t{bins} + 1) * sizeof(std::int64_t));
  return {.keys = arrays.keys.data(),
          .out_keys = arrays.out_keys.data(),
          .values = arrays.values.data(),
          .out_values = arrays.out_values.data(),
          .offsets = static_cast<std::int64_t*>(arrays.offsets.data()),
          .size = size,
          .of = of,
          .value_bytes = value_bytes,
          .by = by,
          .bins = bins,
          .shift = shift,
          .table = arrays.borders.data(),
          .table_size = arrays.borders.bytes() / width_of(of)};
}

/// The arrays of a group_by.
struct group_arrays {
  const buffer& keys;
  const buffer& values;
  const buffer& unique_keys;
  const buffer& results;
};

inline group_by_call group_call_of(const group_arrays& arrays, unsigned key_bytes, type of, gather_op by,
                                   unsigned threads) {
  const std::size_t size = arrays.keys.bytes() / key_bytes;
  const std::size_t room = arrays.unique_keys.bytes() / key_bytes;
  const unsigned value_bytes = arrays.values.is_none() ? 0 : width_of(of);
  require_bytes(arrays.values, size * value_bytes);
  require_bytes(arrays.results, room * sizeof(std::uint64_t));
  return {.keys = arrays.keys.data(),
          .size = size,
          .key_bytes = key_bytes,
          .values = arrays.values.data(),
          .value_of = of,
          .value_bytes = value_bytes,
          .by = by,
          .unique_keys = arrays.unique_keys.data(),
          .results = static_cast<std::uint64_t*>(arrays.results.data()),
          .room = room,
          .threads = threads};
}

}  // namespace peneira::python
