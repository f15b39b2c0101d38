// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira man and peneira completions: what an installation makes of the program's own help.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/cli/suggest.hpp"
#include "tools/peneira/cli/write.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/describe/describe.hpp"
#include "tools/peneira/io/output_file.hpp"

namespace peneira::tool {
namespace {

/// The whole program, to be told.
std::unique_ptr<CLI::App> whole_program() {
  auto app = std::make_unique<CLI::App>();
  describe_program(*app);
  return app;
}

void write_file(const std::string& path, const std::string& text) {
  output_file file(path, true);
  file.write(text.data(), text.size());
  file.commit();
}

/// All pages, a file each.
void write_pages(const std::string& folder) {
  const auto program = whole_program();
  std::filesystem::create_directories(folder);
  write_file(folder + "/peneira.1", man_page(*program, "peneira"));
  for (const CLI::App* const command : subcommands_of(*program)) {
    const std::string name = command->get_name();
    write_file(fmt::format("{}/peneira-{}.1", folder, name), man_page(*command, "peneira " + name));
  }
}

void print_page(const std::string& name) {
  const auto program = whole_program();
  if (name.empty()) return write_stdout(man_page(*program, "peneira"));
  std::vector<std::string> names;
  for (const CLI::App* const command : subcommands_of(*program)) {
    if (command->get_name() == name) return write_stdout(man_page(*command, "peneira " + name));
    names.push_back(command->get_name());
  }
  throw usage_error(fmt::format("man: there is no command \"{}\"{}", name, did_you_mean(name, names)));
}

}  // namespace

void add_man(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("man", "Print the man page of a command");
  const auto command = std::make_shared<std::string>();
  const auto folder = std::make_shared<std::string>();
  sub->add_option("command", *command, "The command (default: the program itself)");
  sub->add_option("--all", *folder, "Write the pages of all commands into this folder")->type_name("DIR");
  sub->footer(
      "\nExamples:\n"
      "  peneira man sort | man -l -\n"
      "  peneira man --all ~/.local/share/man/man1");
  sub->callback([command, folder] {
    if (folder->empty()) return print_page(*command);
    if (!command->empty()) throw usage_error("man: --all is for all commands");
    write_pages(*folder);
  });
}

void add_completions(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("completions", "Print what a shell needs to complete command lines");
  const auto shell = std::make_shared<std::string>();
  const auto out = std::make_shared<std::string>("-");
  sub->add_option("shell", *shell, "bash, zsh or fish")->required();
  sub->add_option(output_names, *out, "Output file, replaced if it exists; -: standard output")
      ->type_name("FILE")
      ->capture_default_str();
  sub->footer(
      "\nExamples:\n"
      "  source <(peneira completions bash)\n"
      "  peneira completions fish -o ~/.config/fish/completions/peneira.fish");
  sub->callback([shell, out] {
    const std::string text = completions(*whole_program(), *shell);
    if (*out == "-") return write_stdout(text);
    refuse_compressed_name("--out", *out);
    write_file(*out, text);
  });
}

}  // namespace peneira::tool
