// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-mpi sort of text. The inputs, one behind the other, are cut into parts of equal size; a rank has the lines
// that begin in its part. Each gets as many lines as the others, in order, and writes them.
#include "tools/peneira-mpi/text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/io/compressed.hpp"
#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/sort/text/locale.hpp"

namespace peneira::tool {
namespace {

using pn::detail::together;

[[noreturn]] void refuse(std::string_view option) {
  throw usage_error(fmt::format("{}: not over ranks so far; run peneira in one process", option));
}

/// Throws for options that ranks cannot follow yet.
void check_options(const sort_text_options& o) {
  if (!o.keys.empty()) refuse("keys (-k, -n and other ways to compare)");
  if (o.merge) refuse("-m");
  if (o.header) refuse("--header");
  if (o.csv) refuse("--csv and --tsv");
  if (o.top) refuse("--top");
  if (o.sample) refuse("--sample");
  if (o.debug) refuse("--debug");
  if (o.memory != 0) refuse("-S (all ranks together hold the lines)");
  if (!o.compress.empty()) refuse("--compress-program");
  if (o.output && compression_by_name(*o.output) != compression::none) refuse("an output named .gz or .zst");
  if (o.check != sort_text_options::check_kind::none) refuse("-c");
  if (o.where == sort_text_options::place::gpu) refuse("--place gpu");
  for (const std::string& path : o.inputs) {
    if (path == "-") refuse("standard input");
  }
}

/// Throws where the environment asks for another order than that of bytes.
void check_locale() {
  if (!text_locale::wanted()) return;
  const std::unique_ptr<const text_locale> asked = text_locale::of_environment();
  if (asked == nullptr || !asked->collates()) return;
  throw usage_error(
      fmt::format("the order of the locale {}: not over ranks so far; LC_ALL=C is the order of bytes, "
                  "or run peneira in one process",
                  asked->name()));
}

/// Throws where a file is compressed.
void check_bytes(const input_file& file) {
  std::string first(std::min(telling_bytes, file.size()), '\0');
  if (!first.empty()) read_at(file, first.data(), first.size(), 0);
  if (compression_of(first) != compression::none) refuse("the compressed input " + file.path());
}

/// Lines of a file that begin in [begin, end) of it, each with its terminator.
class line_reader {
 public:
  line_reader(const input_file& file, char terminator) : file_(file), terminator_(terminator) {}

  void append(std::size_t begin, std::size_t end, std::string& to) {
    std::size_t at = begin == 0 ? 0 : behind_line(begin - 1);
    if (at >= end) return;
    const std::size_t last = behind_line(end - 1);  // of the line that the last byte is in
    const std::size_t held = to.size();
    to.resize(held + last - at);
    for (char* next = to.data() + held; at < last;) {
      const std::size_t got = read(next, last - at, at);
      next += got;
      at += got;
    }
    if (to.back() != terminator_) to.push_back(terminator_);
  }

 private:
  /// The place behind the terminator that comes at `at` or later; the file's end where none does.
  [[nodiscard]] std::size_t behind_line(std::size_t at) const {
    std::vector<char> buffer(std::size_t{1} << 16U);
    while (at < file_.size()) {
      const std::size_t got = read(buffer.data(), std::min(buffer.size(), file_.size() - at), at);
      const void* const found = std::memchr(buffer.data(), terminator_, got);
      if (found != nullptr) return at + static_cast<std::size_t>(static_cast<const char*>(found) - buffer.data()) + 1;
      at += got;
    }
    return file_.size();
  }
  [[nodiscard]] std::size_t read(char* to, std::size_t bytes, std::size_t at) const {
    for (;;) {
      poll_interrupt();
      const ssize_t got = ::pread(file_.fd(), to, std::min(bytes, std::size_t{1} << 26U), static_cast<off_t>(at));
      if (got > 0) return static_cast<std::size_t>(got);
      if (got == 0) throw std::runtime_error(file_.path() + " became shorter while it was read");
      if (errno != EINTR) fail("read", file_.path());
    }
  }

