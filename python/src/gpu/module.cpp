// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// libpeneira._cuda: calls on device memory that the Python half has looked at (libpeneira/_gpu/arrays.py), which hands
// over addresses. Work is queued on the caller's stream, with the interpreter's lock released, and nothing waits for
// it.
#include <cuda_runtime_api.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <peneira/error.hpp>
#include <peneira/memory.hpp>
#include <peneira/place.hpp>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "compiled_bins.hpp"
#include "moves.hpp"
#include "multisplit.hpp"
#include "reduce.hpp"
#include "segments.hpp"
#include "sort.hpp"

namespace peneira::python {
namespace {

namespace nb = nanobind;
using address = std::uintptr_t;

template <class T = void>
T* at(address of) {
  return reinterpret_cast<T*>(of);  // NOLINT(performance-no-int-to-ptr)
}

/// Temporary memory of the caller's library, whose function gives the address of so many bytes, and an object that owns
/// them. They go back when the call has queued its work: the library hands them out again in the order of the stream.
class borrowed_memory final : public memory {
 public:
  explicit borrowed_memory(nb::handle allocate) : allocate_(allocate) {}

  void* allocate(std::size_t bytes, stream /*on*/) override {
    const nb::gil_scoped_acquire lock;
    const nb::object block = allocate_(bytes);
    blocks_.push_back(block);
    return at(nb::cast<address>(block[0]));
  }
  void deallocate(void* /*block*/, std::size_t /*bytes*/, stream /*on*/) noexcept override {}

