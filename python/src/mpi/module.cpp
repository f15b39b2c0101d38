// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// libpeneira._mpi: the calls over the ranks of a communicator (libpeneira/_ranks.py), compiled for the MPI that was
// found when the package was built. Arrays are looked at by the Python half, as those of _cpu are.
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "cpu/array_calls.hpp"
#include "cpu/bind.hpp"
#include "cpu/buffer.hpp"
#include "ranks.hpp"
#include "words.hpp"

namespace peneira::python {
namespace {

using nb::arg;

/// The ranks of a communicator, which is duplicated: the first call is one of all ranks, and so is close().
class ranks {
 public:
  /// `communicator` is the address of a handle of MPI's, as mpi4py keeps it.
  explicit ranks(std::uintptr_t communicator) {
    const auto* const handle = reinterpret_cast<const MPI_Comm*>(communicator);  // NOLINT(performance-no-int-to-ptr)
    const nb::gil_scoped_release release;
    all_ = std::make_unique<mpi<>>(*handle);
  }
  void close() { all_.reset(); }
  [[nodiscard]] ranks_place with(unsigned threads) const {
    if (all_ == nullptr) throw std::invalid_argument("libpeneira: the communicator was freed");
    return {*all_, threads};
  }
  [[nodiscard]] std::uint64_t sent_bytes() const { return all_ == nullptr ? 0 : all_->sent_bytes(); }

 private:
  std::unique_ptr<mpi<>> all_;
};

/// What an MPI says of itself: mpi4py must have been built for the same.
std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int size = 0;
  MPI_Get_library_version(text, &size);
  return {text, static_cast<std::size_t>(size)};
}

void to_words(nb::handle keys, nb::handle words, int type_code, bool descending, unsigned threads) {
  const key_words by{static_cast<type>(type_code), descending, threads};
  const buffer in(keys, access::read);
  const buffer out(words, access::write);
  const std::size_t size = in.bytes() / width_of(by.of);
  require_bytes(out, size * by.word_bytes());
  unlocked([&] { by.to_words(in.data(), out.data(), size); });
}

void to_keys(nb::handle words, nb::handle keys, int type_code, bool descending, unsigned threads) {
  const key_words by{static_cast<type>(type_code), descending, threads};
  const buffer in(words, access::read);
  const buffer out(keys, access::write);
  const std::size_t size = in.bytes() / by.word_bytes();
  require_bytes(out, size * width_of(by.of));
  unlocked([&] { by.to_keys(in.data(), out.data(), size); });
}

void sort_arrays(const ranks& of, nb::handle words, nb::handle out_words, unsigned word_bytes, nb::handle values,
                 nb::handle out_values, unsigned value_bytes, unsigned threads) {
  const buffer in(words, access::read);
  const buffer out(out_words, access::write);
  const buffer in_values(values, access::read);
  const buffer moved(out_values, access::write);
  const rank_sort_call call{in.data(),  in.bytes() / word_bytes, out.data(),   out.bytes() / word_bytes,
                            word_bytes, in_values.data(),        moved.data(), value_bytes};
  require_bytes(in_values, call.size * value_bytes);
  require_bytes(moved, call.out_size * value_bytes);
  const ranks_place on = of.with(threads);
  unlocked([&] { sort_over_ranks(on, call); });
}

void argsort_array(const ranks& of, nb::handle words, unsigned word_bytes, nb::handle positions, unsigned threads) {
  const buffer in(words, access::read);
  const buffer out(positions, access::write);
  const rank_sort_call call{
      in.data(), in.bytes() / word_bytes, nullptr, out.bytes() / sizeof(std::uint64_t), word_bytes, nullptr, nullptr,
      0};
  const ranks_place on = of.with(threads);
  unlocked([&] { argsort_over_ranks(on, call, static_cast<std::uint64_t*>(out.data())); });
}

void multisplit_arrays(const ranks& of, nb::handle keys, nb::handle out_keys, int type_code, nb::handle values,
                       nb::handle out_values, unsigned value_bytes, nb::handle offsets, int by, std::uint32_t bins,
                       unsigned shift, nb::handle borders, unsigned threads) {
  const buffer in(keys, access::read);
  const buffer out(out_keys, access::write);
  const buffer in_values(values, access::read);
  const buffer moved(out_values, access::write);
  const buffer table(offsets, access::write);
  const buffer compared(borders, access::read);
  const split_call call = split_call_of({in, out, in_values, moved, table, compared}, static_cast<type>(type_code),
                                        value_bytes, static_cast<bins_by>(by), bins, shift);
  const ranks_place on = of.with(threads);
  unlocked([&] { split_over_ranks(on, call); });
}

std::size_t group_by_arrays(const ranks& of, nb::handle keys, unsigned key_bytes, nb::handle values, int type_code,
                            int op_code, nb::handle unique_keys, nb::handle results, unsigned threads) {
  const buffer in(keys, access::read);
  const buffer in_values(values, access::read);
  const buffer out(unique_keys, access::write);
  const buffer gathered(results, access::write);
  const group_by_call call = group_call_of({in, in_values, out, gathered}, key_bytes, static_cast<type>(type_code),
                                           static_cast<gather_op>(op_code), threads);
  const ranks_place on = of.with(threads);
  return unlocked([&] { return group_over_ranks(on, call); });
}

}  // namespace
}  // namespace peneira::python

NB_MODULE(_mpi, m) {
  namespace nb = nanobind;
  namespace py = peneira::python;
  using nb::arg;
  nb::set_leak_warnings(false);  // what an attribute of a communicator holds at the end of a program is not lost
  nb::exception<peneira::mpi_error>(m, "MpiError", PyExc_RuntimeError);
  m.attr("library") = py::library();
  nb::class_<py::ranks>(m, "Ranks")
      .def(nb::init<std::uintptr_t>())
      .def("close", &py::ranks::close)
      .def_prop_ro("sent_bytes", &py::ranks::sent_bytes);
  m.def("to_words", py::to_words);
  m.def("to_keys", py::to_keys);
  m.def("sort", py::sort_arrays, arg(), arg(), arg(), arg(), arg().none(), arg().none(), arg(), arg());
  m.def("argsort", py::argsort_array);
  m.def("multisplit", py::multisplit_arrays, arg(), arg(), arg(), arg(), arg().none(), arg().none(), arg(), arg(),
        arg(), arg(), arg(), arg().none(), arg());
  m.def("group_by", py::group_by_arrays, arg(), arg(), arg(), arg().none(), arg(), arg(), arg(), arg(), arg());
}
