// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira-mpi/job.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/sizes.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/cli/write.hpp"
#include "tools/peneira/io/temporary_file.hpp"

namespace peneira::tool {

using pn::detail::together;

unsigned ranks_of_node() {
  static const int found = [] {
    MPI_Comm node = MPI_COMM_NULL;
    int ranks = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_free(&node);
    return ranks;
  }();
  return static_cast<unsigned>(found);
}

unsigned threads_of(unsigned asked) {
  const unsigned ranks = ranks_of_node();
  const unsigned offered = team_of(asked);
  if (asked != 0 || offered < std::thread::hardware_concurrency()) return offered;
  return std::max(1U, offered / ranks);
}

job_request& asked_for() {
  static job_request request;
  return request;
}

rank_output::rank_output(job_ranks& on, const std::string& path, const output_rules& rules)
    : on_(on), path_(path), standard_(rules.standard && path == "-") {
  if (standard_) return;
  std::string hidden;
  together(on.between(), [&] {
    if (path.empty() || path == "-") throw usage_error("-o FILE is needed: ranks write parts of one file");
    if (on.rank() != 0) return;
    if (!rules.replaces) check_output(path, false);
    made_.emplace(path, temporary_folder());
    const std::filesystem::path own = fmt::format("/proc/self/fd/{}", made_->fd());
    hidden = std::filesystem::read_symlink(own).string();
    struct stat one {};
    if (!made_->is_regular() || ::stat(hidden.c_str(), &one) != 0) {
      throw std::runtime_error(
          fmt::format("cannot write {}: it is no file that ranks could share, or has other names", path));
    }
  });
  const std::size_t size = pn::detail::gather_values(on.between(), hidden.size())[0];
  std::vector<std::size_t> sizes(on.ranks(), 0);
  sizes[0] = size;
  std::string name(size, ' ');
  on.between().gather_all(hidden.data(), sizes, name.data());
  together(on.between(), [&] {
    if (on.rank() == 0) return;
    fd_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail("open", name);
  });
}

rank_output::~rank_output() {
  if (fd_ >= 0) ::close(fd_);
}

/// What all ranks have, on standard output.
void rank_output::print(const char* data, std::size_t bytes) {
  const std::vector<std::size_t> sizes = pn::detail::gather_values(on_.between(), bytes);
  const std::vector<char> all = pn::detail::gather_arrays<char>(on_.between(), {data, bytes}, sizes);
  together(on_.between(), [&] {
    if (on_.rank() == 0) write_all(STDOUT_FILENO, all.data(), all.size(), "standard output");
  });
}

void rank_output::begin(std::size_t bytes) {
  std::uint64_t before = bytes;
  on_.between().sum_before({&before, 1});
  at_ = before;
}

void rank_output::put(const char* data, std::size_t bytes) {
  const int fd = made_ ? made_->fd() : fd_;
  for (std::size_t done = 0; done < bytes;) {
    poll_interrupt();
    const std::size_t some = std::min(bytes - done, std::size_t{1} << 22U);
    const ssize_t written = ::pwrite(fd, data + done, some, static_cast<off_t>(at_ + done));
    if (written < 0 && errno != EINTR) fail("write", path_);
    done += written < 0 ? 0 : static_cast<std::size_t>(written);
  }
  at_ += bytes;
}

void rank_output::end() {
  if (fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0) fail("close", path_);
}

void rank_output::write(const char* data, std::size_t bytes) {
  if (standard_) return print(data, bytes);
  begin(bytes);
  together(on_.between(), [&] {
    put(data, bytes);
    end();
  });
}

void rank_output::commit() {
  together(on_.between(), [&] {
    if (made_) made_->commit();
  });
}

void check_plain(const input_file& file) {
  struct stat found {};
  if (::fstat(file.fd(), &found) == 0 && S_ISREG(found.st_mode)) return;
  throw usage_error(file.path() + " is no file of which each rank could read a part");
}

void check_plain(const std::string& path) {
  if (path == "-") throw usage_error("standard input: not over ranks, of which each reads a part of a file");
  check_plain(input_file(path));
}

void read_at(const input_file& file, char* to, std::size_t bytes, std::size_t first) {
  for (std::size_t done = 0; done < bytes;) {
    poll_interrupt();
    const std::size_t some = std::min(bytes - done, std::size_t{1} << 26U);
    const ssize_t got = ::pread(file.fd(), to + done, some, static_cast<off_t>(first + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", file.path());
    if (got == 0) throw std::runtime_error(file.path() + " became shorter while it was read");
    done += static_cast<std::size_t>(got);
  }
}

void show_step(const job_ranks& on, const job_options& o, std::string_view text) {
  if (on.rank() != 0 || o.quiet || ::isatty(STDERR_FILENO) != 1) return;
  tell("\r\x1b[K{}", text);
}

void print_report(job_ranks& on, const phase_times& times, const rank_report& mine, std::string_view unit) {
  const std::size_t phases = times.names().size();
  const std::vector<rank_report> all = pn::detail::gather_values(on.between(), mine);
  const std::vector<double> seconds =
      pn::detail::gather_arrays<double>(on.between(), times.seconds(), std::vector<std::size_t>(on.ranks(), phases));
  if (on.rank() != 0) return;
  std::uint64_t sum = 0;
  std::uint64_t most = 0;
  const bool has_out = std::any_of(all.begin(), all.end(), [](const rank_report& one) { return one.out != 0; });
  for (const rank_report& one : all) {
    const std::uint64_t share = has_out ? one.out : one.in;  // of groups all are written by one rank
    sum += share;
    most = std::max(most, share);
  }
  tell("rank {:>13} {:>13}    bytes sent", fmt::format("{} in", unit), fmt::format("{} out", unit));
  for (const std::string_view name : times.names()) tell(" {:>10}", fmt::format("{} s", name));
  tell("\n");
  for (std::size_t r = 0; r < all.size(); ++r) {
    tell("{:4} {:13} {:13} {:13}", r, all[r].in, all[r].out, all[r].sent_bytes);
    for (std::size_t p = 0; p < phases; ++p) tell(" {:10.3f}", seconds[r * phases + p]);
    tell("\n");
  }
  const double even = static_cast<double>(sum) / static_cast<double>(all.size());
  tell("balance: the largest share is {:.3f} of the mean\n", sum == 0 ? 1.0 : static_cast<double>(most) / even);
}

}  // namespace peneira::tool
