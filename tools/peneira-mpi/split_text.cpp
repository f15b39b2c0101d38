// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-mpi split of text: each rank splits the records of its part in memory, and writes what it has of each shard
// behind what the ranks before it have.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/peneira-mpi/job.hpp"
#include "tools/peneira-mpi/line_parts.hpp"
#include "tools/peneira/split/text_splitter.hpp"

namespace peneira::tool {
namespace {

using pn::detail::together;

/// What a rank has of each shard.
class rank_shards : public shard_store {
 public:
  explicit rank_shards(std::size_t count) : bytes_(count) {}
  void add(std::string_view /*key*/) override { bytes_.emplace_back(); }
  void add_next() override { bytes_.emplace_back(); }
  [[nodiscard]] std::size_t size() const override { return bytes_.size(); }
  void write(std::size_t shard, std::string_view bytes) override { bytes_[shard].append(bytes); }
  void begin(std::size_t /*shard*/, std::string_view /*header*/) override {}  // the first rank writes it, once
  [[nodiscard]] const std::string& operator[](std::size_t shard) const { return bytes_[shard]; }

 private:
  std::deque<std::string> bytes_;
};

/// Some texts of each rank, in rank order.
std::vector<std::string> gather_texts(job_ranks& on, const std::vector<std::string>& mine) {
  std::string bytes;
  std::vector<std::uint64_t> sizes;
  for (const std::string& one : mine) {
    bytes += one;
    sizes.push_back(one.size());
  }
  const auto counts = pn::detail::gather_values(on.between(), sizes.size());
  const auto lengths = pn::detail::gather_values(on.between(), bytes.size());
  sizes = pn::detail::gather_arrays<std::uint64_t>(on.between(), sizes, counts);
  const std::vector<char> all = pn::detail::gather_arrays<char>(on.between(), bytes, lengths);
  std::vector<std::string> texts;
  std::size_t at = 0;
  for (const std::uint64_t size : sizes) {
    texts.emplace_back(all.data() + at, size);
    at += size;
  }
  return texts;
}

/// Bytes of the records of parts, of which the last of a file may lack its newline.
std::uint64_t bytes_of_records(const std::vector<text_part>& parts) {
  std::uint64_t bytes = 0;
  for (const text_part& part : parts) {
    if (part.begin == part.end) continue;
    char last = '\0';
    read_at(input_file(part.path), &last, 1, part.end - 1);
    bytes += part.end - part.begin + (last == '\n' ? 0 : 1);
  }
  return bytes;
}

class rank_text_split {
 public:
  rank_text_split(job_ranks& on, const split_options& o, const job_options& how)
      : on_(on), o_(o), how_(how), times_({"read", "split", "write"}), names_(o.out) {}

  void run() {
    const auto start = std::chrono::steady_clock::now();
    prepare();
    find_parts();
    if (request_.needs_sample()) sample();
    times_.end(0);
    show_step(on_, how_, "split");
    shard_choice choice(request_.by, request_.shards, std::move(request_.splitters), {});
    choice.keep_apart(request_.top, request_.hot);
    rank_shards shards(request_.shards);
    std::vector<std::uint64_t> records;  // of each shard
    std::uint64_t bytes = 0;
    together(on_.between(), [&] {
      text_reader reader = make_reader();
      text_splitter splitter(format_, *key_, choice, shards, o_.threads);
      progress unseen("split", 0, progress::unit::bytes, true);
      reader.for_each_chunk(
          unseen, [&] { take_header(reader, format_, *key_); },
          [&](std::string_view text, const std::vector<record>& some) { splitter.add(reader, text, some); });
      const std::vector<std::uint64_t> offsets = splitter.offsets();
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) records.push_back(offsets[s + 1] - offsets[s]);
      header_ = reader.header();
      bytes = splitter.bytes();
    });
    times_.end(1);
    show_step(on_, how_, "write");
    const std::vector<std::size_t> numbers = number_shards(choice);
    std::vector<std::uint64_t> totals(count_, 0);
    for (std::size_t s = 0; s < records.size(); ++s) totals[numbers[s]] = records[s];
    on_.between().sum_all(totals);
    const std::uint64_t mine = bytes;
    on_.between().sum_all({&bytes, 1});
    write(shards, numbers);
    show_step(on_, how_, "");
    times_.end(2);
    if (on_.rank() == 0 && !o_.quiet) {
      std::vector<std::uint64_t> offsets{0};
      for (const std::uint64_t some : totals) offsets.push_back(offsets.back() + some);
      summarise_split(offsets, "records", "shards", bytes, std::chrono::steady_clock::now() - start);
    }
    if (how_.report) print_report(on_, times_, {mine, mine, on_.sent_bytes()}, "bytes");
  }

 private:
  void prepare() {
    together(on_.between(), [&] {
      if (o_.inputs.empty()) o_.inputs.emplace_back("-");
      take_key(o_, names_);
      format_ = format_of(o_);
      key_.emplace(o_.key, o_.header);
      request_ = request_of(o_, names_.by_key());
      if (request_.by == shard_way::room) {
        throw usage_error(
            "--lines and --size: not over ranks, of which each splits its part; run peneira in one process");
      }
      refuse_compressed_name("--out", o_.out);
      check_texts(o_.inputs);
      if (on_.rank() == 0) files_.emplace(names_, request_.shards, o_.force);
    });
  }

