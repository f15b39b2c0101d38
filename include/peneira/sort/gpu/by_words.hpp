// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// by_words: rows of several columns by words of up to 64 bits, from the last to the first, each sort keeping the order
// of the one before, as a radix sort of rows does.
//
//   columns --write_words--> lowest words, positions --sort--> --write_words, in that order--> next words --sort--> ...
//
// Stable. Needs a word a row, and what a sort of words with positions needs.
#pragma once

#include "peneira/sort/gpu/numbered_sort.hpp"
#include "peneira/sort/gpu/numbers.cuh"

namespace peneira::sort_strategies {

struct by_words {
  static constexpr std::string_view name = "by_words";
  static constexpr std::string_view about = "words of all columns sorted with positions, from the last to the first";

  static std::string refuses(const column_sort_problem& problem, const device& machine) {
    return detail::refuse_sort("sort", pairs_of(problem), machine);
  }

  struct parameters {
    column_sort_problem problem;
    unsigned words = 0;
    std::size_t word_bytes = 0;
    std::size_t sort_bytes = 0;
    step write;
    detail::numbered_sort sort;

    static constexpr std::tuple fields{
        detail::field{&parameters::words, "words", "of a row, each of which is sorted by"},
        detail::field{&parameters::word_bytes, "word bytes", "of a word that is sorted"},
        detail::field{&parameters::sort_bytes, "sort bytes", "of the temporary memory of a sort of words"},
    };
    template <class Add>
    void each_step(const Add& add) const {
      for (unsigned w = 0; w < words; ++w) {
        add(write);
        sort.each_step(add);
      }
    }
  };

  static parameters decide(const column_sort_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.word_bytes = word_bytes_of(problem.bits);
    if (problem.items == 0) return p;
    p.words = (problem.bits + 63) / 64;
    p.write = detail::over_items_step("write_words", problem.items, machine);
    p.sort = detail::numbered_sort::of(pairs_of(problem), machine);
    p.sort_bytes = p.sort.bytes;
    return p;
  }

  struct arrays {
    void* words;
    void* sort_memory;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.words = memory.take_bytes(p.problem.items * p.word_bytes);
    a.sort_memory = memory.take_bytes(p.sort_bytes);
    return a;
  }

#if defined(__CUDACC__)
  template <class Position, class... Columns>
  static void run(const gpu& on, const parameters& p, const column_set<Columns...>& set, Position* positions) {
    using word =
        std::conditional_t<word_bytes_of((detail::column_bits<Columns> + ...)) == 4, std::uint32_t, std::uint64_t>;
    if (set.rows == 0) return;
    const detail::temporary<by_words> a(on, p);
    const view<word, Position> numbered{static_cast<word*>(a.words), positions, set.rows};
    std::apply(
        [&](const auto&... one) {
          unsigned above = p.problem.bits;  // columns go from the highest bits down
          std::tuple readers{reader_of(one, above)...};
          for (unsigned w = 0; w < p.words; ++w) {
            write(on, p, w, numbered, readers);
            p.sort.run(on, a.sort_memory, numbered);
          }
        },
        set.all);
  }
#endif

 private:
  static constexpr std::size_t word_bytes_of(unsigned bits) {
    return bits <= 32 ? 4 : 8;
  }
  static sort_problem pairs_of(const column_sort_problem& problem) {
    return detail::numbered_sort::problem_of(problem.items, word_bytes_of(problem.bits), problem.position_bytes);
  }

#if defined(__CUDACC__)
  /// A column whose bits lie right below `above`, which then is where they begin.
  template <class Key, class Mask>
  static auto reader_of(const column<Key, Mask>& of, unsigned& above) {
    using key = std::remove_const_t<Key>;
    using bits = detail::bits_of<key>;
    above -= detail::column_bits<column<Key, Mask>>;
    return detail::column_reader<bits, std::remove_const_t<Mask>>{reinterpret_cast<const bits*>(of.keys.keys),
                                                                  of.is_null, detail::order_of<key>(of.descending),
                                                                  of.nulls_are_first, above};
  }
  template <class U, class Position, class... Readers>
  static void write(const gpu& on, const parameters& p, unsigned word, view<U, Position> numbered,
                    const std::tuple<Readers...>& readers) {
    std::apply(
        [&](const auto&... one) {
          detail::launch(on, p.write, detail::write_words<U, Position, Readers...>, numbered.size, word, numbered.keys,
                         numbered.values, one...);
        },
        readers);
  }
#endif
};

}  // namespace peneira::sort_strategies
