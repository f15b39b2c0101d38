// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// About how many different texts there are: the least hashes of all, of 64 bits, up to a number of them. Hashes are
// spread evenly, so that where the last of the k least lies tells how many there are (Bar-Yossef and others, Counting
// distinct elements in a data stream, 2002). Of fewer than k texts all hashes are there, and are counted. The sketch of
// two parts is that of all, so that neither their order nor how they were cut shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace peneira::tool {

class distinct_sketch {
 public:
  /// Hashes that are kept. The standard error is 1 / sqrt(most - 2): 1.6%.
  static constexpr std::size_t most = 4096;

  void clear();
  void add(std::string_view text) { add(hash_of(text)); }
  /// Adds all that another one has seen, of which these are the bytes().
  void merge(std::string_view other);
  /// The sketch as bytes, which lie in it until it is changed.
  std::string_view bytes();
  /// How many texts the sketch of these bytes has seen.
  static std::uint64_t estimate(std::string_view sketch);

 private:
  static std::uint64_t hash_of(std::string_view text);
  void add(std::uint64_t hash);
  /// Leaves out what is there twice, and what is too much.
  void cut();

  std::vector<std::uint64_t> hashes_;
  std::uint64_t last_ = ~std::uint64_t{0};  ///< greater ones do not count
};

}  // namespace peneira::tool
