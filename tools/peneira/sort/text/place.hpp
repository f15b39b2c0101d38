// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where lines of text are sorted: what --place says, or where it pays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>

#include "peneira/strings/problem.hpp"
#include "peneira/strings/view.hpp"
#include "tools/peneira/sort/text/options.hpp"

namespace peneira::tool {

/// Whether a sort of so many bytes is worth a GPU, beside so many threads of the CPU.
bool gpu_pays(std::uint64_t bytes, unsigned team);

/// Sorts strings where it was asked to.
class sort_place {
 public:
  /// Throws where the GPU was asked for and there is none. One that will be of use is started meanwhile, for inputs of
  /// `known_bytes` bytes; 0: who knows.
  sort_place(sort_text_options::place asked, std::uint64_t known_bytes, unsigned team);

  /// Whether the GPU is to sort strings of so many characters. Throws where it was asked for and has not the memory.
  bool is_gpu(std::size_t strings, std::size_t chars);

  /// Writes the strings' order to `rows`.
  template <class Offset>
  void sort(const strings<Offset>& all, std::uint32_t* rows, const sort_strings_options& options);

 private:
  void wake();

  sort_text_options::place asked_;
  unsigned team_;
  std::shared_future<std::size_t> free_;  ///< bytes of the GPU's memory; 0: there is none
};

}  // namespace peneira::tool
