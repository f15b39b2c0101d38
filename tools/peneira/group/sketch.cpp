// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/group/sketch.hpp"

#include <algorithm>
#include <cstring>

#include "peneira/hash.hpp"
#include "tools/peneira/text/int128.hpp"

namespace peneira::tool {

std::uint64_t distinct_sketch::hash_of(std::string_view text) {
  return mix64(hash_bytes(text));
}

void distinct_sketch::clear() {
  hashes_.clear();
  last_ = ~std::uint64_t{0};
}

void distinct_sketch::add(std::uint64_t hash) {
  if (hash > last_) return;
  hashes_.push_back(hash);
  if (hashes_.size() >= 2 * most) cut();
}

void distinct_sketch::cut() {
  std::sort(hashes_.begin(), hashes_.end());
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  if (hashes_.size() < most) return;
  hashes_.resize(most);
  last_ = hashes_.back();
}

void distinct_sketch::merge(std::string_view other) {
  for (std::size_t at = 0; at < other.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t hash = 0;
    std::memcpy(&hash, other.data() + at, sizeof hash);
    if (hash > last_) return;  // they ascend
    add(hash);
  }
}

std::string_view distinct_sketch::bytes() {
  cut();
  return {reinterpret_cast<const char*>(hashes_.data()), hashes_.size() * sizeof(std::uint64_t)};
}

std::uint64_t distinct_sketch::estimate(std::string_view sketch) {
  const std::size_t size = sketch.size() / sizeof(std::uint64_t);
  if (size < most) return size;
  std::uint64_t last = 0;
  std::memcpy(&last, sketch.data() + sketch.size() - sizeof last, sizeof last);
  constexpr int128 all = int128{1} << 64U;
  return static_cast<std::uint64_t>((most - 1) * all / (int128{last} + 1));
}

}  // namespace peneira::tool
