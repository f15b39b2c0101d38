// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Results as they are written: each as a line, or as it lies in memory.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/reduce/reduce.hpp"
#include "tools/peneira/text/int128.hpp"

namespace peneira::tool {

/// An item and where it is.
template <class T>
struct found_item {
  T value;
  std::uint64_t index;
};

/// Text and bytes of results. Narrow integers are printed as wide ones, which there is code for already.
class result_text {
 public:
  template <class R>
  static void append_line(std::string& to, const R& value) {
    if constexpr (std::is_floating_point_v<R>) {
      if (std::isnan(value)) {  // whatever its sign
        to += "nan\n";
      } else {
        fmt::format_to(std::back_inserter(to), "{}\n", value);
      }
    } else if constexpr (sizeof(R) < 8) {
      append_line(to, static_cast<std::conditional_t<std::is_signed_v<R>, std::int64_t, std::uint64_t>>(value));
    } else {
      fmt::format_to(std::back_inserter(to), "{}\n", value);
    }
  }
  template <class T>
  static void append_line(std::string& to, const found_item<T>& found) {
    fmt::format_to(std::back_inserter(to), "{}\t", found.index);
    append_line(to, found.value);
  }

  template <class R>
  static void append_binary(std::string& to, const R& value, std::size_t s) {
    if constexpr (sizeof(R) > 8) {
      const auto narrow = static_cast<std::conditional_t<R(-1) < R(0), std::int64_t, std::uint64_t>>(value);
      if (narrow != value) {
        throw std::runtime_error(fmt::format("the sum of segment {} is {}, which 64 bits cannot hold", s, value));
      }
      append_binary(to, narrow, s);
    } else {
      to.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  template <class T>
  static void append_binary(std::string& to, const found_item<T>& found, std::size_t s) {
    append_binary(to, found.index, s);
  }
};

/// Writes results in their order to what has write(data, size), while the team makes text of the next.
template <class Out>
class result_writer {
 public:
  /// `first` is the number of the first segment, for messages.
  result_writer(const reduce_request& o, Out& out, std::size_t first) : o_(o), out_(out), first_(first) {}

  /// Line or item s is value(s); lines where `present` denies it say none.
  template <class Value, class Present>
  void write(std::size_t count, const Value& value, const Present& present) {
    write_parts(count, [&](std::string& text, std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) {
        if (o_.binary) {
          result_text::append_binary(text, value(s), first_ + s);
        } else if (present(s)) {
          result_text::append_line(text, value(s));
        } else {
          text += "none\n";
        }
      }
    });
  }

 private:
  void write_parts(std::size_t count, const std::function<void(std::string&, std::size_t, std::size_t)>& append) {
    constexpr std::size_t part = 1U << 15U;
    std::vector<std::string> parts(o_.team());
    for (std::size_t first = 0; first < count; first += part * parts.size()) {
      poll_interrupt();
      on_each(o_.team(), [&](unsigned m) {
        parts[m].clear();
        const std::size_t begin = std::min(count, first + m * part);
        append(parts[m], begin, std::min(count, begin + part));
      });
      for (const std::string& one : parts) out_.write(one.data(), one.size());
    }
  }

  const reduce_request& o_;
  Out& out_;
  std::size_t first_;
};

}  // namespace peneira::tool
