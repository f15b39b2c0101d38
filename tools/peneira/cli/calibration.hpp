// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where --place auto runs: where it would be sooner done by what was measured on this machine. A measurement is made
// once, when an input is large enough to be worth it, and kept in a file of the user's cache.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace peneira::tool {

/// What was measured of one kind of work. Reading and writing files takes as long at either place and is left out.
struct measured_rates {
  double cpu_byte = 0;   ///< seconds a byte, by all threads
  double gpu_byte = 0;   ///< to the GPU, there, and back
  double gpu_start = 0;  ///< seconds before the GPU does anything
};

/// One kind of work, beside a number of threads.
struct calibrated_work {
  std::string name;      ///< without blanks
  std::string strategy;  ///< that --strategy names: one of the CPU, where --place says nothing else
  unsigned team;
  double device_bytes;  ///< of the GPU's memory that each byte takes there
  std::function<measured_rates()> measure;
};

/// Less than this is done before a measurement is.
inline constexpr std::uint64_t least_to_calibrate = std::uint64_t{256} << 20U;

/// Where to run, and why, in words for --report.
struct chosen_place {
  bool gpu = false;
  std::string why;
};

/// How long some work takes.
template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What --place says; auto: by the measurement. Throws where the GPU was asked for and there is none.
chosen_place choose_place(const std::string& place, const calibrated_work& work, std::uint64_t bytes);

}  // namespace peneira::tool
