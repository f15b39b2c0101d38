// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What is random in a sort of text: the order of -R, and the lines of --sample.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace peneira::tool {

/// Makes one random order another.
using random_salt = std::array<char, 16>;

/// Sixteen bytes of the file, or of the system where there is none. Throws where it has fewer.
random_salt read_salt(const std::string& source);

/// The MD5 digest (RFC 1321) of the salt and the text, by which GNU sort orders with -R.
std::array<char, 16> salted_digest(const random_salt& salt, std::string_view text);

/// A number that a salt and a position give, evenly spread.
std::uint64_t random_rank(const random_salt& salt, std::uint64_t position);

}  // namespace peneira::tool
