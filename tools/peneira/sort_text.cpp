// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort on lines of text: not there yet.
#include "tools/peneira/sort_text.hpp"

#include "tools/peneira/errors.hpp"

namespace peneira::tool {

int sort_text_command(int /*argc*/, char** /*argv*/) {
  throw usage_error("sort: lines of text cannot be sorted yet; binary items can: add --type or --record");
}

std::string_view sort_text_help() {
  return "Lines of text cannot be sorted yet.\n";
}

}  // namespace peneira::tool
