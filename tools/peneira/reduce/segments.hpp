// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A file of items, and where its segments lie.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "peneira/segmented_reduce/problem.hpp"
#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/reduce/reduce.hpp"

namespace peneira::tool {

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

inline segment_table read_segments(const reduce_request& o, std::size_t items) {
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

}  // namespace peneira::tool
