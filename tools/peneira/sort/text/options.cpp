// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// GNU sort's command line, read as getopt_long reads it: short options in clusters, long ones by any prefix that
// belongs to one alone, options and files in any order.
#include "tools/peneira/sort/text/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/sort/text/option_names.hpp"
#include "tools/peneira/text/characters.hpp"

namespace peneira::tool {
namespace {

using takes = sort_option::takes;
using check_kind = sort_text_options::check_kind;

/// Reads the arguments one after the other.
class parser {
 public:
  explicit parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  sort_text_options parse() {
    while (next_ < arguments_.size()) {
      const std::string& argument = arguments_[next_++];
      if (argument == "--") {
        o_.inputs.insert(o_.inputs.end(), arguments_.begin() + static_cast<std::ptrdiff_t>(next_), arguments_.end());
        break;
      }
      if (argument.starts_with("--")) {
        take_long(argument.substr(2));
      } else if (argument.size() > 1 && argument.front() == '-') {
        take_cluster(argument);
      } else {
        take_operand(argument);
      }
    }
    finish();
    return std::move(o_);
  }

 private:
  /// GNU sort's old form of a key, +POS1 [-POS2], counts from 0; what is no key is a file.
  void take_operand(const std::string& name) {
    if (name.front() == '+') {
      const bool has_end = next_ < arguments_.size() && arguments_[next_].size() > 1 &&
                           arguments_[next_].front() == '-' && is_digit(arguments_[next_][1]);
      if (std::optional<sort_key> key = parse_old_key(name, has_end ? arguments_[next_] : "")) {
        if (has_end) ++next_;
        o_.keys.push_back(std::move(*key));
        return;
      }
    }
    o_.inputs.push_back(name);
  }

  void take_long(const std::string& text) {
    const std::size_t equals = text.find('=');
    const sort_option& option = find_sort_option(text.substr(0, equals));
    std::optional<std::string> argument;
    if (equals != std::string::npos) argument = text.substr(equals + 1);
    if (argument && option.what == takes::nothing) {
      throw usage_error(fmt::format("option --{} takes no argument", option.name));
    }
    if (!argument && option.what == takes::argument) argument = next_argument(fmt::format("--{}", option.name));
    if (option.code == sort_option::check_word) return take_check(argument.value_or("diagnose-first"));
    take(option.code, fmt::format("--{}", option.name), argument.value_or(""));
  }

  void take_cluster(const std::string& cluster) {
    for (std::size_t i = 1; i < cluster.size(); ++i) {
      const char letter = cluster[i];
      const std::string name{'-', letter};
      if (sort_letters_with_argument.find(letter) != std::string_view::npos) {
        take(letter, name, i + 1 < cluster.size() ? cluster.substr(i + 1) : next_argument(name));
        return;
      }
      if (sort_letters_alone.find(letter) == std::string_view::npos) refuse_letter(cluster, letter);
      take(letter, name, "");
    }
  }

  [[noreturn]] static void refuse_letter(const std::string& cluster, char letter) {
    if (is_digit(letter)) throw usage_error(fmt::format("\"{}\": the end of an old key stands behind +POS", cluster));
    throw usage_error(fmt::format("unrecognized option -{}{}", letter, cluster.size() > 2 ? " in " + cluster : ""));
  }

  std::string next_argument(const std::string& option) {
    if (next_ == arguments_.size()) throw usage_error(fmt::format("option {} needs an argument", option));
    return arguments_[next_++];
  }

  void take_check(const std::string& word) {
    constexpr std::array<std::string_view, 3> words{"diagnose-first", "quiet", "silent"};
    const auto* const found = find_name_by_beginning(
        words, word, [](std::string_view w) { return w; }, "--check:");
    if (found == nullptr) {
      throw usage_error(fmt::format("invalid --check \"{}\": must be one of diagnose-first quiet silent", word));
    }
    take(*found == "diagnose-first" ? 'c' : 'C', "--check", "");
  }

