// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Large arrays straight from the system: memory counts only where it was touched, and growing moves no bytes.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace peneira::tool {

template <class T>
class paged_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  paged_array() = default;
  paged_array(const paged_array&) = delete;
  paged_array& operator=(const paged_array&) = delete;
  paged_array(paged_array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  paged_array& operator=(paged_array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~paged_array() { clear(); }

  [[nodiscard]] T* data() const { return static_cast<T*>(data_); }
  T& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] std::size_t capacity() const { return bytes_ / sizeof(T); }

  /// Makes room for so many items; those that are there stay, elsewhere perhaps.
  void reserve(std::size_t items) {
    if (items <= capacity()) return;
    constexpr std::size_t unit = std::size_t{1} << 21U;  // a large page
    if (items > (std::size_t{1} << 62U) / sizeof(T)) throw std::bad_alloc();
    const std::size_t wanted = std::max(items * sizeof(T), bytes_ + bytes_ / 2);
    const std::size_t bytes = (wanted + unit - 1) / unit * unit;
    void* const larger = data_ == nullptr ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                          : ::mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
    if (larger == MAP_FAILED) throw std::bad_alloc();
    data_ = larger;
    bytes_ = bytes;
    // Large arrays alone: in small ones most of a large page would be touched in vain, on systems that ask nobody too.
    static_cast<void>(::madvise(data_, bytes_, bytes_ >= 16 * unit ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
  }

  /// Gives the memory behind so many items back; the room stays.
  void forget_from(std::size_t items) {
    constexpr std::size_t page = std::size_t{1} << 16U;  // of any machine
    const std::size_t kept = std::min(bytes_, (items * sizeof(T) + page - 1) / page * page);
    if (kept < bytes_) static_cast<void>(::madvise(static_cast<char*>(data_) + kept, bytes_ - kept, MADV_DONTNEED));
  }

  /// Gives all memory back.
  void clear() {
    if (data_ != nullptr) ::munmap(data_, bytes_);
    data_ = nullptr;
    bytes_ = 0;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace peneira::tool