  const input_file& file_;
  char terminator_;
};

/// The lines of this rank.
std::string read_part(const job_ranks& on, const sort_text_options& o) {
  std::vector<std::unique_ptr<input_file>> files;
  std::size_t all = 0;
  for (const std::string& path : o.inputs) {
    files.push_back(std::make_unique<input_file>(path));
    check_plain(*files.back());
    check_bytes(*files.back());
    all += files.back()->size();
  }
  const std::size_t begin = pn::detail::even_share(all, on.ranks(), on.rank());
  const std::size_t end = pn::detail::even_share(all, on.ranks(), on.rank() + 1);
  std::string text;
  std::size_t first = 0;  // of a file
  for (const auto& file : files) {
    const auto clipped = [&](std::size_t at) { return std::clamp(at, first, first + file->size()) - first; };
    if (clipped(begin) < clipped(end)) line_reader(*file, o.terminator).append(clipped(begin), clipped(end), text);
    first += file->size();
  }
  return text;
}

/// The last line of the ranks before this one; whether there is one.
bool line_before(job_ranks& on, const string_share& share, std::string& line) {
  const std::string mine(share.size() == 0 ? std::string_view() : share[share.size() - 1]);
  struct last_line {
    std::uint64_t there;
    std::uint64_t bytes;
  };
  const auto lasts = pn::detail::gather_values(on.between(), last_line{share.size() == 0 ? 0U : 1U, mine.size()});
  std::vector<std::size_t> sizes(lasts.size());
  for (std::size_t r = 0; r < lasts.size(); ++r) sizes[r] = lasts[r].bytes;
  const std::vector<char> all = pn::detail::gather_arrays<char>(on.between(), mine, sizes);
  bool found = false;
  std::size_t at = 0;
  for (unsigned r = 0; r < on.rank(); at += sizes[r++]) {
    if (lasts[r].there == 0) continue;
    line.assign(all.data() + at, sizes[r]);
    found = true;
  }
  return found;
}

/// This rank's lines, in order.
std::string print_lines(job_ranks& on, const string_share& share, const sort_text_options& o) {
  std::string before;
  const bool any = o.unique && line_before(on, share, before);
  std::string text;
  together(on.between(), [&] {
    text.reserve(share.chars.size() + share.size());
    for (std::size_t i = 0; i < share.size(); ++i) {
      if (o.unique && (i == 0 ? any && share[0] == before : share[i] == share[i - 1])) continue;
      text.append(share[i]).push_back(o.terminator);
    }
  });
  return text;
}

}  // namespace

void sort_lines(job_ranks& on, const sort_text_options& o, const job_options& how) {
  rank_report report;
  stopwatch watch;
  std::string text;
  owned_strings<> lines;
  show_step(on, how, "read");
  together(on.between(), [&] {
    check_options(o);
    check_locale();
    text = read_part(on, o);
    lines = lines_of(text, o.terminator);
  });
  rank_output out(on, o.output.value_or(""));
  report.read_seconds = watch.lap();
  show_step(on, how, "sort");
  const std::size_t n = pn::detail::sizes_of(on.between(), lines.size()).all();
  const std::size_t count =
      pn::detail::even_share(n, on.ranks(), on.rank() + 1) - pn::detail::even_share(n, on.ranks(), on.rank());
  const string_share share = pn::sorted_strings(on, lines.view(), count, {.descending = o.reverse});
  report.sort_seconds = watch.lap();
  show_step(on, how, "write");
  const std::string sorted = print_lines(on, share, o);
  out.write(sorted.data(), sorted.size());
  out.commit();
  show_step(on, how, "");
  report.write_seconds = watch.lap();
  report.items_in = lines.size();
  report.items_out = count;
  report.bytes_out = sorted.size();
  report.sent_bytes = on.sent_bytes();
  if (how.report) print_report(on, report);
}

}  // namespace peneira::tool
