// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of one size for work in several phases.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <functional>
#include <new>

#include "peneira/memory.hpp"
#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/io/mapped_file.hpp"

namespace peneira::tool {

/// A call's temporary memory: what is left of a piece, or the heap if the call needs more after all.
class spare_memory final : public memory {
 public:
  spare_memory(char* begin, std::size_t bytes) : begin_(begin), end_(begin + bytes), piece_(begin, bytes) {}

  void* allocate(std::size_t bytes, stream on) override {
    try {
      return piece_.allocate(bytes, on);
    } catch (const std::bad_alloc&) {
      return heap::shared().allocate(bytes, on);
    }
  }
  void deallocate(void* block, std::size_t bytes, stream on) noexcept override {
    const bool inside =
        !std::less<>()(block, static_cast<void*>(begin_)) && std::less<>()(block, static_cast<void*>(end_));
    inside ? piece_.deallocate(block, bytes, on) : heap::shared().deallocate(block, bytes, on);
  }

 private:
  char* begin_;
  char* end_;
  arena piece_;
};

/// One piece of memory that all phases of a sort share, each in its own way; it counts only where it is touched.
class work_memory {
 public:
  explicit work_memory(std::size_t bytes)
      : all_(-1, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
             print_bytes(static_cast<double>(bytes)) + " of memory") {
    if (bytes != 0) ::madvise(all_.data(), bytes, MADV_HUGEPAGE);  // random reads of records miss the TLB otherwise
  }

  void reset() { used_ = 0; }
  template <class T>
  T* take(std::size_t count) {
    T* const array = reinterpret_cast<T*>(static_cast<char*>(all_.data()) + used_);
    used_ += pn::detail::workspace::footprint<T>(count);
    if (used_ > all_.bytes()) throw std::bad_alloc();
    return array;
  }
  /// What nobody took.
  [[nodiscard]] spare_memory rest() const { return {static_cast<char*>(all_.data()) + used_, all_.bytes() - used_}; }

 private:
  mapping all_;
  std::size_t used_ = 0;
};

}  // namespace peneira::tool