  void take_sort_word(const std::string& word) {
    constexpr std::array<std::string_view, 6> words{"general-numeric", "human-numeric", "month",
                                                    "numeric",         "random",        "version"};
    const auto* const found = find_name_by_beginning(
        words, word, [](std::string_view w) { return w; }, "--sort:");
    if (found == nullptr) {
      throw usage_error(fmt::format(
          "invalid --sort \"{}\": must be one of general-numeric human-numeric month numeric random version", word));
    }
    constexpr std::string_view letters = "ghMnRV";
    global_.set(letters[static_cast<std::size_t>(found - words.data())], sort_key::side::both);
  }

  void take_check_kind(check_kind kind) {
    if (o_.check != check_kind::none && o_.check != kind) refuse_together("cC");
    o_.check = kind;
  }

  void take(char code, const std::string& name, const std::string& argument) {
    if (code < 'A') return take_word(code, name, argument);
    switch (code) {
      case 'c':
        return take_check_kind(check_kind::diagnose);
      case 'C':
        return take_check_kind(check_kind::quiet);
      case 'k':
        o_.keys.push_back(parse_sort_key(argument));
        break;
      case 'm':
        o_.merge = true;
        break;
      case 'o':
        if (o_.output && *o_.output != argument) throw usage_error("-o: there can be only one output");
        o_.output = argument;
        break;
      case 'q':
        o_.quiet = true;
        break;
      case 's':
        o_.stable = true;
        break;
      case 'S':
        o_.memory = std::max(o_.memory, parse_buffer_size(argument));  // of several, whatever their order, the largest
        break;
      case 't':
        take_separator(argument);
        break;
      case 'T':
        o_.folders.push_back(argument);
        break;
      case 'u':
        o_.unique = true;
        break;
      case 'y':  // Solaris' size of memory
        if (argument.find_first_not_of("0123456789") != std::string::npos) --next_;
        break;
      case 'z':
        o_.terminator = '\0';
        break;
      default:
        global_.set(code, sort_key::side::both);
    }
  }

  /// An option that has no letter.
  void take_word(char code, const std::string& name, const std::string& argument) {
    switch (code) {
      case sort_option::batch_size:
        o_.batch = parse_count(name, argument);
        if (o_.batch < 2) throw usage_error("--batch-size: must be at least 2");
        break;
      case sort_option::compress_program:
        return take_once(o_.compress, name, argument);
      case sort_option::csv:
        o_.csv = true;
        commas_ = true;
        break;
      case sort_option::debug:
        o_.debug = true;
        break;
      case sort_option::files0_from:
        names_from_ = argument;
        break;
      case sort_option::header:
        o_.header = true;
        break;
      case sort_option::help:
        o_.help = true;
        break;
      case sort_option::parallel:
      case sort_option::threads:
        return take_threads(name, argument);
      case sort_option::place:
        return take_place(argument);
      case sort_option::random_source:
        return take_once(o_.random_source, name, argument);
      case sort_option::sample:
        o_.sample = parse_lines(name, argument);
        break;
      case sort_option::sort_word:
        return take_sort_word(argument);
      case sort_option::top:
        o_.top = parse_lines(name, argument);
        break;
      case sort_option::tsv:
        o_.csv = true;
        tabs_ = true;
        break;
      default:
        o_.version = true;
    }
  }

  static void take_once(std::string& to, const std::string& name, const std::string& argument) {
    if (!to.empty() && to != argument) throw usage_error(fmt::format("{}: there can be only one", name));
    to = argument;
  }

  /// A number of lines, as other commands read it: 1000, 2K or 1e6.
  static std::uint64_t parse_lines(const std::string& name, const std::string& argument) {
    try {
      return parse_size(argument);
    } catch (const usage_error& e) {
      throw usage_error(fmt::format("{}: {}", name, e.what()));
    }
  }

  void take_threads(const std::string& name, const std::string& argument) {
    constexpr std::uint64_t most = 4096;
    const std::uint64_t count = parse_count(name, argument);
    if (count == 0) throw usage_error(fmt::format("{}: must be at least 1", name));
    o_.threads = static_cast<unsigned>(std::min(count, most));
  }

  void take_place(const std::string& argument) {
    if (argument == "cpu") {
      o_.where = sort_text_options::place::cpu;
    } else if (argument == "gpu") {
      o_.where = sort_text_options::place::gpu;
    } else if (argument == "auto") {
      o_.where = sort_text_options::place::automatic;
    } else {
      throw usage_error(fmt::format("invalid --place \"{}\": must be one of cpu gpu auto", argument));
    }
  }

