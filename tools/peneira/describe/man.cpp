// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Man pages, in the language of man(7).
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "peneira/config.hpp"
#include "tools/peneira/describe/describe.hpp"

namespace peneira::tool {
namespace {

/// Text as roff would print it.
std::string roff(const std::string& text) {
  return replaced(replaced(text, '\\', "\\e"), '-', "\\-");
}

/// A whole line of text: one that begins with a point or a quote would be a request.
std::string roff_line(const std::string& text) {
  const bool looks_like_request = text.starts_with('.') || text.starts_with('\'');
  return (looks_like_request ? "\\&" : "") + roff(text) + "\n";
}

std::string bold_names(const CLI::Option& option) {
  std::string all;
  for (const std::string& name : names_of(option))
    all += fmt::format("{}\\fB{}\\fR", all.empty() ? "" : ", ", roff(name));
  return all;
}

std::string describe_option(const CLI::Option& option) {
  std::string text = ".TP\n" + bold_names(option);
  if (takes_argument(option)) text += fmt::format(" \\fI{}\\fR", roff(argument_of(option)));
  text += "\n" + roff_line(summary_of(option.get_description()) + ".");
  const std::vector<std::string> choices = choices_of(option);
  if (!choices.empty()) text += roff_line(fmt::format("One of {}.", fmt::join(choices, ", ")));
  if (!option.get_default_str().empty()) text += roff_line(fmt::format("Default: {}.", option.get_default_str()));
  return text;
}

/// The options by their groups.
std::string describe_options(const CLI::App& command) {
  std::string text;
  std::vector<std::string> groups;
  const std::vector<const CLI::Option*> options = named_options_of(command);
  for (const CLI::Option* const option : options) {
    const std::string& group = option->get_group();
    if (!group.empty() && std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  for (const std::string& group : groups) {
    text += groups.size() > 1 && group != "Options" ? ".SS " + roff(group) + "\n" : "";
    for (const CLI::Option* const option : options) {
      if (option->get_group() == group) text += describe_option(*option);
    }
  }
  return text;
}

/// What stands behind the options: paragraphs, whose lines are filled anew, also where one begins with an option; and
/// lines that begin with blanks, which stay as they are.
std::string describe_rest(const std::string& footer) {
  std::string text;
  bool as_it_is = false;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    const bool kept = line.starts_with("  ");
    if (kept != as_it_is) text += kept ? ".PP\n.nf\n" : ".fi\n";
    as_it_is = kept;
    if (line.empty()) {
      text += ".PP\n";
    } else if (line == "Examples:") {
      text += ".SH EXAMPLES\n";
    } else if (!kept && line.ends_with(':')) {
      text += ".SH " + roff(line.substr(0, line.size() - 1)) + "\n";
    } else {
      text += (line.starts_with('-') || line.starts_with("Exit codes") ? ".PP\n" : "") + roff_line(line);
    }
  }
  return text + (as_it_is ? ".fi\n" : "");
}

std::string synopsis_of(const CLI::App& command, const std::string& name) {
  std::string text = fmt::format(".B {}\n[\\fIOPTIONS\\fR]", roff(name));
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_positional()) continue;
    text += fmt::format(" \\fI{}\\fR", roff(option->get_name(true)));
  }
  return text + (subcommands_of(command).empty() ? "" : " \\fISUBCOMMAND\\fR") + "\n";
}

/// The page without its empty paragraphs.
std::string tidied(std::string text) {
  for (const std::string_view before : {".SH", ".SS", ".PP", ".nf", ".fi\n.PP"}) {
    const std::string twice = fmt::format(".PP\n{}", before);
    for (std::size_t at = 0; (at = text.find(twice, at)) != std::string::npos;) text.erase(at, 4);
  }
  while (text.ends_with(".PP\n")) text.erase(text.size() - 4);
  return text;
}

}  // namespace

std::string man_page(const CLI::App& command, const std::string& name) {
  std::string title = replaced(name, ' ', "-");
  std::string text = fmt::format(".\\\" Made by `peneira man`.\n.TH {} 1 \"\" \"peneira {}.{}.{}\" \"User Commands\"\n",
                                 roff(title), PENEIRA_VERSION_MAJOR, PENEIRA_VERSION_MINOR, PENEIRA_VERSION_PATCH);
  const std::string description = summary_of(command.get_description());
  const std::string_view prefix = "peneira: ";
  const std::string what = description.starts_with(prefix) ? description.substr(prefix.size()) : description;
  text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}", roff(title), roff(what), synopsis_of(command, name));
  text += ".SH OPTIONS\n" + describe_options(command);
  for (const CLI::App* const sub : subcommands_of(command)) {
    if (text.find(".SH SUBCOMMANDS\n") == std::string::npos) text += ".SH SUBCOMMANDS\n";
    text += fmt::format(".TP\n.B {}\n{}", roff(sub->get_name()), roff_line(summary_of(sub->get_description())));
  }
  text += ".SH NOTES\n.PP\n" + describe_rest(command.get_footer());
  text += ".SH SEE ALSO\n.BR peneira (1)\n";
  return tidied(text);
}

}  // namespace peneira::tool
