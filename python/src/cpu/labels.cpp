// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <peneira/cpu/team.hpp>
#include <peneira/error.hpp>
#include <string>
#include <type_traits>

#include "multisplit.hpp"
#include "threads.hpp"

namespace peneira::python {
namespace {

[[noreturn]] void refuse_label(std::string_view call, const std::string& label, std::size_t item, std::uint32_t bins) {
  detail::reject(
      call, "by",
      "has label " + label + " for item " + std::to_string(item) + ", but there are " + std::to_string(bins) + " bins");
}

/// Copies first and then checks the copy: the labels are the caller's, who may have other threads.
template <class T>
void copy_labels(std::string_view call, const T* labels, std::size_t begin, std::size_t end, std::uint32_t bins,
                 std::uint32_t* out) {
  bool misses = false;
  for (std::size_t i = begin; i < end; ++i) {
    const auto label = static_cast<std::uint64_t>(labels[i]);  // a negative one is beyond all bins
    misses |= label >= bins;
    out[i] = static_cast<std::uint32_t>(label < bins ? label : 0);
  }
  if (!misses) return;
  for (std::size_t i = begin; i < end; ++i) {
    if (static_cast<std::uint64_t>(labels[i]) >= bins) refuse_label(call, std::to_string(labels[i]), i, bins);
  }
}

}  // namespace

void call_bins(batched_bins f, const void* keys, unsigned key_bytes, std::size_t size, std::uint32_t* bins,
               unsigned threads) {
  const unsigned members = members_for(size, threads);
  const auto* const bytes = static_cast<const std::byte*>(keys);
  detail::on_each(members, [&](unsigned m) {
    const auto [begin, end] = detail::slice(size, m, members);
    if (begin != end) f(bytes + begin * key_bytes, bins + begin, end - begin);
  });
}

void check_labels(std::string_view call, const void* labels, type of, std::size_t size, std::uint32_t bins,
                  std::uint32_t* out, unsigned threads) {
  const unsigned members = members_for(size, threads);
  with_number(of, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      detail::on_each(members, [&](unsigned m) {
        const auto [begin, end] = detail::slice(size, m, members);
        copy_labels(call, static_cast<const T*>(labels), begin, end, bins, out);
      });
    } else {
      refuse_code("label");
    }
  });
}

}  // namespace peneira::python
