// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a sort of strings says of strings that cannot be right, whichever place found out.
#pragma once

#include <string>

#include "peneira/error.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// String i ends before it starts.
[[noreturn]] inline void reject_string(std::size_t i, std::uint64_t start, std::uint64_t next, std::size_t trailing) {
  reject("sort_strings", "starts",
         "end string " + std::to_string(i) + " before it starts: it starts at " + std::to_string(start) +
             ", the next at " + std::to_string(next) + ", and " + std::to_string(trailing) +
             " trailing bytes are left out");
}

/// Throws where the permutation shares memory with the characters.
inline void check_apart(const char* chars, std::size_t bytes, const void* permutation, std::size_t permutation_bytes) {
  if (overlap(chars, bytes, permutation, permutation_bytes)) {
    reject("sort_strings", "permutation", "overlaps the characters of the strings");
  }
}

}  // namespace peneira::detail
