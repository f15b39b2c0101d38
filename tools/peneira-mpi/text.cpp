// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-mpi sort of text. The inputs, one behind the other, are cut into parts of equal size; a rank reads the lines
// that begin in its part, and sends each to the rank in whose share of the order it is. What came is sorted as by one
// process, and written behind what the ranks before have.
#include "tools/peneira-mpi/text.hpp"

#include <memory>
#include <string>
#include <vector>

#include "tools/peneira-mpi/line_parts.hpp"
#include "tools/peneira-mpi/line_split.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/memory_limit.hpp"
#include "tools/peneira/io/compressed.hpp"
#include "tools/peneira/sort/text/sort.hpp"

namespace peneira::tool {
namespace {

using pn::detail::together;

/// Throws for options that ranks cannot follow.
void check_options(const sort_text_options& o) {
  const auto refuse = [](bool asked, std::string_view option) {
    if (asked) throw usage_error(fmt::format("{}: not over ranks; run peneira in one process", option));
  };
  refuse(o.merge, "-m");
  refuse(o.check != sort_text_options::check_kind::none, "-c");
  refuse(o.sample.has_value(), "--sample");
  refuse(o.debug, "--debug");
  refuse(o.memory != 0, "-S (all ranks together hold the lines)");
  refuse(!o.compress.empty(), "--compress-program");
  refuse(o.output && compression_by_name(*o.output) != compression::none, "an output named .gz or .zst");
  refuse(o.where == sort_text_options::place::gpu, "--place gpu");
}

/// Throws where the last record of a file of CSV never ends.
void check_last_record(const text_part& part, const sort_text_options& o) {
  const input_file file(part.path);
  if (!o.csv || part.begin == part.end || part.end != file.size()) return;
  csv_ends ends(*o.separator);
  std::vector<char> buffer(std::size_t{1} << 18U);
  for (std::uint64_t at = 0; at < part.end;) {
    const std::size_t some = std::min<std::uint64_t>(buffer.size(), part.end - at);
    read_at(file, buffer.data(), some, at);
    for (const char* from = buffer.data(); from != nullptr && from != buffer.data() + some;) {
      from = ends.next(from, buffer.data() + some);
      if (from != nullptr) ++from;
    }
    at += some;
  }
  if (!ends.open()) return;
  throw std::runtime_error(
      fmt::format("{}: line {}: a quoted field begins here and never ends", part.path, ends.open_line()));
}

/// Writes to this rank's part of the output.
class rank_sink : public byte_sink {
 public:
  explicit rank_sink(rank_output& to) : to_(to) {}
  void write(const char* data, std::size_t size) override { to_.put(data, size); }

 private:
  rank_output& to_;
};

/// A sort of text by all ranks.
class rank_text_sort {
 public:
  rank_text_sort(job_ranks& on, const sort_text_options& given, const job_options& how)
      : on_(on), o_(given), how_(how), times_({"read", "split", "exchange", "sort"}) {}

  void run() {
    show_step(on_, how_, "read");
    prepare();
    rank_output out(on_, o_.output.value_or(""));
    read();
    times_.end(0);
    show_step(on_, how_, "exchange");
    exchange();
    show_step(on_, how_, "");
    write(out);
    out.commit();
    times_.end(3);
    if (!how_.report) return;
    print_report(on_, times_, {read_bytes_, written_bytes_, on_.sent_bytes()}, "bytes");
  }

 private:
  /// Completes the options, alike on all ranks, and opens the inputs.
  void prepare() {
    random_salt salt{};
    together(on_.between(), [&] {
      check_options(o_);
      check_texts(o_.inputs);
      o_.quiet = o_.quiet || on_.rank() != 0;
      if (o_.folders.empty()) o_.folders.push_back(temporary_folder());
      if (text_locale::wanted()) o_.locale = text_locale::of_environment();
      if (on_.rank() == 0) salt = make_salt(o_);
    });
    salt = pn::detail::gather_values(on_.between(), salt)[0];
    for (sort_key& key : o_.keys) key.salt = salt;
    std::vector<text_input> inputs;
    together(on_.between(), [&] {
      input_opener opener(o_);
      o_.use_locale();
      header_ = opener.header();
      for (std::size_t i = 0; i < o_.inputs.size(); ++i) inputs.push_back({o_.inputs[i], opener.open(i)->position()});
    });
    parts_ = parts_of_rank(on_, inputs, {o_.terminator, o_.csv ? o_.separator : std::nullopt});
    together(on_.between(), [&] {
      for (const text_part& part : parts_) check_last_record(part, o_);
      o_.header = false;
      o_.where = sort_text_options::place::cpu;
      o_.threads = on_.here().threads;
    });
    o_.memory = std::max<std::uint64_t>(std::uint64_t{1} << 26U, half_of_memory() / ranks_of_node());
  }

  void read() {
    together(on_.between(), [&] {
      text_ = std::make_unique<memory_text>(most_bytes(parts_));
      text_->shrink(read_bytes_ = read_parts(parts_, o_.terminator, text_->data()));
    });
  }

  [[nodiscard]] std::string_view text() const { return text_->view(); }

  /// Sorts what this rank has, to leave out what is not wanted before it is sent.
  void reduce() {
    together(on_.between(), [&] {
      memory_sink kept;
      sort_to(kept);
      text_ = std::make_unique<memory_text>(kept.size());
      std::memcpy(text_->data(), kept.data(), kept.size());
    });
  }

  void exchange() {
    std::unique_ptr<memory_text> came;
    if (o_.top) {
      reduce();
      times_.end(1);
      came = send_to_first(on_, text());
    } else {
      auto cuts = std::make_unique<line_cuts>(on_, o_, text());
      if (o_.unique && cuts->repeats()) {
        reduce();
        cuts = std::make_unique<line_cuts>(on_, o_, text());
      }
      times_.end(1);
      came = send_lines(on_, o_, text(), *cuts);
    }
    text_ = std::move(came);
    times_.end(2);
  }

  void sort_to(byte_sink& to) {
    if (text_->size() == 0) return;
    sort_text_options o = o_;
    o.inputs = {"lines in memory"};
    o.text = text();
    input_opener opener(o);
    write_result(o, {}, opener, to);
  }

  void write(rank_output& out) {
    std::string_view header;
    if (on_.rank() == 0) header = header_;
    // How much it will be only a sort tells that leaves lines out.
    memory_sink kept;
    const bool streams = !o_.unique && !o_.top;
    if (!streams) together(on_.between(), [&] { sort_to(kept); });
    written_bytes_ = header.size() + (streams ? text_->size() : kept.size());
    out.begin(written_bytes_);
    together(on_.between(), [&] {
      out.put(header.data(), header.size());
      rank_sink to(out);
      streams ? sort_to(to) : out.put(kept.data(), kept.size());
      out.end();
    });
  }

  job_ranks& on_;
  sort_text_options o_;
  job_options how_;
  phase_times times_;
  std::string header_;
  std::vector<text_part> parts_;
  std::unique_ptr<memory_text> text_;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace

void sort_lines(job_ranks& on, const sort_text_options& o, const job_options& how) {
  rank_text_sort(on, o, how).run();
}

}  // namespace peneira::tool
