// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Measures a table of a paper by the benchmark of its primitive.
#pragma once

#include <cstdint>

#include "bench/harness.hpp"
#include "tools/peneira-bench/papers.hpp"

namespace peneira::tool {

/// The rows of a table go to the sink, each with its place in the paper; `threads` make the inputs. Returns whether
/// every output was right. Tables of the GPU need one.
bool measure_paper_table(const paper_table& table, unsigned threads, std::uint64_t seed, const bench::row_sink& sink);

}  // namespace peneira::tool
