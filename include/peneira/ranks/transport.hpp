// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What ranks do together, whatever carries it: MPI between processes (mpi_transport.hpp), or memory between the threads
// of one process (loop_transport.hpp), which tests and simulations use. All ranks make the same calls in the same
// order.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "peneira/config.hpp"
#include "peneira/memory.hpp"

namespace peneira {

/// Another rank is gone, so that a call of all of them cannot end. What this call writes is unspecified.
class rank_lost : public std::runtime_error {
 public:
  /// For peneira itself to throw.
  explicit rank_lost(const std::string& what) : std::runtime_error(what) {}
};

namespace detail {

/// Bytes of the shared room of a rank.
struct room_part {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

/// Bytes of this rank's room that another gets, and where they go in what it receives.
struct placed_part {
  std::uint64_t rank = 0;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t at = 0;
};

/// What a transport offers. A rank has a room: memory that it fills and the others read, in exchange().
template <class T>
concept transport = requires(T& between, const void* from, void* to, std::size_t bytes, std::span<const std::size_t> of,
                             std::span<std::uint64_t> counts, std::span<const room_part> parts,
                             std::span<const placed_part> placed) {
  { between.rank() } -> std::convertible_to<unsigned>;
  { between.ranks() } -> std::convertible_to<unsigned>;
  between.gather_all(from, of, to);  // rank r gives of[r] bytes; all get the bytes of all, in rank order
  between.sum_all(counts);           // each becomes the sum over all ranks
  between.sum_before(counts);        // each becomes the sum over the ranks before this one
  { between.make_room(bytes) } -> std::convertible_to<void*>;  // throws on all ranks or on none
  { between.room() } -> std::convertible_to<void*>;            // the same again
  between.exchange(parts, to);      // rank r gets parts[r] of this room; `to` gets what is for this rank, in order
  between.send(placed, to, bytes);  // each part goes where it says, at most one to a rank; `bytes` come to `to`
  { between.first() } -> std::convertible_to<unsigned>;  // the number of rank 0 among the ranks of the call
  between.group(bytes);  // a transport of so many ranks in a row, this one among them; its room is this rank's
  { between.two_levels_from() } -> std::convertible_to<unsigned>;  // ranks that exchange small pieces by way of groups
};

/// Memory of one process for the room of a rank. What it held is lost when it grows.
class heap_room {
 public:
  heap_room() = default;
  heap_room(const heap_room&) = delete;
  heap_room& operator=(const heap_room&) = delete;
  ~heap_room() { free(); }

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(block_); }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  /// Throws std::bad_alloc, and is then empty.
  void grow(std::size_t bytes) {
    if (block_ != nullptr && bytes <= bytes_) return;
    free();
    block_ = heap::shared().allocate(std::max(bytes, memory_alignment), nullptr);
    bytes_ = std::max(bytes, memory_alignment);
  }
  void free() {
    if (block_ != nullptr) heap::shared().deallocate(block_, bytes_, nullptr);
    block_ = nullptr;
    bytes_ = 0;
  }

 private:
  void* block_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A value of each rank, in rank order.
template <class T, transport Transport>
std::vector<T> gather_values(Transport& between, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(between.ranks());
  const std::vector<std::size_t> bytes(between.ranks(), sizeof(T));
  between.gather_all(&mine, bytes, all.data());
  return all;
}

/// Some values of each rank, in rank order; `counts` says how many each has.
template <class T, transport Transport>
std::vector<T> gather_arrays(Transport& between, std::span<const T> mine, std::span<const std::size_t> counts) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::size_t> bytes(counts.size());
  std::size_t sum = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    bytes[r] = counts[r] * sizeof(T);
    sum += counts[r];
  }
  std::vector<T> all(sum);
  between.gather_all(mine.data(), bytes, all.data());
  return all;
}

/// What went wrong on a rank.
enum class failure : std::uint8_t { none, argument, memory, other };

/// What a rank tells the others of it.
struct failure_report {
  failure kind = failure::none;
  char text[247] = {};

  void set(failure what, const char* why) {
    kind = what;
    std::strncpy(text, why, sizeof(text) - 1);
  }
};

/// Throws the first failure that a rank reports, on all ranks alike. Rank 0 of them has a number among all.
[[noreturn]] inline void throw_first(std::span<const failure_report> all, std::size_t first) {
  std::size_t rank = 0;
  while (all[rank].kind == failure::none) ++rank;
  std::string text = all[rank].text;
  if (text.rfind("rank ", 0) != 0) text = "rank " + std::to_string(first + rank) + ": " + text;  // a group named it
  if (all[rank].kind == failure::argument) throw std::invalid_argument(text);
  if (all[rank].kind == failure::memory) throw std::bad_alloc();
  throw std::runtime_error(text);
}

/// Does the work of this rank alone, and then makes sure that no rank failed at its own: or else all throw the same
/// error, which names the rank, so that none waits for one that left.
template <transport Transport, class Work>
void together(Transport& between, Work&& work) {
  failure_report mine;
  try {
    work();
  } catch (const std::invalid_argument& error) {
    mine.set(failure::argument, error.what());
  } catch (const std::bad_alloc& error) {
    mine.set(failure::memory, error.what());
  } catch (const std::exception& error) {
    mine.set(failure::other, error.what());
  }
  std::uint64_t failed = mine.kind == failure::none ? 0 : 1;
  between.sum_all({&failed, 1});
  if (failed != 0) throw_first(gather_values(between, mine), between.first());
}

}  // namespace detail
}  // namespace peneira
