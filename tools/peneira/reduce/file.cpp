// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira reduce of a file: from its type and the operator to the fold, and its results as they are written.
#include "tools/peneira/cli/types.hpp"
#include "tools/peneira/io/sink.hpp"
#include "tools/peneira/reduce/on_gpu.hpp"
#include "tools/peneira/reduce/segment_results.hpp"

namespace peneira::tool {

void reduce_file(const reduce_request& o) {
  with_item_type(o.type, [&]<class T>(std::type_identity<T>) {
    phase_times times(o.team());
    const item_file<T> in(o.input, o.type);
    const segment_table table = read_segments(o, in.size());
    sink out(o.out, o.force);
    segment_results results(o, table, out);
    const file_folds<T> folds{{table.offsets, o.strategy, o.threads}, {in.data(), in.size()}};
    if (folds_on_gpu(o, folds, times)) {
      write_reduced(o.op, table.count(), in.data(), gpu_folds<T>(folds, times), results);
    } else {
      write_reduced(o.op, table.count(), in.data(), timed_folds<T>(folds, times), results);
    }
    out.commit();
    if (o.report) times.tell_report();
  });
}

}  // namespace peneira::tool
