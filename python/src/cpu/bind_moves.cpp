// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <peneira/place.hpp>

#include "bind.hpp"
#include "moves.hpp"

namespace peneira::python {
namespace {

using nb::arg;

void gather_arrays(nb::handle items, unsigned item_bytes, nb::handle positions, unsigned position_bytes, nb::handle out,
                   unsigned threads) {
  const buffer in(items, access::read);
  const buffer from(positions, access::read);
  const buffer to(out, access::write);
  const std::size_t count = from.bytes() / position_bytes;
  require_bytes(to, count * item_bytes);
  const gather_call call{in.data(), in.bytes() / item_bytes, item_bytes, from.data(), count, position_bytes, to.data()};
  unlocked([&] { gather_items(cpu{.threads = threads}, call); });
}

void partition_arrays(nb::handle parts, nb::handle out_parts, nb::handle items, nb::handle out, unsigned item_bytes,
                      nb::handle counts, unsigned threads) {
  const buffer by(parts, access::read);
  const buffer by_out(out_parts, access::write);
  const buffer in(items, access::read);
  const buffer to(out, access::write);
  const buffer sizes(counts, access::write);
  const std::size_t size = by.bytes();
  require_bytes(by_out, size);
  require_bytes(in, size * item_bytes);
  require_bytes(to, size * item_bytes);
  require_bytes(sizes, 3 * sizeof(std::int64_t));
  const partition_call call{static_cast<const std::uint8_t*>(by.data()),
                            static_cast<std::uint8_t*>(by_out.data()),
                            in.data(),
                            to.data(),
                            size,
                            item_bytes,
                            static_cast<std::int64_t*>(sizes.data()),
                            threads};
  unlocked([&] { partition_items(call); });
}

void histogram_arrays(nb::handle keys, int type_code, nb::handle weights, int weighed_code, nb::handle counts, int by,
                      std::uint32_t bins, unsigned shift, nb::handle borders, unsigned threads) {
  const auto of = static_cast<type>(type_code);
  const buffer in(keys, access::read);
  const buffer weight(weights, access::read);
  const buffer sums(counts, access::write);
  const buffer compared(borders, access::read);
  const std::size_t size = in.bytes() / width_of(of);
  if (!weights.is_none()) require_bytes(weight, size * sizeof(std::int64_t));
  require_bytes(sums, std::size_t{bins} * sizeof(std::int64_t));
  const split_call split{.keys = in.data(),
                         .out_keys = nullptr,
                         .values = nullptr,
                         .out_values = nullptr,
                         .offsets = nullptr,
                         .size = size,
                         .of = of,
                         .value_bytes = 0,
                         .by = static_cast<bins_by>(by),
                         .bins = bins,
                         .shift = shift,
                         .table = compared.data(),
                         .table_size = compared.bytes() / width_of(of)};
  const histogram_call call{split, weight.data(),
                            weights.is_none() ? weighed::count : static_cast<weighed>(weighed_code), sums.data()};
  unlocked([&] { with_word(width_of(of), [&]<class U>(U) { histogram_bits<U>(cpu{.threads = threads}, call); }); });
}

}  // namespace

void bind_moves(nb::module_& m) {
  nb::dict codes;
  for (const auto& [name, by] :
       {std::pair{"count", weighed::count}, {"whole", weighed::whole}, {"real", weighed::real}}) {
    codes[name] = static_cast<int>(by);
  }
  m.attr("weights") = codes;
  m.def("gather", gather_arrays);
  m.def("partition", partition_arrays);
  m.def("histogram", histogram_arrays, arg(), arg(), arg().none(), arg(), arg(), arg(), arg(), arg(), arg().none(),
        arg());
}

}  // namespace peneira::python
