// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-mpi sort of lines of text.
#pragma once

#include "tools/peneira-mpi/job.hpp"
#include "tools/peneira/sort/text/options.hpp"

namespace peneira::tool {

/// Sorts whole lines by their bytes. Throws usage_error for options that ranks cannot follow yet.
void sort_lines(job_ranks& on, const sort_text_options& o, const job_options& how);

}  // namespace peneira::tool
