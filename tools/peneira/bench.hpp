// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of `peneira bench`.
#pragma once

#include <CLI/CLI.hpp>

namespace peneira::tool {

void add_bench_multisplit(CLI::App& bench);
void add_bench_table(CLI::App& bench);

}  // namespace peneira::tool
