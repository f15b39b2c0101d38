// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira info: what this machine offers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tools/peneira/cli/machine.hpp"
#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/cli/write.hpp"
#include "tools/peneira/commands.hpp"

namespace peneira::tool {
namespace {

std::string to_text(const machine_info& m) {
  std::string text;
  const auto line = [&text](std::string_view name, std::string_view value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  const auto bytes = [](std::size_t b) { return print_bytes(static_cast<double>(b)); };
  line("version", m.version);
  line("processor", m.cpu);
  line("threads", fmt::format("{} used of {} cores", m.caches.threads, m.cores));
  line("caches",
       fmt::format("{}, {}, {} (what one core reaches)", bytes(m.caches.l1), bytes(m.caches.l2), bytes(m.caches.l3)));
  line("memory", bytes(m.memory));
  for (const gpu_info& g : m.gpus) {
    line("GPU", fmt::format("{}, sm_{}, {} multiprocessors, {}", g.name, g.arch, g.sms, bytes(g.memory)));
  }
  line("place cpu", "works");
  line("place gpu", m.gpus.empty() ? "not here: " + m.why_no_gpu : "works");
  return text;
}

}  // namespace

void add_info(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("info", "Show what this machine offers: cores, caches, GPUs, places");
  const auto json = std::make_shared<bool>(false);
  sub->add_flag("--json", *json, "Print JSON");
  sub->footer(
      "\nExamples:\n"
      "  peneira info\n"
      "  OMP_NUM_THREADS=4 peneira info\n"
      "  peneira info --json | jq .places.gpu");
  sub->callback([json] { write_stdout(*json ? machine_json().dump(2) + "\n" : to_text(examine_machine())); });
}

}  // namespace peneira::tool
