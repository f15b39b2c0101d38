// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/cli/machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "peneira/config.hpp"

namespace peneira::tool {
namespace {

/// Arm's kernels tell a part number instead of a name. The list is of server cores.
std::string arm_core(unsigned long implementer, unsigned long part) {
  struct core {
    unsigned long implementer;
    unsigned long part;
    std::string_view name;
  };
  constexpr core known[] = {
      {0x41, 0xd07, "Arm Cortex-A57"},  {0x41, 0xd08, "Arm Cortex-A72"},  {0x41, 0xd0b, "Arm Cortex-A76"},
      {0x41, 0xd0c, "Arm Neoverse N1"}, {0x41, 0xd40, "Arm Neoverse V1"}, {0x41, 0xd49, "Arm Neoverse N2"},
      {0x41, 0xd4f, "Arm Neoverse V2"}, {0x41, 0xd84, "Arm Neoverse V3"}, {0x41, 0xd8e, "Arm Neoverse N3"},
      {0xc0, 0xac3, "Ampere-1"},        {0xc0, 0xac4, "Ampere-1a"},
  };
  for (const core& c : known) {
    if (c.implementer == implementer && c.part == part) return std::string(c.name);
  }
  return fmt::format("Arm core {:#x}:{:#x}", implementer, part);
}

/// The value of the first line "key : value" of /proc/cpuinfo; empty where there is none.
std::string cpuinfo(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.find_first_not_of(" \t", key.size()) != colon) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? std::string() : line.substr(value);
  }
  return {};
}

std::string cpu_model() {
  if (std::string name = cpuinfo("model name"); !name.empty()) return name;
  const std::string part = cpuinfo("CPU part");
  if (part.empty()) return "unknown";
  return arm_core(std::stoul(cpuinfo("CPU implementer"), nullptr, 16), std::stoul(part, nullptr, 16));
}

}  // namespace

machine_info examine_machine() {
  machine_info m;
  m.version = fmt::format("{}.{}.{}", PENEIRA_VERSION_MAJOR, PENEIRA_VERSION_MINOR, PENEIRA_VERSION_PATCH);
  m.cpu = cpu_model();
  m.cores = std::thread::hardware_concurrency();
  m.caches = host::here();
  m.memory = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  m.gpus = find_gpus(m.why_no_gpu);
  return m;
}

nlohmann::ordered_json machine_json() {
  const machine_info m = examine_machine();
  nlohmann::ordered_json gpus = nlohmann::ordered_json::array();
  for (const gpu_info& g : m.gpus) {
    gpus.push_back({{"name", g.name}, {"arch", g.arch}, {"multiprocessors", g.sms}, {"memory_bytes", g.memory}});
  }
  nlohmann::ordered_json gpu{{"works", !m.gpus.empty()}};
  if (m.gpus.empty()) gpu["why_not"] = m.why_no_gpu;
  return {{"version", m.version},
          {"processor", m.cpu},
          {"threads", m.caches.threads},
          {"cores", m.cores},
          {"cache_bytes", {{"l1", m.caches.l1}, {"l2", m.caches.l2}, {"l3", m.caches.l3}}},
          {"memory_bytes", m.memory},
          {"gpus", gpus},
          {"places", {{"cpu", {{"works", true}}}, {"gpu", gpu}}}};
}

}  // namespace peneira::tool
