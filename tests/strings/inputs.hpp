// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Strings that hurt.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/common.hpp"

namespace peneira::test {

using words = std::vector<std::string>;

inline std::string text_of(random& next, std::size_t length, std::string_view alphabet) {
  std::string text(length, ' ');
  for (char& c : text) c = next.pick(alphabet);
  return text;
}

struct generator {
  const char* name;
  std::function<std::string(random&, std::size_t i, std::size_t n)> make;
};

inline const std::string& any_byte() {
  static const std::string all = [] {
    std::string bytes;
    for (int b = 0; b < 256; ++b) bytes += static_cast<char>(b);
    return bytes;
  }();
  return all;
}

inline const std::vector<generator>& generators() {
  static const std::vector<generator> all{
      {"random bytes", [](random& r, auto, auto) { return text_of(r, r.below(24), any_byte()); }},
      {"printable", [](random& r, auto, auto) { return text_of(r, 10 + r.below(80), any_byte().substr(32, 95)); }},
      {"two letters", [](random& r, auto, auto) { return text_of(r, r.below(14), "ab"); }},
      {"NUL and one", [](random& r, auto, auto) { return text_of(r, r.below(20), std::string_view("\0\1", 2)); }},
      {"only NULs", [](random& r, auto, auto) { return std::string(r.below(40), '\0'); }},
      {"high and low",
       [](random& r, auto, auto) { return text_of(r, r.below(10), std::string_view("\xFF\x7F\x80\0", 4)); }},
      {"all equal", [](auto&, auto, auto) { return std::string("https://example.org/the/same"); }},
      {"all empty", [](auto&, auto, auto) { return std::string(); }},
      {"beginnings", [](random& r, auto, auto) { return std::string(r.below(400), 'x'); }},
      {"one apart",
       [](auto&, std::size_t i, std::size_t n) { return std::string(60, 'q') + (i == n / 2 ? "a" : "qq"); }},
      {"outliers",
       [](random& r, std::size_t i, auto) {
         if (i % 1000 == 7) return text_of(r, 5, any_byte());
         return "common start of everything " + text_of(r, 6, "0123456789");
       }},
      {"forms",
       [](random& r, auto, auto) {
         return "row " + text_of(r, 2, "0123456789") + ": of all rows, " + text_of(r, 1 + r.below(6), "abcdef");
       }},
      {"forms with errors",
       [](random& r, std::size_t i, auto) {
         std::string form = "row " + text_of(r, 2, "0123456789") + ": of all rows, " + text_of(r, 4, "abcdef");
         if (i % 3001 == 7) form.resize(r.below(form.size()));
         if (i % 3001 == 8) form.insert(r.below(form.size() + 1), "!");
         return form;
       }},
      {"few distinct", [](random& r, auto, auto) { return "word number " + std::to_string(r.below(7)); }},
      {"ascending", [](auto&, std::size_t i, auto) { return std::to_string(100000000 + i); }},
      {"descending", [](auto&, std::size_t i, auto) { return std::to_string(900000000 - i); }},
      {"addresses",
       [](random& r, auto, auto) {
         const std::uint64_t rank = r.below(1 + r.below(1 + r.below(5000)));
         return "https://www.example.org/archive/" + std::string(r.below(2) != 0 ? "geography" : "literature") +
                "/item-" + std::to_string(rank) + "?session=" + text_of(r, 12, "0123456789abcdef");
       }},
  };
  return all;
}

inline words make_words(const generator& g, std::size_t n, random& next) {
  words made;
  made.reserve(n);
  for (std::size_t i = 0; i < n; ++i) made.push_back(g.make(next, i, n));
  return made;
}

}  // namespace peneira::test
