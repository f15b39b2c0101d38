// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The formats, of which the build may lack some: who decompresses and who compresses each, by its library.
#pragma once

#include <memory>

#include "tools/peneira/io/compressed_bytes.hpp"

namespace peneira::tool {

[[noreturn]] void fail_to_decompress(const std::string& name, std::string_view why);

/// `between`: what comes first may be the end.
std::unique_ptr<decoder> make_gzip_decoder(compressed_bytes from, bool between);
std::unique_ptr<encoder> make_gzip_encoder(byte_push to);
std::unique_ptr<decoder> make_zstd_decoder(compressed_bytes from, const decoding& by);
std::unique_ptr<encoder> make_zstd_encoder(byte_push to);

}  // namespace peneira::tool
