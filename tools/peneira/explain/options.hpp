// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Options that several calls of peneira explain have, and what is done with them.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/cli/write.hpp"
#include "tools/peneira/explain/explain.hpp"

namespace peneira::tool {

/// A plan as JSON.
std::string to_json(const plan& p);
/// The names of the GPUs that plans are known for.
std::vector<std::string> gpu_names();
/// The GPU that the options describe: one by its name or its architecture, whose multiprocessors may be others.
device gpu_of(const std::string& name, int arch, int sms);

/// Adds the options of every primitive, and what is to be done with them.
template <class Options>
void add_common(CLI::App& sub, const std::shared_ptr<Options>& o) {
  auto* const place = sub.add_option("--place", o->place, "Where it would run")
                          ->check(CLI::IsMember({"cpu", "gpu"}))
                          ->capture_default_str();
  add_threads(sub, o->threads);
  sub.add_option("--strategy", o->strategy, "A name from `peneira strategies` (default: automatic)");
  const auto name = std::make_shared<std::string>();
  const auto arch = std::make_shared<int>(0);
  const auto sms = std::make_shared<int>(0);
  auto* const named =
      sub.add_option("--gpu", *name, "A GPU by its name; implies --place gpu")->check(CLI::IsMember(gpu_names()));
  sub.add_option("--arch", *arch, "Architecture of the GPU, such as 80; implies --place gpu")
      ->check(CLI::Range(75, 999))
      ->excludes(named);
  sub.add_option("--sms", *sms, "Multiprocessors of the GPU")->check(CLI::Range(1, 10000));
  sub.add_flag("--json", o->json, "Print JSON");
  sub.callback([o, place, name, arch, sms] {
    if (!name->empty() || *arch != 0 || *sms != 0) {
      if (place->count() > 0 && o->place == "cpu")
        throw usage_error("--gpu, --arch and --sms describe a GPU, not --place cpu");
      o->place = "gpu";
    }
    o->gpu_like = gpu_of(*name, *arch, *sms);
    const plan made = plan_of(*o);
    write_stdout(o->json ? to_json(made) : to_string(made));
  });
}

inline void add_offsets(CLI::App& sub, unsigned& bits) {
  sub.add_option("--offsets", bits, "Bits of the offsets")->check(CLI::IsMember({32U, 64U}))->capture_default_str();
}

inline void add_value_bytes(CLI::App& sub, std::size_t& bytes, int most) {
  sub.add_option("--value-bytes", bytes, "Bytes of the value beside each key; 0: keys alone")
      ->check(CLI::Range(0, most))
      ->capture_default_str();
}

/// Whether equal items, or those of a bin or part, keep the order in which they come.
inline void add_order(CLI::App& sub, std::string& to, const std::string& help) {
  sub.add_option("--order", to, help)->check(CLI::IsMember({"stable", "any"}))->capture_default_str();
}

inline void add_segments(CLI::App& sub, segments_explained& of) {
  add_size(sub, "--segments", of.segments, "Segments, bounded by offsets", 1);
  add_size(sub, "--every", of.every, "Items of each segment, if all have the same size", 1);
  add_offsets(sub, of.offset_bits);
}

/// Adds the subcommands of the calls of calls.cpp.
void add_explain_calls(CLI::App& explain);

}  // namespace peneira::tool
