// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort on lines of text: read a chunk, which is all where the memory holds it; order its lines; write them, or
// keep them in a temporary file and merge these in the end.
#include "tools/peneira/sort/text/sort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "peneira/config.hpp"
#include "peneira/cpu/team.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/sort/text/debug.hpp"
#include "tools/peneira/sort/text/input.hpp"
#include "tools/peneira/sort/text/memory.hpp"
#include "tools/peneira/sort/text/merge.hpp"
#include "tools/peneira/sort/text/options.hpp"
#include "tools/peneira/sort/text/order.hpp"
#include "tools/peneira/sort/text/output.hpp"
#include "tools/peneira/sort/text/part.hpp"
#include "tools/peneira/sort/text/place.hpp"
#include "tools/peneira/sort/text/rounds.hpp"
#include "tools/peneira/sort/text/runs.hpp"
#include "tools/peneira/sort/text/ties.hpp"

namespace peneira::tool {
namespace {

constexpr int out_of_order = 1;
constexpr int failure = 2;

/// An input of a merge or a check.
class input_source : public byte_source {
 public:
  explicit input_source(std::unique_ptr<text_file> file) : file_(std::move(file)) {}
  std::size_t read(char* to, std::size_t size) override { return file_->read_some(to, size); }
  [[nodiscard]] std::string name() const override { return file_->name(); }
  [[nodiscard]] std::uint64_t lines_before() const override { return file_->taken_lines(); }

 private:
  std::unique_ptr<text_file> file_;
};

/// Tells once that lines are ordered by their bytes where the environment asks for a locale that is not here.
void tell_no_locale() {
  for (const char* const variable :
       {"LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_MESSAGES", "LC_MONETARY", "LC_PAPER",
        "LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION", "LANG"}) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0' || text_locale::exists(value)) continue;
    tell(
        "peneira sort: note: {}={} is no locale of this machine, so that lines are in the order of their bytes; "
        "--quiet silences this\n",
        variable, value);
    return;
  }
}

/// Asks for the first bytes of a line.
void prefetch_line(const char* line, std::size_t average) {
  constexpr std::size_t cache_line = 64;
  constexpr std::size_t most = 256;  // further on the processor looks ahead by itself
  for (std::size_t at = 0; at < std::min(average, most) + cache_line; at += cache_line) __builtin_prefetch(line + at);
}

/// Appends the lines of rows [first, last).
template <class Offset>
void append_rows(const text_chunk& chunk, const chunk_starts<Offset>& starts, const std::uint32_t* rows,
                 const sort_text_options& o, std::size_t first, std::size_t last, ordered_block& out) {
  const tie_order ties(o);
  const strings<Offset> lines = chunk.all_lines(starts);
  const strings<Offset> keys = chunk.all_keys(starts);
  const std::size_t average = chunk.bytes / chunk.lines;
  constexpr std::size_t far = 64;
  constexpr std::size_t near = 32;
  for (std::size_t i = first; i < last; ++i) {
    if (i + far < last) __builtin_prefetch(lines.starts + rows[i + far]);
    if (i + near < last) prefetch_line(lines.begin_of(rows[i + near]), average);
    const bool same = o.unique && i > 0 && chunk.same_key(keys, rows[i - 1], rows[i]);
    if (same && (!ties.any() || ties.compare(lines[rows[i - 1]], lines[rows[i]]) == 0)) continue;
    out.append_with_slack(lines.begin_of(rows[i]), lines.length_of(rows[i]) + 1);
  }
}

/// Appends the lines of starts [first, last), which are in the order of the lines.
template <class Offset>
void append_starts(const text_chunk& chunk, const Offset* starts, char terminator, bool unique, std::size_t first,
                   std::size_t last, ordered_block& out) {
  const char* const text = chunk.text.data();
  const std::size_t average = chunk.bytes / chunk.lines;
  const auto line_at = [&](std::size_t start) {  // with its terminator
    const void* const end = std::memchr(text + start, terminator, chunk.bytes - start);
    return std::string_view(text + start, static_cast<std::size_t>(static_cast<const char*>(end) - text) - start + 1);
  };
  std::string_view before;
  if (unique && first > 0) before = line_at(starts[first - 1]);
  constexpr std::size_t ahead = 32;
  for (std::size_t i = first; i < last; ++i) {
    if (i + ahead < last) prefetch_line(text + starts[i + ahead], average);
    const std::string_view line = line_at(starts[i]);
    if (unique && line == std::exchange(before, line)) continue;
    out.append_with_slack(line.data(), line.size());
  }
}

/// Writes the lines of a chunk in the order of its rows; without them, in that of its starts. Of --top those that it
/// may want.
void write_lines(const text_chunk& chunk, const std::uint32_t* rows, const sort_text_options& o,
                 const text_memory& memory, byte_sink& to) {
  const std::size_t buffer = memory.write_buffer;
  const std::size_t average = chunk.bytes / chunk.lines + 1;
  const std::size_t lines_a_block = std::max<std::size_t>(1, buffer / 2 / average);
  const std::size_t wanted = o.top && !o.unique ? std::min<std::size_t>(chunk.lines, *o.top) : chunk.lines;
  const std::size_t blocks = (wanted + lines_a_block - 1) / lines_a_block;
  chunk.with_starts([&](const auto& starts) {
    write_blocks(to, memory.team, blocks, buffer, [&](std::size_t b, ordered_block& out) {
      const std::size_t first = b * lines_a_block;
      const std::size_t last = std::min(wanted, first + lines_a_block);
      if (rows != nullptr) {
        append_rows(chunk, starts, rows, o, first, last, out);
      } else {
        append_starts(chunk, starts.lines.data(), o.terminator, o.unique, first, last, out);
      }
    });
  });
}

void write_header(const input_opener& inputs, byte_sink& to) {
  to.write(inputs.header().data(), inputs.header().size());
}

/// Writes the header before the first lines, when all inputs are open: where one is refused, nothing was written.
class headed_sink : public byte_sink {
 public:
  headed_sink(const input_opener& inputs, byte_sink& to) : inputs_(inputs), to_(to) {}
  void write(const char* data, std::size_t size) override {
    finish();
    to_.write(data, size);
  }
  /// Of no lines, the header alone.
  void finish() {
    if (!std::exchange(written_, true)) write_header(inputs_, to_);
  }

