// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of any type as unsigned words of 4 or 8 bytes, whose order is that of the keys, and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <peneira/cpu/team.hpp>
#include <type_traits>

#include "cpu/threads.hpp"
#include "order.hpp"

namespace peneira::python {

/// Keys of one type, in one direction, and their words: as wide as they are, but at least 4 bytes.
struct key_words {
  type of;
  bool descending;
  unsigned threads;

  [[nodiscard]] unsigned word_bytes() const { return std::max(width_of(of), 4U); }

  void to_words(const void* keys, void* words, std::size_t size) const { each<false>(keys, words, size); }
  void to_keys(const void* words, void* keys, std::size_t size) const { each<true>(words, keys, size); }

 private:
  template <bool Back>
  void each(const void* from, void* to, std::size_t size) const {
    with_width(width_of(of), [&]<class U>(U) {
      using word = std::conditional_t<sizeof(U) == 8, std::uint64_t, std::uint32_t>;
      const detail::key_order<U> by = order_of_bits<U>(of, descending);
      const unsigned members = members_for(size, threads);
      detail::on_each(members, [&](unsigned m) {
        const auto [begin, end] = detail::slice(size, m, members);
        for (std::size_t i = begin; i < end; ++i) {
          if constexpr (Back) {
            static_cast<U*>(to)[i] = by.back(static_cast<U>(static_cast<const word*>(from)[i]));
          } else {
            static_cast<word*>(to)[i] = by(static_cast<const U*>(from)[i]);
          }
        }
      });
    });
  }
};

}  // namespace peneira::python
