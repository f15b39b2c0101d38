// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <peneira/histogram.hpp>
#include <peneira/labels.hpp>
#include <peneira/multisplit.hpp>

#include "calls.hpp"

namespace peneira::python {
namespace {

template <class Label, class W, class Count>
void count_labels(const gpu& on, const label_histogram_call& call) {
  const auto* const all = static_cast<const Label*>(call.labels);
  const view<const Label, const W> in{all, static_cast<const W*>(call.weights), call.size};
  histogram(on, in, labels<Label>{call.bins, all, call.size}, items(static_cast<Count*>(call.counts), call.bins));
}

}  // namespace

void split_by_labels(const gpu& on, const label_call& call) {
  with_word(call.item_bytes, [&]<class T>(T) {
    with_word(call.label_bytes, [&]<class Label>(Label) {
      const labels<Label> f{call.bins, static_cast<const Label*>(call.labels), call.size};
      multisplit(on, items(static_cast<const T*>(call.items), call.size), items(static_cast<T*>(call.out), call.size),
                 f, items(call.offsets, std::size_t{call.bins} + 1));
    });
  });
}

void histogram_by_labels(const gpu& on, const label_histogram_call& call) {
  with_word(call.label_bytes, [&]<class Label>(Label) {
    switch (call.by) {
      case weighed::count:
        return count_labels<Label, no_value, std::int64_t>(on, call);
      case weighed::whole:
        return count_labels<Label, std::int64_t, std::int64_t>(on, call);
      case weighed::real:
        return count_labels<Label, double, double>(on, call);
    }
  });
}

}  // namespace peneira::python
