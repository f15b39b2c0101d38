// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Result files, as `peneira-bench ... --json` writes them and its readers take them.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/peneira/cli/errors.hpp"

namespace peneira::tool {

/// A result file; throws std::runtime_error where it is none.
inline nlohmann::ordered_json read_results(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail("read", path);
  nlohmann::ordered_json all;
  try {
    all = nlohmann::ordered_json::parse(file);
  } catch (const nlohmann::ordered_json::exception& e) {
    throw std::runtime_error(fmt::format("{} is not a result file: {}", path, e.what()));
  }
  if (!all.is_object() || !all.contains("rows") || !all.at("rows").is_array()) {
    throw std::runtime_error(fmt::format("{} is not a result file: it has no rows", path));
  }
  return all;
}

}  // namespace peneira::tool