  void take_separator(const std::string& text) {
    if (text.empty()) throw usage_error("-t: the separator is empty");
    if (text.size() > 1 && text != "\\0" && text != "\\t") {
      throw usage_error(fmt::format("-t: \"{}\" has more than one character; -t '\\t' is a tab, -t '\\0' NUL", text));
    }
    const char separator = text.size() == 1 ? text.front() : text == "\\t" ? '\t' : '\0';
    if (o_.separator && *o_.separator != separator) throw usage_error("-t: there can be only one separator");
    o_.separator = separator;
  }

  [[noreturn]] static void refuse_together(std::string_view letters) {
    throw usage_error(fmt::format("options '-{}' are incompatible", letters));
  }

  void finish() {
    if (names_from_) {
      if (!o_.inputs.empty()) {
        throw usage_error(fmt::format("\"{}\": there can be no other files with --files0-from", o_.inputs.front()));
      }
      o_.inputs = read_file_names(*names_from_);
    }
    finish_fields();
    o_.global = global_;
    o_.given_keys = o_.keys;
    o_.keys = complete_keys(std::move(o_.keys), global_);
    if (o_.keys.empty() && o_.csv) o_.keys.push_back(global_);  // records, whose newlines are not all ends
    o_.reverse = global_.reverse;
    if (o_.inputs.empty()) o_.inputs.emplace_back("-");
    finish_part();
    if (o_.debug && o_.output) refuse_together("o --debug");
    if (o_.debug && o_.check != check_kind::none) {
      refuse_together(o_.check == check_kind::diagnose ? "c --debug" : "C --debug");
    }
    if (o_.check == check_kind::none) return;
    const bool diagnose = o_.check == check_kind::diagnose;
    if (o_.inputs.size() > 1) {
      throw usage_error(fmt::format("\"{}\": -{} checks one file", o_.inputs[1], diagnose ? 'c' : 'C'));
    }
    if (o_.output) refuse_together(diagnose ? "co" : "Co");
  }

  /// What --csv, --tsv and --header ask for.
  void finish_fields() {
    if (o_.csv) {
      const char usual = tabs_ ? '\t' : ',';
      if (tabs_ && commas_) throw usage_error("--tsv excludes --csv");
      if (tabs_ && o_.separator && *o_.separator != usual)
        throw usage_error("--tsv: the separator is a tab; see --csv");
      if (!o_.separator) o_.separator = usual;
      if (*o_.separator == '"' || *o_.separator == '\n')
        throw usage_error("-t: cannot be a quote or a newline with --csv");
      if (o_.terminator != '\n') throw usage_error("-z: records of --csv and --tsv end with newlines");
      if (o_.debug) throw usage_error("--debug: is for lines, not for --csv and --tsv");
    }
    if (o_.header) return;
    for (const sort_key& key : o_.keys) {
      if (key.named()) refuse_unnamed(key.name);
    }
  }

  /// What --top and --sample ask for.
  void finish_part() const {
    if (!o_.top && !o_.sample) return;
    const std::string_view name = o_.top ? "--top" : "--sample";
    if (o_.top && o_.sample) throw usage_error("--top and --sample exclude each other");
    if (o_.check != check_kind::none) throw usage_error(fmt::format("{}: there is no output to a check", name));
    if (o_.merge && o_.sample) throw usage_error("--sample: -m keeps no lines; leave it out");
  }

  const std::vector<std::string>& arguments_;
  std::size_t next_ = 0;
  sort_text_options o_;
  sort_key global_;
  std::optional<std::string> names_from_;
  bool tabs_ = false;
  bool commas_ = false;
};

}  // namespace

void sort_text_options::use_locale() {
  if (collating() != nullptr && keys.empty()) {
    keys.emplace_back().reverse = reverse;
    stable = true;
  }
  for (sort_key& key : keys) key.locale = locale.get();
}

sort_text_options parse_sort_text(const std::vector<std::string>& arguments) {
  return parser(arguments).parse();
}

}  // namespace peneira::tool
