// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of a compressed file that can be decompressed by themselves: the members of bgzf, each of which tells its
// length (the SAM specification, 4.1), and the frames of zstd (RFC 8878), whose blocks do.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tools/peneira/io/compressed_bytes.hpp"

namespace peneira::tool {

/// Whether a file that begins so may have parts that are worth finding.
bool may_have_parts(compression how, std::string_view first_bytes);

/// Bytes that a frame of zstd which begins so will look back; nothing where that is not told.
std::optional<std::size_t> window_of_frame(std::string_view first_bytes);

class compressed_parts {
 public:
  /// `most`: bytes of a part that are held at once, and that it may look back.
  compressed_parts(compression how, compressed_bytes from, std::size_t most, std::size_t most_window)
      : how_(how), from_(std::move(from)), most_(most), most_window_(most_window) {}

  enum class found { part, rest, nothing };
  /// Takes one or more whole parts. rest: what follows has none that are small enough, and to() may end within one.
  found next(std::string& to);
  /// What comes behind the last part that was taken.
  compressed_bytes behind(std::string part) { return from_.behind(std::move(part)); }
  [[nodiscard]] const std::string& name() const { return from_.name(); }

 private:
  enum class step { whole, other, end };
  step take_member(std::string& to);
  step take_frame(std::string& to);
  /// The blocks of a frame, the last one's checksum included.
  bool take_blocks(std::string& to, bool checksum);
  bool take(std::string& to, std::size_t bytes) { return to.size() + bytes <= most_ && from_.move_to(to, bytes); }

  compression how_;
  compressed_bytes from_;
  std::size_t most_;
  std::size_t most_window_;
};

}  // namespace peneira::tool