 private:
  const input_opener& inputs_;
  byte_sink& to_;
  bool written_ = false;
};

/// Orders the lines that a reader still has behind a chunk and writes them, or where memory does not hold them all,
/// adds runs of them.
void sort_chunks(const sort_text_options& o, const text_memory& memory, const input_opener& inputs,
                 chunk_reader& reader, text_chunk& chunk, progress& bar, merge_rounds& runs, byte_sink& out) {
  sort_place where(o.where, known_bytes(o.inputs), memory.team);
  run_store store(o.folders, o.compress);
  paged_array<std::uint32_t> rows;
  while (reader.next(chunk, bar)) {
    const bool all = runs.empty() && !reader.more();
    const std::size_t longest = all ? 0 : chunk.longest_line();
    const std::uint32_t* const order = order_lines(chunk, o, memory.team, where, rows) ? rows.data() : nullptr;
    if (all) {
      write_header(inputs, out);
      return write_lines(chunk, order, o, memory, out);
    }
    const std::shared_ptr<sorted_run> run = store.next();
    write_lines(chunk, order, o, memory, *run);
    run->close();
    rows.clear();  // the next chunk may have fewer
    runs.add(source_of(run, longest, o));
    runs.keep_few_open();
  }
  write_header(inputs, out);
}

void merge_runs(const sort_text_options& o, merge_rounds& runs, byte_sink& out) {
  if (runs.empty()) return;
  progress bar("merge", runs.bytes(), progress::unit::bytes, o.quiet);
  runs.finish(out, bar);
}

void sort_inputs(const sort_text_options& o, const text_memory& memory, input_opener& inputs, byte_sink& out) {
  merge_rounds runs(o, memory);
  {
    progress bar("sort", known_bytes(o.inputs), progress::unit::bytes, o.quiet);
    chunk_reader reader(o, memory, inputs);
    text_chunk chunk;
    sort_chunks(o, memory, inputs, reader, chunk, bar, runs, out);
  }
  merge_runs(o, runs, out);
}

void merge_inputs(const sort_text_options& o, const text_memory& memory, input_opener& opener, byte_sink& out) {
  progress bar("merge", known_bytes(o.inputs), progress::unit::bytes, o.quiet);
  merge_rounds inputs(o, memory);
  bool reads_stdin = false;
  for (std::size_t i = 0; i < o.inputs.size(); ++i) {
    const bool is_stdin = o.inputs[i] == "-";
    // Standard input is read once, as by a sort: a second - is at its end.
    if (is_stdin && std::exchange(reads_stdin, true)) continue;
    const auto open = [&opener, i]() -> std::unique_ptr<byte_source> {
      return std::make_unique<input_source>(opener.open(i));
    };
    inputs.add({open, 0, !is_stdin, 0});
  }
  headed_sink lines(opener, out);
  inputs.finish(lines, bar);
  lines.finish();
}

/// Whether the input is in order; tells the first line that is not.
int check_order(const sort_text_options& o, input_opener& inputs) {
  progress bar("check", known_bytes(o.inputs), progress::unit::bytes, o.quiet);
  const std::string& path = o.inputs.front();
  constexpr std::size_t buffer = std::size_t{1} << 20U;
  auto file = inputs.open(0);
  std::uint64_t number = file->taken_lines() + 1;
  line_cursor cursor(std::make_unique<input_source>(std::move(file)), o, buffer);
  const line_order order(o);
  std::string last_text;
  std::string last_key;
  keyed_line last;
  for (bool first = true; cursor.next(); first = false) {
    const keyed_line& line = cursor.line();
    const int found = first ? -1 : order.compare(last, line);
    if (found > 0 || (found == 0 && o.unique)) {
      if (o.check == sort_text_options::check_kind::diagnose) {
        tell("peneira sort: {}:{}: disorder: {}{}", path, number, line.text, o.terminator);
      }
      return out_of_order;
    }
    last_text.assign(line.text);
    last_key.assign(line.key);
    last = {last_text, last_key, line.first};
    bar.add(line.text.size() + 1);
    number += o.csv ? detail::count_newlines(line.text.data(), line.text.data() + line.text.size()) + 1 : 1;
  }
  return 0;
}

}  // namespace

