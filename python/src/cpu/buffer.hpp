// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory of an array of Python's, held for as long as a call runs: it is neither freed nor moved meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

namespace peneira::python {

namespace nb = nanobind;

enum class access { read, write };

/// Must be made and destroyed with the interpreter's lock held.
class buffer {
 public:
  buffer() = default;
  /// None is no memory. Throws Python's error where the array is not contiguous, or may not be written.
  buffer(nb::handle array, access how) {
    if (array.is_none()) return;
    if (PyObject_GetBuffer(array.ptr(), &view_, how == access::write ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) {
      throw nb::python_error();
    }
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  buffer(buffer&&) = delete;
  buffer& operator=(buffer&&) = delete;
  ~buffer() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }

  [[nodiscard]] bool is_none() const { return view_.obj == nullptr; }
  [[nodiscard]] void* data() const { return view_.buf; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_{};
};

/// Throws where an array has fewer bytes than a call would touch. The Python half looks first, and says it in words.
inline void require_bytes(const buffer& array, std::size_t least) {
  if (array.bytes() < least) throw std::invalid_argument("libpeneira: an array is smaller than a call needs");
}

}  // namespace peneira::python
