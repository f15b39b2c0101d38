// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/cli/calibration.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <vector>

#include "tools/peneira/cli/gpu.hpp"
#include "tools/peneira/cli/interrupt.hpp"

namespace peneira::tool {
namespace {

/// The file of measurements; empty where the user has no cache.
std::filesystem::path cache_file() {
  const auto said = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  std::filesystem::path cache = said("XDG_CACHE_HOME");
  if (cache.is_relative()) {
    const std::filesystem::path home = said("HOME");
    if (home.is_relative()) return {};
    cache = home / ".cache";
  }
  return cache / "peneira" / "rates";
}

/// A line of the file: the work, the threads and the GPU that were measured, then the rates.
std::string line_of(const std::string& key, const measured_rates& rates) {
  return fmt::format("{}\t{} {} {}\n", key, rates.cpu_byte, rates.gpu_byte, rates.gpu_start);
}

std::optional<measured_rates> read_rates(const std::string& key) {
  std::ifstream file(cache_file());
  std::optional<measured_rates> found;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key + '\t')) continue;
    measured_rates rates;
    const int read =
        std::sscanf(line.c_str() + key.size(), "%lf %lf %lf", &rates.cpu_byte, &rates.gpu_byte, &rates.gpu_start);
    if (read == 3 && rates.cpu_byte > 0 && rates.gpu_byte > 0 && rates.gpu_start >= 0) found = rates;  // the last one
  }
  return found;
}

/// A line is one write to the end of the file, so that several may be measured at a time. Nobody needs it to succeed.
void keep_rates(const std::string& key, const measured_rates& rates) {
  const std::filesystem::path path = cache_file();
  if (path.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::ofstream(path, std::ios::app) << line_of(key, rates) << std::flush;
}

/// Those that were kept, or else measured now.
measured_rates rates_of(const calibrated_work& work, const std::string& key) {
  if (const auto kept = read_rates(key)) return *kept;
  const measured_rates rates = work.measure();
  keep_rates(key, rates);
  return rates;
}

}  // namespace

chosen_place choose_place(const std::string& place, const calibrated_work& work, std::uint64_t bytes) {
  if (place == "cpu") return {false, "as --place says"};
  if (place == "auto" && !work.strategy.empty()) return {false, "auto: --strategy names one of the CPU"};
  if (place == "auto" && bytes < least_to_calibrate) return {false, "auto: too little for a GPU"};
  if (place == "gpu") require_gpu();
  std::string why_not;
  const std::vector<gpu_info> gpus = find_gpus(why_not);
  if (place == "gpu") return {true, gpus.front().name};
  if (gpus.empty()) return {false, "auto: " + why_not};
  const auto all = static_cast<double>(bytes);
  const std::string key = fmt::format("{} {} threads, {}", work.name, work.team, gpus.front().name);
  measured_rates rates;
  try {
    if (all * work.device_bytes > static_cast<double>(wake_gpu())) {
      return {false, "auto: more than the free memory of the GPU holds"};
    }
    rates = rates_of(work, key);
  } catch (const interrupted&) {
    throw;
  } catch (const std::exception& e) {  // there is a GPU, but others may have it
    return {false, fmt::format("auto: the GPU cannot be used: {}", e.what())};
  }
  const double on_gpu = rates.gpu_start + all * rates.gpu_byte;
  const double on_cpu = all * rates.cpu_byte;
  return {on_gpu < on_cpu, fmt::format("auto: {:.3f} s to be expected on {}, and {:.3f} s on {} threads", on_gpu,
                                       gpus.front().name, on_cpu, work.team)};
}

}  // namespace peneira::tool
