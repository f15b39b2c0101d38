// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where temporary memory comes from. One interface serves both places: a CPU call passes no stream, a GPU call passes
// its own, and the memory may be handed out again to work that follows on that stream.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <atomic>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

#include "peneira/config.hpp"

struct CUstream_st;

namespace peneira {

/// A CUDA stream, spelled without CUDA's headers.
using stream = ::CUstream_st*;

/// Every block that peneira asks for starts on a boundary of this many bytes.
inline constexpr std::size_t memory_alignment = 256;

/// A source of temporary memory. Derive from it to supply your own: a place takes a pointer to it. A call takes what
/// explain(...).temporary_bytes says, in one block (argsort, segmented_argsort and sort by
/// columns: in two), and gives it back before it returns, or on a GPU
/// in stream order.
class memory {
 public:
  memory() = default;
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  memory(memory&&) = delete;
  memory& operator=(memory&&) = delete;
  virtual ~memory() = default;

  /// Returns at least `bytes` bytes aligned to memory_alignment, or throws std::bad_alloc.
  virtual void* allocate(std::size_t bytes, stream on) = 0;
  /// Takes back what allocate returned, in stream order.
  virtual void deallocate(void* block, std::size_t bytes, stream on) noexcept = 0;
};

namespace detail {

/// Bytes of a block from which the heap asks for huge pages.
inline constexpr std::size_t huge_block = std::size_t{16} << 20U;

}  // namespace detail

/// The CPU's default: the heap, with huge pages for what is large. Memory that is fresh costs a fault a page, so one
/// large block of up to 128 MiB is kept for the next call; the system may have its pages back when it wants them.
class heap final : public memory {
 public:
  void* allocate(std::size_t bytes, stream /*on*/) override {
    if (bytes > ~std::size_t{0} / 2) throw std::bad_alloc();
    return bytes < detail::huge_block ? allocate_small(bytes) : allocate_large(whole_pages(bytes));
  }
  void deallocate(void* block, std::size_t bytes, stream /*on*/) noexcept override {
    if (bytes < detail::huge_block) {
      ::operator delete(static_cast<void**>(block)[-1]);
    } else {
      deallocate_large(block, whole_pages(bytes));
    }
  }

  /// The one that calls without a memory of their own share. It is never destroyed, so that destructors of statics may
  /// still make calls.
  static heap& shared() {
    alignas(heap) static std::byte place[sizeof(heap)];
    static heap& instance = *new (place) heap;
    return instance;
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20U;
  static constexpr std::size_t most_kept = std::size_t{128} << 20U;

  static constexpr std::size_t whole_pages(std::size_t bytes) {
    return (bytes + huge_page - 1) / huge_page * huge_page;
  }

  /// A block, aligned by hand, and before it where the heap's begins. glibc's aligned blocks are hardly ever found
  /// again when they are free: each call got pages that nobody had touched.
  static void* allocate_small(std::size_t bytes) {
    void* const base = ::operator new(bytes + memory_alignment);
    const auto behind = reinterpret_cast<std::uintptr_t>(base) + memory_alignment;
    void* const block = reinterpret_cast<void*>(behind / memory_alignment * memory_alignment);
    static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= sizeof(void*));
    static_cast<void**>(block)[-1] = base;
    return block;
  }

#if defined(__linux__)
  void* allocate_large(std::size_t bytes) {
    if (void* const block = kept_.exchange(nullptr, std::memory_order_acquire); block != nullptr) {
      const std::size_t size = *static_cast<std::size_t*>(block);
      if (size >= bytes) {
        unmap(static_cast<std::byte*>(block) + bytes, size - bytes);
        return block;
      }
      unmap(block, size);
    }
    return map(bytes);
  }
  void deallocate_large(void* block, std::size_t bytes) noexcept {
    if (bytes > most_kept) return unmap(block, bytes);
    static_cast<void>(::madvise(block, bytes, MADV_FREE));
    *static_cast<std::size_t*>(block) = bytes;  // behind it, as what was there may go
    void* const other = kept_.exchange(block, std::memory_order_acq_rel);
    if (other != nullptr) unmap(other, *static_cast<std::size_t*>(other));
  }

  /// Whole huge pages, from the beginning of one on.
  static void* map(std::size_t bytes) {
    void* const base = ::mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) throw std::bad_alloc();
    auto* const begin = static_cast<std::byte*>(base);
    const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(base) % huge_page) % huge_page;
    unmap(begin, before);
    unmap(begin + before + bytes, huge_page - before);
    static_cast<void>(::madvise(begin + before, bytes, MADV_HUGEPAGE));
    return begin + before;
  }
  static void unmap(void* from, std::size_t bytes) noexcept {
    if (bytes != 0) static_cast<void>(::munmap(from, bytes));
  }

  std::atomic<void*> kept_{nullptr};  ///< a large block that is free, which begins with its size