 private:
  nb::handle allocate_;
  std::vector<nb::object> blocks_;
};

/// Makes a device the current one for as long as it lives.
class device_guard {
 public:
  explicit device_guard(int device) {
    check(cudaGetDevice(&before_));
    changed_ = before_ != device;
    if (changed_) check(cudaSetDevice(device));
  }
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  device_guard(device_guard&&) = delete;
  device_guard& operator=(device_guard&&) = delete;
  ~device_guard() {
    if (changed_) static_cast<void>(cudaSetDevice(before_));
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Where a call runs: a device, its stream, and a function that allocates.
struct where {
  int device;
  address stream;
  nb::object allocate;
};

/// Queues what f(on) does.
template <class F>
void queue(const where& there, const F& f) {
  const device_guard guard(there.device);
  borrowed_memory memory(there.allocate);
  const gpu on{at<CUstream_st>(there.stream), &memory};
  const nb::gil_scoped_release release;
  f(on);
}

void sort_arrays(address keys, address out_keys, std::size_t size, int type_code, address values, address out_values,
                 unsigned value_bytes, bool descending, const where& there) {
  const auto of = static_cast<type>(type_code);
  const sort_call call{at(keys), at(out_keys), at(values), at(out_values), size, of, value_bytes, descending};
  queue(there, [&](const gpu& on) { with_width(width_of(of), [&]<class U>(U) { sort_bits<U>(on, call); }); });
}

void argsort_array(address keys, address positions, std::size_t size, int type_code, unsigned position_bytes,
                   bool descending, const where& there) {
  const auto of = static_cast<type>(type_code);
  const argsort_call call{at(keys), at(positions), size, of, position_bytes, descending};
  queue(there, [&](const gpu& on) { with_width(width_of(of), [&]<class U>(U) { argsort_bits<U>(on, call); }); });
}

/// A call of a split or a histogram; `lo_and_hi` are bytes in host memory, `splitters` an address in the device's.
split_call split_of(address keys, std::size_t size, int type_code, int by, std::uint32_t bins, unsigned shift,
                    const nb::bytes& lo_and_hi, address splitters, std::size_t splitter_count) {
  const auto of = static_cast<type>(type_code);
  const bool is_ranges = static_cast<bins_by>(by) == bins_by::ranges;
  if (is_ranges && lo_and_hi.size() != std::size_t{2} * width_of(of)) refuse_code("range");
  return {.keys = at(keys),
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
          .table = is_ranges ? lo_and_hi.data() : at(splitters),
          .table_size = is_ranges ? 2 : splitter_count};
}

void multisplit_arrays(address keys, address out_keys, std::size_t size, int type_code, address values,
                       address out_values, unsigned value_bytes, address offsets, int by, std::uint32_t bins,
                       unsigned shift, const nb::bytes& lo_and_hi, address splitters, std::size_t splitter_count,
                       const where& there) {
  split_call call = split_of(keys, size, type_code, by, bins, shift, lo_and_hi, splitters, splitter_count);
  call.out_keys = at(out_keys);
  call.values = at(values);
  call.out_values = at(out_values);
  call.value_bytes = value_bytes;
  call.offsets = at<std::int64_t>(offsets);
  queue(there, [&](const gpu& on) { with_word(width_of(call.of), [&]<class U>(U) { split_bits<U>(on, call); }); });
}

void multisplit_by_labels(address items, address out, unsigned item_bytes, std::size_t size, address labels,
                          unsigned label_bytes, std::uint32_t bins, address offsets, const where& there) {
  const label_call call{at(items), at(out), item_bytes, size, at(labels), label_bytes, bins, at<std::int64_t>(offsets)};
  queue(there, [&](const gpu& on) { split_by_labels(on, call); });
}

void histogram_array(address keys, std::size_t size, int type_code, address weights, int weighed_code, address counts,
                     int by, std::uint32_t bins, unsigned shift, const nb::bytes& lo_and_hi, address splitters,
                     std::size_t splitter_count, const where& there) {
  const split_call split = split_of(keys, size, type_code, by, bins, shift, lo_and_hi, splitters, splitter_count);
  const histogram_call call{split, at(weights), static_cast<weighed>(weighed_code), at(counts)};
  queue(there, [&](const gpu& on) { with_word(width_of(split.of), [&]<class U>(U) { histogram_bits<U>(on, call); }); });
}

void histogram_of_labels(address labels, unsigned label_bytes, std::size_t size, address weights, int weighed_code,
                         address counts, std::uint32_t bins, const where& there) {
  const label_histogram_call call{at(labels), label_bytes, size, at(weights), static_cast<weighed>(weighed_code),
                                  bins,       at(counts)};
  queue(there, [&](const gpu& on) { histogram_by_labels(on, call); });
}

/// Without offsets (0) all items are one segment.
void reduce_array(address items, std::size_t size, int type_code, address offsets, std::size_t segments, address out,
                  int op_code, const where& there) {
  const auto of = static_cast<type>(type_code);
  const reduce_call call{at(items), size, at<std::uint64_t>(offsets), segments, at(out), static_cast<op>(op_code)};
  queue(there, [&](const gpu& on) {
    with_number(of, [&]<class T>(T) {
      if constexpr (sizeof(T) >= 4) {
        reduce_numbers<T>(on, call);
      } else {
        refuse_code("number");
      }
    });
  });
}

void segmented_sort_arrays(address keys, address out_keys, std::size_t size, int type_code, address values,
                           address out_values, unsigned value_bytes, address offsets, std::size_t segments,
                           bool descending, const where& there) {
  const auto of = static_cast<type>(type_code);
  const segment_table table{at<std::uint64_t>(offsets), segments};
  const segmented_sort_call call{at(keys), at(out_keys), at(values), at(out_values), size,
                                 of,       value_bytes,  table,      descending};
  queue(there, [&](const gpu& on) { with_word(width_of(of), [&]<class U>(U) { sort_segments<U>(on, call); }); });
}

void top_k_array(address keys, address out_keys, address positions, address out_positions, std::size_t size,
                 int type_code, std::size_t k, bool least, bool sorted, const where& there) {
  const auto of = static_cast<type>(type_code);
  const top_k_call call{at(keys), at(out_keys), at(positions), at(out_positions), size, of, 4, {nullptr, 1},
                        k,        least,        sorted};
  queue(there, [&](const gpu& on) { with_word(width_of(of), [&]<class U>(U) { top_k_of<U>(on, call); }); });
}

void run_lengths_array(address items, std::size_t size, int type_code, address values, address lengths, address count,
                       const where& there) {
  const runs_call call{
      at(items), size, static_cast<type>(type_code), at(values), at<std::int64_t>(lengths), at<std::uint64_t>(count)};
  queue(there, [&](const gpu& on) { run_lengths_of(on, call); });
}

void scan_array(address items, address out, std::size_t size, int type_code, int op_code, bool inclusive,
                const where& there) {
  const scan_call call{at(items),    at(out),  size, static_cast<type>(type_code), static_cast<scan_op>(op_code),
                       {nullptr, 1}, inclusive};
  queue(there, [&](const gpu& on) { scan_items(on, call); });
}

void gather_array(address items, std::size_t size, unsigned item_bytes, address positions, std::size_t count,
                  unsigned position_bytes, address out, const where& there) {
  const gather_call call{at(items), size, item_bytes, at(positions), count, position_bytes, at(out)};
  queue(there, [&](const gpu& on) { gather_items(on, call); });
}

/// Loads what was compiled.
void load_bins(compiled_bins* self, const nb::bytes& compiled) {
  new (self) compiled_bins(compiled.data());
}

void write_bins(const compiled_bins& by, address keys, std::size_t size, address bins, const where& there) {
  queue(there, [&](const gpu& on) { by(on, at(keys), size, at<std::uint32_t>(bins)); });
}

/// The compute capability of a device, times ten.
int arch_of(int device) {
  int major = 0;
  int minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return 10 * major + minor;
}

}  // namespace
}  // namespace peneira::python

NB_MODULE(_cuda, m) {
  namespace nb = nanobind;
  namespace py = peneira::python;
  nb::set_leak_warnings(false);  // what a traceback holds at the end of a program is not lost
  nb::exception<peneira::cuda_error>(m, "CudaError", PyExc_RuntimeError);
  m.attr("bf16") = static_cast<int>(py::type::bf16);
  nb::class_<py::where>(m, "Where")
      .def("__init__", [](py::where* self, int device, py::address stream, nb::object allocate) {
        new (self) py::where{device, stream, std::move(allocate)};
      });
  nb::class_<py::compiled_bins>(m, "Bins").def("__init__", py::load_bins).def("write", py::write_bins);
  m.def("arch", py::arch_of);
  m.def("sort", py::sort_arrays);
  m.def("argsort", py::argsort_array);
  m.def("multisplit", py::multisplit_arrays);
  m.def("multisplit_by_labels", py::multisplit_by_labels);
  m.def("histogram", py::histogram_array);
  m.def("histogram_of_labels", py::histogram_of_labels);
  m.def("reduce", py::reduce_array);
  m.def("segmented_sort", py::segmented_sort_arrays);
  m.def("top_k", py::top_k_array);
  m.def("run_lengths", py::run_lengths_array);
  m.def("scan", py::scan_array);
  m.def("gather", py::gather_array);
}
