// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The files that `peneira sort` on text reads.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "peneira/cpu/team.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/sort/text/input.hpp"
#include "tools/peneira/text/formats.hpp"

namespace peneira::tool {
namespace {

[[noreturn]] void fail_to_read(const std::string& name, int code = errno) {
  throw std::runtime_error(fmt::format("cannot read: {}: {}", name, std::strerror(code)));
}

}  // namespace

text_file::text_file(const std::string& path, const std::optional<decoding>& by) : name_(path) {
  fd_ = open_input(path);
  if (fd_ < 0) fail_to_read(name_);
  struct stat status {};
  if (::fstat(fd_, &status) != 0) fail_to_read(name_);
  if (S_ISDIR(status.st_mode)) fail_to_read(name_, EISDIR);
  const off_t position = S_ISREG(status.st_mode) ? ::lseek(fd_, 0, SEEK_CUR) : -1;
  plain_ = position >= 0;
  size_ = static_cast<std::uint64_t>(status.st_size);
  position_ = plain_ ? static_cast<std::uint64_t>(position) : 0;
#if defined(POSIX_FADV_SEQUENTIAL)
  if (plain_) static_cast<void>(::posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL));
#endif
  if (by) decompress(*by);
}

text_file::text_file(std::string_view lines)
    : name_("lines in memory"), memory_(lines), plain_(true), size_(lines.size()) {}

void text_file::decompress(const decoding& by) {
  const std::string_view first = peek(telling_bytes);
  const compression how = compression_of(first);
  if (how == compression::none) {
    refuse_compressed(first, name_);
    return;
  }
  const auto more = [this](char* to, std::size_t size) { return read_file(to, size); };
  // Of a plain file they are read again; a pipe may wait for long, and nobody could end the thread.
  const std::string telling(first);
  const decoding used = plain_ ? by : by.by_the_reader();
  decoder_ = make_decoder(how, telling, plain_ ? "" : seen_, more, name_, used);
  decoding_bytes_ = used.memory + bytes_to_look_back(telling, used);
  seen_.clear();
  plain_ = false;
}

text_file::~text_file() {
  decoder_.reset();
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

std::string_view text_file::peek(std::size_t least) {
  std::size_t held = seen_.size();
  if (held >= least) return seen_;
  seen_.resize(least);
  if (plain_) {
    held = read_at(seen_.data(), least, position_);
  } else {
    for (std::size_t got = 1; held < least && got != 0; held += got) got = read_more(seen_.data() + held, least - held);
  }
  seen_.resize(held);
  return seen_;
}

void text_file::skip(std::size_t bytes) {
  seen_.erase(0, bytes);
  if (!plain_) return;
  seen_.clear();
  position_ += bytes;
  if (fd_ >= 0 && ::lseek(fd_, static_cast<off_t>(position_), SEEK_SET) < 0) fail_to_read(name_);
}

void text_file::skip_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (peek(mark.size()).starts_with(mark)) skip(mark.size());
}

std::string text_file::take_first(char terminator, std::optional<csv_ends> csv) {
  constexpr std::size_t most = std::size_t{1} << 26U;
  std::string first;
  std::size_t scanned = 0;
  for (std::size_t wanted = std::size_t{1} << 14U; first.empty(); wanted *= 2) {
    const std::string_view text = peek(wanted);
    const char* const from = text.data() + scanned;
    const char* const end = text.data() + text.size();
    const void* const stop = csv ? csv->next(from, end) : std::memchr(from, terminator, text.size() - scanned);
    if (stop != nullptr) {
      first = text.substr(0, static_cast<std::size_t>(static_cast<const char*>(stop) - text.data()) + 1);
    } else if (text.size() < wanted) {
      first = text;
      break;
    }
    scanned = text.size();
    if (scanned >= most) throw std::runtime_error(fmt::format("{}: the header is longer than 64 MiB", name_));
  }
  if (csv && csv->open() && !first.empty()) {
    throw std::runtime_error(
        fmt::format("{}: line {}: a quoted field begins here and never ends", name_, csv->open_line()));
  }
  taken_lines_ = static_cast<std::uint64_t>(std::count(first.begin(), first.end(), terminator));
  if (!first.empty() && !first.ends_with(terminator)) ++taken_lines_;
  skip(first.size());
  return first;
}