random_salt make_salt(sort_text_options& o) {
  const auto is_random = [](const sort_key& key) { return (key.types & sort_key::random) != 0; };
  if (!o.sample && std::none_of(o.keys.begin(), o.keys.end(), is_random)) return {};
  const random_salt salt = read_salt(o.random_source);
  for (sort_key& key : o.keys) key.salt = salt;
  return salt;
}

void write_result(const sort_text_options& o, const random_salt& salt, input_opener& inputs, byte_sink& out) {
  const text_memory memory(o);
  if (o.merge) {
    merge_inputs(o, memory, inputs, out);
  } else if (o.top || o.sample) {
    sort_part(o, memory, salt, inputs, out,
              [&](chunk_reader& reader, text_chunk& chunk, progress& bar, merge_rounds& runs) {
                sort_chunks(o, memory, inputs, reader, chunk, bar, runs, out);
                merge_runs(o, runs, out);
              });
  } else {
    sort_inputs(o, memory, inputs, out);
  }
}

namespace {

int run(const sort_text_options& given) {
  sort_text_options o = given;
  if (o.folders.empty()) o.folders.push_back(temporary_folder());
  if (text_locale::wanted()) {
    o.locale = text_locale::of_environment();
    if (o.locale == nullptr && !o.quiet) tell_no_locale();
  }
  check_inputs(o.inputs);
  const random_salt salt = make_salt(o);
  input_opener inputs(o);
  if (o.debug) tell_key_warnings(o);
  o.use_locale();
  if (o.check != sort_text_options::check_kind::none) return check_order(o, inputs);
  sort_output out(o.output, o.folders.front());
  if (o.debug) {
    debug_sink shown(o, out);
    write_result(o, salt, inputs, shown);
    shown.finish();
  } else {
    write_result(o, salt, inputs, out);
  }
  out.commit();
  return 0;
}

int say(std::string_view message) {
  tell("peneira sort: {}\n", message);
  return failure;
}

}  // namespace

int sort_text_command(int argc, char** argv) {
  try {
    const sort_text_options o = parse_sort_text({argv + 2, argv + argc});
    if (o.help) {
      write_stdout(sort_text_help());
      return 0;
    }
    if (o.version) {
      write_stdout(
          fmt::format("peneira sort {}.{}.{}\n", PENEIRA_VERSION_MAJOR, PENEIRA_VERSION_MINOR, PENEIRA_VERSION_PATCH));
      return 0;
    }
    return run(o);
  } catch (const usage_error& e) {
    return say(fmt::format("{}\nTry: peneira sort --help", e.what()));
  } catch (const interrupted&) {
    throw;
  } catch (const broken_pipe&) {
    throw;
  } catch (const std::bad_alloc&) {
    return say("out of memory; -S says how much to use");
  } catch (const std::exception& e) {
    poll_interrupt();  // which may be why
    return say(e.what());
  }
}

}  // namespace peneira::tool
