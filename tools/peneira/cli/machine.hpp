// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The machine that `peneira info` shows and that result files name.
#pragma once

#include <nlohmann/json.hpp>

namespace peneira::tool {

nlohmann::ordered_json machine_json();

}  // namespace peneira::tool