#else
  static void* allocate_large(std::size_t bytes) {
    return ::operator new (bytes, std::align_val_t{huge_page});
  }
  static void deallocate_large(void* block, std::size_t /*bytes*/) noexcept {
    ::operator delete (block, std::align_val_t{huge_page});
  }
#endif
};

/// Hands out one caller-owned buffer, host or device, and never asks for more. Calls on one arena must follow one
/// another (one thread, one stream); when all blocks are back the whole buffer is free again.
///
/// ```cpp
/// std::vector<std::byte> buffer(1U << 20U);
/// pn::arena mine(buffer.data(), buffer.size());
/// const pn::cpu on{.memory = &mine};
/// ```
class arena final : public memory {
 public:
  /// A buffer that the caller keeps alive. Where it is not aligned, up to memory_alignment - 1 bytes are skipped.
  arena(void* buffer, std::size_t bytes) : base_(reinterpret_cast<std::uintptr_t>(buffer)), bytes_(bytes) {}

  void* allocate(std::size_t bytes, stream /*on*/) override {
    const std::lock_guard lock(mutex_);
    const std::uintptr_t start = (base_ + used_ + memory_alignment - 1) / memory_alignment * memory_alignment;
    const std::size_t skipped = start - base_;
    if (skipped > bytes_ || bytes > bytes_ - skipped) throw std::bad_alloc();
    used_ = skipped + bytes;
    if (used_ > high_water_) high_water_ = used_;
    ++blocks_;
    return reinterpret_cast<void*>(start);
  }

  void deallocate(void* /*block*/, std::size_t /*bytes*/, stream /*on*/) noexcept override {
    const std::lock_guard lock(mutex_);
    if (--blocks_ == 0) used_ = 0;
  }

  /// The most bytes that were ever in use at once.
  [[nodiscard]] std::size_t high_water() const noexcept { return high_water_; }

 private:
  std::mutex mutex_;
  std::uintptr_t base_;
  std::size_t bytes_;
  std::size_t used_ = 0;
  std::size_t high_water_ = 0;
  std::size_t blocks_ = 0;
};

namespace detail {

/// One allocation of a call, carved into arrays; given back in stream order when it goes out of scope.
class workspace {
 public:
  workspace(memory& from, std::size_t bytes, stream on)
      : from_(from), on_(on), bytes_(bytes), block_(bytes == 0 ? nullptr : from.allocate(bytes, on)) {}
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;
  workspace(workspace&&) = delete;
  workspace& operator=(workspace&&) = delete;
  ~workspace() {
    if (block_ != nullptr) from_.deallocate(block_, bytes_, on_);
  }

  /// The next `count` items of T. A workspace_size counted them, so they are there.
  template <class T>
  T* take(std::size_t count) {
    return static_cast<T*>(take_bytes(count * sizeof(T)));
  }
  /// The same for items of which only the size is known.
  void* take_bytes(std::size_t bytes) {
    std::byte* const array = static_cast<std::byte*>(block_) + used_;
    used_ += round_up(bytes);
    if (used_ > bytes_) throw std::logic_error("peneira: a call took more temporary memory than its plan stated");
    return array;
  }

  /// Bytes that were taken so far.
  [[nodiscard]] std::size_t used() const { return used_; }

  /// The bytes that take<T>(count) uses.
  template <class T>
  static constexpr std::size_t footprint(std::size_t count) {
    return round_up(count * sizeof(T));
  }
  static constexpr std::size_t round_up(std::size_t bytes) {
    return (bytes + memory_alignment - 1) / memory_alignment * memory_alignment;
  }

 private:
  memory& from_;
  stream on_;
  std::size_t bytes_;
  std::size_t used_ = 0;
  void* block_;
};

/// Takes the place of a workspace in a strategy's lay_out, to learn how many bytes it has to have. What it hands out
/// are addresses of nothing.
class workspace_size {
 public:
  template <class T>
  T* take(std::size_t count) {
    return static_cast<T*>(take_bytes(count * sizeof(T)));
  }
  void* take_bytes(std::size_t bytes) {
    const std::uintptr_t address = memory_alignment + used_;
    used_ += workspace::round_up(bytes);
    return reinterpret_cast<void*>(address);
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::size_t used_ = 0;
};

/// A part of the memory that was taken, which is laid out in turn; it is as long as that was found to need.
class memory_part {
 public:
  explicit memory_part(void* begin) : next_(static_cast<std::byte*>(begin)) {}

  template <class T>
  T* take(std::size_t count) {
    return static_cast<T*>(take_bytes(count * sizeof(T)));
  }
  void* take_bytes(std::size_t bytes) { return std::exchange(next_, next_ + workspace::round_up(bytes)); }

 private:
  std::byte* next_;
};

}  // namespace detail
}  // namespace peneira
