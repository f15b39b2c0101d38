// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// libpeneira._cpu: calls on memory that the Python half has checked (libpeneira/_arrays.py). Arrays are held first,
// then the interpreter's lock is released while the call runs. std::invalid_argument becomes ValueError, std::bad_alloc
// MemoryError.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <peneira/config.hpp>
#include <peneira/host.hpp>
#include <peneira/place.hpp>
#include <string>
#include <utility>

#include "array_calls.hpp"
#include "bind.hpp"
#include "buffer.hpp"
#include "explain.hpp"
#include "multisplit.hpp"
#include "reduce.hpp"
#include "sort.hpp"
#include "strings.hpp"

namespace peneira::python {
namespace {

void sort_arrays(nb::handle keys, nb::handle out_keys, int type_code, nb::handle values, nb::handle out_values,
                 unsigned value_bytes, bool descending, unsigned threads) {
  const auto of = static_cast<type>(type_code);
  const buffer in(keys, access::read);
  const buffer out(out_keys, access::write);
  const buffer in_values(values, access::read);
  const buffer moved(out_values, access::write);
  const std::size_t size = in.bytes() / width_of(of);
  require_bytes(out, in.bytes());
  require_bytes(in_values, size * value_bytes);
  require_bytes(moved, size * value_bytes);
  const sort_call call{in.data(), out.data(), in_values.data(), moved.data(), size, of, value_bytes, descending};
  const cpu on{.threads = threads};
  unlocked([&] { with_width(width_of(of), [&]<class U>(U) { sort_bits<U>(on, call); }); });
}

void argsort_array(nb::handle keys, nb::handle positions, int type_code, unsigned position_bytes, bool descending,
                   unsigned threads) {
  const auto of = static_cast<type>(type_code);
  const buffer in(keys, access::read);
  const buffer out(positions, access::write);
  const std::size_t size = in.bytes() / width_of(of);
  require_bytes(out, size * position_bytes);
  const argsort_call call{in.data(), out.data(), size, of, position_bytes, descending};
  const cpu on{.threads = threads};
  unlocked([&] { with_width(width_of(of), [&]<class U>(U) { argsort_bits<U>(on, call); }); });
}

/// `offsets` are of 64 bits, or None: all items are one segment.
void reduce_array(nb::handle items, int type_code, nb::handle offsets, nb::handle results, unsigned result_bytes,
                  int op_code, unsigned threads) {
  const auto of = static_cast<type>(type_code);
  const buffer in(items, access::read);
  const buffer table(offsets, access::read);
  const buffer out(results, access::write);
  const std::size_t segments = offsets.is_none() ? 1 : table.bytes() / sizeof(std::uint64_t) - 1;
  require_bytes(out, segments * result_bytes);
  const reduce_call call{
      in.data(),  in.bytes() / width_of(of), static_cast<const std::uint64_t*>(table.data()), segments,
      out.data(), static_cast<op>(op_code)};
  const cpu on{.threads = threads};
  unlocked([&] { with_number(of, [&]<class T>(T) { reduce_numbers<T>(on, call); }); });
}

void check_label_array(std::string_view call, nb::handle labels, int type_code, nb::handle checked, std::uint32_t bins,
                       unsigned threads) {
  const auto of = static_cast<type>(type_code);
  const buffer in(labels, access::read);
  const buffer out(checked, access::write);
  const std::size_t size = in.bytes() / width_of(of);
  require_bytes(out, size * sizeof(std::uint32_t));
  unlocked([&] { check_labels(call, in.data(), of, size, bins, static_cast<std::uint32_t*>(out.data()), threads); });
}

/// `address` is that of a batched_bins.
void call_bins_at(std::uintptr_t address, nb::handle keys, unsigned key_bytes, nb::handle bins, unsigned threads) {
  const buffer in(keys, access::read);
  const buffer out(bins, access::write);
  const std::size_t size = in.bytes() / key_bytes;
  require_bytes(out, size * sizeof(std::uint32_t));
  const auto f = reinterpret_cast<batched_bins>(address);  // NOLINT(performance-no-int-to-ptr)
  unlocked([&] { call_bins(f, in.data(), key_bytes, size, static_cast<std::uint32_t*>(out.data()), threads); });
}

void multisplit_arrays(nb::handle keys, nb::handle out_keys, int type_code, nb::handle values, nb::handle out_values,
                       unsigned value_bytes, nb::handle offsets, int by, std::uint32_t bins, unsigned shift,
                       nb::handle borders, unsigned threads) {
  const auto of = static_cast<type>(type_code);
  const buffer in(keys, access::read);
  const buffer out(out_keys, access::write);
  const buffer in_values(values, access::read);
  const buffer moved(out_values, access::write);
  const buffer table(offsets, access::write);
  const buffer compared(borders, access::read);
  const split_call call = split_call_of({in, out, in_values, moved, table, compared}, of, value_bytes,
                                        static_cast<bins_by>(by), bins, shift);
  const cpu on{.threads = threads};
  unlocked([&] { with_width(width_of(of), [&]<class U>(U) { split_bits<U>(on, call); }); });
}

void multisplit_by_labels(nb::handle items, nb::handle out, unsigned item_bytes, nb::handle labels, nb::handle offsets,
                          unsigned threads) {
  const buffer in(items, access::read);
  const buffer to(out, access::write);
  const buffer of(labels, access::read);
  const buffer table(offsets, access::write);
  const std::size_t size = in.bytes() / item_bytes;
  require_bytes(to, in.bytes());
  require_bytes(of, size * sizeof(std::uint32_t));
  require_bytes(table, 2 * sizeof(std::int64_t));
  const label_call call{in.data(),
                        to.data(),
                        item_bytes,
                        size,
                        of.data(),
                        sizeof(std::uint32_t),
                        static_cast<std::uint32_t>(table.bytes() / sizeof(std::int64_t) - 1),
                        static_cast<std::int64_t*>(table.data())};
  const cpu on{.threads = threads};
  unlocked([&] { split_by_labels(on, call); });
}

void sort_string_array(nb::handle chars, nb::handle starts, unsigned start_bytes, nb::handle positions,
                       unsigned position_bytes, bool descending, unsigned threads) {
  const buffer text(chars, access::read);
  const buffer table(starts, access::read);
  const buffer out(positions, access::write);
  require_bytes(table, start_bytes);
  const std::size_t size = table.bytes() / start_bytes - 1;
  with_word(start_bytes,
            [&]<class Start>(Start) { require_bytes(text, static_cast<const Start*>(table.data())[size]); });
  require_bytes(out, size * position_bytes);
  const strings_call call{static_cast<const char*>(text.data()),
                          table.data(),
                          start_bytes,
                          size,
                          out.data(),
                          position_bytes,
                          descending,
                          threads};
  unlocked([&] { sort_strings_of(call); });
}

/// A plan as Python has it: text, and the same as numbers.
nb::dict plan_facts(std::string_view call, std::size_t items, unsigned item_bytes, unsigned value_bytes,
                    unsigned result_bytes, std::uint32_t bins, std::size_t segments, std::size_t k, unsigned threads,
                    int arch, int sms) {
  std::variant<host, device> machine = host::here().with_threads(threads);
  if (arch != 0) machine = device{.arch = arch, .sms = sms};
  const plan made = plan_of(call, {items, item_bytes, value_bytes, result_bytes, bins, segments, k}, machine);
  nb::dict facts;
  facts["text"] = to_string(made);
  facts["primitive"] = made.primitive;
  facts["place"] = made.place;
  facts["strategy"] = made.strategy;
  facts["why"] = made.why;
  facts["temporary_bytes"] = made.temporary_bytes;
  nb::dict parameters;
  for (const parameter& p : made.parameters) parameters[nb::str(p.name.data(), p.name.size())] = p.value;
  facts["parameters"] = parameters;
  nb::list steps;
  for (const step& one : made.steps) steps.append(one.name);
  facts["steps"] = steps;
  return facts;
}

/// Names of NumPy's types, and the numbers that stand for them.
nb::dict types() {
  nb::dict codes;
  for (const auto& [name, of] : {std::pair{"i1", type::i8},
                                 {"i2", type::i16},
                                 {"i4", type::i32},
                                 {"i8", type::i64},
                                 {"u1", type::u8},
                                 {"u2", type::u16},
                                 {"u4", type::u32},
                                 {"u8", type::u64},
                                 {"f2", type::f16},
                                 {"f4", type::f32},
                                 {"f8", type::f64},
                                 {"b1", type::u8}}) {
    codes[name] = static_cast<int>(of);
  }
  codes["time"] = static_cast<int>(type::time);
  return codes;
}

nb::dict reductions() {
  nb::dict codes;
  for (const auto& [name, by] : {std::pair{"sum", op::sum},
                                 {"prod", op::prod},
                                 {"min", op::min},
                                 {"max", op::max},
                                 {"argmin", op::argmin},
                                 {"argmax", op::argmax},
                                 {"any", op::any},
                                 {"all", op::all},
                                 {"bit_and", op::bit_and},
                                 {"bit_or", op::bit_or},
                                 {"bit_xor", op::bit_xor}}) {
    codes[name] = static_cast<int>(by);
  }
  return codes;
}

nb::dict bin_functions() {
  nb::dict codes;
  for (const auto& [name, by] : {std::pair{"label", bins_by::label},
                                 {"digit", bins_by::digit},
                                 {"hashed", bins_by::hashed},
                                 {"ranges", bins_by::ranges},
                                 {"splitters", bins_by::splitters}}) {
    codes[name] = static_cast<int>(by);
  }
  return codes;
}

nb::dict machine() {
  const host& here = host::here();
  nb::dict facts;
  facts["threads"] = here.threads;
  facts["l1"] = here.l1;
  facts["l2"] = here.l2;
  facts["l3"] = here.l3;
  return facts;
}

std::string version() {
  return std::to_string(PENEIRA_VERSION_MAJOR) + "." + std::to_string(PENEIRA_VERSION_MINOR) + "." +
         std::to_string(PENEIRA_VERSION_PATCH);
}

}  // namespace
}  // namespace peneira::python

NB_MODULE(_cpu, m) {
  namespace nb = nanobind;
  namespace py = peneira::python;
  using nb::arg;
  m.attr("version") = py::version();
  m.attr("types") = py::types();
  m.attr("reductions") = py::reductions();
  m.attr("bin_functions") = py::bin_functions();
  m.def("machine", py::machine);
  m.def("sort", py::sort_arrays, arg(), arg(), arg(), arg().none(), arg().none(), arg(), arg(), arg());
  m.def("argsort", py::argsort_array);
  m.def("reduce", py::reduce_array, arg(), arg(), arg().none(), arg(), arg(), arg(), arg());
  m.def("check_labels", py::check_label_array);
  m.def("call_bins", py::call_bins_at);
  m.def("multisplit", py::multisplit_arrays, arg(), arg(), arg(), arg().none(), arg().none(), arg(), arg(), arg(),
        arg(), arg(), arg().none(), arg());
  m.def("multisplit_by_labels", py::multisplit_by_labels);
  m.def("sort_strings", py::sort_string_array);
  m.def("plan", py::plan_facts);
  py::bind_segments(m);
  py::bind_groups(m);
  py::bind_moves(m);
}