  void find_parts() {
    std::vector<text_input> inputs;
    ranges_.resize(o_.inputs.size());
    together(on_.between(), [&] {
      for (std::size_t i = 0; i < o_.inputs.size(); ++i) {
        inputs.push_back(open_text(o_.inputs[i], format_, o_.header, ranges_[i].header));
      }
    });
    parts_ = parts_of_rank(on_, inputs, {'\n', format_.csv ? std::optional(format_.separator) : std::nullopt});
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      ranges_[i].begin = parts_[i].begin;
      ranges_[i].end = parts_[i].end;
    }
  }

  [[nodiscard]] text_reader make_reader() const {
    text_reader reader(o_.inputs, format_, o_.header, limits_of(o_), o_.threads);
    reader.keep_to(ranges_);
    return reader;
  }

  /// Finds the splitters that one process would.
  void sample() {
    std::uint64_t before = 0;
    together(on_.between(), [&] { before = bytes_of_records(parts_); });
    on_.between().sum_before({&before, 1});
    std::vector<std::string> keys;
    together(on_.between(), [&] {
      const std::uint64_t bytes = total_bytes(o_.inputs).value_or(0);
      text_reader reader = make_reader();
      keys = sample_keys(reader, o_, format_, *key_, sample_distance(request_.shards, bytes), before, bytes);
    });
    keys = gather_texts(on_, keys);
    together(on_.between(), [&] { request_.take_sample(std::move(keys)); });
  }

  /// The numbers of this rank's shards among those of all: by key each rank has met others.
  std::vector<std::size_t> number_shards(const shard_choice& choice) {
    count_ = choice.shards();
    std::vector<std::size_t> numbers(count_);
    for (std::size_t s = 0; s < numbers.size(); ++s) numbers[s] = s;
    if (choice.by() != shard_way::key) return numbers;
    std::vector<std::string> mine;
    for (std::size_t s = 0; s < count_; ++s) mine.push_back(choice.key(s));
    const std::vector<std::string> all = gather_texts(on_, mine);
    together(on_.between(), [&] {
      key_numbers of_all;
      for (const std::string& key : all) of_all.number(key);
      for (std::size_t s = 0; s < mine.size(); ++s) numbers[s] = of_all.number(mine[s]);
      count_ = of_all.size();
      if (!files_) return;
      for (std::size_t s = 0; s < count_; ++s) files_->add(of_all.key(s));
    });
    return numbers;
  }

  void write(const rank_shards& shards, const std::vector<std::size_t>& numbers) {
    std::vector<std::string> paths;
    together(on_.between(), [&] {
      if (!files_) return;
      for (std::size_t s = 0; s < count_; ++s) {
        paths.push_back(files_->hidden_path(s));
        if (paths.back().empty())
          throw std::runtime_error("cannot write " + o_.out + ": it is no file that ranks could share");
      }
    });
    paths = gather_texts(on_, paths);
    std::vector<std::uint64_t> places(count_, on_.rank() == 0 ? header_.size() : 0);
    for (std::size_t s = 0; s < numbers.size(); ++s) places[numbers[s]] += shards[s].size();
    on_.between().sum_before(places);
    together(on_.between(), [&] {
      for (std::size_t s = 0; on_.rank() == 0 && s < count_ && !header_.empty(); ++s) write_at(paths[s], header_, 0);
      const std::uint64_t header = on_.rank() == 0 ? header_.size() : 0;
      for (std::size_t s = 0; s < numbers.size(); ++s) {
        write_at(paths[numbers[s]], shards[s], places[numbers[s]] + header);
      }
    });
    together(on_.between(), [&] {
      if (files_) files_->commit();
    });
  }

  static void write_at(const std::string& path, std::string_view bytes, std::uint64_t at) {
    if (bytes.empty()) return;
    poll_interrupt();
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) fail("open", path);
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t some = ::pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
      if (some < 0 && errno != EINTR) break;
      done += some < 0 ? 0 : static_cast<std::size_t>(some);
    }
    const int why = errno;
    if (::close(fd) != 0 || done < bytes.size()) fail("write", path, done < bytes.size() ? why : errno);
  }

  job_ranks& on_;
  split_options o_;
  job_options how_;
  phase_times times_;
  shard_names names_;
  text_format format_;
  std::optional<split_key> key_;
  shard_request request_;
  std::optional<shard_files> files_;  ///< on rank 0
  std::vector<text_range> ranges_;
  std::vector<text_part> parts_;
  std::string header_;
  std::size_t count_ = 0;  ///< of shards
};

}  // namespace

void split_text(const split_options& given) {
  asked_for() = [given](job_options how) {
    split_options o = given;
    o.threads = threads_of(o.threads);
    job_ranks on{MPI_COMM_WORLD, cpu{.threads = o.threads}};
    how.quiet = how.quiet || o.quiet;
    o.quiet = o.quiet || on.rank() != 0;
    rank_text_split(on, o, how).run();
  };
}

}  // namespace peneira::tool