std::size_t text_file::read_some(char* to, std::size_t size) {
  if (plain_ || seen_.empty()) return read_more(to, size);
  const std::size_t some = seen_.copy(to, size);
  seen_.erase(0, some);
  return some;
}

std::size_t text_file::read_more(char* to, std::size_t size) {
  return decoder_ != nullptr ? decoder_->read(to, size) : read_file(to, size);
}

std::size_t text_file::read_file(char* to, std::size_t size) const {
  for (;;) {
    poll_interrupt();
    const ssize_t got = ::read(fd_, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail_to_read(name_);
  }
}

std::size_t text_file::read_at(char* to, std::size_t size, std::uint64_t position) const {
  if (fd_ < 0) return memory_.copy(to, size, position);
  std::size_t held = 0;
  while (held < size) {
    poll_interrupt();
    const ssize_t got = ::pread(fd_, to + held, size - held, static_cast<off_t>(position + held));
    if (got == 0) break;
    if (got < 0 && errno != EINTR) fail_to_read(name_);
    if (got > 0) held += static_cast<std::size_t>(got);
  }
  return held;
}

std::vector<std::size_t> text_file::read(char* to, std::size_t piece, unsigned team, const on_read& seen) {
  if (!plain_) {
    std::size_t held = 0;
    for (std::size_t got = 1; got != 0 && held < piece * team; held += got)
      got = read_some(to + held, piece * team - held);
    constexpr std::size_t least = std::size_t{1} << 15U;  // bytes that are worth one more thread
    const auto members = static_cast<unsigned>(std::clamp<std::size_t>(held / least, 1, team));
    std::vector<std::size_t> parts(members);
    pn::detail::on_each(members, [&](unsigned m) {
      const auto [begin, end] = pn::detail::slice(held, m, members);
      parts[m] = end - begin;
      seen(m, begin, end - begin);
    });
    return parts;
  }
  const std::uint64_t left = size_ > position_ ? size_ - position_ : 0;
  const auto members = static_cast<unsigned>(std::clamp<std::uint64_t>((left + piece - 1) / piece, 1, team));
  std::vector<std::size_t> got(members);
  pn::detail::on_each(members, [&](unsigned m) {
    constexpr std::size_t in_cache = std::size_t{1} << 18U;
    while (got[m] < piece) {
      const std::size_t first = m * piece + got[m];
      const std::size_t wanted = std::min(in_cache, piece - got[m]);
      const std::size_t more = read_at(to + first, wanted, position_ + first);
      seen(m, first, more);
      got[m] += more;
      if (more < wanted) break;
    }
  });
  // A file that shrinks or grows meanwhile: what counts is what was there up to the first end that a thread saw.
  const auto end = std::find_if(got.begin(), got.end(), [&](std::size_t part) { return part < piece; });
  if (end != got.end()) got.erase(end + 1, got.end());
  position_ += std::accumulate(got.begin(), got.end(), std::uint64_t{0});
  // Whoever reads standard input after us, we ourselves for another -, goes on from there.
  if (fd_ == STDIN_FILENO) static_cast<void>(::lseek(fd_, static_cast<off_t>(position_), SEEK_SET));
  return got;
}

void check_inputs(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (path != "-" && ::access(path.c_str(), R_OK) != 0) fail_to_read(path);
  }
}

std::uint64_t known_bytes(const std::vector<std::string>& paths) {
  std::uint64_t total = 0;
  bool stdin_counts = true;
  for (const std::string& path : paths) {
    const bool is_stdin = path == "-";
    if (is_stdin && !std::exchange(stdin_counts, false)) continue;
    struct stat found {};
    const int status = is_stdin ? ::fstat(STDIN_FILENO, &found) : ::stat(path.c_str(), &found);
    if (status != 0 || !S_ISREG(found.st_mode)) return 0;
    if (path.ends_with(".gz") || path.ends_with(".zst")) return 0;  // who knows how much is in it
    const off_t read = is_stdin ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    total += static_cast<std::uint64_t>(std::max<off_t>(0, found.st_size - read));
  }
  return total;
}

}  // namespace peneira::tool
