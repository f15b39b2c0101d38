// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The names of shards: with their number, part-%04d.csv, or with the key that each has, {city}.csv.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "tools/peneira/cli/errors.hpp"

namespace peneira::tool {

/// A file name with a number in it: part-%04d.csv.
class numbered_name {
 public:
  explicit numbered_name(const std::string& pattern) {
    bool found = false;
    std::string* part = &before_;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '%') {
        *part += pattern[i];
        continue;
      }
      if (pattern.substr(i, 2) == "%%") {
        *part += pattern[i++];
        continue;
      }
      std::size_t at = i + 1;
      zeros_ = pattern[at] == '0';
      while (at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9' && at < i + 4) {
        width_ = width_ * 10 + (pattern[at++] - '0');
      }
      if (found || at >= pattern.size() || pattern[at] != 'd') refuse(pattern);
      found = true;
      part = &after_;
      i = at;
    }
    if (!found) refuse(pattern);
  }

  [[nodiscard]] std::string name(std::size_t number) const {
    return before_ + (zeros_ ? fmt::format("{:0{}}", number, width_) : fmt::format("{:{}}", number, width_)) + after_;
  }

 private:
  [[noreturn]] static void refuse(const std::string& pattern) {
    throw usage_error(
        fmt::format("--out: \"{}\" must hold exactly one number, such as %d or %04d (and %% for a percent sign), or a "
                    "key in braces",
                    pattern));
  }

  std::string before_;
  std::string after_;
  bool zeros_ = false;
  int width_ = 0;
};

/// A file name with a key in it: {}.csv, or {city}.csv, which also says what the key is.
class keyed_name {
 public:
  /// The name that a pattern with braces is; none without them.
  static std::optional<keyed_name> of(const std::string& pattern) {
    const std::size_t open = pattern.find('{');
    const std::size_t close = pattern.find('}', open == std::string::npos ? 0 : open);
    if (open == std::string::npos) return std::nullopt;
    const bool one = close != std::string::npos && pattern.find_first_of("{}", close + 1) == std::string::npos;
    if (!one || pattern.find('%') != std::string::npos) {
      throw usage_error(
          fmt::format("--out: \"{}\" must hold one key in braces, such as {{}} or {{city}}, and no number", pattern));
    }
    return keyed_name(pattern.substr(0, open), pattern.substr(open + 1, close - open - 1), pattern.substr(close + 1));
  }

  /// What stands in the braces.
  [[nodiscard]] const std::string& field() const { return field_; }
  /// The name of a key's file. No two keys have the same, and none leads out of the pattern's folder: what is no plain
  /// character of a file name is written as in URLs, %2F for a slash.
  [[nodiscard]] std::string name(std::string_view key) const {
    std::string name = before_;
    const bool begins = before_.empty() || before_.back() == '/' || before_.back() == '.';
    if (key.empty()) name += '%';  // elsewhere two digits follow it
    for (std::size_t i = 0; i < key.size(); ++i) {
      const auto byte = static_cast<unsigned char>(key[i]);
      const bool plain = byte > 0x20 && byte != 0x7F && byte != '/' && byte != '%';
      const bool hides =
          i == 0 && begins && (byte == '.' || byte == '-');  // a hidden file, or what looks like an option
      if ((plain || (byte == ' ' && i != 0)) && !hides) {
        name += key[i];
      } else {
        name += fmt::format("%{:02X}", byte);
      }
    }
    return name + after_;
  }

 private:
  keyed_name(std::string before, std::string field, std::string after)
      : before_(std::move(before)), field_(std::move(field)), after_(std::move(after)) {}

  std::string before_;
  std::string field_;
  std::string after_;
};

/// One or the other, as a pattern has it.
class shard_names {
 public:
  explicit shard_names(const std::string& pattern) : keyed_(keyed_name::of(pattern)) {
    if (!keyed_.has_value()) numbered_.emplace(pattern);
  }

  [[nodiscard]] bool by_key() const { return keyed_.has_value(); }
  /// The field of the key, where the pattern tells; else empty.
  [[nodiscard]] std::string field() const { return keyed_.has_value() ? keyed_->field() : std::string(); }
  [[nodiscard]] std::string name(std::size_t number) const { return numbered_->name(number); }
  [[nodiscard]] std::string name(std::string_view key) const { return keyed_->name(key); }

 private:
  std::optional<keyed_name> keyed_;
  std::optional<numbered_name> numbered_;
};

}  // namespace peneira::tool
