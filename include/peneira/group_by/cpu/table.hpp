// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A hash table of groups that stays in a cache: open addressing, slot after slot, at most half full. It starts small
// and doubles up to the slots that it was given; what does not fit then, and keys that crowd one place, are told to the
// caller, who has another way. So no keys can make it slow.
#pragma once

#include <algorithm>
#include <bit>

#include "peneira/group_keys.hpp"

namespace peneira::detail {

/// A group's key and what it has gathered.
template <class U, class State>
struct group_entry {
  U key;
  [[no_unique_address]] State state;
};

/// The entries that a table of so many slots takes: the slots, one for the key that marks free ones, and those that are
/// put aside while it doubles.
constexpr std::size_t table_entries(std::size_t slots) {
  return slots + 1 + slots / 4 + 1;
}

/// The groups of one thread. `Folding` says what they gather.
template <class U, class Folding>
class group_table {
 public:
  using entry = group_entry<U, typename Folding::state>;
  using moved = typename Folding::moved;

  static constexpr std::size_t least_slots = 16;

  /// In memory for table_entries(most_slots); the highest `skipped` bits of hashes are the same for all keys.
  group_table(entry* memory, std::size_t most_slots, unsigned skipped, const Folding& by)
      : slots_(memory), aside_(memory + most_slots + 1), most_(most_slots), skipped_(skipped), by_(by) {}

  /// Empties it, for about so many groups.
  void clear(std::size_t expected) { resize(std::clamp(std::bit_ceil(4 * expected), least_slots, most_)); }

  /// How many groups there are.
  [[nodiscard]] std::size_t size() const { return size_ + (has_mark_ ? 1 : 0); }

  /// One more item of a group; false: there is no room for it.
  [[gnu::always_inline]] bool add(U key, const moved& item) {
    return with_entry(
        key, [&](entry& found) { by_.add(found.state, item); }, [&](entry& fresh) { fresh.state = by_.first(item); });
  }
  /// What was gathered elsewhere; false: there is no room for it.
  bool merge(const entry& from) {
    return with_entry(
        from.key, [&](entry& found) { by_.merge(found.state, from.state); },
        [&](entry& fresh) { fresh.state = from.state; });
  }

  /// Writes all groups, in an order that depends on what was added alone; returns the end.
  entry* write(entry* to) const {
    for (std::size_t s = 0; s <= mask_; ++s) {
      if (slots_[s].key != mark) *to++ = slots_[s];
    }
    if (has_mark_) *to++ = slots_[mask_ + 1];
    return to;
  }

 private:
  /// The key that marks a free slot; its own group stands behind the slots.
  static constexpr U mark = static_cast<U>(0x5A5A5A5A5A5A5A5AU);
  /// Slots that are looked at for a key. A table that is half full of random keys hardly ever needs so many.
  static constexpr std::size_t most_probes = 128;

  template <class Found, class Fresh>
  [[gnu::always_inline]] bool with_entry(U key, const Found& found, const Fresh& fresh) {
    if (key == mark) [[unlikely]] {
      entry& own = slots_[mask_ + 1];
      if (has_mark_) {
        found(own);
      } else {
        own.key = key;
        fresh(own);
        has_mark_ = true;
      }
      return true;
    }
    std::size_t s = slot_of(key);
    for (std::size_t probe = 0;; ++probe) {
      if (slots_[s].key == key) [[likely]] {
        found(slots_[s]);
        return true;
      }
      if (slots_[s].key == mark) break;
      if (probe == most_probes) [[unlikely]] {
        if (!grow()) return false;
        s = slot_of(key);
        probe = 0;
        continue;
      }
      s = (s + 1) & mask_;
    }
    if (2 * (size_ + 1) > mask_ + 1) [[unlikely]] {
      if (!grow()) return false;
      return with_fresh(key, fresh);
    }
    slots_[s].key = key;
    fresh(slots_[s]);
    ++size_;
    return true;
  }

  /// The same for a key that is known not to be there.
  template <class Fresh>
  [[gnu::noinline]] bool with_fresh(U key, const Fresh& fresh) {
    std::size_t s = slot_of(key);
    for (std::size_t probe = 0; slots_[s].key != mark; ++probe, s = (s + 1) & mask_) {
      if (probe == most_probes) return false;
    }
    slots_[s].key = key;
    fresh(slots_[s]);
    ++size_;
    return true;
  }

  [[nodiscard]] std::size_t slot_of(U key) const { return (group_hash(key) >> shift_) & mask_; }

  void resize(std::size_t slots) {
    mask_ = slots - 1;
    shift_ = 64U - skipped_ - static_cast<unsigned>(std::countr_zero(slots));
    size_ = 0;
    has_mark_ = false;
    for (std::size_t s = 0; s < slots; ++s) slots_[s].key = mark;
  }

  /// Doubles it; false where it has all slots, or its keys crowd one place even so.
  [[gnu::noinline]] bool grow() {
    if (mask_ + 1 >= most_) return false;
    const bool had_mark = has_mark_;
    const entry* end = write(aside_);
    resize(2 * (mask_ + 1));
    if (had_mark) {
      slots_[mask_ + 1] = *--end;
      has_mark_ = true;
    }
    return std::all_of(static_cast<const entry*>(aside_), end,
                       [&](const entry& e) { return with_fresh(e.key, [&](entry& fresh) { fresh.state = e.state; }); });
  }

  entry* slots_;
  entry* aside_;
  std::size_t most_;
  unsigned skipped_;
  const Folding& by_;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
  std::size_t size_ = 0;
  bool has_mark_ = false;
};

}  // namespace peneira::detail
