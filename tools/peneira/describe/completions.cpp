// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Completions for shells: subcommands, options, and the words that options take; all else is completed as files.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/describe/describe.hpp"

namespace peneira::tool {
namespace {

/// Calls each(command, path) for the program, whose path is empty, and all below it.
template <class Each>
void for_each_command(const CLI::App& app, const std::string& path, const Each& each) {
  each(app, path);
  for (const CLI::App* const sub : subcommands_of(app)) {
    for_each_command(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), each);
  }
}

/// The names of the subcommands, and help, which main() knows.
std::vector<std::string> words_below(const CLI::App& app, const std::string& path) {
  std::vector<std::string> words;
  for (const CLI::App* const sub : subcommands_of(app)) words.push_back(sub->get_name());
  if (path.empty()) words.emplace_back("help");
  return words;
}

std::string for_bash(const CLI::App& program) {
  std::string tables;
  for_each_command(program, "", [&](const CLI::App& app, const std::string& path) {
    std::vector<std::string> options;
    std::string choices;
    std::vector<std::string> valued;
    for (const CLI::Option* const option : named_options_of(app)) {
      const std::vector<std::string> names = names_of(*option);
      options.insert(options.end(), names.begin(), names.end());
      if (!takes_argument(*option)) continue;
      valued.insert(valued.end(), names.begin(), names.end());
      const std::vector<std::string> words = choices_of(*option);
      if (words.empty()) continue;
      choices += fmt::format("        {}) words=\"{}\" ;;\n", fmt::join(names, "|"), fmt::join(words, " "));
    }
    tables += fmt::format("    \"{}\")\n      below=\"{}\"\n      options=\"{}\"\n      valued=\" {} \"\n", path,
                          fmt::join(words_below(app, path), " "), fmt::join(options, " "), fmt::join(valued, " "));
    if (!choices.empty()) tables += fmt::format("      case $before in\n{}      esac\n", choices);
    tables += "      ;;\n";
  });
  return "# Completions of peneira for bash, made by `peneira completions bash`.\n"
         "_peneira() {\n"
         "  local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local path= below= options= valued= words= word\n"
         "  [[ $now == = ]] && now=\n"
         "  [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case $path/$word in\n"
         "      */-*) break ;;\n"
         "      /help) ;;\n"
         "      /*) path=$word ;;\n"
         "      explain/*) path+=\" $word\" ;;\n"
         "      *) break ;;\n"
         "    esac\n"
         "  done\n"
         "  case $path in\n" +
         tables +
         "  esac\n"
         "  COMPREPLY=()\n"
         "  if [[ -n $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))\n"
         "  elif [[ $valued == *\" $before \"* ]]; then\n"
         "    compopt -o default 2>/dev/null\n"
         "  elif [[ $now == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$now\"))\n"
         "  elif [[ -n $below ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$below\" -- \"$now\"))\n"
         "  else\n"
         "    compopt -o default 2>/dev/null\n"
         "  fi\n"
         "}\n"
         "complete -F _peneira peneira\n";
}

/// A text between single quotes, as zsh and fish have them, without what means something in a specification.
std::string quoted(const std::string& text) {
  return replaced(replaced(replaced(text, '\'', "’"), '[', "("), ']', ")");
}

std::string for_zsh(const CLI::App& program) {
  std::string text =
      "#compdef peneira\n"
      "# Completions of peneira for zsh, made by `peneira completions zsh`.\n"
      "_peneira() {\n"
      "  local path=\n"
      "  [[ $words[2] != -* ]] && (( CURRENT > 2 )) && path=$words[2]\n"
      "  [[ $path == explain && $words[3] != -* ]] && (( CURRENT > 3 )) && path+=\" $words[3]\"\n"
      "  case $path in\n";
  for_each_command(program, "", [&](const CLI::App& app, const std::string& path) {
    text += fmt::format("    '{}')\n      _arguments", path);
    for (const CLI::Option* const option : named_options_of(app)) {
      std::string value;
      if (takes_argument(*option)) {
        const std::vector<std::string> words = choices_of(*option);
        value = words.empty() ? fmt::format(":{}:_files", quoted(argument_of(*option)))
                              : fmt::format(":{}:({})", quoted(argument_of(*option)), fmt::join(words, " "));
      }
      const std::string what = quoted(replaced(summary_of(option->get_description()), ':', "\\:"));
      for (const std::string& name : names_of(*option))
        text += fmt::format(" \\\n        '*{}[{}]{}'", name, what, value);
    }
    const std::vector<std::string> below = words_below(app, path);
    text += below.empty() ? " \\\n        '*:file:_files' ;;\n"
                          : fmt::format(" \\\n        '*:command:({})' ;;\n", fmt::join(below, " "));
  });
  return text + "  esac\n}\n_peneira \"$@\"\n";
}

std::string for_fish(const CLI::App& program) {
  std::string text = "# Completions of peneira for fish, made by `peneira completions fish`.\n";
  for_each_command(program, "", [&](const CLI::App& app, const std::string& path) {
    std::string when = "__fish_use_subcommand";
    if (!path.empty())
      when = "__fish_seen_subcommand_from " + replaced(path, ' ', "; and __fish_seen_subcommand_from ");
    for (const CLI::App* const sub : subcommands_of(app)) {
      text += fmt::format("complete -c peneira -n '{}' -f -a {} -d '{}'\n", when, sub->get_name(),
                          quoted(summary_of(sub->get_description())));
    }
    for (const CLI::Option* const option : named_options_of(app)) {
      text += fmt::format("complete -c peneira -n '{}'", when);
      for (const std::string& letter : option->get_snames()) text += " -s " + letter;
      for (const std::string& word : option->get_lnames()) text += " -l " + word;
      const std::vector<std::string> words = choices_of(*option);
      if (!words.empty()) {
        text += fmt::format(" -xa '{}'", fmt::join(words, " "));
      } else if (takes_argument(*option)) {
        text += " -r";
      }
      text += fmt::format(" -d '{}'\n", quoted(summary_of(option->get_description())));
    }
  });
  return text;
}

}  // namespace

std::string completions(const CLI::App& program, const std::string& shell) {
  if (shell == "bash") return for_bash(program);
  if (shell == "zsh") return for_zsh(program);
  if (shell == "fish") return for_fish(program);
  throw usage_error(fmt::format("completions: \"{}\" is none of bash, zsh and fish", shell));
}

}  // namespace peneira::tool
