// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors name the call, the argument and the value. What the caller got wrong is a std::invalid_argument; a CUDA call
// that failed is a cuda_error; memory that ran out is a std::bad_alloc.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "peneira/config.hpp"

namespace peneira {

/// A CUDA call failed; what() names the call and CUDA's reason.
class cuda_error : public std::runtime_error {
 public:
  /// For peneira itself to throw.
  cuda_error(std::string_view call, std::string_view reason, int code)
      : std::runtime_error(std::string(call) + ": " + std::string(reason) + " (CUDA error " + std::to_string(code) +
                           ")"),
        code_(code) {}

  /// The cudaError_t as an integer.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

namespace detail {

[[noreturn, gnu::noinline, gnu::cold]] inline void reject(std::string_view call, std::string_view argument,
                                                          std::string_view why) {
  throw std::invalid_argument(std::string(call) + ": " + std::string(argument) + " " + std::string(why));
}

[[noreturn]] inline void reject_bin(std::uint64_t item, std::string_view bin, std::uint64_t bins,
                                    std::string_view call = "multisplit") {
  reject(call, "bin function",
         "returned bin " + std::string(bin) + " for item " + std::to_string(item) + ", but there are " +
             std::to_string(bins) + " bins");
}

/// A function of the caller's contradicted itself. Calls that do not speak of bins tell it in their own words.
struct impure_function : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

[[noreturn]] inline void reject_impure(std::string_view call = "multisplit") {
  throw impure_function(std::string(call) +
                        ": bin function returned different bins for the same item when it was asked twice");
}

}  // namespace detail
}  // namespace peneira
