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

#include "tools/peneira/cli/errors.hpp"

namespace peneira::tool {
namespace {

enum class takes : std::uint8_t { nothing, maybe, argument };

/// Long options without a letter.
enum code : char {
  batch_size = 1,
  check_word,
  compress_program,
  debug,
  files0_from,
  parallel,
  random_source,
  sort_word
};
enum own_code : char { place = 20, quiet, threads, version, help };

struct long_option {
  std::string_view name;
  takes what;
  char code;
};

constexpr std::array<long_option, 30> gnu_options{{{"batch-size", takes::argument, batch_size},
                                                   {"buffer-size", takes::argument, 'S'},
                                                   {"check", takes::maybe, check_word},
                                                   {"compress-program", takes::argument, compress_program},
                                                   {"debug", takes::nothing, debug},
                                                   {"dictionary-order", takes::nothing, 'd'},
                                                   {"field-separator", takes::argument, 't'},
                                                   {"files0-from", takes::argument, files0_from},
                                                   {"general-numeric-sort", takes::nothing, 'g'},
                                                   {"human-numeric-sort", takes::nothing, 'h'},
                                                   {"ignore-case", takes::nothing, 'f'},
                                                   {"ignore-leading-blanks", takes::nothing, 'b'},
                                                   {"ignore-nonprinting", takes::nothing, 'i'},
                                                   {"key", takes::argument, 'k'},
                                                   {"merge", takes::nothing, 'm'},
                                                   {"month-sort", takes::nothing, 'M'},
                                                   {"numeric-sort", takes::nothing, 'n'},
                                                   {"output", takes::argument, 'o'},
                                                   {"parallel", takes::argument, parallel},
                                                   {"random-sort", takes::nothing, 'R'},
                                                   {"random-source", takes::argument, random_source},
                                                   {"reverse", takes::nothing, 'r'},
                                                   {"sort", takes::argument, sort_word},
                                                   {"stable", takes::nothing, 's'},
                                                   {"temporary-directory", takes::argument, 'T'},
                                                   {"unique", takes::nothing, 'u'},
                                                   {"version", takes::nothing, version},
                                                   {"version-sort", takes::nothing, 'V'},
                                                   {"zero-terminated", takes::nothing, 'z'},
                                                   {"help", takes::nothing, help}}};
constexpr std::array<long_option, 3> own_options{
    {{"place", takes::argument, place}, {"quiet", takes::nothing, quiet}, {"threads", takes::argument, threads}}};

constexpr std::string_view letters_with_argument = "koStTy";
constexpr std::string_view letters_alone = "bcCdfghimMnrRsuVz";

/// The one of some names that begins with `text`; throws where there is none, or more than one and none is equal.
template <class Names, class Name>
const auto* find_name(const Names& all, std::string_view text, const Name& name_of, std::string_view what) {
  const typename Names::value_type* found = nullptr;
  std::string others;
  for (const auto& one : all) {
    if (!name_of(one).starts_with(text)) continue;
    if (name_of(one) == text) return &one;
    others += fmt::format(" {}", name_of(one));
    if (found == nullptr) found = &one;
  }
  if (found != nullptr && others.size() > name_of(*found).size() + 1) {
    throw usage_error(fmt::format("{} \"{}\" could be any of:{}", what, text, others));
  }
  return found;
}

const long_option& find_long(std::string_view name) {
  const auto name_of = [](const long_option& o) { return o.name; };
  const long_option* found = find_name(gnu_options, name, name_of, "option --");
  if (found == nullptr) found = find_name(own_options, name, name_of, "option --");
  if (found == nullptr) throw usage_error(fmt::format("unrecognized option --{}", name));
  return *found;
}

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
        take_file(argument);
      }
    }
    finish();
    return std::move(o_);
  }

 private:
  void take_file(const std::string& name) {
    if (name.size() > 1 && name.front() == '+' && name[1] >= '0' && name[1] <= '9') {
      throw usage_error(
          fmt::format("\"{}\": the obsolete form of keys is not supported; +1 -2 is -k 2,2 (a file of that name: ./{})",
                      name, name));
    }
    o_.inputs.push_back(name);
  }

  void take_long(const std::string& text) {
    const std::size_t equals = text.find('=');
    const long_option& option = find_long(text.substr(0, equals));
    std::optional<std::string> argument;
    if (equals != std::string::npos) argument = text.substr(equals + 1);
    if (argument && option.what == takes::nothing) {
      throw usage_error(fmt::format("option --{} takes no argument", option.name));
    }
    if (!argument && option.what == takes::argument) argument = next_argument(fmt::format("--{}", option.name));
    if (option.code == check_word) return take_check(argument.value_or("diagnose-first"));
    take(option.code, fmt::format("--{}", option.name), argument.value_or(""));
  }

  void take_cluster(const std::string& cluster) {
    for (std::size_t i = 1; i < cluster.size(); ++i) {
      const char letter = cluster[i];
      const std::string name{'-', letter};
      if (letters_with_argument.find(letter) != std::string_view::npos) {
        take(letter, name, i + 1 < cluster.size() ? cluster.substr(i + 1) : next_argument(name));
        return;
      }
      if (letters_alone.find(letter) == std::string_view::npos) refuse_letter(cluster, letter);
      take(letter, name, "");
    }
  }

  [[noreturn]] static void refuse_letter(const std::string& cluster, char letter) {
    if (letter >= '0' && letter <= '9') {
      throw usage_error(fmt::format("\"{}\": the obsolete form of keys is not supported; +1 -2 is -k 2,2", cluster));
    }
    throw usage_error(fmt::format("unrecognized option -{}", letter));
  }

  std::string next_argument(const std::string& option) {
    if (next_ == arguments_.size()) throw usage_error(fmt::format("option {} needs an argument", option));
    return arguments_[next_++];
  }

  void take_check(const std::string& word) {
    constexpr std::array<std::string_view, 3> words{"diagnose-first", "quiet", "silent"};
    const auto* const found = find_name(
        words, word, [](std::string_view w) { return w; }, "--check:");
    if (found == nullptr) {
      throw usage_error(fmt::format("invalid --check \"{}\": must be one of diagnose-first quiet silent", word));
    }
    take(*found == "diagnose-first" ? 'c' : 'C', "--check", "");
  }

  void take_sort_word(const std::string& word) {
    constexpr std::array<std::string_view, 6> words{"general-numeric", "human-numeric", "month",
                                                    "numeric",         "random",        "version"};
    const auto* const found = find_name(
        words, word, [](std::string_view w) { return w; }, "--sort:");
    if (found == nullptr) {
      throw usage_error(fmt::format(
          "invalid --sort \"{}\": must be one of general-numeric human-numeric month numeric version", word));
    }
    constexpr std::string_view letters = "ghMnRV";
    global_.set(letters[static_cast<std::size_t>(found - words.data())], sort_key::side::both);
  }

  void take(char letter, const std::string& name, const std::string& argument) {
    switch (letter) {
      case 'c':
      case 'C': {
        const auto kind =
            letter == 'c' ? sort_text_options::check_kind::diagnose : sort_text_options::check_kind::quiet;
        if (o_.check != sort_text_options::check_kind::none && o_.check != kind) refuse_together("cC");
        o_.check = kind;
        break;
      }
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
      case batch_size:
        o_.batch = parse_count(name, argument);
        if (o_.batch < 2) throw usage_error("--batch-size: must be at least 2");
        break;
      case compress_program:
        if (!o_.compress.empty() && o_.compress != argument) {
          throw usage_error("--compress-program: there can be only one");
        }
        o_.compress = argument;
        break;
      case debug:
        throw usage_error("--debug is not supported: GNU sort has it, and compares by the same keys");
      case files0_from:
        names_from_ = argument;
        break;
      case parallel:
      case threads: {
        constexpr std::uint64_t most = 4096;
        const std::uint64_t count = parse_count(name, argument);
        if (count == 0) throw usage_error(fmt::format("{}: must be at least 1", name));
        o_.threads = static_cast<unsigned>(std::min(count, most));
        break;
      }
      case place:
        if (argument == "cpu") {
          o_.where = sort_text_options::place::cpu;
        } else if (argument == "gpu") {
          o_.where = sort_text_options::place::gpu;
        } else if (argument == "auto") {
          o_.where = sort_text_options::place::automatic;
        } else {
          throw usage_error(fmt::format("invalid --place \"{}\": must be one of cpu gpu auto", argument));
        }
        break;
      case quiet:
        o_.quiet = true;
        break;
      case random_source:
        throw usage_error("--random-source is not supported: shuf shuffles lines");
      case sort_word:
        take_sort_word(argument);
        break;
      case version:
        o_.version = true;
        break;
      case help:
        o_.help = true;
        break;
      default:
        global_.set(letter, sort_key::side::both);
    }
  }

  void take_separator(const std::string& text) {
    if (text.empty()) throw usage_error("-t: the separator is empty");
    if (text.size() > 1 && text != "\\0") {
      throw usage_error(fmt::format("-t: \"{}\" has more than one character; -t $'\\t' is a tab, -t '\\0' NUL", text));
    }
    const char separator = text.size() == 1 ? text.front() : '\0';
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
    o_.keys = complete_keys(std::move(o_.keys), global_);
    o_.reverse = global_.reverse;
    if (o_.inputs.empty()) o_.inputs.emplace_back("-");
    if (o_.check == sort_text_options::check_kind::none) return;
    const bool diagnose = o_.check == sort_text_options::check_kind::diagnose;
    if (o_.inputs.size() > 1) {
      throw usage_error(fmt::format("\"{}\": -{} checks one file", o_.inputs[1], diagnose ? 'c' : 'C'));
    }
    if (o_.output) refuse_together(diagnose ? "co" : "Co");
  }

  const std::vector<std::string>& arguments_;
  std::size_t next_ = 0;
  sort_text_options o_;
  sort_key global_;
  std::optional<std::string> names_from_;
};

}  // namespace

sort_text_options parse_sort_text(const std::vector<std::string>& arguments) {
  return parser(arguments).parse();
}

}  // namespace peneira::tool
