// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-mpi group and count: each rank groups the records of its part, the groups of all meet on the first rank,
// which writes them as one process does. Groups are fewer than records; where they are not, the first rank does most of
// it.
#include "tools/peneira/group/group.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/peneira-mpi/job.hpp"
#include "tools/peneira-mpi/line_parts.hpp"
#include "tools/peneira/cli/memory_limit.hpp"
#include "tools/peneira/group/job.hpp"
#include "tools/peneira/io/sink.hpp"

namespace peneira::tool {
namespace {

using pn::detail::together;

class rank_group {
 public:
  rank_group(job_ranks& on, const group_options& given, const job_options& how)
      : on_(on), o_(given), how_(how), times_({"read", "exchange", "write"}) {}

  void run() {
    std::optional<sink> out;
    together(on_.between(), [&] {
      if (o_.inputs.empty()) o_.inputs.emplace_back("-");
      format_ = format_of(o_);
      memory_ = plan_group_memory(o_.memory != 0 ? o_.memory : half_of_memory() / ranks_of_node());
      o_.threads = threads_for_group(memory_, o_.threads);
      if (!o_.header) group_plan(o_, format_, {}, {});  // finds what is wrong before any input is read
      check_texts(o_.inputs);
      if (on_.rank() == 0) out.emplace(o_.out, o_.force);
    });
    show_step(on_, how_, o_.command);
    read();
    times_.end(0);
    gather();
    times_.end(1);
    together(on_.between(), [&] {
      if (on_.rank() != 0) return;
      if (job_) job_->write(*out);
      out->commit();
      if (job_) job_->report_forgiven();
    });
    show_step(on_, how_, "");
    times_.end(2);
    if (how_.report) print_report(on_, times_, {read_bytes_, 0, on_.sent_bytes()}, "bytes");
  }

 private:
  void read() {
    std::vector<text_input> inputs;
    std::vector<text_range> ranges(o_.inputs.size());
    together(on_.between(), [&] {
      for (std::size_t i = 0; i < o_.inputs.size(); ++i) {
        inputs.push_back(open_text(o_.inputs[i], format_, o_.header, ranges[i].header));
      }
    });
    const std::vector<text_part> parts =
        parts_of_rank(on_, inputs, {'\n', format_.csv ? std::optional(format_.separator) : std::nullopt});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      ranges[i].begin = parts[i].begin;
      ranges[i].end = parts[i].end;
    }
    read_bytes_ = most_bytes(parts);
    together(on_.between(), [&] {
      text_reader reader(o_.inputs, format_, o_.header, limits_of_group(memory_, o_.threads), o_.threads);
      reader.keep_to(std::move(ranges));
      group_parts(reader);
    });
  }

  void group_parts(text_reader& reader) {
    const auto make_job = [&] {
      job_.emplace(o_, format_, group_plan(o_, format_, reader.header(), reader.path()), memory_);
    };
    progress unseen(o_.command, 0, progress::unit::bytes, true);
    const auto begin = [&] {
      if (job_) job_->take_header(reader);
    };
    const auto take = [&](std::string_view text, const std::vector<record>& records) {
      if (!job_) make_job();
      job_->add(reader, text, records);
    };
    reader.for_each_chunk(unseen, begin, take);
    if (!job_ && !o_.header) make_job();  // others may have groups
  }

  /// Adds the groups of all ranks to those of the first.
  void gather() {
    if (!job_) return;  // nor has any other rank: no input has a header
    std::vector<run_file> runs;
    together(on_.between(), [&] {
      if (on_.rank() == 0) return;
      for (const auto& store : job_->stores()) {
        store->finish();
        store->save(runs.emplace_back(o_.folder.empty() ? temporary_folder() : o_.folder));
      }
    });
    for (unsigned rank = 1; rank < on_.ranks(); ++rank) {
      for (std::size_t s = 0; s < job_->stores().size(); ++s) {
        send(rank, rank == on_.rank() ? &runs[s] : nullptr, *job_->stores()[s]);
      }
    }
    gather_forgiven();
  }

  /// Moves a run of a rank to a store of the first.
  void send(unsigned from, const run_file* run, group_store& to) {
    const std::uint64_t mine = run == nullptr ? 0 : run->end();
    const std::uint64_t bytes = pn::detail::gather_values(on_.between(), mine)[from];
    auto* const room = static_cast<char*>(on_.between().make_room(mine));
    std::vector<char> came;
    together(on_.between(), [&] {
      if (run != nullptr) copy(*run, room);
      if (on_.rank() == 0) came.resize(bytes);
    });
    std::vector<pn::detail::room_part> parts(on_.ranks());
    parts[0].bytes = mine;
    for (std::size_t r = 1; r < parts.size(); ++r) parts[r].begin = mine;
    on_.between().exchange(parts, came.data());
    together(on_.between(), [&] {
      if (on_.rank() != 0) return;
      run_file file(o_.folder.empty() ? temporary_folder() : o_.folder);
      file.append(came.data(), came.size());
      to.add_run(file);
    });
  }

  static void copy(const run_file& from, char* to) {
    for (std::uint64_t done = 0; done < from.end();) {
      const std::size_t got = from.file().read(to + done, from.end() - done, done);
      if (got == 0) throw std::runtime_error(from.file().name() + " was truncated");
      done += got;
    }
  }

  void gather_forgiven() {
    forgiven_report& mine = job_->forgiven();
    struct counts {
      std::uint64_t empty;
      std::uint64_t bad;
      std::uint64_t bytes;
    };
    const auto all = pn::detail::gather_values(on_.between(), counts{mine.empty, mine.bad, mine.first.size()});
    std::vector<std::size_t> bytes;
    for (const counts& one : all) bytes.push_back(one.bytes);
    const std::vector<char> texts = pn::detail::gather_arrays<char>(on_.between(), mine.first, bytes);
    std::size_t at = bytes[0];
    for (std::size_t r = 1; r < all.size(); at += bytes[r++]) {
      if (on_.rank() == 0) mine.add({all[r].empty, all[r].bad, std::string(texts.data() + at, bytes[r])});
    }
  }

  job_ranks& on_;
  group_options o_;
  job_options how_;
  phase_times times_;
  text_format format_;
  std::uint64_t memory_ = 0;
  std::uint64_t read_bytes_ = 0;
  std::optional<group_job> job_;
};

}  // namespace

void group_text(const group_options& given) {
  asked_for() = [given](job_options how) {
    group_options o = given;
    o.threads = threads_of(o.threads);
    job_ranks on{MPI_COMM_WORLD, cpu{.threads = o.threads}};
    how.quiet = how.quiet || o.quiet;
    rank_group(on, o, how).run();
  };
}

}  // namespace peneira::tool
