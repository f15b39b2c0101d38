// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <peneira/place.hpp>

#include "bind.hpp"
#include "segments.hpp"

namespace peneira::python {
namespace {

using nb::arg;

/// Offsets of 64 bits, at least one.
segment_table segments_in(const buffer& offsets) {
  require_bytes(offsets, sizeof(std::uint64_t));
  return {static_cast<const std::uint64_t*>(offsets.data()), offsets.bytes() / sizeof(std::uint64_t) - 1};
}

void segmented_sort_arrays(nb::handle keys, nb::handle out_keys, int type_code, nb::handle values,
                           nb::handle out_values, unsigned value_bytes, nb::handle offsets, bool descending,
                           unsigned threads) {
  const auto of = static_cast<type>(type_code);
  const buffer in(keys, access::read);
  const buffer out(out_keys, access::write);
  const buffer in_values(values, access::read);
  const buffer moved(out_values, access::write);
  const buffer table(offsets, access::read);
  const std::size_t size = in.bytes() / width_of(of);
  require_bytes(out, in.bytes());
  require_bytes(in_values, size * value_bytes);
  require_bytes(moved, size * value_bytes);
  const segmented_sort_call call{in.data(), out.data(),  in_values.data(),   moved.data(), size,
                                 of,        value_bytes, segments_in(table), descending};
  const cpu on{.threads = threads};
  unlocked([&] { with_word(width_of(of), [&]<class U>(U) { sort_segments<U>(on, call); }); });
}

void top_k_arrays(nb::handle keys, nb::handle out_keys, int type_code, nb::handle values, nb::handle out_values,
                  unsigned value_bytes, nb::handle offsets, std::size_t k, bool least, bool sorted, unsigned threads) {
  const auto of = static_cast<type>(type_code);
  const buffer in(keys, access::read);
  const buffer out(out_keys, access::write);
  const buffer in_values(values, access::read);
  const buffer moved(out_values, access::write);
  const buffer table(offsets, access::read);
  const segment_table segments = segments_in(table);
  const std::size_t size = in.bytes() / width_of(of);
  if (k > size) throw std::invalid_argument("libpeneira: k is beyond the items");
  require_bytes(out, segments.count * k * width_of(of));
  require_bytes(in_values, size * value_bytes);
  require_bytes(moved, segments.count * k * value_bytes);
  const top_k_call call{in.data(), out.data(), in_values.data(), moved.data(), size, of, value_bytes, segments, k,
                        least,     sorted};
  const cpu on{.threads = threads};
  unlocked([&] { with_word(width_of(of), [&]<class U>(U) { top_k_of<U>(on, call); }); });
}

void scan_arrays(nb::handle items, nb::handle out, int type_code, int op_code, nb::handle offsets, bool inclusive,
                 unsigned threads) {
  const auto of = static_cast<type>(type_code);
  const buffer in(items, access::read);
  const buffer to(out, access::write);
  const buffer table(offsets, access::read);
  require_bytes(to, in.bytes());
  const scan_call call{in.data(),          to.data(), in.bytes() / width_of(of), of, static_cast<scan_op>(op_code),
                       segments_in(table), inclusive};
  unlocked([&] { scan_items(cpu{.threads = threads}, call); });
}

}  // namespace

void bind_segments(nb::module_& m) {
  nb::dict codes;
  for (const auto& [name, by] :
       {std::pair{"sum", scan_op::sum}, {"prod", scan_op::prod}, {"min", scan_op::min}, {"max", scan_op::max}}) {
    codes[name] = static_cast<int>(by);
  }
  m.attr("scans") = codes;
  m.def("segmented_sort", segmented_sort_arrays, arg(), arg(), arg(), arg().none(), arg().none(), arg(), arg(), arg(),
        arg());
  m.def("top_k", top_k_arrays, arg(), arg(), arg(), arg().none(), arg().none(), arg(), arg(), arg(), arg(), arg(),
        arg());
  m.def("scan", scan_arrays);
}

}  // namespace peneira::python
