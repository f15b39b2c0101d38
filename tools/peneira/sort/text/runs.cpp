// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Temporary files of sorted lines, and the programs that compress them.
#include "tools/peneira/sort/text/runs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/io/descriptors.hpp"

namespace peneira::tool {
namespace {

class raw_source : public byte_source {
 public:
  explicit raw_source(const run_bytes& bytes) : bytes_(bytes) {}
  std::size_t read(char* to, std::size_t size) override { return bytes_.read(to, size); }

 private:
  run_bytes bytes_;
};

class decompressed_source : public byte_source {
 public:
  decompressed_source(const std::string& program, const temporary_file& file)
      : process_(program, filter_process::direction::from_file, file.fd()) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = process_.read(to, size);
    if (got == 0) process_.finish();
    return got;
  }

 private:
  filter_process process_;
};

}  // namespace

filter_process::filter_process(const std::string& program, direction way, int file) : program_(program) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("open", "a pipe");
  const bool writes = way == direction::to_file;
  // The file is shared with us, its position too.
  if (::lseek(file, 0, SEEK_SET) != 0) fail("rewind", "a temporary file");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writes ? ends[0] : file, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, writes ? file : ends[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  char decompress[] = "-d";
  std::string name = program;
  char* const arguments[] = {name.data(), writes ? nullptr : decompress, nullptr};
  const int error = ::posix_spawnp(&process_, program.c_str(), &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[writes ? 0 : 1]);
  pipe_ = ends[writes ? 1 : 0];
  if (error != 0) {
    process_ = -1;
    close_pipe();
    fail("run", "the program of --compress-program " + program_, error);
  }
}

filter_process::~filter_process() {
  close_pipe();
  if (process_ <= 0) return;
  ::kill(process_, SIGTERM);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void filter_process::close_pipe() {
  if (pipe_ >= 0) ::close(pipe_);
  pipe_ = -1;
}

void filter_process::fail_with(const std::string& why) const {
  throw std::runtime_error(fmt::format("--compress-program: {} {}", program_, why));
}

void filter_process::write(const char* data, std::size_t size) {
  try {
    write_all(pipe_, data, size, program_);
  } catch (const broken_pipe&) {
    finish();
    fail_with("ended before it had read everything");
  }
}

std::size_t filter_process::read(char* to, std::size_t size) {
  for (;;) {
    poll_interrupt();
    const ssize_t got = ::read(pipe_, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail("read", "from " + program_);
  }
}

void filter_process::finish() {
  if (process_ <= 0) return;
  close_pipe();
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0) {
    if (errno != EINTR) break;
    poll_interrupt();
  }
  process_ = -1;
  if (status != 0) await_interrupt();
  if (WIFSIGNALED(status)) fail_with(fmt::format("was ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) fail_with(fmt::format("failed with exit code {}", WEXITSTATUS(status)));
}

sorted_run::sorted_run(std::shared_ptr<run_file> file, const std::string& compress)
    : file_(std::move(file)), first_(file_->end()), compress_(compress) {
  if (!compress_.empty()) {
    compressor_ = std::make_unique<filter_process>(compress_, filter_process::direction::to_file, file_->file().fd());
  }
}

void sorted_run::write(const char* data, std::size_t size) {
  if (compressor_ != nullptr) {
    compressor_->write(data, size);
  } else {
    file_->append(data, size);
  }
  bytes_ += size;
}

void sorted_run::close() {
  if (compressor_ != nullptr) compressor_->finish();
  compressor_.reset();
}

std::unique_ptr<byte_source> sorted_run::open() const {
  if (compress_.empty()) return std::make_unique<raw_source>(run_bytes(*file_, first_, first_ + bytes_));
  return std::make_unique<decompressed_source>(compress_, file_->file());
}

run_store::run_store(const std::vector<std::string>& folders, std::string compress)
    : folders_(folders), compress_(std::move(compress)), files_(folders.size()) {}

std::shared_ptr<sorted_run> run_store::next() {
  return std::make_shared<sorted_run>(file_of_next(), compress_);
}

std::shared_ptr<run_file> run_store::file_of_next() {
  const std::size_t folder = made_++ % folders_.size();
  if (!compress_.empty()) return std::make_shared<run_file>(folders_[folder]);
  if (files_[folder] == nullptr) {
    constexpr std::size_t spare = 8;  // for all that will be opened beside it
    if (folder != 0 && room_for_files(spare) < spare) return files_.front();
    files_[folder] = std::make_shared<run_file>(folders_[folder]);
  }
  return files_[folder];
}

}  // namespace peneira::tool
