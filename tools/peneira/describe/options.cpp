// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What descriptions need to know of CLI11's commands and options.
#include <sstream>

#include "tools/peneira/describe/describe.hpp"

namespace peneira::tool {

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> named_options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& letter : option.get_snames()) names.push_back("-" + letter);
  for (const std::string& word : option.get_lnames()) names.push_back("--" + word);
  return names;
}

bool takes_argument(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

std::string argument_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::string name = type.substr(0, type.find(':'));
  return name == "TEXT" ? "WORD" : name == "UINT" || name == "INT" || name == "whole" ? "N" : name;
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  std::vector<std::string> all;
  if (open == std::string::npos || close == std::string::npos) return all;
  std::istringstream words(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');) all.push_back(word);
  return all;
}

std::string replaced(const std::string& text, char from, const std::string& to) {
  std::string all;
  for (const char c : text) {
    if (c == from) {
      all += to;
    } else {
      all += c;
    }
  }
  return all;
}

std::string summary_of(const std::string& description) {
  return replaced(description, '\n', " ");
}

}  // namespace peneira::tool
